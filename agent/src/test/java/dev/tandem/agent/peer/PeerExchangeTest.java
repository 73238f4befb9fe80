package dev.tandem.agent.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.agent.supervise.SupervisedNode;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.decision.FenceDelay;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.RecoveryReadiness;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.testing.Sketch;
import dev.tandem.host.plan.PlanDigest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** North, and a peer whose agent is of another release. */
class PeerExchangeTest {
    private static final PeerMessages.Received GREETING =
            new PeerMessages.Received(
                    new PeerMessage.Hello(Sketch.SOUTH_BOOT),
                    new RecoveryReadiness.NotTold(),
                    Optional.empty(),
                    Optional.empty(),
                    FenceDelay.Link.UNKNOWN,
                    Optional.of(Sketch.SOUTH),
                    2,
                    List.of(
                            new PeerMessages.NotUnderstood(
                                    PeerMessages.Part.MESSAGE, "no abdication")));

    private static final PlanDigest PLAN = new PlanDigest(1, "this one");
    private static final Duration NEEDS = Duration.ofMillis(3100);
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final RecoveryReadiness IMPEDED =
            new RecoveryReadiness.Impeded(List.of(Impediment.Cause.BMC_UNREACHABLE));

    @TempDir Path state;

    private SupervisedNode node;
    private PeerExchange exchange;

    @BeforeEach
    void begin() {
        node = new SupervisedNode(state, "two 1:7");
        exchange =
                new PeerExchange(
                        node.supervisor,
                        node.actor,
                        node.journal,
                        new BootTimestamps(state.resolve("moments")),
                        () -> false,
                        RecoveryReadiness.Automatic::new,
                        () -> PLAN,
                        () -> NEEDS,
                        () -> FenceDelay.Link.UP);
    }

    @AfterEach
    void end() {
        node.close();
    }

    private static PeerMessages.Received received(PeerMessage message) {
        return PeerMessages.Received.of(
                new PeerMessages.Envelope(
                        message,
                        new RecoveryReadiness.Automatic(),
                        Optional.empty(),
                        Optional.empty(),
                        FenceDelay.Link.UNKNOWN));
    }

    private PeerView view() {
        return node.ask(() -> node.supervisor.view().peerView());
    }

    @Test
    void whatIsNotUnderstoodIsToldOnceAndCountsAsNotSaid() {
        assertThat(exchange.asked(1, GREETING)).isPresent();
        assertThat(exchange.asked(2, GREETING)).isPresent();

        assertThat(node.events(JournalEvent.PeerNotUnderstood.class))
                .containsExactly(new JournalEvent.PeerNotUnderstood(2, List.of("no abdication")));
        assertThat(view()).isEqualTo(new PeerView.BootKnown(Sketch.SOUTH_BOOT));
        assertThat(exchange.silence()).isPresent();
    }

    /** Facts are as old as the last message that was understood. */
    @Test
    void aMessageThatIsNotUnderstoodMakesNoOldFactsNew() {
        assertThat(
                        exchange.asked(
                                1,
                                received(
                                        new PeerMessage.Facts(
                                                Sketch.south("two 1:7 leaderless"),
                                                Sketch.NORTH_BOOT))))
                .isPresent();
        node.serves(EtcdState.FOLLOWING);
        node.etcd.told.clear();
        assertThat(
                        exchange.asked(
                                2,
                                received(
                                        new PeerMessage.Facts(
                                                Sketch.south("two 1:7 leaderless"),
                                                Sketch.NORTH_BOOT))))
                .isPresent();

        for (int number = 3; number < 50; number++) {
            node.wait(Duration.ofSeconds(2));
            assertThat(exchange.asked(number, GREETING)).isPresent();
        }
        node.etcdIs(EtcdState.FOLLOWING);

        assertThat(node.etcd.told).as("nobody contradicts this server").isEmpty();
    }

    private void ask(PeerMessages.Received answer) {
        exchange.ask(
                (_, _) -> new PeerTransport.Reply.Answered(answer),
                (_, _) -> new PeerTransport.Reply.Silent("not asked"));
        // The answer is taken in on the supervisor's thread, before this view of it is read.
        assertThat(view()).isNotNull();
    }

    /** Each wake-up would be a question at once, and its answer the next wake-up. */
    @Test
    void answersThatAreNotUnderstoodCauseNoQuestions() {
        for (int i = 0; i < 50; i++) {
            ask(GREETING);
        }

        assertThat(node.peerWakeUps).hasValue(0);
    }

