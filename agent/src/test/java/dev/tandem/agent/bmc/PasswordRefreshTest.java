package dev.tandem.agent.bmc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.agent.bmc.BmcChangeMessage.Reply;
import dev.tandem.agent.bmc.BmcChangeMessage.State;
import dev.tandem.agent.bmc.BmcChangeMessage.Step;
import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.agent.state.PlanInUse;
import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.FencingChange;
import dev.tandem.agentapi.FencingChangeRequest;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.core.testing.Sketch;
import dev.tandem.host.Commands;
import dev.tandem.host.Secrets;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.check.BmcPreflight;
import dev.tandem.host.bmc.login.LoginBackoff;
import dev.tandem.host.credential.PasswordSource;
import dev.tandem.host.health.SourceTrouble;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.NodeFiles;
import dev.tandem.host.plan.NodePasswords;
import dev.tandem.host.testing.PatientCommands;
import dev.tandem.redfishsim.BmcBehaviour;
import dev.tandem.redfishsim.BmcEvent;
import dev.tandem.redfishsim.MachineIdentity;
import dev.tandem.redfishsim.Nic;
import dev.tandem.redfishsim.testing.LoopbackBmc;
import dev.tandem.redfishsim.testing.SleepingMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * North reads the password of south's BMC, which is a real one of the simulator, from a real
 * program: cat, of a file that stands for the store. What is kept is encrypted by systemd-creds.
 */
class PasswordRefreshTest {
    private static final String NEW = "a new one";

    @TempDir private Path directory;
    private final AtomicLong nanos = new AtomicLong(System.nanoTime());
    private final LoopbackBmc bmc = new LoopbackBmc();
    private final List<String> denied = new CopyOnWriteArrayList<>();
    private Path store = Path.of("/");
    private Side north;
    private Side south;
    private BmcSessions sessions;
    private PasswordRefresh refresh;
    private boolean southAnswers = true;
    private volatile boolean credentialsAreLate;
    private boolean southIsThere = true;

    PasswordRefreshTest() throws IOException {}

    /** The real programs; systemd-creds with a key that is not this machine's. */
    private Commands programs() {
        return (limit, command, stdin) ->
                credentialsAreLate && command.contains("decrypt")
                        ? new Commands.Output(
                                Commands.Output.TIMED_OUT, "", "not ended within 10 s")
                        : new PatientCommands()
                                .run(
                                        limit,
                                        Stream.concat(
                                                        Stream.of(
                                                                "env",
                                                                "SYSTEMD_CREDENTIAL_SECRET="
                                                                        + directory.resolve("key")),
                                                        command.stream())
                                                .toList(),
                                        stdin);
    }

    private final class Side implements BmcChanges.Surroundings {
        final String name;
        final Path etc;
        final List<JournalEvent> journal = new ArrayList<>();
        final NodePasswords passwords = new NodePasswords(programs());
        final Map<String, BmcCredentials> logins = new HashMap<>();
        PlanInUse inUse;
        BmcChanges changes;
        boolean useFails;

