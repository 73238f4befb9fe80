package dev.tandem.agent.bmc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.agent.bmc.BmcChangeMessage.Reply;
import dev.tandem.agent.bmc.BmcChangeMessage.State;
import dev.tandem.agent.bmc.BmcChangeMessage.Step;
import dev.tandem.agent.state.PlanInUse;
import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.FencingChange;
import dev.tandem.agentapi.FencingChangeRequest;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.BmcName;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.host.Commands;
import dev.tandem.host.Secrets;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.check.BmcPreflight;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.NodePasswords;
import dev.tandem.host.testing.LoopbackPorts;
import dev.tandem.redfishsim.MachineIdentity;
import dev.tandem.redfishsim.ipmi.IpmiAccount;
import dev.tandem.redfishsim.ipmi.IpmiBmc;
import dev.tandem.redfishsim.ipmi.PowerButton;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two nodes change the account of the second of a node's BMC: OpenIPMI's simulator, asked by the
 * real ipmitool. The Redfish service beside it is silent all the time, which is what a second is
 * for.
 */
class SecondBmcChangesTest {
    private static final String SECOND = "south" + BmcName.SECOND;
    private static final Duration ENOUGH = Duration.ofSeconds(20);
    private static final IpmiAccount OLD = new IpmiAccount("fencer", "correct.horse");
    private static final IpmiAccount NEW = new IpmiAccount("fencer2", "battery.staple");
    private static final MachineIdentity MACHINE =
            new MachineIdentity(
                    UUID.fromString("3f0c2a51-8d4e-4b7f-9a60-1c5e7d20b9f4"),
                    "S-0417",
                    "R-100",
                    List.of());

    /** Nobody switches anything here. */
    private static final class Light implements PowerButton {
        @Override
        public boolean isOn() {
            return true;
        }

        @Override
        public void off() {
            throw new AssertionError("a check switched the machine off");
        }

        @Override
        public void on() {
            throw new AssertionError("a check switched the machine on");
        }
    }

    @TempDir private Path directory;
    private @Nullable IpmiBmc bmc;
    private int port;
    private boolean southAnswers = true;
    private boolean southIsThere = true;
    private boolean pacemakerAnswers = true;
    private final List<String> devices = new ArrayList<>();
    private @Nullable Side north;
    private @Nullable Side south;

    /** One node: its files, and what it uses. */
    private final class Side implements BmcChanges.Surroundings {
        final String name;
        final Path plan;
        final Path state;
        final List<JournalEvent> journal = new ArrayList<>();
        String usedPassword = OLD.password();
        @Nullable String usedUser;
        boolean firstWasTouched;
        BmcChanges changes;

        Side(String name) throws IOException {
            this.name = name;
            Path etc = Files.createDirectories(directory.resolve(name).resolve("etc"));
            this.state = Files.createDirectories(directory.resolve(name).resolve("state"));
            this.plan = etc.resolve("cluster.yaml");
            Secrets.write(etc.resolve("bmc/password"), "of redfish\n");
            Secrets.write(etc.resolve("bmc/ipmi-password"), OLD.password() + "\n");
            Files.writeString(
                    plan,
                    """
                    apiVersion: tandem.dev/v1
                    kind: ClusterPlan
                    name: test
                    pcsdTokenFile: token
                    nodes:
                      - name: north
                        addresses: [127.4.4.10]
                        bmc:
                          address: redfish+https://127.0.0.1:1/redfish/v1/Systems/1
                          username: nobody
                          passwordFile: bmc/password
                          certificate: unverified
                      - name: south
                        addresses: [127.4.4.11]
                        bmc:
                          address: redfish+https://127.0.0.1:2/redfish/v1/Systems/1
                          username: nobody
                          passwordFile: bmc/password
                          certificate: unverified
                          second:
                            address: ipmi://127.0.0.1:%d?cipherSuite=3
                            username: %s
                            passwordFile: bmc/ipmi-password
                    """
                            .formatted(port, OLD.user()));
            this.changes = agent();
        }

        /** As a start of the agent makes it. */
        final BmcChanges agent() {
            BmcSettingsStore store = new BmcSettingsStore(plan, new NodePasswords());
            return new BmcChanges(
                    new NodeName(name),
                    new NodeName(name.equals("north") ? "south" : "north"),
                    new PlanInUse(BmcChanges.complete(ClusterPlan.read(plan), store)),
                    store,
                    this,
                    () -> southIsThere,
                    journal::add,
                    new SettingsToTell(state));
        }