    /** The first makes its boot known, which is worth one question; the others say the same. */
    @Test
    void questionsThatAreNotUnderstoodCauseOneQuestion() {
        for (int number = 1; number <= 50; number++) {
            assertThat(exchange.asked(number, GREETING)).isPresent();
            ask(GREETING);
        }

        assertThat(node.peerWakeUps).hasValue(1);
    }

    /** Nor does a peer that lost what it understood: its boot and old facts are known. */
    @Test
    void aPeerThatIsNoLongerUnderstoodIsAskedByTheHeartbeatAlone() {
        node.serves(EtcdState.FOLLOWING);
        node.peerWakeUps.set(0);

        for (int number = 1; number <= 50; number++) {
            assertThat(exchange.asked(number, GREETING)).isPresent();
            ask(GREETING);
        }

        assertThat(node.peerWakeUps).hasValue(0);
    }

    @Test
    void aPeerThatIsUnderstoodIsNotWrittenAbout() {
        assertThat(
                        exchange.asked(
                                1,
                                received(
                                        new PeerMessage.Facts(
                                                Sketch.south("two 1:7 leading"),
                                                Sketch.NORTH_BOOT))))
                .isPresent();

        assertThat(node.events(JournalEvent.PeerNotUnderstood.class)).isEmpty();
        assertThat(view()).isInstanceOf(PeerView.FactsKnown.class);
    }

    /** Whoever asks and whoever answers says it, and an old word counts no more. */
    @Test
    void whetherThePeerWouldRecoverIsKnownFromQuestionsAndAnswers() {
        assertThat(exchange.peerReadiness(LIMIT)).isEmpty();

        assertThat(exchange.asked(1, saying(IMPEDED))).isPresent();
        assertThat(exchange.peerReadiness(LIMIT)).contains(IMPEDED);
        ask(saying(new RecoveryReadiness.Automatic()));
        assertThat(exchange.peerReadiness(LIMIT)).contains(new RecoveryReadiness.Automatic());
        assertThat(exchange.asked(2, saying(IMPEDED))).isPresent();
        assertThat(exchange.asked(1, saying(new RecoveryReadiness.Automatic())))
                .as("overtaken")
                .isEmpty();
        assertThat(exchange.peerReadiness(LIMIT)).contains(IMPEDED);
        assertThat(exchange.asked(3, GREETING)).isPresent();
        assertThat(exchange.peerReadiness(LIMIT)).contains(new RecoveryReadiness.NotTold());

        assertThat(exchange.peerReadiness(Duration.ofNanos(-1))).as("too old").isEmpty();
    }

    @Test
    void whetherThisNodeWouldRecoverIsInEveryQuestionAndEveryAnswer() {
        List<PeerMessages.Envelope> sent = new ArrayList<>();
        exchange.ask(
                (_, mine) -> {
                    sent.add(mine);
                    return new PeerTransport.Reply.Busy("so");
                },
                (_, _) -> new PeerTransport.Reply.Silent("not asked"));
        sent.add(exchange.asked(1, GREETING).orElseThrow());

        assertThat(sent)
                .extracting(PeerMessages.Envelope::recovery)
                .containsExactly(
                        new RecoveryReadiness.Automatic(), new RecoveryReadiness.Automatic());
        assertThat(sent).extracting(PeerMessages.Envelope::plan).containsOnly(Optional.of(PLAN));
        assertThat(sent).extracting(PeerMessages.Envelope::fence).containsOnly(Optional.of(NEEDS));
    }

    private static PeerMessages.Received saying(RecoveryReadiness readiness) {
        return PeerMessages.Received.of(
                new PeerMessages.Envelope(
                        new PeerMessage.Facts(Sketch.south("two 1:7 leading"), Sketch.NORTH_BOOT),
                        readiness,
                        Optional.empty(),
                        Optional.empty(),
                        FenceDelay.Link.UNKNOWN));
    }

    private static PeerMessages.Received running(Optional<PlanDigest> plan) {
        return PeerMessages.Received.of(
                new PeerMessages.Envelope(
                        new PeerMessage.Facts(Sketch.south("two 1:7 leading"), Sketch.NORTH_BOOT),
                        new RecoveryReadiness.Automatic(),
                        plan,
                        Optional.empty(),
                        FenceDelay.Link.UNKNOWN));
    }

