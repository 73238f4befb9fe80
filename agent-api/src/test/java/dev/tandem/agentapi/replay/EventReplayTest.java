package dev.tandem.agentapi.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.decision.LevelTwoRecord;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.replay.PlanLimits;
import dev.tandem.core.replay.Recorded;
import dev.tandem.core.replay.RecordingReplay;
import dev.tandem.core.replay.Response;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.DurableState;
import dev.tandem.core.supervise.EtcdOrder;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Membership;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.Supervisor;
import dev.tandem.core.supervise.SupervisorPolicy;
import dev.tandem.core.supervise.VolatileState;
import dev.tandem.core.testing.Sketch;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Recorded events, as they stand in the file, put into the supervisor again. */
class EventReplayTest {
    private static final int NODES = 200;
    private static final int EVENTS = 150;

    private static List<Recorded> throughTheFile(List<Recorded> recorded) {
        return recorded.stream().map(RecordedLine::json).map(RecordedLine::parse).toList();
    }

    private static EventReplay replay(List<Recorded> recording) {
        return EventReplay.of(recording, Instant.MIN, Supervisor::on);
    }

    /** The property: whatever happened, this version does the same again. */
    @Test
    void anySequenceOfEventsLeadsToTheSameActionsAgain() {
        Set<Class<?>> events = new HashSet<>();
        for (long seed = 0; seed < NODES; seed++) {
            List<Recorded> recorded = new RandomNode(seed).recorded(EVENTS);
            List<Recorded> read = throughTheFile(recorded);

            assertThat(read).as("node %d, read back", seed).isEqualTo(recorded);
            EventReplay replay = replay(read);
            assertThat(replay.agrees()).as("node %d: %s", seed, replay).isTrue();
            assertThat(replay.same()).as("node %d", seed).isGreaterThan(EVENTS / 2);
            read.forEach(line -> {
                if (line instanceof Recorded.Took took) {
                    events.add(took.event().getClass());
                }
            });
        }
        assertThat(events).containsExactlyInAnyOrder(Event.class.getPermittedSubclasses());
    }

    @Test
    void everyActionIsReadBackAsItWas() {
        List<Action> all =
                List.of(
                        new Action.Store(1, DurableState.blank(Sketch.NORTH_BOOT)),
                        new Action.Etcd(2, new EtcdOrder.End(true, Duration.ofSeconds(5))),
                        new Action.Etcd(3, new EtcdOrder.StartInPlace(true)),
                        new Action.Etcd(
                                4,
                                new EtcdOrder.TakeOver(
                                        Lineage.installed(
                                                "tandem", Sketch.NORTH, Sketch.NORTH_BOOT),
                                        7,
                                        false)),
                        new Action.Etcd(5, new EtcdOrder.Bootstrap()),
                        new Action.Etcd(
                                6,
                                new EtcdOrder.Join(
                                        Lineage.installed(
                                                "tandem", Sketch.NORTH, Sketch.NORTH_BOOT),
                                        true)),
                        new Action.Etcd(7, new EtcdOrder.RestartInPlace(Duration.ofMillis(1500))),
                        new Action.ChangeMembership(8, new Step.AddLearner(Sketch.SOUTH_BOOT)),
                        new Action.HandLeadershipOver(9),
                        new Action.MarkComplete(10),
                        new Action.OrderFence(11, Action.FenceKind.OFF),
                        new Action.CloseInstallation(),
                        new Action.AnswerPeer(new PeerMessage.Hello(Sketch.NORTH_BOOT)),
                        new Action.TellPeer(),
                        new Action.LookAtEtcd(),
                        new Action.Acknowledge(12, new Action.Acknowledgement.Done()),
                        new Action.Acknowledge(
                                13,
                                new Action.Acknowledgement.NotBelieved(Action.Disbelief.READ_ONCE)),
                        new Action.Acknowledge(
                                14,
                                new Action.Acknowledgement.NotTaken(
                                        Action.StatementRefusal.NO_FORK)),
                        new Action.Acknowledge(15, new Action.Acknowledgement.NotStored("why")),
                        new Action.DeclarePeerOff(new Membership(true, false, true, false)),
                        new Action.NoteBmc(Action.BmcMark.FALSE_OFF_BEGAN));
        Recorded recorded =
                new Recorded.Took(
                        1,
                        Instant.EPOCH,
                        new Moment(-5),
                        new Event.Tick(),
                        new Response(
                                all,
                                List.of(
                                        new Response.Decided(
                                                WaitFor.FENCING.decision(), "waits"))));

        assertThat(throughTheFile(List.of(recorded))).containsExactly(recorded);
        Set<Class<?>> classes = new HashSet<>();
        all.forEach(action -> classes.add(action.getClass()));
        classes.add(Action.Journal.class);
        assertThat(classes).containsExactlyInAnyOrder(Action.class.getPermittedSubclasses());
    }