        @Override
        public BmcPreflight.Proof check(ClusterPlan.Node node, BmcSettings settings) {
            return BmcPreflight.check(
                    node,
                    settings.credentials(),
                    Optional.of(
                            new HardwareIdentity(
                                    Optional.of(MACHINE.uuid()),
                                    Optional.of(MACHINE.serial()),
                                    Set.of())));
        }

        @Override
        public void accepted(String which) {
            assertThat(which).isEqualTo(SECOND);
        }

        @Override
        public BmcCredentials credentials(String which) {
            assertThat(which).isEqualTo(SECOND);
            return new BmcCredentials(OLD.user(), usedPassword);
        }

        @Override
        public boolean secondDiffers(ClusterPlan.Node node) {
            return false;
        }

        @Override
        public void use(ClusterPlan.Node node) {
            firstWasTouched = true;
        }

        @Override
        public void useSecond(ClusterPlan.Node node) {
            ClusterPlan.Node second = node.bySecond().orElseThrow();
            usedPassword = new NodePasswords().of(second);
            usedUser = second.bmc().username();
        }

        @Override
        public void onNewSource(ClusterPlan.Node node) {
            // Files have no other.
        }

        @Override
        public void configureSecondLevel(ClusterPlan changed, String which) {
            if (!pacemakerAnswers) {
                throw new Failure("cannot be told", "it is down", "start it");
            }
            devices.add(
                    "%s %s %s"
                            .formatted(
                                    name, which, changed.by(which).orElseThrow().bmc().username()));
        }

        @Override
        public Optional<Reply> askPeer(BmcChangeMessage message) {
            if (!southAnswers) {
                return Optional.empty();
            }
            BmcChanges other = (name.equals("north") ? south() : north()).changes;
            return SettingsMessages.reply(
                    new SettingsMessages(other::asked).answer(SettingsMessages.text(message)));
        }

        ClusterPlan.Bmc installed() {
            return ClusterPlan.read(plan).node("south").orElseThrow().bmc();
        }

        String passwordOnDisk() {
            return new NodePasswords().of(ClusterPlan.read(plan).by(SECOND).orElseThrow());
        }
    }

    private Side north() {
        return Objects.requireNonNull(north);
    }

    private Side south() {
        return Objects.requireNonNull(south);
    }

    @BeforeEach
    void twoNodesAndABmcWithTwoAccounts() throws Exception {
        for (List<String> program :
                List.of(List.of("ipmitool", "-V"), List.of("ipmi_sim", "--version"))) {
            assumeTrue(
                    new SystemCommands().run(ENOUGH, program).exitCode()
                            != Commands.Output.NOT_STARTED,
                    program.getFirst() + " is not installed: apt-get install ipmitool openipmi");
        }
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        port = LoopbackPorts.next();
        bmc =
                IpmiBmc.start(
                        Files.createDirectories(directory.resolve("bmc")),
                        List.of(),
                        new InetSocketAddress(loopback, port),
                        List.of(OLD, NEW),
                        MACHINE,
                        new Light());
        north = new Side("north");
        south = new Side("south");
    }

    @AfterEach
    void end() throws IOException {
        if (bmc != null) {
            bmc.close();
        }
    }

    private FencingChange change(IpmiAccount account, boolean dryRun) throws InterruptedException {
        return north().changes
                .change(
                        new FencingChangeRequest(
                                AgentMessages.VERSION,
                                "south",
                                true,
                                null,
                                account.user(),
                                account.password(),
                                "anna",
                                dryRun));
    }

    private void assertUses(Side side, IpmiAccount account) {
        assertThat(side.passwordOnDisk()).isEqualTo(account.password());
        assertThat(side.installed().second().orElseThrow().username()).isEqualTo(account.user());
        assertThat(side.installed().username()).as("of Redfish").isEqualTo("nobody");
        assertThat(side.firstWasTouched).isFalse();
    }

