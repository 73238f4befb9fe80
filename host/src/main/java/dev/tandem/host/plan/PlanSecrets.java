package dev.tandem.host.plan;

import dev.tandem.core.Failure;
import dev.tandem.host.Secrets;
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

    /** Of the account at the BMC of a node. */
    public static String password(ClusterPlan.Node node) {
        Path file = node.bmc().passwordFile();
        if (Files.notExists(file)) {
            throw new Failure(
                    "there is no password for the BMC of " + node.name(),
                    file + " does not exist; each node needs the passwords of both BMCs",
                    "copy it to where the plan is; or type it, and then Enter and Ctrl-D, into:"
                            + " (umask"
                            + " 077; cat > %s)".formatted(file));
        }
        return Secrets.read(
                file,
                "type the password, and then Enter and Ctrl-D, into: (umask 077; cat > %s)"
                        .formatted(file));
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

    /** What is missing or not fit to be used, all of it. */
    public static List<Failure> faults(ClusterPlan plan) {
        List<Failure> faults = new ArrayList<>();
        look(faults, () -> token(plan));
        for (ClusterPlan.Node node : plan.nodes()) {
            look(faults, () -> password(node));
            node.bySecond().ifPresent(second -> look(faults, () -> password(second)));
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