    /** A rule that was changed: one reading of Off is enough, whatever became of the order. */
    private static final RecordingReplay.Judge BELIEVES_ONE_READING =
            (state, event, now, policy) ->
                    Supervisor.on(
                            state,
                            event instanceof Event.FenceAnswered fence ? accepted(fence) : event,
                            now,
                            policy);

    private static Event accepted(Event.FenceAnswered fence) {
        return new Event.FenceAnswered(
                fence.caller(),
                fence.order(),
                fence.machine(),
                fence.method(),
                new Event.FenceReading(
                        fence.reading().power(),
                        true,
                        fence.reading().span(),
                        fence.reading().at()),
                fence.membership(),
                fence.time());
    }

    @Test
    void aChangedRuleIsShownWithBothSentences() {
        List<EventReplay.Difference> differences = new ArrayList<>();
        for (long seed = 0; seed < NODES; seed++) {
            differences.addAll(
                    EventReplay.of(
                                    throughTheFile(new RandomNode(seed).recorded(EVENTS)),
                                    Instant.MIN,
                                    BELIEVES_ONE_READING)
                            .differences());
        }

        assertThat(differences)
                .isNotEmpty()
                .allSatisfy(difference -> {
                    assertThat(difference.when())
                            .isEqualTo("a fence by fence_tandem ended: power off");
                    assertThat(difference.then().sentence())
                            .contains("does not believe it: read once");
                    assertThat(difference.now().sentence()).doesNotContain("read once");
                    assertThat(difference.event().path("is").asText()).isEqualTo("FenceAnswered");
                });
    }

    /** The limits are those of this version; only what the plan says is recorded. */
    @Test
    void aChangedLimitIsFoundToo() {
        int different = 0;
        for (long seed = 0; seed < NODES; seed++) {
            different +=
                    EventReplay.of(
                                    new RandomNode(seed).recorded(EVENTS),
                                    Instant.MIN,
                                    (state, event, now, _) ->
                                            Supervisor.on(state, event, now, shorter()))
                            .differences()
                            .size();
        }
        assertThat(different).isPositive();
    }

    private static SupervisorPolicy shorter() {
        PlanLimits limits = RandomNode.LIMITS;
        return new PlanLimits(
                        limits.decision(),
                        limits.missedWithin().dividedBy(10),
                        limits.splitDelay().multipliedBy(10))
                .policy();
    }

    @Test
    void whatIsMissingOrTornEndsAtTheNextState() {
        List<Recorded> recorded = new RandomNode(1).recorded(EVENTS);
        List<Recorded> torn = new ArrayList<>(recorded);
        torn.set(5, RecordedLine.parse(RecordedLine.json(torn.get(5)).substring(0, 80)));
        List<Recorded> gap = new ArrayList<>(recorded);
        gap.remove(5);

        assertThat(replay(torn).notReplayed())
                .extracting(EventReplay.NotReplayed::why)
                .containsExactly(
                        "a line is not JSON, or is torn", "what was recorded before is missing");
        assertThat(replay(gap).notReplayed())
                .singleElement()
                .extracting(EventReplay.NotReplayed::why)
                .isEqualTo("what was recorded before is missing");
        assertThat(replay(gap).same()).as("after the next state").isGreaterThan(10);
        assertThat(replay(gap).differences()).isEmpty();
    }