        Side(String name) throws IOException {
            this.name = name;
            this.etc = Files.createDirectories(directory.resolve(name).resolve("etc"));
            Files.createDirectories(directory.resolve(name).resolve("state"));
            Files.writeString(
                    plan(),
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
                          password: {program: [/bin/cat, %1$s], cacheFile: bmc/north.password.cred}
                          certificate: unverified
                      - name: south
                        addresses: [127.4.4.11]
                        bmc:
                          address: redfish+https://127.0.0.1:%2$d/redfish/v1/Systems/1
                          username: %3$s
                          password: {program: [/bin/cat, %1$s], cacheFile: bmc/south.password.cred}
                          certificate: unverified
                    """
                            .formatted(store, bmc.bmc.address().getPort(), LoopbackBmc.USER));
            PasswordRefresh.keepAll(
                    ClusterPlan.read(plan()), passwords, new NodeFiles(etc, passwords));
            this.inUse = inUse();
            this.changes = agent();
            for (ClusterPlan.Node node : ClusterPlan.read(plan()).nodes()) {
                logins.put(node.name(), login(node));
            }
        }

        final Path plan() {
            return etc.resolve("cluster.yaml");
        }

        private PlanInUse inUse() {
            return new PlanInUse(
                    BmcChanges.complete(
                            ClusterPlan.read(plan()), new BmcSettingsStore(plan(), passwords)));
        }

        final BmcChanges agent() {
            BmcSettingsStore settings = new BmcSettingsStore(plan(), passwords);
            inUse = inUse();
            return new BmcChanges(
                    new NodeName(name),
                    name.equals("north") ? Sketch.SOUTH : Sketch.NORTH,
                    inUse,
                    settings,
                    this,
                    () -> southIsThere,
                    journal::add,
                    new SettingsToTell(directory.resolve(name).resolve("state")));
        }

        private BmcCredentials login(ClusterPlan.Node node) {
            return new BmcCredentials(node.bmc().username(), passwords.of(node));
        }

        String kept() {
            return passwords.of(ClusterPlan.read(plan()).node("south").orElseThrow());
        }

        @Override
        public BmcPreflight.Proof check(ClusterPlan.Node node, BmcSettings settings) {
            return BmcPreflight.check(
                    node, settings.credentials(), Optional.of(identity(SleepingMachine.IDENTITY)));
        }

        @Override
        public void accepted(String node) {
            // Nobody waits here.
        }

        @Override
        public void use(ClusterPlan.Node node) {
            if (useFails) {
                throw new Failure("cannot connect", "no file handle is left", "wait");
            }
            logins.put(node.name(), login(node));
            if (name.equals("north")) {
                sessions.replace(node);
            }
        }

        @Override
        public BmcCredentials credentials(String node) {
            return Objects.requireNonNull(logins.get(node), node);
        }

        @Override
        public boolean secondDiffers(ClusterPlan.Node node) {
            return false;
        }

        @Override
        public void useSecond(ClusterPlan.Node node) {
            throw new AssertionError("nobody changes a second here");
        }

        @Override
        public void onNewSource(ClusterPlan.Node node) {
            if (name.equals("north")) {
                sessions.onNewSource(node);
            }
        }

        @Override
        public void configureSecondLevel(ClusterPlan changed, String node) {
            // Its device reads the same file.
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
    }

    private static HardwareIdentity identity(MachineIdentity machine) {
        return new HardwareIdentity(
                Optional.of(machine.uuid()),
                Optional.of(machine.serial()),
                machine.nics().stream().map(Nic::mac).collect(Collectors.toSet()));
    }

    @BeforeEach
    void twoNodes() throws IOException {
        store = directory.resolve("store");
        storeHas(LoopbackBmc.PASSWORD);
        Files.createDirectories(run());
        north = new Side("north");
        south = new Side("south");
        sessions = connected();
        refresh = refresh();
    }

    private BmcSessions connected() throws IOException {
        return new BmcSessions(
                ClusterPlan.read(north.plan()),
                _ -> Optional.of(identity(SleepingMachine.IDENTITY)),
                directory.resolve("north/state"),
                run(),
                Sketch.SOUTH,
                new BootTimestamps(directory.resolve("moments")),
                InstantSource.system(),
                nanos::get,
                north.passwords,
                denied::add);
    }

    private Path run() {
        return directory.resolve("run");
    }

    private PasswordRefresh refresh() {
        return new PasswordRefresh(
                Sketch.SOUTH,
                north.passwords,
                north.inUse,
                north.changes,
                sessions,
                run(),
                nanos::get);
    }

    @AfterEach
    void end() throws IOException {
        sessions.close();
        bmc.close();
    }

    private void storeHas(String password) throws IOException {
        Files.writeString(store, password + "\n");
    }

    private void bmcHas(String password) {
        bmc.bmc.behave(BmcBehaviour.FAULTLESS.withNewPassword(password));
    }

    private void passes(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private long refusedLogins() {
        return bmc.events.stream()
                .filter(event -> event.kind() == BmcEvent.Kind.LOGIN_REFUSED)
                .count();
    }

    private SourceTrouble trouble() {
        return refresh.trouble().orElseThrow();
    }

    /** Files of both nodes that hold a text as it is. */
    private List<Path> filesThatSay(String text) throws IOException {
        List<Path> found = new ArrayList<>();
        for (String node : List.of("north", "south", "run")) {
            try (Stream<Path> all = Files.walk(directory.resolve(node))) {
                for (Path file : all.filter(Files::isRegularFile).toList()) {
                    if (Files.readString(file).contains(text)) {
                        found.add(file);
                    }
                }
            }
        }
        return found;
    }

    /** The power failed after the change was stored; and now the machine is busy. */
    @Test
    void anAgentThatCannotDecryptAnUnfinishedChangeAnswersAllTheSame() {
        BmcSettings begun =
                new BmcSettings(
                        "south",
                        7,
                        ClusterPlan.read(south.plan())
                                .node("south")
                                .orElseThrow()
                                .bmc()
                                .address()
                                .toString(),
                        LoopbackBmc.USER,
                        LoopbackBmc.PASSWORD,
                        "anna");
        new BmcSettingsStore(south.plan(), south.passwords).commit(begun);
        credentialsAreLate = true;

        BmcChangeMessage check = new BmcChangeMessage("1", Step.CHECK, begun.as(8));
        AtomicReference<Reply> checked = new AtomicReference<>(answered(check));
        await().until(() -> {
            checked.set(answered(check));
            return checked.get().state() != State.CHECKING;
        });
        assertThat(checked.get().state()).isEqualTo(State.FIT);
        assertThat(checked.get().changeNumber()).isEqualTo(7);

        Reply told = answered(new BmcChangeMessage("2", Step.COMMIT, begun.as(8)));
        assertThat(told.state()).isEqualTo(State.UNFIT);
        assertThat(told.words()).contains("cannot decrypt");
    }

    private Reply answered(BmcChangeMessage message) {
        return SettingsMessages.reply(
                        new SettingsMessages(south.changes::asked)
                                .answer(SettingsMessages.text(message)))
                .orElseThrow();
    }

    @Test
    void bothNodesTakeWhatTheStoreAndTheBmcHave() throws IOException {
        storeHas(NEW);
        bmcHas(NEW);

        refresh.look();

        assertThat(refresh.trouble()).isEmpty();
        for (Side side : List.of(north, south)) {
            assertThat(side.kept()).isEqualTo(NEW);
            assertThat(side.journal)
                    .containsExactly(
                            new JournalEvent.BmcSettingsChanged(
                                    "south",
                                    List.of(FencingChange.Setting.PASSWORD),
                                    1,
                                    "the program /bin/cat"));
        }
        sessions.check("south");
        assertThat(refusedLogins()).isZero();
        assertThat(filesThatSay(NEW)).isEmpty();
        assertThat(filesThatSay(LoopbackBmc.PASSWORD)).isEmpty();
    }

    @Test
    void whatIsTheSameIsNotTried() {
        refresh.look();
        refresh.look();

        assertThat(bmc.events).isEmpty();
        assertThat(refresh.interval()).isEqualTo(PasswordRefresh.INTERVAL);
    }

    @Test
    void aDeadStoreChangesNothingAndIsTold() throws IOException {
        Files.delete(store);
        refresh.look();
        passes(Duration.ofMinutes(12));
        refresh.look();

        assertThat(trouble().kind()).isEqualTo(SourceTrouble.Kind.UNREAD);
        assertThat(trouble().source()).isEqualTo("the program /bin/cat");
        assertThat(trouble().lasts()).isEqualTo(Duration.ofMinutes(12));
        assertThat(north.kept()).isEqualTo(LoopbackBmc.PASSWORD);
        sessions.check("south");
        assertThat(Objects.requireNonNull(sessions.checks().get("south")).state()).isPresent();

        storeHas(LoopbackBmc.PASSWORD);
        refresh.look();
        assertThat(refresh.trouble()).isEmpty();
    }

    /** An agent that starts while the store is dead uses what it kept; without that it asks. */
    @Test
    void whatCannotBeDecryptedIsReadFromTheStoreAgain() throws IOException {
        Files.delete(directory.resolve("key"));
        PasswordRefresh.keepAll(
                ClusterPlan.read(north.plan()),
                north.passwords,
                new NodeFiles(north.etc, north.passwords));

        assertThat(north.kept()).isEqualTo(LoopbackBmc.PASSWORD);
    }

    /** The BMC is changed last, or by hand. Each try is a wrong login there. */
    @Test
    void whatTheBmcRefusesIsTriedOnceInTenMinutes() throws IOException {
        storeHas(NEW);
        for (int i = 0; i < 5; i++) {
            refresh.look();
        }
        assertThat(refusedLogins()).isEqualTo(1);
        assertThat(trouble().kind()).isEqualTo(SourceTrouble.Kind.REFUSED_BY_BMC);
        assertThat(north.kept()).isEqualTo(LoopbackBmc.PASSWORD);

        // Nor does an agent that was restarted.
        refresh = refresh();
        refresh.look();
        assertThat(refusedLogins()).isEqualTo(1);

        passes(Duration.ofMinutes(9));
        refresh.look();
        assertThat(refusedLogins()).isEqualTo(1);
        passes(Duration.ofMinutes(2));
        bmcHas(NEW);
        refresh.look();
        assertThat(north.kept()).isEqualTo(NEW);
        assertThat(refresh.trouble()).isEmpty();
    }

    @Test
    void anotherPasswordInTheStoreIsTriedAtOnce() throws IOException {
        storeHas("not yet");
        refresh.look();
        storeHas(NEW);
        bmcHas(NEW);
        refresh.look();

        assertThat(south.kept()).isEqualTo(NEW);
    }

    /** What wakes the loop: nobody waits ten minutes for a password that is refused. */
    @Test
    void aDeniedLoginAsksForANewPassword() throws IOException {
        bmcHas(NEW);
        sessions.check("south");
        assertThat(denied).containsExactly("south");

        storeHas(NEW);
        refresh.look();
        assertThat(north.kept()).isEqualTo(NEW);
    }

    /** The BMC has a third one: where it counts, both wrong ones count together. */
    @Test
    void twoWrongPasswordsCountTogether() throws IOException {
        bmcHas("a third one");
        storeHas(NEW);
        sessions.check("south");
        refresh.look();
        assertThat(refusedLogins()).isEqualTo(2);

        passes(Duration.ofSeconds(90));
        sessions.check("south");
        refresh.look();
        assertThat(refusedLogins()).isEqualTo(2);
        passes(LoginBackoff.LONGEST);
        sessions.check("south");
        assertThat(refusedLogins()).isEqualTo(3);
    }

    @Test
    void aRefusedNewPasswordSaysNothingAboutOneThatIsAccepted() throws IOException {
        storeHas(NEW);
        refresh.look();

        assertThat(sessions.deniedPassword("south")).isEmpty();
    }

    @Test
    void aPeerThatIsAwayFollows() throws IOException {
        southAnswers = false;
        southIsThere = false;
        storeHas(NEW);
        bmcHas(NEW);
        refresh.look();
        assertThat(north.kept()).isEqualTo(NEW);
        assertThat(south.kept()).isEqualTo(LoopbackBmc.PASSWORD);

        southAnswers = true;
        southIsThere = true;
        north.changes.look();
        assertThat(south.kept()).isEqualTo(NEW);
    }

    @Test
    void aPeerWhoseAgentIsSilentKeepsBothFromItForAMinute() throws IOException {
        southAnswers = false;
        storeHas(NEW);
        bmcHas(NEW);
        refresh.look();

        assertThat(trouble().kind()).isEqualTo(SourceTrouble.Kind.NOT_TAKEN);
        assertThat(refresh.interval()).isEqualTo(PasswordRefresh.SOON);
        assertThat(north.kept()).isEqualTo(LoopbackBmc.PASSWORD);

        // It fails, and is fenced with what the BMC accepts.
        southIsThere = false;
        refresh.look();
        assertThat(north.kept()).isEqualTo(NEW);
    }

    @Test
    void aChangeThatWasInterruptedIsEncryptedTooAndGoesOn() throws IOException {
        southIsThere = false;
        southAnswers = false;
        storeHas(NEW);
        bmcHas(NEW);
        north.useFails = true;
        refresh.look();

        assertThat(Files.readString(north.etc.resolve("bmc/south.changes"))).contains("\"south\"");
        assertThat(filesThatSay(NEW)).isEmpty();
        north.useFails = false;
        north.changes = north.agent();
        north.changes.look();
        assertThat(north.kept()).isEqualTo(NEW);
        assertThat(Files.readString(north.etc.resolve("bmc/south.changes")))
                .doesNotContain("password");
    }

    private FencingChange given(String password) throws InterruptedException {
        return north.changes.change(
                new FencingChangeRequest(
                        AgentMessages.VERSION,
                        "south",
                        false,
                        null,
                        null,
                        password,
                        "anna",
                        false));
    }

    @Test
    void aPersonGivesAPasswordOnlyWhileTheStoreHasNone() throws Exception {
        bmcHas(NEW);
        assertThatThrownBy(() -> given(NEW))
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure -> {
                            assertThat(failure.what()).isEqualTo("nothing was changed");
                            assertThat(failure.why())
                                    .isEqualTo(
                                            "the password for the BMC of south comes from the"
                                                    + " program /bin/cat, which can be read");
                        });
        assertThat(refusedLogins()).isZero();

        Files.delete(store);
        assertThat(given(NEW).taken()).isTrue();
        assertThat(south.kept()).isEqualTo(NEW);
        assertThat(filesThatSay(NEW)).isEmpty();
    }

    /** As a plan that is applied does, on both nodes. */
    private void passwordComesFrom(PasswordSource source) {
        for (Side side : List.of(north, south)) {
            ClusterPlan.Node before = side.inUse.get().node("south").orElseThrow();
            ClusterPlan changed =
                    side.inUse.get().withBmc("south", before.bmc().withPassword(source));
            Secrets.write(side.plan(), changed.toYaml());
            side.inUse.change(_ -> changed);
            side.changes.keepFor(changed.node("south").orElseThrow());
            side.changes.onNewSource("south");
        }
    }

    private PasswordSource programThatPrints(Path file) {
        return new PasswordSource.Fetched(
                new PasswordSource.Program(List.of("/bin/cat", file.toString())),
                Optional.of(north.etc.resolve("bmc/south.password.cred")));
    }

    @Test
    void aNewSourceIsAskedAtOnceAndItsPasswordTaken() throws IOException {
        Path other = Files.writeString(directory.resolve("other store"), NEW + "\n");
        bmcHas(NEW);

        passwordComesFrom(programThatPrints(other));

        assertThat(denied).as("who is to be asked").containsExactly("south");
        refresh.look();
        assertThat(sessions.credentials("south").password()).isEqualTo(NEW);
        assertThat(refresh.trouble()).isEmpty();
    }

    @Test
    void whatWasWrongWithTheOldSourceIsNotSaidOfTheNewOne() throws IOException {
        Files.delete(store);
        refresh.look();
        assertThat(trouble().kind()).isEqualTo(SourceTrouble.Kind.UNREAD);

        passwordComesFrom(programThatPrints(directory.resolve("neither")));
        assertThat(refresh.trouble()).isEmpty();

        passes(Duration.ofMinutes(3));
        refresh.look();
        assertThat(trouble().lasts()).as("of the new one").isZero();
    }

    /** The second level must not try it either, wherever it is kept now. */
    @Test
    void aPasswordThatWasDeniedStaysDeniedWhenItIsKeptElsewhere() throws IOException {
        bmcHas(NEW);
        sessions.check("south");
        assertThat(sessions.deniedPassword("south")).isPresent();

        passwordComesFrom(new PasswordSource.InFile(north.etc.resolve("bmc/south.password")));
        Files.delete(north.etc.resolve("bmc/south.password.cred"));

        assertThat(sessions.deniedPassword("south")).isPresent();
    }

    /** The key of this machine is lost: what the agent knows is enough to go on. */
    @Test
    void aNewPasswordIsTakenAlthoughTheKeptOneCannotBeDecrypted() throws IOException {
        Files.writeString(north.etc.resolve("bmc/south.password.cred"), "spoilt");
        storeHas(NEW);
        bmcHas(NEW);

        refresh.look();

        assertThat(north.kept()).isEqualTo(NEW);
        assertThat(refresh.trouble()).isEmpty();
    }

    /** The second level would read the file, and not what is taken from the store later. */
    @Test
    void aFileThatAPowerCutLeftBehindGoesWhenItsSuccessorIsThere() throws IOException {
        Path file = north.etc.resolve("bmc/south.password");
        Path kept = north.etc.resolve("bmc/south.password.cred");
        NodeFiles files = new NodeFiles(north.etc, north.passwords);
        Secrets.write(file, "from before\n");
        Files.delete(store);
        Files.delete(kept);
        PasswordRefresh.keepAll(north.inUse.get(), north.passwords, files);
        assertThat(file).as("there is nothing else yet").exists();

        storeHas(LoopbackBmc.PASSWORD);
        PasswordRefresh.keepAll(north.inUse.get(), north.passwords, files);
        assertThat(file).doesNotExist();
        assertThat(kept).exists();
    }

    private static Commands.Output ranOutOfTime() {
        return new Commands.Output(
                Commands.Output.TIMED_OUT, "", "systemd-creds did not end within PT5S");
    }

    /** Programs of which systemd-creds does not end in time when it is to decrypt something. */
    private Commands withDecryption(Commands.Output ends) {
        return (limit, command, stdin) ->
                command.contains("decrypt") ? ends : programs().run(limit, command, stdin);
    }

    /** The store has it before the BMC does: what the BMC accepts must not be given up for it. */
    @Test
    void aMachineTooBusyToDecryptKeepsThePasswordThatTheBmcAccepts() throws IOException {
        storeHas(NEW);
        Path file = north.etc.resolve("bmc/south.password.cred");
        String before = Files.readString(file);
        for (Commands.Output output :
                List.of(
                        ranOutOfTime(),
                        new Commands.Output(Commands.Output.NOT_STARTED, "", "no such file"),
                        new Commands.Output(137, "", ""))) {
            NodePasswords busy = new NodePasswords(withDecryption(output));

            PasswordRefresh.keepAll(north.inUse.get(), busy, new NodeFiles(north.etc, busy));

            assertThat(file).as("%s", output).hasContent(before);
        }
        assertThat(north.kept()).isEqualTo(LoopbackBmc.PASSWORD);
    }

    /** The key of this machine is lost, and the store is away: the next agent. */
    private void nothingCanBeRead() throws IOException {
        Files.writeString(north.etc.resolve("bmc/south.password.cred"), "spoilt");
        Files.delete(store);
        PasswordRefresh.keepAll(
                north.inUse.get(), north.passwords, new NodeFiles(north.etc, north.passwords));
        sessions.close();
        sessions = connected();
        refresh = refresh();
    }

    @Test
    void anAgentThatCanReadNoPasswordRunsAndNamesTheFile() throws IOException {
        nothingCanBeRead();

        sessions.check("south");
        refresh.look();

        assertThat(Objects.requireNonNull(sessions.checks().get("south")).fault())
                .contains("cannot decrypt", "bmc/south.password.cred");
        assertThat(trouble().kind()).isEqualTo(SourceTrouble.Kind.NONE_KEPT);
        assertThat(trouble().warning("south").warnings().getFirst().sentence())
                .contains("none is kept")
                .doesNotContain("in use");
        assertThat(refresh.interval()).isEqualTo(PasswordRefresh.SOON);
        assertThat(bmc.events).as("what was sent by this agent").isEmpty();
    }

    @Test
    void theSourceThatIsBackGivesItThePassword() throws IOException {
        nothingCanBeRead();
        refresh.look();
        storeHas(LoopbackBmc.PASSWORD);

        refresh.look();

        assertThat(north.kept()).isEqualTo(LoopbackBmc.PASSWORD);
        assertThat(sessions.credentials("south").password()).isEqualTo(LoopbackBmc.PASSWORD);
        assertThat(refresh.trouble()).isEmpty();
        assertThat(refresh.interval()).isEqualTo(PasswordRefresh.INTERVAL);
    }
}