    @Test
    void aPeerThatRunsByAnotherPlanIsKnownFromQuestionsAndAnswers() {
        Optional<PlanDigest> another = Optional.of(new PlanDigest(1, "another"));
        assertThat(exchange.plansDiffer(LIMIT)).as("never heard").isFalse();

        assertThat(exchange.asked(1, running(another))).isPresent();
        assertThat(exchange.plansDiffer(LIMIT)).isTrue();
        assertThat(exchange.plansDiffer(Duration.ofNanos(-1))).as("too old").isFalse();
        ask(running(Optional.of(PLAN)));
        assertThat(exchange.plansDiffer(LIMIT)).isFalse();
        ask(running(another));
        assertThat(exchange.plansDiffer(LIMIT)).isTrue();
    }

    @Test
    void nothingIsSaidOfThePlanOfAPeerOfAnotherRelease() {
        assertThat(exchange.asked(1, running(Optional.empty()))).isPresent();
        assertThat(exchange.plansDiffer(LIMIT)).as("it does not tell").isFalse();

        assertThat(exchange.asked(2, running(Optional.of(new PlanDigest(2, "another")))))
                .isPresent();
        assertThat(exchange.plansDiffer(LIMIT)).as("another form").isFalse();
    }

    /** What it said last stands when it is silent, for that is when somebody wants to know. */
    @Test
    void howLongThePeerNeedsForAFenceIsKnownFromItsLastMessage() {
        assertThat(exchange.peerNeeds()).as("never heard").isEmpty();

        assertThat(exchange.asked(1, needing(Optional.of(Duration.ofSeconds(11))))).isPresent();
        assertThat(exchange.peerNeeds()).contains(Duration.ofSeconds(11));
        ask(needing(Optional.of(NEEDS)));
        assertThat(exchange.peerNeeds()).contains(NEEDS);
        ask(needing(Optional.empty()));
        assertThat(exchange.peerNeeds()).as("an older release").isEmpty();
    }

    @Test
    void whetherThePeerHasTheNetworkOfTheApiIsKnownForAWhile() {
        assertThat(exchange.peersApiLinkIsUp(LIMIT)).as("never heard").isFalse();
        PeerMessages.Envelope ours = exchange.asked(1, GREETING).orElseThrow();
        assertThat(ours.apiLink()).as("told").isEqualTo(FenceDelay.Link.UP);

        ask(PeerMessages.Received.of(ours));
        assertThat(exchange.peersApiLinkIsUp(LIMIT)).isTrue();
        assertThat(exchange.peersApiLinkIsUp(Duration.ofNanos(-1))).as("too old").isFalse();
        ask(needing(Optional.empty()));
        assertThat(exchange.peersApiLinkIsUp(LIMIT)).as("it does not tell").isFalse();
    }

    private static PeerMessages.Received needing(Optional<Duration> time) {
        return PeerMessages.Received.of(
                new PeerMessages.Envelope(
                        new PeerMessage.Facts(Sketch.south("two 1:7 leading"), Sketch.NORTH_BOOT),
                        new RecoveryReadiness.Automatic(),
                        Optional.empty(),
                        time,
                        FenceDelay.Link.UNKNOWN));
    }

    /** The words differ with every message, the part of it that is unknown does not. */
    @Test
    void whatIsNotUnderstoodIsToldOncePerPartWhateverItsWords() {
        for (int number = 1; number <= 5; number++) {
            assertThat(exchange.asked(number, unknown(PeerMessages.Part.SERVER, number)))
                    .isPresent();
        }
        assertThat(exchange.asked(6, unknown(PeerMessages.Part.OFFER, 6))).isPresent();

        assertThat(node.events(JournalEvent.PeerNotUnderstood.class))
                .extracting(JournalEvent.PeerNotUnderstood::parts)
                .containsExactly(List.of("it reads 1"), List.of("it reads 6"));
    }

    private static PeerMessages.Received unknown(PeerMessages.Part part, int value) {
        return new PeerMessages.Received(
                new PeerMessage.Facts(Sketch.south("two 1:7 leading"), Sketch.NORTH_BOOT),
                new RecoveryReadiness.NotTold(),
                Optional.empty(),
                Optional.empty(),
                FenceDelay.Link.UNKNOWN,
                Optional.of(Sketch.SOUTH),
                2,
                List.of(new PeerMessages.NotUnderstood(part, "it reads " + value)));
    }
}
