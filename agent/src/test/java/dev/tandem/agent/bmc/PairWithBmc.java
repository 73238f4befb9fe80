package dev.tandem.agent.bmc;

import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.core.NodeName;
import dev.tandem.core.testing.Sketch;
import dev.tandem.host.Secrets;
import dev.tandem.host.bmc.BmcPower;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.NodePasswords;
import dev.tandem.redfishsim.MachineIdentity;
import dev.tandem.redfishsim.Nic;
import dev.tandem.redfishsim.testing.LoopbackBmc;
import dev.tandem.redfishsim.testing.SleepingMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** The plan of a pair, north and south, with their BMCs on loopback. */
public final class PairWithBmc implements AutoCloseable {
    private static final MachineIdentity NORTH =
            new MachineIdentity(
                    UUID.fromString("9c1d3f50-2a4e-4b7c-8d66-5e7f8091a2b3"),
                    "TND-0003",
                    "Sleeping Machine",
                    List.of(new Nic("eth0", "02:54:00:00:00:11")));

    /** The machine of south. */
    private static final HardwareIdentity ITSELF = identity(SleepingMachine.IDENTITY);

    private static final HardwareIdentity ANOTHER =
            new HardwareIdentity(
                    Optional.of(UUID.fromString("00000000-1111-2222-3333-444444444444")),
                    Optional.of("TND-0002"),
                    ITSELF.macs().stream()
                            .map(mac -> "06" + mac.substring(2))
                            .collect(Collectors.toSet()));

    public final LoopbackBmc north;
    public final LoopbackBmc south;
    public final ClusterPlan plan;
    public BmcSessions sessions;
    private final Path directory;
    private final LongSupplier nanos;
    private final List<BmcSessions> killed = new ArrayList<>();
    private Optional<HardwareIdentity> southsWord = Optional.of(ITSELF);

    public PairWithBmc(Path directory) throws IOException {
        this(directory, "");
    }

    /**
     * @param more at the end of the plan
     */
    public PairWithBmc(Path directory, String more) throws IOException {
        this(
                directory,
                more,
                LoopbackBmc.USER,
                LoopbackBmc.PASSWORD,
                "",
                System::nanoTime,
                InstantSource.system());
    }

    /**
     * @param nanos the agents' monotonic clock
     * @param clock of the BMCs
     */
    public PairWithBmc(Path directory, LongSupplier nanos, InstantSource clock) throws IOException {
        this(directory, "", LoopbackBmc.USER, LoopbackBmc.PASSWORD, "", nanos, clock);
    }

    /** With accounts that may read and not switch. */
    public static PairWithBmc readingOnly(Path directory) throws IOException {
        return new PairWithBmc(
                directory, "", "watch", "only", "", System::nanoTime, InstantSource.system());
    }

    /** With IPMI beside Redfish, where nobody answers. */
    public static PairWithBmc withSecond(Path directory) throws IOException {
        return new PairWithBmc(
                directory,
                "",
                LoopbackBmc.USER,
                LoopbackBmc.PASSWORD,
                "      second: {address: 'ipmi://127.0.0.1:%d', username: a, passwordFile:"
                        + " password}\n",
                System::nanoTime,
                InstantSource.system());
    }

    /** With an outlet, of which the plan does not say that it is the node's power. */
    public static PairWithBmc withOutlet(Path directory) throws IOException {
        return new PairWithBmc(
                directory,
                "",
                LoopbackBmc.USER,
                LoopbackBmc.PASSWORD,
                "      further: [{agent: fence_pdu, parameters: {plug: %d}}]\n",
                System::nanoTime,
                InstantSource.system());
    }

    private PairWithBmc(
            Path directory,
            String more,
            String user,
            String password,
            String second,
            LongSupplier nanos,
            InstantSource clock)
            throws IOException {
        this.nanos = nanos;
        this.north = new LoopbackBmc(NORTH, clock);
        this.south = new LoopbackBmc(clock);
        Secrets.write(directory.resolve("password"), password + "\n", "rw-------");
        Path file = directory.resolve("cluster.yaml");
        Files.writeString(
                file,
                """
                apiVersion: tandem.dev/v1
                kind: ClusterPlan
                name: test
                nodes:
                  - name: north
                    addresses: [127.4.4.10]
                    bmc:
                      address: redfish+https://127.0.0.1:%d/redfish/v1/Systems/1
                      username: %s
                      passwordFile: password
                      certificate: sha256:%s
                %s  - name: south
                    addresses: [127.4.4.11]
                    bmc:
                      address: redfish+https://127.0.0.1:%d/redfish/v1/Systems/1
                      username: %s
                      passwordFile: password
                      certificate: sha256:%s
                %s\
                """
                                .formatted(
                                        north.bmc.address().getPort(),
                                        user,
                                        north.tls.fingerprint(),
                                        second.formatted(9),
                                        south.bmc.address().getPort(),
                                        user,
                                        south.tls.fingerprint(),
                                        second.formatted(10))
                        + more);
        this.plan = ClusterPlan.read(file);
        this.directory = directory;
        this.sessions = connect();
    }

    private BmcSessions connect() {
        return agent(Sketch.SOUTH, directory, directory.resolve("run"));
    }

    private BmcSessions agent(NodeName peer, Path state, Path run) {
        return new BmcSessions(
                plan,
                node ->
                        node.equals(Sketch.SOUTH.value())
                                ? southsWord
                                : Optional.of(identity(NORTH)),
                state,
                run,
                peer,
                new BootTimestamps(state.resolve("moments")),
                InstantSource.system(),
                nanos,
                new NodePasswords(),
                _ -> {});
    }

    /** The agent of the other node too. */
    public BmcSessions agentOf(NodeName node) {
        Path own = directory.resolve("agent-of-" + node);
        return agent(
                node.equals(Sketch.SOUTH) ? Sketch.NORTH : Sketch.SOUTH, own, own.resolve("run"));
    }

    /** The agent of north ends, and the next one knows what is on the disk and in memory. */
    public void restartAgent() {
        sessions.close();
        sessions = connect();
    }

    /** The same without an end: it logs out of nothing. */
    public void killAgent() {
        killed.add(sessions);
        sessions = connect();
    }

    /** South's BMC, as an agent reaches it. */
    static BmcPower southsBmc(BmcSessions agent) {
        return Objects.requireNonNull(agent.power().get("south"));
    }

    /** What north's agent last read of it. */
    BmcSessions.Check checkOfSouth() {
        return Objects.requireNonNull(sessions.checks().get("south"));
    }

    /** What the agent asks for now and then, and at first. */
    public void asksForRights() {
        sessions.askRightsIfDue();
    }

    /** South turns out to be another machine than its BMC controls. */
    public void southIsAnotherMachine() {
        southSaysItIsAnother();
        sessions.check();
    }

    /** The same, and its BMC has not been looked at since. */
    public void southSaysItIsAnother() {
        southsWord = Optional.of(ANOTHER);
    }

    private static HardwareIdentity identity(MachineIdentity machine) {
        return new HardwareIdentity(
                Optional.of(machine.uuid()),
                Optional.of(machine.serial()),
                machine.nics().stream().map(Nic::mac).collect(Collectors.toSet()));
    }

    @Override
    public void close() throws IOException {
        sessions.close();
        killed.forEach(BmcSessions::close);
        south.close();
        north.close();
    }
}
