package dev.tandem.agent.ocf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agent.bmc.BmcSessions;
import dev.tandem.agent.bmc.PairWithBmc;
import dev.tandem.agent.state.Journal;
import dev.tandem.agent.state.LastFence;
import dev.tandem.agent.state.SwitchOffTime;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.core.BootId;
import dev.tandem.core.decision.FenceDelay;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.testing.Sketch;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcPrivileges;
import dev.tandem.host.pacemaker.cib.CibPlan;
import dev.tandem.redfishsim.BmcBehaviour;
import dev.tandem.redfishsim.BmcEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Fence orders of Pacemaker on north, carried out by south's BMC. */
class FenceActionsTest {
    private static final String SOUTH = "plug=south\n";
    private static final Duration AGAIN = Duration.ofMillis(300);
    private static final BootId NEWER = new BootId("a later boot");

    /** Its caller waits for some time: at the beginning of a test it is 1000. */
    private static final String AWAITED = "order=number-1\nexpires=9000\n";

    @TempDir Path state;

    private PairWithBmc pair;
    private Journal journal;
    private FenceActions fencing;
    private volatile Optional<BootId> heard = Optional.of(Sketch.SOUTH_BOOT);
    private Optional<String> provesNothing = Optional.empty();
    private boolean falseOff;
    private volatile Runnable whileTheOtherGoesFirst = () -> {};
    private volatile Runnable onceMembershipIsTakenIn = () -> {};
    private int membershipsTakenIn;
    private boolean secondFalseOff;
    private final List<FenceDelay.Link> links = new ArrayList<>(List.of(FenceDelay.Link.UP));
    private Duration silence = Duration.ofSeconds(1);
    private volatile long sinceBoot = 1000;
    private LongSupplier uptime = () -> sinceBoot;
    private final LastFence lastFence = new LastFence(System::nanoTime);

    private record Receipt(Proofs.Order order, Proofs.Machine machine) {}

    private final List<Receipt> receipts = new ArrayList<>();
    private final List<Event.FenceReading> readings = new ArrayList<>();
    private final List<Event> seen = new ArrayList<>();

    @BeforeEach
    void begin() throws IOException {
        pair = new PairWithBmc(state);
        journal = new Journal(state.resolve(JournalLine.FILE), InstantSource.system());
        agentStarts();
    }

    private void agentStarts() {
        fencing =
                new FenceActions(
                        "south",
                        pair.sessions,
                        journal,
                        lastFence,
                        switchOffTime(),
                        new SplitDelays(
                                () ->
                                        new SplitDelays.Limits(
                                                false,
                                                new FenceDelay.Times(
                                                        Duration.ofSeconds(2),
                                                        Duration.ofSeconds(2)),
                                                Duration.ofSeconds(8)),
                                this::linksOnceOrdered,
                                () -> Optional.of(silence),
                                () -> false,
                                () -> FenceDelay.Needs.AS_PLANNED,
                                System::nanoTime),
                        () -> new Proofs.Order(Sketch.SOUTH, heard),
                        () -> falseOff,
                        () -> secondFalseOff,
                        () -> new Moment(events().size()),
                        () -> uptime.getAsLong(),
                        seen::add,
                        () -> {
                            assertThat(pair.south.kinds())
                                    .as("nothing is switched yet")
                                    .doesNotContain(BmcEvent.Kind.RESET_REQUESTED);
                            membershipsTakenIn++;
                            onceMembershipIsTakenIn.run();
                        },
                        (order, machine, reading) -> {
                            assertThat(reading.power()).isEqualTo(PowerReading.OFF);
                            readings.add(reading);
                            receipts.add(new Receipt(order, machine));
                            return provesNothing;
                        });
    }

    private SwitchOffTime switchOffTime() {
        return new SwitchOffTime(
                state.resolve("switch-off"), () -> pair.plan.peerOf("north").bmc().address());
    }

    @AfterEach
    void end() throws IOException {
        pair.close();
    }

