package dev.tandem.host.health;

import dev.tandem.core.Failure;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.host.pacemaker.cib.CibPlan;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.FurtherLevel;
import dev.tandem.host.plan.NodePasswords;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Whether the fencing levels that do without the agent still have what they read when they are
 * needed. The agent has the same in memory and would fence on; Pacemaker asks those devices every
 * five minutes, for each time costs a login and a second of Python. No BMC is asked here.
 */
public final class SecondLevelWatch {
    public static final Duration INTERVAL = Duration.ofSeconds(10);

    private final Supplier<ClusterPlan> plan;
    private final String peer;
    private final NodePasswords passwords;
    private final Path programs;
    private volatile List<Broken> broken = List.of();

    /**
     * A device that would fail.
     *
     * @param why half a sentence
     */
    private record Broken(String device, String why, String remedy) {}

    /**
     * Looks at nothing before the first {@link #look}.
     *
     * @param plan the one in use
     * @param peer the node that is fenced from here
     * @param programs where fence agents lie
     */
    public SecondLevelWatch(
            Supplier<ClusterPlan> plan, String peer, NodePasswords passwords, Path programs) {
        this.plan = plan;
        this.peer = peer;
        this.passwords = passwords;
        this.programs = programs;
    }

    public void look() {
        broken =
                plan.get().node(peer).stream()
                        .flatMap(node ->
                                Stream.concat(
                                        CibPlan.stockLevels(node).stream()
                                                .flatMap(way -> fault(way).stream()),
                                        further(node)))
                        .toList();
    }

    /**
     * What was found last.
     *
     * @param devices those that would fail
     * @param told about the same; warnings, for the first level is the agent itself
     */
    public record Found(Set<String> devices, Impediments told) {
        public static final Found NOTHING =
                new Found(Set.of(), new Impediments(List.of(), List.of()));

        public Found {
            devices = Set.copyOf(devices);
        }
    }

    public Found found() {
        List<Broken> now = broken;
        return new Found(
                now.stream().map(Broken::device).collect(Collectors.toUnmodifiableSet()),
                new Impediments(List.of(), warnings(now)));
    }

    private List<Impediment> warnings(List<Broken> all) {
        return all.stream()
                .map(found ->
                        new Impediment(
                                Cause.SECOND_LEVEL_BROKEN,
                                peer,
                                Optional.of(peer),
                                "the fence device %s of %s, needed if tandem-agent is down or cannot fence, would fail: %s"
                                        .formatted(found.device(), peer, found.why()),
                                found.remedy(),
                                Optional.empty()))
                .toList();
    }

    private Optional<Broken> fault(ClusterPlan.Node way) {
        return fault(
                CibPlan.stockDeviceOf(way.name(), way.bmc().address()),
                CibPlan.programsOf(way.bmc().address()),
                "install it again: apt-get install --reinstall fence-agents-redfish"
                        + " fence-agents-ipmilan ./tandem_VERSION_all.deb",
                () -> {
                    String _ = passwords.of(way);
                    if (way.bmc().verification()
                            instanceof ClusterPlan.Verification.Authorities(var file)) {
                        var _ = Pem.readCertificates(file);
                    }
                });
    }

    private Stream<Broken> further(ClusterPlan.Node node) {
        List<FurtherLevel> levels = node.bmc().further();
        return IntStream.range(0, levels.size())
                .mapToObj(i ->
                        fault(
                                CibPlan.furtherDeviceOf(node.name(), i + 1),
                                CibPlan.programsOf(levels.get(i)),
                                "install the package that has it; to find it: apt-get install"
                                        + " apt-file; apt-file update; apt-file search sbin/"
                                        + levels.get(i).agent(),
                                () -> {
                                    var _ = NodePasswords.of(node, levels.get(i));
                                }))
                .flatMap(Optional::stream);
    }

    /**
     * @param files reads all that the device needs
     */
    private Optional<Broken> fault(
            String device, List<String> needed, String install, Runnable files) {
        Optional<Path> missing =
                needed.stream()
                        .map(programs::resolve)
                        .filter(program -> !Files.isExecutable(program))
                        .findFirst();
        if (missing.isPresent()) {
            return Optional.of(
                    new Broken(
                            device, missing.get() + " is not there, or is not a program", install));
        }
        try {
            files.run();
            return Optional.empty();
        } catch (Failure e) {
            return Optional.of(
                    new Broken(
                            device,
                            "%s: %s".formatted(e.what(), e.why()),
                            "to write the missing file again, where you have the plan with its"
                                    + " files: tandem cluster apply PLAN.yaml"));
        }
    }
}