    @Test
    void bothNodesTakeANewAccountAndTheFirstStaysAsItIs() throws Exception {
        FencingChange change = change(NEW, false);

        assertThat(change.node()).isEqualTo("south");
        assertThat(change.second()).isTrue();
        assertThat(change.changed())
                .containsExactly(FencingChange.Setting.USERNAME, FencingChange.Setting.PASSWORD);
        assertThat(change.peer()).isEqualTo(FencingChange.Peer.USES_THEM);
        for (Side side : List.of(north(), south())) {
            assertUses(side, NEW);
            assertThat(side.usedUser).isEqualTo(NEW.user());
            assertThat(side.usedPassword).isEqualTo(NEW.password());
            assertThat(side.journal)
                    .singleElement()
                    .extracting(JournalEvent::sentence)
                    .isEqualTo(
                            "anna changed the settings for IPMI of south: username," + " password");
        }
        assertThat(devices).contains("north south_second fencer2");
    }

    @Test
    void anAccountThatTheBmcDeniesChangesNothing() throws Exception {
        assertThatThrownBy(() -> change(new IpmiAccount(NEW.user(), "wrong"), false))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("nothing was changed");

        assertUses(north(), OLD);
        assertUses(south(), OLD);
        assertThat(change(NEW, true).taken()).as("a dry run").isFalse();
        assertUses(north(), OLD);
        assertUses(south(), OLD);
    }

    @Test
    void aNodeThatIsAwayFollowsWhenItIsBack() throws Exception {
        southAnswers = false;
        southIsThere = false;

        assertThat(change(NEW, false).peer()).isEqualTo(FencingChange.Peer.WILL_BE_TOLD);
        assertUses(north(), NEW);
        assertUses(south(), OLD);
        north().changes = north().agent();
        north().changes.look();
        assertThat(north().changes.unfinished())
                .singleElement()
                .satisfies(left -> {
                    assertThat(left.node()).isEqualTo("south");
                    assertThat(left.words()).isEqualTo("IPMI of south");
                });

        southAnswers = true;
        southIsThere = true;
        north().changes.look();

        assertUses(south(), NEW);
        assertThat(north().changes.unfinished()).isEmpty();
    }

    /** The power fails after the change was stored and before anything was made of it. */
    @Test
    void aChangeThatWasStoredIsMadeByTheNextAgent() throws Exception {
        BmcSettingsStore store = new BmcSettingsStore(north().plan, new NodePasswords());
        store.commit(
                new BmcSettings(
                        SECOND,
                        1,
                        north().installed().second().orElseThrow().address().toString(),
                        NEW.user(),
                        NEW.password(),
                        "anna"));
        assertUses(north(), OLD);

        north().changes = north().agent();

        assertUses(north(), NEW);
        pacemakerAnswers = false;
        north().changes.look();
        assertThat(store.unfinished(SECOND)).as("Pacemaker was not told").isPresent();
        pacemakerAnswers = true;
        north().changes.look();
        assertThat(store.unfinished(SECOND)).isEmpty();
        assertThat(devices).containsExactly("north south_second fencer2");
    }

    /** Each BMC counts its own changes. */
    @Test
    void aChangeOfTheSecondIsNoneOfTheFirst() throws Exception {
        change(NEW, false);
        BmcSettingsStore store = new BmcSettingsStore(south().plan, new NodePasswords());

        assertThat(store.changeNumber(SECOND)).isEqualTo(1);
        assertThat(store.changeNumber("south")).isZero();
    }

    @Test
    void aPeerWhosePlanHasNoSecondRefusesAndNothingIsChanged() throws Exception {
        String text = Files.readString(south().plan);
        Files.writeString(south().plan, text.substring(0, text.indexOf("      second:")));
        south().changes = south().agent();

        assertThatThrownBy(() -> change(NEW, false))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("nothing was changed: on south");
        assertUses(north(), OLD);
        assertThat(
                        south().changes
                                .asked(
                                        new BmcChangeMessage(
                                                "id",
                                                Step.COMMIT,
                                                new BmcSettings(
                                                        SECOND,
                                                        1,
                                                        "ipmi://192.0.2.1",
                                                        "a",
                                                        "b",
                                                        "anna")))
                                .state())
                .isEqualTo(State.UNFIT);
    }

    @Test
    void itsProtocolStays() {
        assertThatThrownBy(() ->
                        north().changes
                                .change(
                                        new FencingChangeRequest(
                                                AgentMessages.VERSION,
                                                "south",
                                                true,
                                                "redfish+https://127.0.0.1/redfish/v1/Systems/1",
                                                null,
                                                null,
                                                "anna",
                                                false)))
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure ->
                                assertThat(failure.why())
                                        .isEqualTo(
                                                "in the plan, IPMI of south has an address for"
                                                        + " IPMI"));
    }
}
