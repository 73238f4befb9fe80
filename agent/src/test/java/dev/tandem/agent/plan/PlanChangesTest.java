package dev.tandem.agent.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.tandem.agent.bmc.BmcChangeMessage;
import dev.tandem.agent.bmc.BmcChanges;
import dev.tandem.agent.bmc.BmcSettings;
import dev.tandem.agent.bmc.BmcSettingsStore;
import dev.tandem.agent.bmc.SettingsMessages;
import dev.tandem.agent.bmc.SettingsToTell;
import dev.tandem.agent.state.PlanInUse;
import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.plan.PlanUse;
import dev.tandem.agentapi.plan.PlanUse.Changed;
import dev.tandem.agentapi.plan.PlanUse.Effect;
import dev.tandem.agentapi.plan.PlanUse.NodeUse;
import dev.tandem.agentapi.plan.PlanUse.Outcome;
import dev.tandem.agentapi.plan.PlanUse.Setting;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.host.Commands;
import dev.tandem.host.Secrets;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.BmcPrivileges;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.check.BmcPreflight;
import dev.tandem.host.credential.PasswordSource;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.NodeFiles;
import dev.tandem.host.plan.NodePasswords;
import dev.tandem.host.plan.PlanDigest;
import dev.tandem.host.testing.PatientCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two agents that run, and a plan that is applied on one of their nodes. */
class PlanChangesTest {
    private static final String OLD = "the first password";
    private static final String NEW = "the second password";

    @TempDir private Path directory;
    private Path desk;
    private long now;

    /** What the BMC of south accepts. */
    private String accepted = OLD;

    private boolean southAnswers = true;
    private boolean southIsInTheCluster = true;

    /** So many answers come too late to be heard. */
    private int answersLost;

    /** What happens when an agent has taken the plan that it was told. */
    private Runnable afterTold = () -> {};

    private final NodePasswords passwords = new NodePasswords(programs());
    private Side north;
    private Side south;

