package dev.tandem.host.plan;

import dev.tandem.core.Failure;
import dev.tandem.host.Secrets;
import dev.tandem.host.credential.PasswordSource;
import dev.tandem.host.pki.Pem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/** The files that a plan names and does not hold, and what to do where one is missing. */
public final class PlanSecrets {
    /**
     * Whoever guesses the token is root on both nodes. {@code tandem cluster token} prints 43
     * characters; fewer are enough if they are random, but not a word.
     */
    private static final int SHORTEST_TOKEN = 32;

    private PlanSecrets() {}

    /** By which the nodes' pcsd obey each other. */
    static String token(ClusterPlan plan) {
        Path file = plan.pcsdTokenFile();
        if (Files.notExists(file)) {
            throw new Failure(
                    "there is no token for pcsd",
                    file + " does not exist; both nodes need the same token beside the plan",
                    ("copy it from where the certificates were issued; if there is none yet, make"
                         + " it, and copy it to the other node: (umask 077; tandem cluster token >"
                         + " %s)")
                            .formatted(file));
        }
        String newToken =
                "make a new one, and copy it to the other node: (umask 077; tandem cluster token > %s)"
                        .formatted(file);
        String token = Secrets.read(file, newToken);
        if (token.length() < SHORTEST_TOKEN) {
            throw new Failure(
                    "refusing the token for pcsd in " + file,
                    "it has %d characters, and %d are needed: whoever guesses it controls both nodes"
                            .formatted(token.length(), SHORTEST_TOKEN),
                    newToken);
        }
        return token;
    }

    /** The authorities that may have signed the certificate of a BMC. */
    static String authorities(ClusterPlan.Node node, Path file) {
        String text =
                NodeFiles.content(file)
                        .orElseThrow(() ->
                                new Failure(
                                        "there are no authorities for the BMC of " + node.name(),
                                        file + " does not exist; the plan names it as caFile",
                                        "copy the authority's certificate, a PEM file, to "
                                                + file));
        List<X509Certificate> _ = Pem.certificates(text, file.toString());
        return text;
    }

    /** What this node needs to log in to the store that has the password, if one has it. */
    static List<Path> vaultFiles(ClusterPlan.Node node) {
        if (!(node.bmc().password()
                instanceof PasswordSource.Fetched(PasswordSource.Vault vault, _))) {
            return List.of();
        }
        List<Path> files = new ArrayList<>();
        vault.caFile().ifPresent(files::add);
        switch (vault.login()) {
            case PasswordSource.Login.AppRole(_, _, Path secretId) -> files.add(secretId);
            case PasswordSource.Login.Certificate(_, _, Path certificate, Path key) ->
                    files.addAll(List.of(certificate, key));
        }
        return files;
    }

    static String content(ClusterPlan.Node node, Path file) {
        return NodeFiles.content(file)
                .orElseThrow(() ->
                        new Failure(
                                "there is no way to log in to the store with the password of "
                                        + node.name()
                                        + "'s BMC",
                                file + " does not exist, and the plan names it",
                                "copy it to where the plan says, on both nodes"));
    }

    /** Passwords that come from elsewhere and can be read neither there nor on this node. */
    public static List<Failure> unreadable(ClusterPlan plan) {
        List<Failure> faults = new ArrayList<>();
        for (ClusterPlan.Node node : plan.nodes()) {
            if (node.bmc().password() instanceof PasswordSource.Fetched
                    && vaultFiles(node).stream().allMatch(Files::exists)) {
                look(faults, () -> new NodePasswords().available(node));
            }
        }
        return faults;
    }

    /**
     * What is missing or not fit to be used, all of it. Only files are looked at: a program or a
     * store that has a password is there for the nodes, and not for each desk.
     */
    public static List<Failure> faults(ClusterPlan plan) {
        List<Failure> faults = new ArrayList<>();
        look(faults, () -> token(plan));
        for (ClusterPlan.Node node : plan.nodes()) {
            if (node.bmc().password() instanceof PasswordSource.InFile) {
                look(faults, () -> new NodePasswords().of(node));
            }
            for (Path file : vaultFiles(node)) {
                look(faults, () -> content(node, file));
            }
            node.bySecond().ifPresent(second -> look(faults, () -> new NodePasswords().of(second)));
            for (FurtherLevel level : node.bmc().further()) {
                look(faults, () -> NodePasswords.of(node, level).orElse(""));
            }
            if (node.bmc().verification()
                    instanceof ClusterPlan.Verification.Authorities(Path file)) {
                look(faults, () -> authorities(node, file));
            }
        }
        return faults;
    }

    /** Reads something and throws its content away. */
    private interface Reading {
        String read();
    }

    private static void look(List<Failure> faults, Reading reading) {
        try {
            String _ = reading.read();
        } catch (Failure e) {
            faults.add(e);
        }
    }
}
