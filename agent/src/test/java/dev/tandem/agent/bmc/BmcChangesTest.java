package dev.tandem.agent.bmc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.agent.bmc.BmcChangeMessage.Reply;
import dev.tandem.agent.bmc.BmcChangeMessage.State;
import dev.tandem.agent.bmc.BmcChangeMessage.Step;
import dev.tandem.agent.state.PlanInUse;
import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.FencingChange;
import dev.tandem.agentapi.FencingChangeRequest;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.host.Secrets;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.check.BmcPreflight;
import dev.tandem.host.credential.PasswordSource;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.NodePasswords;
import dev.tandem.redfishsim.BmcBehaviour;
import dev.tandem.redfishsim.BmcEvent;
import dev.tandem.redfishsim.MachineIdentity;
import dev.tandem.redfishsim.Nic;
import dev.tandem.redfishsim.testing.LoopbackBmc;
import dev.tandem.redfishsim.testing.SleepingMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes change the login of a real BMC of the simulator; one of them may be away. */
class BmcChangesTest {
    private static final String NEW = "a new one";

    @TempDir private Path directory;
    private final LoopbackBmc bmc = new LoopbackBmc();
    private final List<String> secondLevel = new ArrayList<>();

    /** The nodes that found their own login accepted; both check, each on a thread of its own. */
    private final List<String> accepted = new CopyOnWriteArrayList<>();

    private Side north;
    private Side south;
    private boolean southAnswers = true;
    private boolean southIsThere = true;
    private boolean pacemakerAnswers = true;

    BmcChangesTest() throws IOException {}

    /** One node: its files, and what it uses. */
    private final class Side implements BmcChanges.Surroundings {
        final Path plan;
        final Path state;
        final List<JournalEvent> journal = new ArrayList<>();
        final String name;
        BmcChanges changes;
        @Nullable String usedPassword;
        @Nullable String usedAddress;

        /** This many times it connects before it fails once. */
        int connects = Integer.MAX_VALUE;