    private List<JournalEvent> events() {
        return journal.last(100).stream().map(line -> JournalLine.parse(line).event()).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"plug=south\n", "port=south\n", "nodename=south\n"})
    void thePeerIsSwitchedOffAndTheReceiptIsOfTheBootThatWasKnown(String target)
            throws InterruptedException {
        assertThat(fencing.run("off", target)).startsWith("0\n");

        assertThat(pair.south.machine.isRunning()).isFalse();
        assertThat(switchOffTime().longest()).as("for the next prediction").isPresent();
        assertThat(receipts)
                .containsExactly(
                        new Receipt(
                                new Proofs.Order(Sketch.SOUTH, Optional.of(Sketch.SOUTH_BOOT)),
                                Proofs.Machine.THE_PEER));
        assertThat(events())
                .satisfiesExactly(
                        event ->
                                assertThat(event)
                                        .isEqualTo(new JournalEvent.FenceOrdered("south", "off")),
                        event -> assertThat(event).isInstanceOf(JournalEvent.SwitchedOff.class),
                        event ->
                                assertThat(event).isEqualTo(new JournalEvent.FenceAnswered(0, "")));
    }

    /** Many BMCs do not tell; and what they told may be minutes old. */
    @Test
    void aFenceThatIsRefusedForLackOfPrivilegesIsKnownAtOnce()
            throws IOException, InterruptedException {
        pair.close();
        pair = PairWithBmc.readingOnly(state);
        agentStarts();
        pair.sessions.check();
        assertThat(pair.sessions.mayReset("south")).isEqualTo(BmcPrivileges.MayReset.NOT_TOLD);

        assertThat(fencing.run("off", "plug=south\n")).startsWith("1\n");

        assertThat(pair.sessions.mayReset("south")).isEqualTo(BmcPrivileges.MayReset.NO);
    }

    /** The clock of this test counts what is in the journal, where Off comes second. */
    @Test
    void theMomentIsTheOneAtWhichOffWasRead() throws InterruptedException {
        assertThat(fencing.run("off", SOUTH)).startsWith("0\n");

        assertThat(readings).extracting(Event.FenceReading::at).containsExactly(new Moment(1));
    }

    /** The peer boots after the command; the order was about the boot before. */
    @Test
    void theBootIsTheOneKnownWhenTheOrderWasGiven() throws InterruptedException {
        Iterator<BootId> known =
                List.of(Sketch.SOUTH_BOOT, Sketch.SOUTH_BOOT, new BootId("a later boot"))
                        .iterator();
        FenceActions slow =
                new FenceActions(
                        "south",
                        pair.sessions,
                        journal,
                        lastFence,
                        switchOffTime(),
                        new SplitDelays(
                                () ->
                                        new SplitDelays.Limits(
                                                false,
                                                new FenceDelay.Times(
                                                        Duration.ofSeconds(2),
                                                        Duration.ofSeconds(2)),
                                                Duration.ofSeconds(8)),
                                () -> List.copyOf(links),
                                () -> Optional.of(silence),
                                () -> false,
                                () -> FenceDelay.Needs.AS_PLANNED,
                                System::nanoTime),
                        () -> new Proofs.Order(Sketch.SOUTH, Optional.of(known.next())),
                        () -> false,
                        () -> false,
                        () -> new Moment(0),
                        () -> sinceBoot,
                        seen::add,
                        () -> {},
                        (order, machine, reading) -> {
                            receipts.add(new Receipt(order, machine));
                            return Optional.empty();
                        });

        assertThat(slow.run("off", SOUTH)).startsWith("0\n");

        assertThat(receipts)
                .extracting(receipt -> receipt.order().peerBoot())
                .containsExactly(Optional.of(Sketch.SOUTH_BOOT));
    }

    /** What is known of the one BMC of a node says nothing of the other. */
    @ParameterizedTest
    @CsvSource({
        "other-machine-found, controls another machine",
        "machine-not-told, would prove nothing",
        ", reads Off falsely"
    })
    void theSecondOfABmcIsJudgedByWhatIsKnownOfIt(@Nullable String mark, String why)
            throws IOException {
        pair.close();
        pair = PairWithBmc.withSecond(state);
        if (mark == null) {
            secondFalseOff = true;
        } else {
            Files.writeString(
                    Files.createDirectories(state.resolve("run/second/moments")).resolve(mark),
                    "4711\n");
        }
        pair.restartAgent();
        agentStarts();

        assertThat(fencing.secondLevelMay("south_second")).startsWith("1\n").contains(why);
        assertThat(fencing.secondLevelMay("south")).isEqualTo("0\n");
        assertThat(seen).hasOnlyElementsOfType(Event.FenceExpected.class).hasSize(2);
    }

    private void nothingWasSwitched(String answer, String why) {
        assertThat(answer).startsWith("1\nsouth was not switched off: ").contains(why);
        assertThat(pair.south.machine.isRunning()).isTrue();
        assertThat(pair.south.kinds()).doesNotContain(BmcEvent.Kind.RESET_REQUESTED);
        assertThat(receipts).isEmpty();
        assertThat(events().getLast())
                .isInstanceOfSatisfying(
                        JournalEvent.FenceAnswered.class,
                        answered -> assertThat(answered.said()).contains(why));
        assertThat(lastFence.failed()).isPresent();
    }

    /** It was on its way for as long as its caller waits. */
    @ParameterizedTest
    @ValueSource(strings = {"off", "reboot"})
    void anOrderThatHasExpiredSwitchesNothing(String action) throws InterruptedException {
        nothingWasSwitched(
                fencing.run(action, SOUTH + "order=number-1\nexpires=1000\n"),
                "the order number-1 has expired");
    }

    /** The second level may have fenced it in between. */
    @Test
    void anOrderThatExpiresWhileTheOtherGoesFirstSwitchesNothing() throws InterruptedException {
        whileTheOtherGoesFirst = () -> sinceBoot = 2000;

        nothingWasSwitched(
                fencing.run("off", SOUTH + "split_delay=1\norder=number-1\nexpires=1900\n"),
                "has expired");

        assertThat(events()).hasAtLeastOneElementOfType(JournalEvent.SplitDelay.class);
    }

    @Test
    void anOrderInTimeIsCarriedOut() throws InterruptedException {
        assertThat(fencing.run("off", SOUTH + "order=number-1\nexpires=2000\n")).startsWith("0\n");

        assertThat(pair.south.machine.isRunning()).isFalse();
    }

    /**
     * Pacemaker lets nobody join before its fence has ended, and would go on with a second level
     * that waits for a split to be over.
     */
    @Test
    void aPeerThatIsBackInANewerBootIsFencedInThatBootForACallerThatWaits()
            throws InterruptedException {
        whileTheOtherGoesFirst = () -> heard = Optional.of(NEWER);

        assertThat(fencing.run("reboot", SOUTH + "split_delay=1\n" + AWAITED)).startsWith("0\n");

        assertThat(pair.south.kinds()).contains(BmcEvent.Kind.RESET_REQUESTED);
        assertThat(receipts)
                .containsExactly(
                        new Receipt(
                                new Proofs.Order(Sketch.SOUTH, Optional.of(NEWER)),
                                Proofs.Machine.THE_PEER));
        assertThat(membershipsTakenIn).as("before anything was switched").isEqualTo(1);
        assertThat(events())
                .contains(new JournalEvent.FenceRenewed("south"))
                .noneMatch(JournalEvent.FenceLapsed.class::isInstance);
        assertThat(fencing.secondLevelMay("south")).startsWith("0\n");
    }

    /** It was heard, so this is no split; the order would expire before one is over. */
    @Test
    void aPeerThatIsHeardInANewerBootIsNotLetToGoFirst() throws InterruptedException {
        whileTheOtherGoesFirst = () -> heard = Optional.of(NEWER);
        long began = System.nanoTime();
        uptime = () -> Duration.ofNanos(System.nanoTime() - began).toMillis() / 10;

        assertThat(fencing.run("off", SOUTH + "split_delay=90\norder=number-1\nexpires=6000\n"))
                .startsWith("0\n");
    }

    @Test
    void aPeerThatBootsOnceMoreBeforeItIsSwitchedOffIsFencedInItsLastBoot()
            throws InterruptedException {
        whileTheOtherGoesFirst = () -> heard = Optional.of(NEWER);
        BootId newest = new BootId("the last boot");
        onceMembershipIsTakenIn = () -> heard = Optional.of(newest);

        assertThat(fencing.run("off", SOUTH + "split_delay=1\n" + AWAITED)).startsWith("0\n");

        assertThat(receipts)
                .extracting(receipt -> receipt.order().peerBoot())
                .containsExactly(Optional.of(newest));
        assertThat(membershipsTakenIn).isEqualTo(2);
    }

    /** Nobody waits for it any longer, so it is no order about any boot. */
    @Test
    void anOrderThatHasExpiredIsNotRenewed() throws InterruptedException {
        whileTheOtherGoesFirst =
                () -> {
                    heard = Optional.of(NEWER);
                    sinceBoot = 9000;
                };

        nothingWasSwitched(fencing.run("off", SOUTH + "split_delay=1\n" + AWAITED), "has expired");

        assertThat(events()).noneMatch(JournalEvent.FenceRenewed.class::isInstance);
    }

    /** The boot may be the one after its fence. */
    @Test
    void anOrderBesideWhichTheSecondLevelBeganIsNotRenewed() throws InterruptedException {
        whileTheOtherGoesFirst =
                () -> {
                    assertThat(fencing.secondLevelMay("south")).startsWith("0\n");
                    heard = Optional.of(NEWER);
                };

        nothingWasSwitched(
                fencing.run("off", SOUTH + "split_delay=1\n" + AWAITED), "heard in a newer boot");

        assertThat(events()).noneMatch(JournalEvent.FenceRenewed.class::isInstance);
    }

    /** The same: a person has ordered the other. */
    @Test
    void anOrderBesideWhichAnotherFencedIsNotRenewed() throws InterruptedException {
        List<String> other = new ArrayList<>();
        whileTheOtherGoesFirst =
                () -> {
                    whileTheOtherGoesFirst = () -> {};
                    other.add(run("reboot", SOUTH + AWAITED));
                    heard = Optional.of(NEWER);
                };

        assertThat(fencing.run("off", SOUTH + "split_delay=1\n" + AWAITED))
                .startsWith("1\nsouth was not switched off: ")
                .contains("heard in a newer boot");

        assertThat(other).singleElement().asString().startsWith("0\n");
        assertThat(pair.south.machine.isRunning()).as("it is back, and stays").isTrue();
        assertThat(receipts).as("of the other alone").hasSize(1);
    }

    private String run(String action, String parameters) {
        try {
            return fencing.run(action, parameters);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** One that does not say until when somebody waits for it, as from another program. */
    @Test
    void aPeerThatIsBackInANewerBootIsNotSwitchedOffByAnOlderOrder() throws InterruptedException {
        whileTheOtherGoesFirst = () -> heard = Optional.of(NEWER);

        nothingWasSwitched(
                fencing.run("reboot", SOUTH + "split_delay=1\n"), "heard in a newer boot");

        assertThat(events())
                .contains(
                        new JournalEvent.FenceLapsed(
                                "south", JournalEvent.FenceLapsed.Cause.OVERTAKEN));
        // Pacemaker goes on with it, and it would switch off the boot that nobody wanted off.
        assertThat(fencing.secondLevelMay("south")).startsWith("1\n").contains("has booted since");
        assertThat(fencing.secondLevelMay("south_further1"))
                .startsWith("1\n")
                .contains("has booted since");

        assertThat(fencing.run("off", SOUTH)).as("the next one is about that boot").startsWith("0");
        assertThat(fencing.secondLevelMay("south")).startsWith("0\n");
    }

    /** Its first level was too slow, which is what the second one is for. */
    @Test
    void theSecondLevelMayFenceForAnOrderThatHasExpired() throws InterruptedException {
        String answer = fencing.run("off", SOUTH + "order=number-1\nexpires=1000\n");

        assertThat(answer).startsWith("1\n");
        assertThat(events())
                .contains(
                        new JournalEvent.FenceLapsed(
                                "south", JournalEvent.FenceLapsed.Cause.EXPIRED));
        assertThat(fencing.secondLevelMay("south")).startsWith("0\n");
    }

    /** A peer that is silent is heard in no boot; that is no newer one. */
    @Test
    void aPeerThatIsNotHeardAnyMoreIsSwitchedOff() throws InterruptedException {
        whileTheOtherGoesFirst = () -> heard = Optional.empty();

        assertThat(fencing.run("off", SOUTH + "split_delay=1\n")).startsWith("0\n");
    }

    /** They are asked for when the order was given and the delay is about to begin. */
    private List<FenceDelay.Link> linksOnceOrdered() {
        whileTheOtherGoesFirst.run();
        return List.copyOf(links);
    }

    /** So that this node orders none of its own beside it. */
    @Test
    void theSupervisorKnowsOfAFenceFromItsBeginningToItsEnd() throws InterruptedException {
        assertThat(fencing.run("off", SOUTH)).startsWith("0\n");
        assertThat(seen).containsExactly(new Event.FencingSeen(true), new Event.FencingSeen(false));

        seen.clear();
        assertThat(fencing.run("monitor", SOUTH)).startsWith("0\n");
        assertThat(seen).as("nothing is fenced").isEmpty();

        fencing.secondLevelMay("south");
        assertThat(seen)
                .as("nobody tells when the second level has ended")
                .containsExactly(new Event.FenceExpected(CibPlan.LEVEL_TWO_LIMIT));
    }

    @Test
    void anOffThatProvesNothingIsAFailedFence() throws InterruptedException {
        provesNothing = Optional.of("it has booted since");

        String answer = fencing.run("reboot", SOUTH);

        assertThat(answer).startsWith("1\n").contains("it has booted since");
        assertThat(pair.south.machine.isRunning()).as("not switched on again").isFalse();
        assertThat(events().getLast())
                .isInstanceOfSatisfying(
                        JournalEvent.FenceAnswered.class,
                        answered -> assertThat(answered.exitCode()).isEqualTo(1));
    }

    /** Reading it shows nothing of that. */
    @Test
    void whyAFenceFailedIsRememberedUntilOneSucceeds() throws InterruptedException {
        pair.south.bmc.behave(BmcBehaviour.FAULTLESS.withLies(true));

        assertThat(fencing.run("off", SOUTH + "power_timeout=5\n")).startsWith("1\n");
        assertThat(lastFence.failed())
                .hasValueSatisfying(failed -> {
                    assertThat(failed.why())
                            .startsWith("south is not known to be off")
                            .contains("it last read On")
                            .doesNotContain("\n");
                    // The last look may have ended with the time.
                    assertThat(failed.fault().stream())
                            .hasOnlyElementsOfType(BmcFault.Unreachable.class);
                });

        pair.south.bmc.behave(BmcBehaviour.FAULTLESS);
        assertThat(fencing.run("off", SOUTH)).startsWith("0\n");
        assertThat(lastFence.failed()).isEmpty();
    }

    @Test
    void theFaultThatAFenceMetIsRememberedWithIt() throws InterruptedException {
        pair.sessions.check();
        pair.south.bmc.behave(BmcBehaviour.FAULTLESS.withCredentialsRotated(true));

        assertThat(fencing.run("off", SOUTH + "power_timeout=20\n")).startsWith("1\n");

        assertThat(lastFence.failed().orElseThrow().fault())
                .containsInstanceOf(BmcFault.Denied.class);
    }

    @Test
    void anOrderThatIsNoFenceOfThePeerIsNotRemembered() throws InterruptedException {
        assertThat(fencing.run("off", "plug=east\n")).startsWith("1\n");

        assertThat(lastFence.failed()).isEmpty();
    }

    @Test
    void aBmcThatControlsAnotherMachineSwitchesNothing() throws InterruptedException {
        pair.southIsAnotherMachine();

        assertThat(fencing.run("off", SOUTH)).startsWith("1\n").contains("another machine");

        assertThat(pair.south.machine.isRunning()).isTrue();
        assertThat(receipts).isEmpty();
        assertThat(events())
                .hasSize(2)
                .last()
                .isInstanceOfSatisfying(
                        JournalEvent.FenceAnswered.class,
                        answered -> assertThat(answered.exitCode()).isEqualTo(1));
    }

    /** As after a start of the agent: its BMC was not looked at since. */
    @Test
    void aBmcIsAskedForItsMachineBeforeItSwitchesAnythingOff() throws InterruptedException {
        pair.southSaysItIsAnother();

        assertThat(fencing.run("off", SOUTH)).startsWith("1\n").contains("another machine");

        assertThat(pair.south.machine.isRunning()).isTrue();
        assertThat(receipts).isEmpty();
    }

    @Test
    void aBmcKnownAsAnotherMachinesSwitchesNothingAfterOneQuestionWithoutAnAnswer()
            throws InterruptedException {
        pair.southIsAnotherMachine();
        pair.south.bmc.behave(
                BmcBehaviour.FAULTLESS.withReachability(BmcBehaviour.Reachability.HANGS_UP));
        pair.sessions.check();
        pair.south.bmc.behave(BmcBehaviour.FAULTLESS);

        assertThat(fencing.run("off", SOUTH)).startsWith("1\n").contains("another machine");

        assertThat(pair.south.machine.isRunning()).isTrue();
    }

    @Test
    void inASplitTheOtherGoesFirst() throws InterruptedException {
        long began = System.nanoTime();

        assertThat(fencing.run("off", SOUTH + "split_delay=2\n")).startsWith("0\n");

        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .isGreaterThanOrEqualTo(Duration.ofSeconds(2));
        assertThat(events()).contains(new JournalEvent.SplitDelay(2));
    }

    /** Its fence comes by the second level, which is slower. */
    @Test
    void aPeerWithoutAnAgentIsGivenMoreTime() throws InterruptedException {
        silence = Duration.ofMinutes(1);
        long began = System.nanoTime();

        assertThat(fencing.run("off", SOUTH + "split_delay=2\n")).startsWith("0\n");

        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .isGreaterThanOrEqualTo(Duration.ofSeconds(4));
        assertThat(events()).contains(new JournalEvent.SplitDelay(4));
    }

    @Test
    void aPreferredNodeWithoutLinksLetsTheOtherGoFirst() throws InterruptedException {
        links.set(0, FenceDelay.Link.DOWN);
        long began = System.nanoTime();

        assertThat(fencing.run("off", SOUTH + "split_delay=0\n")).startsWith("0\n");

        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .isGreaterThanOrEqualTo(Duration.ofSeconds(4));
        assertThat(events()).contains(new JournalEvent.IsolationDelay(4));
    }

    /** With a cable from node to node the peer's crash takes the carrier away here too. */
    @Test
    void aNodeWithoutLinksDoesNotWaitForAPeerThatIsOff() throws Exception {
        links.set(0, FenceDelay.Link.DOWN);
        pair.south.machine.cutPower();

        assertThat(fencing.run("off", SOUTH + "split_delay=0\n")).startsWith("0\n");

        assertThat(events()).noneMatch(JournalEvent.IsolationDelay.class::isInstance);
        assertThat(receipts).hasSize(1);
    }

    @Test
    void aPeerThatIsOffAlreadyIsNotWaitedFor() throws Exception {
        pair.south.machine.cutPower();

        assertThat(fencing.run("off", SOUTH + "split_delay=300s\n")).startsWith("0\n");

        assertThat(events()).noneMatch(JournalEvent.SplitDelay.class::isInstance);
        assertThat(receipts).hasSize(1);
        assertThat(readings)
                .as("brought about by the order, or read twice")
                .allMatch(reading -> reading.accepted() || reading.span().compareTo(AGAIN) >= 0);
    }

    /** What the path says counts; a second word in the body must not say otherwise. */
    @Test
    void theBodyDoesNotChangeTheAction() throws InterruptedException {
        String answer = fencing.run("status", SOUTH + "action=off\noption = off\n");

        assertThat(answer).startsWith("0\n");
        assertThat(pair.south.machine.isRunning()).isTrue();
        assertThat(events()).isEmpty();
    }

    @Test
    void anOrderForANodeWithoutABmcFails() throws InterruptedException {
        assertThat(fencing.run("off", "plug=east\n")).startsWith("1\n").contains("east");
        assertThat(receipts).isEmpty();
    }

    @Test
    void theSecondLevelMaySwitchAPeerWhoseBmcIsBelieved() {
        assertThat(fencing.secondLevelMay("south")).isEqualTo("0\n");
        assertThat(events()).isEmpty();
    }

    @Test
    void theSecondLevelMayNotSwitchByABmcWhoseOffIsFalse() {
        falseOff = true;

        assertThat(fencing.secondLevelMay("south")).startsWith("1\n").contains("falsely");
        assertThat(fencing.secondLevelMay("north")).isEqualTo("0\n");
        assertThat(events()).singleElement().isInstanceOf(JournalEvent.LevelTwoRefused.class);
    }

    /** It asks no BMC, so nothing that is known of one keeps it from switching. */
    @Test
    void aFurtherLevelMaySwitchWhateverIsKnownOfTheBmc() {
        falseOff = true;
        pair.southIsAnotherMachine();

        assertThat(fencing.secondLevelMay("south_further1")).isEqualTo("0\n");
        assertThat(fencing.secondLevelMayLook("south_further2")).isEqualTo("0\n");
        assertThat(fencing.secondLevelMay("south")).startsWith("1\n");
    }

    /** The shim waits 8 s: three are left for the way there and back. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theSecondLevelIsAnsweredInTimeHoweverSlowTheBmc(boolean known) {
        if (known) {
            pair.southIsAnotherMachine();
        }
        pair.south.bmc.behave(
                BmcBehaviour.FAULTLESS.withReachability(BmcBehaviour.Reachability.SILENT));
        long began = System.nanoTime();

        assertThat(fencing.secondLevelMay("south")).startsWith(known ? "1\n" : "0\n");

        assertThat(BmcSessions.QUESTION).isLessThanOrEqualTo(Duration.ofSeconds(5));
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        if (known) {
            assertThat(took).as("nothing is asked").isLessThan(BmcSessions.QUESTION);
        } else {
            assertThat(took).as("it would never answer").isLessThan(Duration.ofMinutes(1));
        }
    }

    @Test
    void theSecondLevelMayNotSwitchAnotherMachine() {
        pair.southIsAnotherMachine();

        assertThat(fencing.secondLevelMay("south")).startsWith("1\n").contains("another machine");
    }

    /** Its BMC does not answer, so the restarted agent cannot find out again. */
    @Test
    void neitherLevelSwitchesAnotherMachineAfterARestartOfTheAgent() throws InterruptedException {
        pair.southIsAnotherMachine();
        pair.restartAgent();
        agentStarts();
        pair.south.bmc.behave(
                BmcBehaviour.FAULTLESS.withReachability(BmcBehaviour.Reachability.HANGS_UP));
        pair.sessions.check();
        pair.south.bmc.behave(BmcBehaviour.FAULTLESS);

        assertThat(fencing.secondLevelMay("south")).startsWith("1\n").contains("another machine");
        assertThat(fencing.run("off", SOUTH)).startsWith("1\n").contains("another machine");
        assertThat(pair.south.machine.isRunning()).isTrue();
    }
}