    @Test
    void onlyEventsSinceATimeAreCounted() {
        List<Recorded> recorded = new RandomNode(2).recorded(EVENTS);
        Instant middle = recorded.get(recorded.size() / 2).time();

        EventReplay all = replay(recorded);
        EventReplay later = EventReplay.of(recorded, middle, Supervisor::on);

        assertThat(later.agrees()).isTrue();
        assertThat(later.same()).isPositive().isLessThan(all.same());
    }

    @Test
    void aRecordingOfAnotherReleaseSaysSo() {
        String line =
                RecordedLine.json(new RandomNode(3).recorded(EVENTS).getFirst())
                        .replaceFirst("\"v\":1", "\"v\":99");

        assertThat(replay(List.of(RecordedLine.parse(line))).notReplayed())
                .singleElement()
                .satisfies(missed -> assertThat(missed.why()).contains("another release"));
        assertThat(replay(List.of()).recorded()).isFalse();
    }

    /** Whatever the second BMC read was held against the peer's. */
    @Test
    void aReadingThatDoesNotSayOfWhichMachineItIsWasTakenForThePeers() {
        Recorded.Took took =
                new Recorded.Took(
                        1,
                        Instant.EPOCH,
                        new Moment(-5),
                        new Event.SecondPowerRead(PowerReading.OFF, true, Membership.UNKNOWN),
                        new Response(List.of(), List.of()));
        String line = RecordedLine.json(took);

        assertThat(line).contains(",\"ofThePeer\":true");
        assertThat(RecordedLine.parse(line.replace(",\"ofThePeer\":true", ""))).isEqualTo(took);
    }

    /** There was one place for what was read after the record of whichever level. */
    @Test
    void whatWasReadAfterARecordIsOfTheFirstLevelWhereNoneIsNamed() {
        Recorded.Began began =
                new RandomNode(4)
                        .recorded(EVENTS).stream()
                                .filter(Recorded.Began.class::isInstance)
                                .map(Recorded.Began.class::cast)
                                .findFirst()
                                .orElseThrow();
        String line = RecordedLine.json(began);
        assertThat(line).contains("\"levelTwo\":[]");

        assertThat(RecordedLine.parse(line.replace("\"levelTwo\":[]", "\"levelTwo\":null")))
                .isEqualTo(began);
        assertThat(
                        RecordedLine.parse(
                                line.replace(
                                        "\"levelTwo\":[]",
                                        "\"levelTwo\":{\"ordered\":20,\"offSince\":7}")))
                .isInstanceOfSatisfying(
                        Recorded.Began.class,
                        read ->
                                assertThat(read.state().live().power().levelTwo())
                                        .containsExactly(
                                                new VolatileState.LevelTwoLooks(
                                                        "first", 20, Optional.of(new Moment(7)))));
    }

    @Test
    void aRecordOfAFurtherLevelThatDoesNotSayOfWhichIsOfTheFirstOfThem() {
        Recorded.Took took =
                new Recorded.Took(
                        1,
                        Instant.EPOCH,
                        new Moment(-5),
                        new Event.FurtherLevelFound(
                                1,
                                new Proofs.Order(Sketch.SOUTH, Optional.empty()),
                                new LevelTwoRecord(
                                        20,
                                        Optional.empty(),
                                        false,
                                        LevelTwoRecord.Giver.UNKNOWN,
                                        new LevelTwoRecord.SinceBoot.Never(),
                                        new LevelTwoRecord.SinceBoot.Never()),
                                false,
                                "fence_apc_snmp",
                                new Moment(-5),
                                Membership.UNKNOWN,
                                Instant.EPOCH),
                        new Response(List.of(), List.of()));
        String line = RecordedLine.json(took);

        assertThat(line).contains("\"number\":1,\"order\"");
        assertThat(RecordedLine.parse(line.replace("\"number\":1,\"order\"", "\"order\"")))
                .isEqualTo(took);
    }

    /** Of the first release that records events; it stays as it is. */
    @Test
    void theFirstRecordingsStayReadable() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(
                        EventReplayTest.class.getResourceAsStream("/recordings/events-v1.jsonl"))) {
            List<Recorded> recording =
                    new String(in.readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .map(RecordedLine::parse)
                            .toList();

            assertThat(recording).hasSizeGreaterThan(20);
            assertThat(recording).noneMatch(Recorded.Unreadable.class::isInstance);
        }
    }
}