        Side(String name) throws IOException {
            this.name = name;
            Path etc = Files.createDirectories(directory.resolve(name).resolve("etc"));
            this.state = Files.createDirectories(directory.resolve(name).resolve("state"));
            this.plan = etc.resolve("cluster.yaml");
            Secrets.write(etc.resolve("bmc/password"), LoopbackBmc.PASSWORD + "\n");
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
                          address: redfish+https://127.0.0.1:%d/redfish/v1/Systems/1
                          username: %s
                          passwordFile: bmc/password
                          certificate: unverified
                    """
                            .formatted(portOf(bmc), LoopbackBmc.USER));
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
                    node, settings.credentials(), Optional.of(identity(SleepingMachine.IDENTITY)));
        }

        @Override
        public void accepted(String node) {
            accepted.add(name);
        }

        @Override
        public BmcCredentials credentials(String node) {
            return new BmcCredentials(
                    LoopbackBmc.USER, usedPassword == null ? LoopbackBmc.PASSWORD : usedPassword);
        }

        @Override
        public boolean secondDiffers(ClusterPlan.Node node) {
            return false;
        }

        @Override
        public void use(ClusterPlan.Node node) {
            if (connects-- == 0) {
                throw new Failure("cannot connect", "no file handle is left", "wait");
            }
            usedPassword = new NodePasswords().of(node);
            usedAddress = node.bmc().address().toString();
        }

        @Override
        public void useSecond(ClusterPlan.Node node) {
            throw new AssertionError("the plan has none");
        }

        @Override
        public void onNewSource(ClusterPlan.Node node) {
            // Files have no other.
        }

        @Override
        public void configureSecondLevel(ClusterPlan changed, String node) {
            if (!pacemakerAnswers) {
                throw new Failure("cannot be told", "it is down", "start it");
            }
            secondLevel.add(name + " " + changed.node(node).orElseThrow().bmc().username());
        }

        @Override
        public Optional<Reply> askPeer(BmcChangeMessage message) {
            if (!southAnswers) {
                return Optional.empty();
            }
            BmcChanges other = name.equals("north") ? south.changes : north.changes;
            return SettingsMessages.reply(
                    new SettingsMessages(other::asked).answer(SettingsMessages.text(message)));
        }

        private ClusterPlan.Bmc installed() {
            return ClusterPlan.read(plan).node("south").orElseThrow().bmc();
        }

        String passwordOnDisk() {
            return new NodePasswords().of(ClusterPlan.read(plan).node("south").orElseThrow());
        }
    }

    private static HardwareIdentity identity(MachineIdentity machine) {
        return new HardwareIdentity(
                Optional.of(machine.uuid()),
                Optional.of(machine.serial()),
                machine.nics().stream().map(Nic::mac).collect(Collectors.toSet()));
    }

    @BeforeEach
    void twoNodes() throws IOException {
        north = new Side("north");
        south = new Side("south");
    }

    @AfterEach
    void end() throws IOException {
        bmc.close();
    }

    private static int portOf(LoopbackBmc some) {
        return some.bmc.address().getPort();
    }

    private long refusedLogins() {
        return bmc.events.stream()
                .filter(event -> event.kind() == BmcEvent.Kind.LOGIN_REFUSED)
                .count();
    }

    private void passwordIsChangedInTheBmc() {
        bmc.bmc.behave(BmcBehaviour.FAULTLESS.withNewPassword(NEW));
    }

    private static FencingChangeRequest request(
            @Nullable String address, @Nullable String password, boolean dryRun) {
        return new FencingChangeRequest(
                AgentMessages.VERSION, "south", false, address, null, password, "anna", dryRun);
    }

    private FencingChange change(String password) throws InterruptedException {
        return north.changes.change(request(null, password, false));
    }

    /** The fence device of the second level would have to become another one. */
    @Test
    void aBmcIsNotReachedByAnotherProtocolWithoutANewPlan() {
        assertThatThrownBy(() -> north.changes.change(request("ipmi://127.0.0.1:1", null, false)))
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure -> {
                            assertThat(failure.what()).startsWith("nothing was changed");
                            assertThat(failure.why())
                                    .isEqualTo(
                                            "in the plan, the BMC of south has an address for"
                                                    + " Redfish");
                        });
    }

    @Test
    void bothNodesTakeANewPassword() throws Exception {
        passwordIsChangedInTheBmc();

        FencingChange change = change(NEW);

        assertThat(change.taken()).isTrue();
        assertThat(accepted).isEmpty();
        assertThat(change.changed()).containsExactly(FencingChange.Setting.PASSWORD);
        assertThat(change.peer()).isEqualTo(FencingChange.Peer.USES_THEM);
        for (Side side : List.of(north, south)) {
            assertThat(side.usedPassword).isEqualTo(NEW);
            assertThat(side.passwordOnDisk()).isEqualTo(NEW);
            assertThat(side.journal)
                    .containsExactly(
                            new JournalEvent.BmcSettingsChanged(
                                    "south", change.changed(), 1, "anna"));
        }
    }

    @Test
    void aWrongPasswordChangesNothing() {
        assertThatThrownBy(() -> change("wrong"))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("refuses the password");

        assertThat(north.passwordOnDisk()).isEqualTo(LoopbackBmc.PASSWORD);
        assertThat(north.usedPassword).isNull();
        assertThat(south.usedPassword).isNull();
        assertThat(filesThatSay("wrong")).isEmpty();
    }

    @Test
    void aDryRunChangesNothing() throws Exception {
        passwordIsChangedInTheBmc();

        FencingChange answer = north.changes.change(request(null, NEW, true));

        assertThat(answer.taken()).isFalse();
        assertThat(answer.peer()).isEqualTo(FencingChange.Peer.CHECKED);
        assertThat(answer.peerChecked()).isNotEmpty();
        assertThat(filesThatSay(NEW)).isEmpty();
    }

    @Test
    void whatIsSoAlreadyIsNotChanged() throws Exception {
        FencingChange answer = change(LoopbackBmc.PASSWORD);

        assertThat(answer.changed()).isEmpty();
        assertThat(answer.taken()).isFalse();
        assertThat(north.usedPassword).isNull();
        // It was tried just now: nobody waits any longer before it is tried again.
        assertThat(accepted).containsExactly("north", "south");
    }

    /** From its network it does not reach the new address. */
    @Test
    void whatThePeerCannotUseIsChangedNowhere() throws Exception {
        try (LoopbackBmc other = new LoopbackBmc()) {
            String address =
                    "redfish+https://127.0.0.1:%d/redfish/v1/Systems/1".formatted(portOf(other));
            south.changes = blind();

            assertThatThrownBy(() -> north.changes.change(request(address, null, false)))
                    .isInstanceOf(Failure.class)
                    .hasMessageContaining("on south, the BMC cannot be reached");
            assertThat(north.installed().address().port()).isEqualTo(portOf(bmc));
            assertThat(north.usedAddress).isNull();
        }
    }

    private BmcChanges blind() {
        Side seeing = south;
        return new BmcChanges(
                new NodeName("south"),
                new NodeName("north"),
                new PlanInUse(ClusterPlan.read(south.plan)),
                new BmcSettingsStore(south.plan, new NodePasswords()),
                new BmcChanges.Surroundings() {
                    @Override
                    public BmcPreflight.Proof check(ClusterPlan.Node node, BmcSettings settings) {
                        throw new Failure("the BMC cannot be reached", "no route", "look");
                    }

                    @Override
                    public void accepted(String node) {
                        seeing.accepted(node);
                    }

                    @Override
                    public BmcCredentials credentials(String node) {
                        return seeing.credentials(node);
                    }

                    @Override
                    public boolean secondDiffers(ClusterPlan.Node node) {
                        return seeing.secondDiffers(node);
                    }

                    @Override
                    public void use(ClusterPlan.Node node) {
                        seeing.use(node);
                    }

                    @Override
                    public void useSecond(ClusterPlan.Node node) {
                        seeing.useSecond(node);
                    }

                    @Override
                    public void onNewSource(ClusterPlan.Node node) {
                        seeing.onNewSource(node);
                    }

                    @Override
                    public void configureSecondLevel(ClusterPlan plan, String node) {
                        seeing.configureSecondLevel(plan, node);
                    }

                    @Override
                    public Optional<Reply> askPeer(BmcChangeMessage message) {
                        return seeing.askPeer(message);
                    }
                },
                () -> true,
                south.journal::add,
                new SettingsToTell(south.state));
    }

    @Test
    void aPeerInTheClusterHasToAnswer() {
        passwordIsChangedInTheBmc();
        southAnswers = false;

        assertThatThrownBy(() -> change(NEW))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("south has not checked the new settings");
        assertThat(filesThatSay(NEW)).isEmpty();
    }

    @Test
    void aNodeThatIsAwayFollowsWhenItIsBack() throws Exception {
        passwordIsChangedInTheBmc();
        southAnswers = false;
        southIsThere = false;

        FencingChange change = change(NEW);
        assertThat(change.taken()).isTrue();
        assertThat(change.peer()).isEqualTo(FencingChange.Peer.WILL_BE_TOLD);
        north.changes = north.agent();
        north.changes.look();
        assertThat(south.passwordOnDisk()).isEqualTo(LoopbackBmc.PASSWORD);

        southAnswers = true;
        north.changes.look();
        assertThat(south.passwordOnDisk()).isEqualTo(NEW);
        assertThat(south.usedPassword).isEqualTo(NEW);
        south.usedPassword = null;
        north.changes.look();
        assertThat(south.usedPassword).as("told once more").isNull();
    }

    @Test
    void whatIsNotMadeYetIsKnownUntilItIs() throws Exception {
        passwordIsChangedInTheBmc();
        southAnswers = false;
        southIsThere = false;
        change(NEW);
        north.changes.look();
        assertThat(north.changes.unfinished())
                .containsExactly(
                        new BmcChanges.Unfinished(
                                "south", BmcChanges.Lacks.PEER, Optional.empty()));

        southAnswers = true;
        bmc.bmc.behave(BmcBehaviour.FAULTLESS.withCredentialsRotated(true));
        north.changes.look();
        assertThat(north.changes.unfinished())
                .singleElement()
                .satisfies(one -> assertThat(one.refusal().orElseThrow()).contains("password"));

        passwordIsChangedInTheBmc();
        north.changes = north.agent();
        north.changes.look();
        assertThat(north.changes.unfinished()).isEmpty();
    }

    /** The BMC locks an account after some wrong passwords. */
    @Test
    void aNodeThatCannotFollowIsNotAskedAgainAtOnce() throws Exception {
        passwordIsChangedInTheBmc();
        southAnswers = false;
        southIsThere = false;
        change(NEW);
        southAnswers = true;
        bmc.bmc.behave(BmcBehaviour.FAULTLESS.withCredentialsRotated(true));

        north.changes.look();
        long refusals = refusedLogins();
        north.changes.look();
        north.changes.look();

        assertThat(refusedLogins()).isEqualTo(refusals);
        assertThat(south.passwordOnDisk()).isEqualTo(LoopbackBmc.PASSWORD);
    }

    @Test
    void aNewAddressIsInThePlanAndInPacemaker() throws Exception {
        try (LoopbackBmc other = new LoopbackBmc()) {
            String address =
                    "redfish+https://127.0.0.1:%d/redfish/v1/Systems/1".formatted(portOf(other));

            FencingChange change = north.changes.change(request(address, null, false));

            assertThat(change.changed()).containsExactly(FencingChange.Setting.ADDRESS);
            for (Side side : List.of(north, south)) {
                assertThat(side.installed().address().toString()).isEqualTo(address);
                assertThat(side.usedAddress).isEqualTo(address);
            }
            assertThat(secondLevel).contains("north " + LoopbackBmc.USER);
        }
    }

    @Test
    void theSecondLevelFollowsWhenPacemakerAnswers() throws Exception {
        passwordIsChangedInTheBmc();
        pacemakerAnswers = false;
        change(NEW);
        assertThat(filesThatSay(NEW))
                .as("the password file and what is to be made still")
                .hasSize(4);

        pacemakerAnswers = true;
        north.changes.look();
        south.changes.look();
        assertThat(secondLevel).containsExactly("north admin", "south admin");
        assertThat(filesThatSay(NEW)).as("the password file alone").hasSize(2);
    }

    /** The power fails after the change was stored and before anything was made of it. */
    @Test
    void aChangeThatWasStoredIsMadeByTheNextAgent() throws Exception {
        BmcSettingsStore store = new BmcSettingsStore(north.plan, new NodePasswords());
        BmcSettings settings =
                new BmcSettings(
                        "south", 1, north.installed().address().toString(), "another", NEW, "anna");
        store.commit(settings);
        assertThat(north.passwordOnDisk()).isEqualTo(LoopbackBmc.PASSWORD);

        north.changes = north.agent();

        assertThat(north.passwordOnDisk()).isEqualTo(NEW);
        assertThat(north.installed().username()).isEqualTo("another");
        north.changes.look();
        assertThat(secondLevel).containsExactly("north another");
        assertThat(store.unfinished("south")).isEmpty();
    }

    /** What was stored is made with the next look, on the node that began and on its peer. */
    @Test
    void aChangeThatFailsAfterItWasStoredIsMadeLater() throws Exception {
        passwordIsChangedInTheBmc();
        south.connects = 0;
        FencingChange change = change(NEW);
        assertThat(change.peer()).isEqualTo(FencingChange.Peer.WILL_BE_TOLD);
        assertThat(south.usedPassword).isNull();

        south.changes.look();
        north.changes.look();
        assertThat(south.usedPassword).isEqualTo(NEW);
        assertThat(new BmcSettingsStore(north.plan, new NodePasswords()).unfinished("south"))
                .isEmpty();
        assertThat(secondLevel).as("both have the password by then").isNotEmpty();
        assertThat(north.journal).noneMatch(JournalEvent.BmcSettingsDiffer.class::isInstance);
    }

    /** As after cluster prepare with an old file on one of them. */
    @Test
    void aPeerThatHasOtherSettingsIsToldAlthoughNothingChangesHere() throws Exception {
        passwordIsChangedInTheBmc();
        change(NEW);
        Secrets.write(
                ((PasswordSource.InFile) south.installed().password()).file(), "an old one\n");

        assertThat(north.changes.change(request(null, NEW, true)).peer())
                .isEqualTo(FencingChange.Peer.DIFFERS);
        FencingChange again = change(NEW);
        assertThat(again.changed()).isEmpty();
        assertThat(again.peer()).isEqualTo(FencingChange.Peer.USES_THEM);
        assertThat(south.passwordOnDisk()).isEqualTo(NEW);
    }

    @Test
    void twoChangesAtOnceAreToldToBoth() throws Exception {
        passwordIsChangedInTheBmc();
        new BmcSettingsStore(south.plan, new NodePasswords())
                .commit(new BmcSettings("south", 1, address(), "another", "other", "ben"));
        southAnswers = false;
        southIsThere = false;
        change(NEW);
        southAnswers = true;
        north.changes.look();

        assertThat(north.journal).anyMatch(JournalEvent.BmcSettingsDiffer.class::isInstance);
        assertThat(south.usedPassword).isNull();
        assertThat(differing(north)).containsExactly("south");
        north.changes = north.agent();
        north.changes.look();
        assertThat(differing(north)).as("after a restart of the agent").containsExactly("south");

        southIsThere = true;
        assertThat(change(NEW).peer()).isEqualTo(FencingChange.Peer.USES_THEM);
        north.changes.look();
        assertThat(north.changes.unfinished()).isEmpty();
    }

    /** Both told the other, and one of them is given way to. */
    @Test
    void settingsThatDifferedAreTheSameOnceTheOthersAreTaken() throws Exception {
        passwordIsChangedInTheBmc();
        south.usedPassword = NEW;
        new BmcSettingsStore(south.plan, new NodePasswords())
                .commit(new BmcSettings("south", 1, address(), LoopbackBmc.USER, "other", "ben"));
        southAnswers = false;
        southIsThere = false;
        change(NEW);
        southAnswers = true;
        north.changes.look();
        assertThat(differing(north)).containsExactly("south");

        north.changes.asked(
                new BmcChangeMessage(
                        "id",
                        Step.COMMIT,
                        new BmcSettings("south", 2, address(), LoopbackBmc.USER, "other", "ben")));
        north.changes.look();
        assertThat(differing(north)).isEmpty();
    }

    /** Somebody has corrected the files. */
    @Test
    void aCheckThatFindsTheSameOnBothEndsTheWarning() throws Exception {
        passwordIsChangedInTheBmc();
        change(NEW);
        for (Side side : List.of(north, south)) {
            new SettingsToTell(side.state).differ("south");
            side.changes.look();
            assertThat(differing(side)).containsExactly("south");
        }
        assertThat(north.changes.change(request(null, NEW, true)).peer())
                .isEqualTo(FencingChange.Peer.CHECKED);
        south.changes.look();
        assertThat(differing(south)).as("nothing was to be done").containsExactly("south");

        assertThat(change(NEW).peer()).isEqualTo(FencingChange.Peer.CHECKED);
        for (Side side : List.of(north, south)) {
            side.changes.look();
            assertThat(side.changes.unfinished()).isEmpty();
        }
    }

    private static List<String> differing(Side side) {
        return side.changes.unfinished().stream()
                .filter(one -> one.lacks() == BmcChanges.Lacks.PEER_HAS_OTHERS)
                .map(BmcChanges.Unfinished::bmc)
                .toList();
    }

    /** It was written, and the agents still run by the one before. */
    @Test
    void aPlanThatWasChangedSinceTheAgentStartedIsNotUndone() throws Exception {
        passwordIsChangedInTheBmc();
        for (Side side : List.of(north, south)) {
            Files.writeString(
                    side.plan,
                    Files.readString(side.plan).replace("name: test", "name: test\nprofile: fast"));
        }

        FencingChange change =
                north.changes.change(
                        new FencingChangeRequest(
                                AgentMessages.VERSION,
                                "south",
                                false,
                                null,
                                null,
                                NEW,
                                "anna",
                                false));

        assertThat(change.peer()).isEqualTo(FencingChange.Peer.USES_THEM);
        for (Side side : List.of(north, south)) {
            assertThat(side.passwordOnDisk()).isEqualTo(NEW);
            assertThat(ClusterPlan.read(side.plan).timing()).isEqualTo(ClusterPlan.Timing.FAST);
        }
    }

    /** Nobody knows whether the person wants the one or the other. */
    @Test
    void settingsThatAPlanOnTheDiskHasAndNobodyUsesAreNotUndone() throws Exception {
        Files.writeString(
                north.plan, Files.readString(north.plan).replace(LoopbackBmc.USER, "somebody"));

        assertThatThrownBy(() -> change(NEW))
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure ->
                                assertThat(failure.remedy())
                                        .contains("tandem cluster apply /etc/tandem/cluster.yaml"));
        assertThat(filesThatSay(NEW)).isEmpty();
        assertThat(north.installed().username()).isEqualTo("somebody");
    }

    @Test
    void aRecordThatCannotBeReadKeepsNoAgentFromStarting() throws Exception {
        Secrets.write(north.plan.resolveSibling("bmc/south.changes"), "{}\n");

        BmcChanges agent = north.agent();
        assertThatThrownBy(() -> agent.change(request(null, NEW, false)))
                .isInstanceOf(Failure.class);
    }

    @Test
    void ofTwoChangesTheNewerStays() {
        BmcSettings first =
                new BmcSettings("south", 2, address(), LoopbackBmc.USER, "first", "anna");
        assertThat(tell(first).state()).isEqualTo(State.TAKEN);
        assertThat(tell(first).state()).as("again").isEqualTo(State.TAKEN);

        BmcSettings other = new BmcSettings("south", 2, address(), "admin", "other", "ben");
        assertThat(tell(other).state()).isEqualTo(State.HAS_OTHERS);
        assertThat(tell(other.as(1)).state()).isEqualTo(State.HAS_OTHERS);
        assertThat(south.passwordOnDisk()).isEqualTo("first");
        assertThat(tell(other.as(3)).state()).isEqualTo(State.TAKEN);
        assertThat(south.passwordOnDisk()).isEqualTo("other");
    }

    private String address() {
        return south.installed().address().toString();
    }

    private Reply tell(BmcSettings settings) {
        return south.changes.asked(new BmcChangeMessage("id", Step.COMMIT, settings));
    }

    @Test
    void aNodeThatThePlanLacksIsNamed() {
        assertThatThrownBy(() ->
                        north.changes.change(
                                new FencingChangeRequest(
                                        1, "east", false, null, null, NEW, "anna", false)))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("nothing was changed");
    }

    @Test
    void aSecondThatThePlanLacksIsNamed() {
        assertThatThrownBy(() ->
                        north.changes.change(
                                new FencingChangeRequest(
                                        1, "south", true, null, null, NEW, "anna", false)))
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure -> {
                            assertThat(failure.what()).startsWith("nothing was changed");
                            assertThat(failure.why())
                                    .isEqualTo("the plan has no bmc.second for south");
                        });
    }

    @Test
    void whatIsNotUnderstoodIsRefusedWithoutRepeatingIt() {
        SettingsMessages messages = new SettingsMessages(south.changes::asked);

        assertThat(messages.answer("{\"password\":\"very secret\"}"))
                .contains("UNFIT")
                .doesNotContain("very secret");
        assertThat(messages.answer("no JSON: very secret")).doesNotContain("very secret");
    }

    private List<Path> filesThatSay(String text) {
        try (var files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> {
                        try {
                            return Files.readString(file).contains(text);
                        } catch (IOException e) {
                            throw new IllegalStateException(e);
                        }
                    })
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
