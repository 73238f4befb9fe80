package dev.tandem.host.plan;

import dev.tandem.core.Failure;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.IoErrors;
import dev.tandem.host.Secrets;
import dev.tandem.host.credential.PasswordSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The files of a plan on this node, below {@code /etc/tandem}: the plan itself, the token of pcsd
 * and what the BMCs need. Compared by content, and told by name only.
 */
public final class NodeFiles {
    private final Path etc;
    private final NodePasswords passwords;

    public NodeFiles(Path etc) {
        this(etc, new NodePasswords());
    }

    public NodeFiles(Path etc, NodePasswords passwords) {
        this.etc = etc;
        this.passwords = passwords;
    }

    /** What has to be written here; reading the plan's secrets is part of the check. */
    public List<Change> changesTo(ClusterPlan plan) {
        List<Change> changes = new ArrayList<>();
        wanted(plan)
                .forEach((file, text) -> {
                    Optional<String> actual = content(file);
                    if (actual.isEmpty()) {
                        changes.add(
                                new Change("file " + file, "", Optional.empty(), Optional.of("")));
                    } else if (!actual.get().equals(text) && !holdsPlan(file, plan)) {
                        changes.add(
                                new Change(
                                        "file",
                                        file.toString(),
                                        Optional.of("other content"),
                                        Optional.of("as planned")));
                    }
                });
        for (ClusterPlan.Node node : plan.installed(etc).nodes()) {
            if (lacksKeptPassword(node)) {
                changes.add(
                        new Change(
                                "file " + kept(node).orElseThrow(),
                                "",
                                Optional.empty(),
                                Optional.of("")));
            }
            Path obsolete = InstalledPasswords.obsolete(etc, node);
            if (Files.exists(obsolete)) {
                changes.add(new Change("file " + obsolete, "", Optional.of(""), Optional.empty()));
            }
        }
        return changes;
    }

    private static Optional<Path> kept(ClusterPlan.Node installed) {
        return installed.bmc().password() instanceof PasswordSource.Fetched(_, var cache)
                ? cache
                : Optional.empty();
    }

    /**
     * One that can be used stays: it is the agent's, which changes it only after a proof. One of
     * which that is not known may be the only one that the BMC accepts.
     */
    private boolean lacksKeptPassword(ClusterPlan.Node installed) {
        return kept(installed).filter(file -> passwords.sealed(installed).isLost(file)).isPresent();
    }

    public void write(ClusterPlan plan) {
        ClusterPlan installed = plan.installed(etc);
        for (int i = 0; i < plan.nodes().size(); i++) {
            if (lacksKeptPassword(installed.nodes().get(i))) {
                passwords.write(installed.nodes().get(i), passwords.available(plan.nodes().get(i)));
            }
        }
        wanted(plan)
                .forEach((file, text) -> {
                    if (!content(file).equals(Optional.of(text)) && !holdsPlan(file, plan)) {
                        Secrets.write(file, text);
                    }
                });
        deleteObsolete(installed);
    }

    /** Passwords that lie where another plan had them; one that replaces them has to be there. */
    public void deleteObsolete(ClusterPlan installed) {
        for (ClusterPlan.Node node : installed.nodes()) {
            if (Files.exists(InstalledPasswords.file(node))) {
                delete(InstalledPasswords.obsolete(etc, node));
            }
        }
    }

    /**
     * The same plan, with the passwords that this node keeps in place of sources that it has asked
     * before: they are in use, and a store that is silent now keeps no other setting from being
     * applied.
     */
    public ClusterPlan withKept(ClusterPlan plan) {
        Optional<ClusterPlan> there = there();
        ClusterPlan with = plan;
        for (ClusterPlan.Node node : plan.installed(etc).nodes()) {
            PasswordSource source = node.bmc().password();
            if (source instanceof PasswordSource.Fetched
                    && there.flatMap(other -> other.node(node.name()))
                            .filter(other -> other.bmc().password().equals(source))
                            .isPresent()
                    && !lacksKeptPassword(node)) {
                ClusterPlan.Bmc planned = plan.node(node.name()).orElseThrow().bmc();
                with = with.withBmc(node.name(), planned.withPassword(source));
            }
        }
        return with;
    }

    /** Empty where none can be read. */
    private Optional<ClusterPlan> there() {
        if (Files.notExists(installedPlan())) {
            return Optional.empty();
        }
        try {
            return Optional.of(ClusterPlan.read(installedPlan()));
        } catch (Failure unreadable) {
            return Optional.empty();
        }
    }

    private static void delete(Path file) {
        try {
            DurableFiles.delete(file);
        } catch (IOException e) {
            throw new Failure(
                    "cannot delete " + file,
                    IoErrors.words(e),
                    "run this as root, and check the file",
                    e);
        }
    }

    /** A plan is the same however it is written: a new way to quote is no change of a site. */
    private boolean holdsPlan(Path file, ClusterPlan plan) {
        return file.equals(installedPlan()) && there().equals(Optional.of(plan.installed(etc)));
    }

    private Path installedPlan() {
        return etc.resolve("cluster.yaml");
    }

    /** The plan comes last: where it stands, all that it names stands too. */
    private Map<Path, String> wanted(ClusterPlan plan) {
        ClusterPlan installed = plan.installed(etc);
        Map<Path, String> wanted = new LinkedHashMap<>();
        wanted.put(installed.pcsdTokenFile(), PlanSecrets.token(plan) + "\n");
        for (int i = 0; i < plan.nodes().size(); i++) {
            ClusterPlan.Node from = plan.nodes().get(i);
            ClusterPlan.Node to = installed.nodes().get(i);
            putPassword(wanted, from, to.bmc());
            from.bySecond()
                    .ifPresent(
                            second -> putPassword(wanted, second, to.bmc().second().orElseThrow()));
            for (int level = 0; level < from.bmc().further().size(); level++) {
                putFurther(wanted, from, from.bmc().further().get(level), to, level);
            }
            InstalledPasswords.copies(from, to)
                    .forEach((target, source) ->
                            wanted.put(target, PlanSecrets.content(from, source)));
            if (from.bmc().verification()
                            instanceof ClusterPlan.Verification.Authorities(Path source)
                    && to.bmc().verification()
                            instanceof ClusterPlan.Verification.Authorities(Path target)) {
                wanted.put(target, PlanSecrets.authorities(from, source));
            }
        }
        wanted.put(installedPlan(), installed.toYaml());
        return wanted;
    }

    private static void putFurther(
            Map<Path, String> wanted,
            ClusterPlan.Node from,
            FurtherLevel level,
            ClusterPlan.Node to,
            int index) {
        Optional<Path> target = to.bmc().further().get(index).passwordFile();
        Optional<String> password = NodePasswords.of(from, level);
        if (target.isPresent() && password.isPresent()) {
            wanted.put(target.get(), password.get() + "\n");
        }
    }

    private void putPassword(
            Map<Path, String> wanted, ClusterPlan.Node from, ClusterPlan.Bmc installed) {
        if (installed.password() instanceof PasswordSource.InFile(Path file)) {
            wanted.put(file, passwords.of(from) + "\n");
        }
    }

    public static Optional<String> content(Path file) {
        try {
            return Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty();
        } catch (IOException e) {
            throw new Failure(
                    "cannot read " + file,
                    IoErrors.words(e),
                    "run this as root, and check the file",
                    e);
        }
    }
}