    /** The real programs; systemd-creds with a key that is not this machine's. */
    private Commands programs() {
        return (limit, command, stdin) ->
                new PatientCommands()
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

    /** One node: its files, its plan in use, and the logins of its connections. */
    private final class Side implements BmcChanges.Surroundings {
        final String name;
        final Path etc;
        final PlanInUse inUse;
        final List<JournalEvent> journal = new ArrayList<>();
        final List<String> connected = new ArrayList<>();
        final List<String> newSources = new ArrayList<>();
        final Map<String, BmcCredentials> logins = new HashMap<>();
        final BmcChanges bmcs;
        final PlanChanges plans;

        Side(String name, ClusterPlan plan) throws IOException {
            this.name = name;
            this.etc = Files.createDirectories(directory.resolve(name).resolve("etc"));
            Path state = Files.createDirectories(directory.resolve(name).resolve("state"));
            new NodeFiles(etc, passwords).write(plan);
            this.inUse = new PlanInUse(ClusterPlan.read(file()));
            for (ClusterPlan.Node node : inUse.get().nodes()) {
                logins.put(node.name(), login(node));
            }
            NodeName peer = new NodeName(name.equals("north") ? "south" : "north");
            this.bmcs =
                    new BmcChanges(
                            new NodeName(name),
                            peer,
                            inUse,
                            new BmcSettingsStore(file(), passwords),
                            this,
                            () -> southAnswers,
                            journal::add,
                            new SettingsToTell(state));
            this.plans =
                    new PlanChanges(
                            new NodeName(name),
                            peer,
                            file(),
                            inUse,
                            bmcs,
                            this::tell,
                            () -> southIsInTheCluster,
                            journal::add,
                            () -> now);
        }

        Path file() {
            return etc.resolve("cluster.yaml");
        }

        private BmcCredentials login(ClusterPlan.Node node) {
            return new BmcCredentials(node.bmc().username(), passwords.of(node));
        }

        private Side other() {
            return name.equals("north") ? south : north;
        }

        private Optional<NodeUse> tell(PlanMessage message) {
            if (!southAnswers) {
                return Optional.empty();
            }
            String answer = PlanMessage.answer(message.text(), other().name, other().plans::asked);
            afterTold.run();
            if (answersLost > 0) {
                answersLost--;
                return Optional.empty();
            }
            return PlanMessage.reply(answer);
        }

        PlanDigest digest() {
            return PlanDigest.of(inUse.get());
        }

        PlanUse take(boolean dryRun) throws InterruptedException {
            return plans.take(
                    new PlanUse.Request(
                            AgentMessages.VERSION,
                            ClusterPlan.read(desk).installed(etc).toYaml(),
                            "anna",
                            dryRun));
        }

        PasswordSource source() {
            return inUse.get().node("south").orElseThrow().bmc().password();
        }

        String keptPassword() {
            return passwords.of(ClusterPlan.read(file()).node("south").orElseThrow());
        }

        String password() {
            return credentials("south").password();
        }

        boolean has(String file) {
            return Files.exists(etc.resolve("bmc").resolve(file));
        }

        /** As cluster apply does, on this node. */
        PlanUse apply() throws InterruptedException {
            new NodeFiles(etc, passwords).write(ClusterPlan.read(desk));
            return take(false);
        }

        @Override
        public BmcPreflight.Proof check(ClusterPlan.Node node, BmcSettings settings) {
            if (node.name().equals("south") && !settings.password().equals(accepted)) {
                throw new Failure("the BMC of south refuses the password", "401", "correct it");
            }
            return new BmcPreflight.Proof(
                    node.name(),
                    PowerState.ON,
                    BmcPrivileges.MayReset.YES,
                    Optional.of("the same serial"),
                    false);
        }

        @Override
        public void accepted(String node) {}

        /** What happens when somebody wants to know a login. */
        Runnable onCredentials = () -> {};

        /** Nodes to which no connection can be made. */
        final Set<String> unreachable = new HashSet<>();

        @Override
        public BmcCredentials credentials(String node) {
            onCredentials.run();
            return logins.getOrDefault(node, new BmcCredentials("nobody", ""));
        }

        @Override
        public boolean secondDiffers(ClusterPlan.Node node) {
            return false;
        }

        @Override
        public void use(ClusterPlan.Node node) {
            if (unreachable.contains(node.name())) {
                throw new Failure("cannot connect", "no file handle is left", "wait");
            }
            logins.put(node.name(), login(node));
            connected.add(node.name() + " " + node.bmc().address());
        }

        @Override
        public void useSecond(ClusterPlan.Node node) {
            throw new AssertionError("nobody changes a second here");
        }

        @Override
        public void onNewSource(ClusterPlan.Node node) {
            newSources.add(node.name());
        }

        @Override
        public void configureSecondLevel(ClusterPlan plan, String node) {}

        @Override
        public Optional<BmcChangeMessage.Reply> askPeer(BmcChangeMessage message) {
            return southAnswers
                    ? SettingsMessages.reply(
                            new SettingsMessages(other().bmcs::asked)
                                    .answer(SettingsMessages.text(message)))
                    : Optional.empty();
        }
    }

    @BeforeEach
    void begin() throws IOException {
        desk = Files.createDirectories(directory.resolve("desk")).resolve("plan.yaml");
        Secrets.write(desk.resolveSibling("token"), "a token of more than thirty-two characters\n");
        password("north", OLD);
        password("south", OLD);
        write(PlanDifferenceTest.PLAN);
        north = new Side("north", ClusterPlan.read(desk));
        south = new Side("south", ClusterPlan.read(desk));
    }

    private void password(String node, String text) {
        Secrets.write(desk.resolveSibling(node + ".password"), text + "\n");
    }

    private void write(String plan) throws IOException {
        Files.writeString(desk, plan);
    }

    private void change(String old, String changed) throws IOException {
        assertThat(PlanDifferenceTest.PLAN).contains(old);
        write(PlanDifferenceTest.PLAN.replace(old, changed));
    }

    private static List<Setting> settings(NodeUse node) {
        return node.settings().stream().map(Changed::setting).toList();
    }

    @Test
    void aPlanThatIsAppliedOnOneNodeIsInUseOnBoth() throws Exception {
        change("profile: default", "profile: tolerant");

        PlanUse use = north.apply();

        assertThat(use.nodes()).extracting(NodeUse::outcome).containsOnly(Outcome.TAKEN);
        assertThat(use.leavesOut()).isFalse();
        for (Side side : List.of(north, south)) {
            assertThat(side.inUse.get().timing()).isEqualTo(ClusterPlan.Timing.TOLERANT);
            assertThat(ClusterPlan.read(side.file()).timing())
                    .isEqualTo(ClusterPlan.Timing.TOLERANT);
            assertThat(side.plans.unused()).isEmpty();
            assertThat(side.journal)
                    .singleElement()
                    .isInstanceOfSatisfying(
                            JournalEvent.PlanTaken.class,
                            taken ->
                                    assertThat(taken.sentence())
                                            .isEqualTo(
                                                    "the plan that anna applied is in use:"
                                                            + " timing"));
        }
        assertThat(north.apply().nodes()).extracting(NodeUse::outcome).containsOnly(Outcome.SAME);
    }

    @Test
    void severalSettingsComeAtOnceAndNothingIsMixed() throws Exception {
        write(
                PlanDifferenceTest.PLAN
                        .replace("bmcOff: 5s", "bmcOff: 12s")
                        .replace("loneStart: confirmed", "loneStart: bmc-off"));
        ClusterPlan before = north.inUse.get();

        north.apply();

        assertThat(before.bmcOff()).as("whoever took it before has it whole").hasSeconds(5);
        assertThat(north.inUse.get().bmcOff()).hasSeconds(12);
        assertThat(north.inUse.get().loneStart()).isEqualTo(ClusterPlan.LoneStart.BMC_OFF);
        assertThat(north.inUse.derived(ClusterPlan::splitDelay).get()).hasSeconds(14);
    }

    @Test
    void whatIsDerivedFollowsThePlan() throws Exception {
        var delay = north.inUse.derived(ClusterPlan::splitDelay);
        assertThat(delay.get()).isEqualTo(Duration.ofSeconds(7));
        change("bmcOff: 5s", "bmcOff: 12s");

        north.apply();

        assertThat(delay.get()).isEqualTo(Duration.ofSeconds(14));
    }

    @Test
    void aDryRunChangesNothing() throws Exception {
        change("bmcOff: 5s", "bmcOff: 12s");

        PlanUse use = north.take(true);

        assertThat(use.nodes()).extracting(NodeUse::outcome).containsOnly(Outcome.WOULD_BE_TAKEN);
        assertThat(use.nodes())
                .allSatisfy(node -> assertThat(settings(node)).containsExactly(Setting.BMC_OFF));
        for (Side side : List.of(north, south)) {
            assertThat(side.inUse.get().bmcOff()).hasSeconds(5);
            assertThat(ClusterPlan.read(side.file()).bmcOff()).hasSeconds(5);
            assertThat(side.journal).isEmpty();
        }
    }

    @Test
    void whatNeedsARestartOfEtcdIsTakenAndSaid() throws Exception {
        change("heartbeat: 100ms", "heartbeat: 200ms");

        PlanUse use = north.apply();

        assertThat(use.nodes().getFirst().settings())
                .singleElement()
                .satisfies(one -> {
                    assertThat(one.effect()).isEqualTo(Effect.AFTER_A_RESTART);
                    assertThat(one.remedy()).contains("pcs node standby");
                });
        assertThat(north.inUse.get().etcd().heartbeat()).hasMillis(200);
    }

    /** Neither the port nor anything else of that plan. */
    @Test
    void whatARunningPairCannotChangeLeavesEverythingAsItWas() throws Exception {
        write(
                PlanDifferenceTest.PLAN
                        .replace("peerPort: 2380", "peerPort: 12380")
                        .replace("bmcOff: 5s", "bmcOff: 12s"));

        PlanUse use = north.apply();

        assertThat(use.nodes()).extracting(NodeUse::outcome).containsOnly(Outcome.NOT_TAKEN);
        assertThat(use.nodes().getFirst().why()).contains("etcd ports");
        assertThat(north.inUse.get().bmcOff()).hasSeconds(5);
        assertThat(ClusterPlan.read(south.file()).bmcOff()).hasSeconds(5);
        assertThat(north.plans.unused()).isPresent();
    }

    @Test
    void aNewPasswordIsCheckedAndReachesBothNodes() throws Exception {
        password("south", NEW);
        accepted = NEW;

        PlanUse use = north.apply();

        assertThat(settings(use.nodes().getFirst())).containsExactly(Setting.BMC);
        for (Side side : List.of(north, south)) {
            assertThat(Objects.requireNonNull(side.logins.get("south")).password()).isEqualTo(NEW);
            assertThat(side.plans.unused()).isEmpty();
            assertThat(side.journal).anyMatch(JournalEvent.BmcSettingsChanged.class::isInstance);
        }
        assertThat(passwords.of(ClusterPlan.read(south.file()).node("south").orElseThrow()))
                .isEqualTo(NEW);
    }

    @Test
    void aNewAddressComesWithTheRestOfThePlan() throws Exception {
        write(
                PlanDifferenceTest.PLAN
                        .replace("198.51.100.2/", "198.51.100.3/")
                        .replace("bmcOff: 5s", "bmcOff: 12s"));

        north.apply();

        for (Side side : List.of(north, south)) {
            assertThat(side.inUse.get()).isEqualTo(ClusterPlan.read(side.file()));
            assertThat(side.inUse.get().bmcOff()).hasSeconds(12);
            assertThat(side.connected).singleElement().asString().contains("198.51.100.3");
        }
        assertThat(north.digest().contradicts(south.digest())).isFalse();
    }

    /** The plan is on the disk then, and the status says so. */
    @Test
    void aBmcThatRefusesKeepsTheWholePlanFromUse() throws Exception {
        password("south", "wrong");
        change("bmcOff: 5s", "bmcOff: 12s");

        assertThatThrownBy(() -> north.apply())
                .isInstanceOf(Failure.class)
                .hasMessageContaining("refuses the password");

        assertThat(north.inUse.get().bmcOff()).hasSeconds(5);
        assertThat(Objects.requireNonNull(north.logins.get("south")).password()).isEqualTo(OLD);
        assertThat(south.inUse.get().bmcOff()).hasSeconds(5);
        assertThat(north.plans.unused().orElseThrow().settings())
                .extracting(Changed::setting)
                .containsExactly(Setting.BMC_OFF, Setting.BMC);
    }

    @Test
    void howABmcIsBelievedIsTakenHereAndByHandThere() throws Exception {
        String pinned = "sha256:" + "ab".repeat(32);
        write(
                PlanDifferenceTest.PLAN.replace(
                        "passwordFile: south.password\n      certificate: unverified",
                        "passwordFile: south.password\n      certificate: " + pinned));

        PlanUse use = north.apply();

        assertThat(north.connected).hasSize(1);
        assertThat(north.inUse.get()).isEqualTo(ClusterPlan.read(north.file()));
        assertThat(south.connected).isEmpty();
        assertThat(use.nodes().getLast().settings())
                .singleElement()
                .satisfies(one -> {
                    assertThat(one.effect()).isEqualTo(Effect.BY_HAND);
                    assertThat(one.remedy()).contains("on south");
                });
        assertThat(north.digest().contradicts(south.digest())).isTrue();
    }

    /** Neither is a BMC asked about it, nor does another node's plan name what root runs here. */
    @Test
    void aFurtherLevelIsTakenHereAndByHandThere() throws Exception {
        write(
                PlanDifferenceTest.PLAN.replace(
                        "passwordFile: south.password\n",
                        """
                        passwordFile: south.password
                              further: [{agent: fence_pdu, parameters: {plug: 7}}]
                        """));

        PlanUse use = north.apply();

        assertThat(north.connected).isEmpty();
        assertThat(north.inUse.get()).isEqualTo(ClusterPlan.read(north.file()));
        assertThat(north.inUse.get().node("south").orElseThrow().bmc().further()).hasSize(1);
        assertThat(south.inUse.get().node("south").orElseThrow().bmc().further()).isEmpty();
        assertThat(settings(use.nodes().getFirst())).containsExactly(Setting.BMC);
        assertThat(use.nodes().getLast().settings())
                .singleElement()
                .satisfies(one -> {
                    assertThat(one.effect()).isEqualTo(Effect.BY_HAND);
                    assertThat(one.why())
                            .isEqualTo(
                                    "the agents of further levels, and their passwords, have to be"
                                            + " on south itself");
                });
        assertThat(north.digest().contradicts(south.digest())).isTrue();
    }

    @Test
    void whoTheMachineIsIsTakenOnBothNodes() throws Exception {
        change("serial: S2", "serial: S3");

        north.apply();

        for (Side side : List.of(north, south)) {
            assertThat(side.inUse.get().node("south").orElseThrow().identity().serial())
                    .contains("S3");
            assertThat(side.connected).hasSize(1);
        }
    }

    @Test
    void aSilentPeerIsNamedAndThisNodeGoesOn() throws Exception {
        change("bmcOff: 5s", "bmcOff: 12s");
        southAnswers = false;

        PlanUse use = north.apply();

        assertThat(north.inUse.get().bmcOff()).hasSeconds(12);
        assertThat(use.leavesOut()).isTrue();
        assertThat(use.nodes().getLast().outcome()).isEqualTo(Outcome.SILENT);
        assertThat(use.nodes().getLast().remedy()).contains("tandem cluster prepare");
    }

    /** Before a pair is made its other node may not be there; in the cluster it has to answer. */
    @Test
    void aPeerThatIsAwayIsToldFromOneThatIsSilent() throws Exception {
        southAnswers = false;
        assertThat(north.apply().nodes().getLast().outcome()).isEqualTo(Outcome.SILENT);

        southIsInTheCluster = false;
        assertThat(north.apply().nodes().getLast().outcome()).isEqualTo(Outcome.AWAY);
    }

    /** South was down meanwhile and has its old plan: each disk equals what is in use there. */
    @Test
    void plansThatDifferBetweenTheNodesHaveDifferentDigests() throws Exception {
        assertThat(north.digest().contradicts(south.digest())).isFalse();
        change("bmcOff: 5s", "bmcOff: 12s");
        southAnswers = false;

        north.apply();

        south.plans.look();
        assertThat(north.plans.unused()).isEmpty();
        assertThat(south.plans.unused()).isEmpty();
        assertThat(north.digest().contradicts(south.digest())).isTrue();

        southAnswers = true;
        north.apply();
        assertThat(north.digest().contradicts(south.digest())).isFalse();
    }

    /** The BMC was well when it was asked, and refuses when it is to be used. */
    @Test
    void aBmcThatFailsAfterThePlanWasTakenIsToldWithThePlan() throws Exception {
        password("south", NEW);
        accepted = NEW;
        change("bmcOff: 5s", "bmcOff: 12s");
        afterTold = () -> accepted = "yet another";

        PlanUse use = north.apply();

        assertThat(use.nodes()).extracting(NodeUse::outcome).containsOnly(Outcome.TAKEN);
        assertThat(use.nodes().getFirst().settings())
                .extracting(Changed::setting, Changed::effect)
                .containsExactly(
                        tuple(Setting.BMC_OFF, Effect.NOW), tuple(Setting.BMC, Effect.FAILED));
        assertThat(use.nodes().getFirst().settings().getLast())
                .satisfies(bmc -> {
                    assertThat(bmc.of()).isEqualTo("south");
                    assertThat(bmc.why()).contains("the BMC of south refuses the password");
                    assertThat(bmc.remedy()).isEqualTo("correct it");
                });
        assertThat(north.inUse.get().bmcOff()).hasSeconds(12);
        assertThat(south.inUse.get().bmcOff()).hasSeconds(12);
        assertThat(Objects.requireNonNull(north.logins.get("south")).password()).isEqualTo(OLD);
        assertThat(north.plans.unused()).isPresent();
    }

    /** It was prepared there before, and its agent has not taken it. */
    @Test
    void aPeerThatWasPreparedTakesWhatItHas() throws Exception {
        write(
                PlanDifferenceTest.PLAN
                        .replace("198.51.100.2/", "198.51.100.3/")
                        .replace("bmcOff: 5s", "bmcOff: 12s"));
        new NodeFiles(south.etc, passwords).write(ClusterPlan.read(desk));
        south.plans.look();
        assertThat(south.plans.unused()).isPresent();

        north.apply();

        assertThat(south.inUse.get()).isEqualTo(ClusterPlan.read(south.file()));
        assertThat(south.inUse.get().bmcOff()).hasSeconds(12);
        south.plans.look();
        assertThat(south.plans.unused()).isEmpty();
    }

    @Test
    void aPlanThatIsNotOnTheDiskIsNotTaken() throws Exception {
        change("bmcOff: 5s", "bmcOff: 12s");

        assertThatThrownBy(() -> north.take(false))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("was not taken into use");
        assertThat(north.inUse.get().bmcOff()).hasSeconds(5);
    }

    @Test
    void aPlanOnTheDiskThatNobodyUsesIsKnownSinceItWasSeenFirst() throws Exception {
        north.plans.look();
        assertThat(north.plans.unused()).isEmpty();
        change("bmcOff: 5s", "bmcOff: 12s");
        new NodeFiles(north.etc, passwords).write(ClusterPlan.read(desk));
        now = 1_000;
        north.plans.look();
        now = 2_000;
        north.plans.look();

        PlanChanges.Unused unused = north.plans.unused().orElseThrow();
        assertThat(unused.sinceNanos()).isEqualTo(1_000);
        assertThat(unused.settings()).extracting(Changed::setting).containsExactly(Setting.BMC_OFF);

        Files.writeString(north.file(), "no plan");
        north.plans.look();
        assertThat(north.plans.unused().orElseThrow().unreadable()).isPresent();
    }

    @Test
    void whatAnotherReleaseSaysIsNotTaken() {
        assertThat(PlanMessage.answer("{}", "south", south.plans::asked))
                .contains("NOT_TAKEN", "different versions");
        assertThat(PlanMessage.reply("no JSON")).isEmpty();
    }

    private static final String FILE = "passwordFile: south.password";

    private Path store() {
        return directory.resolve("store");
    }

    private String program() {
        return "password: {program: [/bin/cat, %s]}".formatted(store());
    }

    private static String vault(String address, String path) {
        return ("password: {vault: {address: '%s', path: %s, appRole: {roleId: r, secretIdFile:"
                        + " secret-id}}}")
                .formatted(address, path);
    }

    private void useProgram(String password) throws IOException {
        Files.writeString(store(), password + "\n");
        change(FILE, program());
    }

    private void useVault(String path) throws IOException {
        Secrets.write(desk.resolveSibling("secret-id"), "an id\n");
        change(FILE, vault("https://127.0.0.1:1", path));
    }

    /** As a person does on south, who may decide what runs as root there. */
    private void southIsPrepared() {
        new NodeFiles(south.etc, passwords).write(ClusterPlan.read(desk));
    }

    /** Or whoever is root on one node would be root on the other too. */
    @Test
    void aProgramThatThePeerNamesIsNotRun() throws Exception {
        useProgram(OLD);

        PlanUse use = north.apply();

        assertThat(use.nodes().getLast().settings())
                .singleElement()
                .satisfies(one -> {
                    assertThat(one.effect()).isEqualTo(Effect.BY_HAND);
                    assertThat(one.why()).contains("as root", "named on south itself");
                    assertThat(one.remedy()).contains("on south");
                });
        assertThat(north.source()).isInstanceOf(PasswordSource.Fetched.class);
        assertThat(south.source()).isInstanceOf(PasswordSource.InFile.class);
        assertThat(Files.readString(south.file())).doesNotContain("/bin/cat");
        assertThat(south.newSources).as("who is asked").isEmpty();

        assertThat(south.apply().leavesOut()).isFalse();
        assertThat(south.source()).isInstanceOf(PasswordSource.Fetched.class);
    }

    @Test
    void anotherCommandIsAnotherProgram() throws Exception {
        useProgram(OLD);
        southIsPrepared();
        north.apply();
        change(FILE, program().replace("/bin/cat,", "/bin/cat, -u,"));

        PlanUse use = north.apply();

        assertThat(use.nodes().getLast().settings())
                .singleElement()
                .satisfies(one -> assertThat(one.effect()).isEqualTo(Effect.BY_HAND));
        assertThat(Files.readString(south.file())).doesNotContain("-u");
    }

    @Test
    void aPasswordFromAProgramThatBothNodesNameReplacesAFile() throws Exception {
        useProgram(OLD);
        southIsPrepared();

        PlanUse use = north.apply();

        assertThat(use.leavesOut()).isFalse();
        for (Side side : List.of(north, south)) {
            assertThat(side.source()).isInstanceOf(PasswordSource.Fetched.class);
            assertThat(side.inUse.get()).isEqualTo(ClusterPlan.read(side.file()));
            assertThat(side.keptPassword()).isEqualTo(OLD);
            assertThat(side.has("south.password")).isFalse();
            assertThat(side.newSources).containsExactly("south");
            assertThat(side.connected).as("the connection stays").isEmpty();
            assertThat(side.plans.unused()).isEmpty();
            assertThat(side.journal).hasSize(1);
        }
    }

    @Test
    void aNewPasswordOfANewSourceReachesBothNodes() throws Exception {
        useProgram(NEW);
        accepted = NEW;
        southIsPrepared();

        north.apply();

        for (Side side : List.of(north, south)) {
            assertThat(side.source()).isInstanceOf(PasswordSource.Fetched.class);
            assertThat(side.inUse.get()).isEqualTo(ClusterPlan.read(side.file()));
            assertThat(side.password()).isEqualTo(NEW);
            assertThat(side.keptPassword()).isEqualTo(NEW);
            side.plans.look();
            assertThat(side.plans.unused()).isEmpty();
        }
    }

    /** What is in use goes on, although the file that it came from is gone. */
    @Test
    void aNewSourceWithARefusedPasswordIsNotUsed() throws Exception {
        useProgram("wrong");

        assertThatThrownBy(() -> north.apply())
                .isInstanceOf(Failure.class)
                .hasMessageContaining("refuses the password");

        for (Side side : List.of(north, south)) {
            assertThat(side.source()).isInstanceOf(PasswordSource.InFile.class);
            assertThat(side.password()).isEqualTo(OLD);
            assertThat(side.newSources).isEmpty();
        }
        assertThat(south.keptPassword()).isEqualTo(OLD);
        assertThat(north.plans.unused()).isPresent();

        useProgram(OLD);
        southIsPrepared();
        north.apply();
        assertThat(north.plans.unused()).isEmpty();
        assertThat(south.source()).isInstanceOf(PasswordSource.Fetched.class);
    }

    @Test
    void aFileReplacesAProgramOnBothNodes() throws Exception {
        useProgram(OLD);
        southIsPrepared();
        north.apply();
        write(PlanDifferenceTest.PLAN);

        south.apply();

        for (Side side : List.of(north, south)) {
            assertThat(side.source()).isInstanceOf(PasswordSource.InFile.class);
            assertThat(side.inUse.get()).isEqualTo(ClusterPlan.read(side.file()));
            assertThat(side.keptPassword()).isEqualTo(OLD);
            assertThat(side.has("south.password.cred")).isFalse();
            assertThat(side.plans.unused()).isEmpty();
        }
    }

    /** The files that open a store are each node's own. */
    @Test
    void aStoreIsTakenHereAndByHandThere() throws Exception {
        useProgram(OLD);
        southIsPrepared();
        north.apply();
        useVault("pair/south");

        PlanUse use = north.apply();

        assertThat(use.nodes().getFirst().settings())
                .singleElement()
                .satisfies(one -> assertThat(one.effect()).isEqualTo(Effect.NOW));
        assertThat(use.nodes().getLast().settings())
                .singleElement()
                .satisfies(one -> {
                    assertThat(one.effect()).isEqualTo(Effect.BY_HAND);
                    assertThat(one.why()).contains("logs in to the store");
                    assertThat(one.remedy()).contains("on south");
                });
        assertThat(origin(north)).isInstanceOf(PasswordSource.Vault.class);
        assertThat(origin(south)).isInstanceOf(PasswordSource.Program.class);
        assertThat(south.keptPassword()).isEqualTo(OLD);

        assertThat(south.apply().leavesOut()).isFalse();
        assertThat(origin(south)).isInstanceOf(PasswordSource.Vault.class);
        assertThat(south.has("south.vault-secret-id")).isTrue();
    }

    @Test
    void anotherPathInTheSameStoreIsTakenOnBothNodes() throws Exception {
        useProgram(OLD);
        southIsPrepared();
        north.apply();
        useVault("pair/south");
        north.apply();
        south.apply();
        useVault("pair/other");

        assertThat(north.apply().leavesOut()).isFalse();

        for (Side side : List.of(north, south)) {
            assertThat(origin(side))
                    .isInstanceOfSatisfying(
                            PasswordSource.Vault.class,
                            vault -> assertThat(vault.path()).isEqualTo("pair/other"));
            assertThat(side.plans.unused()).isEmpty();
        }
    }

    /** It may not believe the same authority, nor know the same role. */
    @Test
    void anotherStoreIsByHandThereToo() throws Exception {
        useProgram(OLD);
        southIsPrepared();
        north.apply();
        useVault("pair/south");
        north.apply();
        south.apply();
        change(FILE, vault("https://127.0.0.2:1", "pair/south"));

        PlanUse use = north.apply();

        assertThat(use.nodes().getLast().settings())
                .singleElement()
                .satisfies(one -> assertThat(one.effect()).isEqualTo(Effect.BY_HAND));
        assertThat(origin(north).words()).contains("127.0.0.2");
        assertThat(origin(south).words()).contains("127.0.0.1");
    }

    /** Its files were put there by cluster prepare. */
    @Test
    void aPeerThatWasPreparedTakesTheStoreToo() throws Exception {
        useProgram(OLD);
        southIsPrepared();
        north.apply();
        useVault("pair/south");
        new NodeFiles(south.etc, passwords).write(ClusterPlan.read(desk));

        assertThat(north.apply().leavesOut()).isFalse();

        assertThat(origin(south)).isInstanceOf(PasswordSource.Vault.class);
        assertThat(south.plans.unused()).isEmpty();
    }

    private static PasswordSource.Origin origin(Side side) {
        return ((PasswordSource.Fetched) side.source()).origin();
    }

    /** Settings of a BMC come from the peer at any time, also while a plan is written here. */
    @Test
    void anAddressThatComesWhileAPlanIsWrittenIsNotLost() throws Exception {
        useProgram(OLD);
        southIsPrepared();
        north.apply();
        write(PlanDifferenceTest.PLAN.replace("bmcOff: 5s", "bmcOff: 12s"));
        String moved = "redfish+https://198.51.100.77:443/redfish/v1/Systems/1";
        List<Thread> commits = new ArrayList<>();
        south.onCredentials =
                () -> {
                    if (commits.isEmpty()) {
                        commits.add(
                                Thread.ofPlatform()
                                        .start(() ->
                                                south.bmcs.asked(
                                                        new BmcChangeMessage(
                                                                1,
                                                                "1",
                                                                BmcChangeMessage.Step.COMMIT,
                                                                new BmcSettings(
                                                                        "south", 1, moved, "admin",
                                                                        OLD, "bert")))));
                        Thread commit = commits.getFirst();
                        // Until it has stored them, or has to wait for the plan to be written.
                        while (commit.isAlive() && commit.getState() != Thread.State.BLOCKED) {
                            Thread.onSpinWait();
                        }
                    }
                };

        north.apply();

        assertThat(commits).hasSize(1);
        commits.getFirst().join();
        for (ClusterPlan plan : List.of(ClusterPlan.read(south.file()), south.inUse.get())) {
            assertThat(plan.node("south").orElseThrow().bmc().address()).hasToString(moved);
            assertThat(plan.bmcOff()).hasSeconds(12);
        }
    }

    /** The plan is in use by then, and to say that it is not would have somebody apply it again. */
    @Test
    void aConnectionThatCannotBeMadeIsToldWithThePlanThatWasTaken() throws Exception {
        write(
                PlanDifferenceTest.PLAN
                        .replace("serial: S2", "serial: S3")
                        .replace("bmcOff: 5s", "bmcOff: 12s"));
        north.unreachable.add("south");
        south.unreachable.add("south");

        PlanUse use = north.apply();

        assertThat(use.nodes())
                .allSatisfy(node -> {
                    assertThat(node.outcome()).isEqualTo(Outcome.TAKEN);
                    assertThat(node.settings())
                            .filteredOn(one -> one.effect() == Effect.FAILED)
                            .singleElement()
                            .satisfies(one -> assertThat(one.why()).contains("cannot connect"));
                });
        for (Side side : List.of(north, south)) {
            assertThat(side.inUse.get().bmcOff()).hasSeconds(12);
            assertThat(side.journal).anyMatch(JournalEvent.PlanTaken.class::isInstance);
        }
    }

    /**
     * Passwords are encrypted meanwhile, and a busy machine takes longer for it than one may wait.
     */
    @Test
    void aPeerWhoseAnswerCameTooLateIsAskedOnceMore() throws Exception {
        change("bmcOff: 5s", "bmcOff: 12s");
        answersLost = 1;

        PlanUse use = north.apply();

        assertThat(use.leavesOut()).isFalse();
        assertThat(use.nodes().getLast().outcome()).isEqualTo(Outcome.SAME);
        assertThat(south.inUse.get().bmcOff()).hasSeconds(12);
    }

    @Test
    void aPeerThatAnswersNeitherTimeIsSilent() throws Exception {
        change("bmcOff: 5s", "bmcOff: 12s");
        answersLost = 2;

        assertThat(north.apply().nodes().getLast().outcome()).isEqualTo(Outcome.SILENT);
    }
}
