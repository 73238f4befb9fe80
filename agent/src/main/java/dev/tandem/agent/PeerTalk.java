package dev.tandem.agent;

import dev.tandem.core.decision.Word;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/** The talk between the two agents: this node's questions, its answers, and when it last heard. */
final class PeerTalk {
    private static final Duration HEARTBEAT = Duration.ofSeconds(1);
    private static final Duration HEARTBEAT_WHILE_JOINING = Duration.ofMillis(200);
    private static final Duration GLANCE = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofSeconds(4);

    private final Keeper keeper;
    private final Actor actor;
    private final InstantSource clock;
    private volatile Instant lastHeard = Instant.EPOCH;
    private volatile long lastHeardNanos;

    PeerTalk(Keeper keeper, Actor actor, InstantSource clock) {
        this.keeper = keeper;
        this.actor = actor;
        this.clock = clock;
    }

    /** How long until the next question. */
    Duration heartbeat() {
        return actor.call(keeper::reconciles, GLANCE).orElse(false)
                ? HEARTBEAT_WHILE_JOINING
                : HEARTBEAT;
    }

    /** Asks the peer, and tells the keeper what it answered. */
    void ask(PeerLink link) {
        Optional<Keeper.Question> question = actor.call(keeper::question, GLANCE);
        if (question.isEmpty()) {
            return;
        }
        switch (link.ask(question.get().word())) {
            case PeerLink.Reply.Answered(Word theirs) -> {
                heardNow();
                actor.post(() -> keeper.answered(question.get(), theirs));
            }
            case PeerLink.Reply.Silent _ -> {
                // The status shows how long ago the peer was heard.
            }
        }
    }

    /** The peer asks; empty when the keeper has no time for it. */
    Optional<Word> asked(Word theirs) {
        heardNow();
        return actor.call(() -> keeper.asked(theirs), PATIENCE);
    }

    private void heardNow() {
        lastHeard = clock.instant();
        lastHeardNanos = System.nanoTime();
    }

    /** By the time of day of this node; the epoch if it was never heard. */
    Instant lastHeard() {
        return lastHeard;
    }

    /** How long ago the peer was heard; empty if never. */
    Optional<Duration> silence() {
        return lastHeardNanos == 0
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(System.nanoTime() - lastHeardNanos));
    }
}
