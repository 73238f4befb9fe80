package dev.tandem.agent.ocf;

import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.agent.thread.Actor;
import dev.tandem.core.decision.Health;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.ServerObservation;
import dev.tandem.core.supervise.SupervisorView;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Answers Pacemaker's resource actions. What each answer means to Pacemaker, and why "degraded" is
 * one of them, is in ADR 6.
 */
public final class OcfActions {
    static final int SUCCESS = 0;
    static final int GENERIC = 1;
    static final int NOT_RUNNING = 7;

    /** Active, but not as it should be: Pacemaker shows it and lets it be (since 2.1.2). */
    static final int DEGRADED = 190;

    private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(60);

    /** The answer has to travel back before the shim gives up. */
    private static final Duration RESERVE = Duration.ofSeconds(2);

    /**
     * How long a start waits for the peer or for a person. On a loaded machine Pacemaker runs one
     * action at a time: a start that waits keeps the peer's from being ordered, and failing it
     * begins the same order again. So it is answered as begun, and monitor says what is missing.
     */
    private static final Duration FOR_OTHERS = Duration.ofSeconds(5);

    /** An observation that is older says nothing about now. */
    private static final Duration NOT_LOOKED = Duration.ofSeconds(30);

    private static final Duration GLANCE = Duration.ofMillis(500);

    /** The exit code, and what Pacemaker shows beside a failed action. */
    public record Answer(int code, String reason) {
        public String text() {
            return code + "\n" + reason.replaceAll("\\s*\\R\\s*", "; ") + "\n";
        }
    }

    /** What only the daemon can do. */
    public interface Hands {
        void tellPeer();

        void lookAtCluster();

        /** Whether the revision of the store is being raised before etcd starts (ADR 25). */
        boolean raisesRevision();

        /** Whether the mark of a running installation is there. */
        boolean installing();
    }

    private final EtcdSupervisor supervisor;
    private final Actor actor;
    private final Hands hands;
    private final LongSupplier nanos;

    public OcfActions(EtcdSupervisor supervisor, Actor actor, Hands hands, LongSupplier nanos) {
        this.supervisor = supervisor;
        this.actor = actor;
        this.hands = hands;
        this.nanos = nanos;
    }

    public Answer run(String action, String environment) throws InterruptedException {
        Map<String, String> variables = variables(environment);
        // The shim waits half of Pacemaker's limit for us, and acts on its own in the other half.
        Duration limit = limit(variables).dividedBy(2).minus(RESERVE);
        return switch (action) {
            case "start" -> start(deadline(limit));
            case "stop" -> stop(deadline(limit));
            case "monitor" -> monitor();
            case "notify" -> {
                hands.lookAtCluster();
                hands.tellPeer();
                yield new Answer(SUCCESS, "");
            }
            case "validate-all" -> new Answer(SUCCESS, "");
            default -> new Answer(3, "there is no action " + action);
        };
    }

    private Answer start(long deadline) throws InterruptedException {
        hands.lookAtCluster();
        takeIn(new Event.StartRequested(hands.installing()), left(deadline));
        hands.tellPeer();
        long courtesy = deadline(FOR_OTHERS);
        while (true) {
            long seen = actor.changes();
            SupervisorView now = supervisor.view();
            if (now.startIsStored() && serves(now.observation())) {
                return new Answer(SUCCESS, "");
            }
            if (nanos.getAsLong() - courtesy > 0 && now.startIsStored() && now.waitsForOthers()) {
                return new Answer(SUCCESS, now.sentence());
            }
            if (!left(deadline).isPositive()) {
                return new Answer(
                        now.startIsStored() && goesOn(now) ? SUCCESS : GENERIC, now.sentence());
            }
            actor.awaitChange(seen, shorter(left(deadline), GLANCE));
        }
    }

    /**
     * What takes longer than Pacemaker waits for a start, and is not to be undone by a stop: a
     * take-over or a join on a slow disk, a jump of the revision, a server that reads a large
     * database. A start that failed would be followed by that stop seconds later, and a learner
     * that has become a voter by then would leave, just when its vote is what its peer's failure
     * calls for. How long it may go on, monitor knows.
     */
    private boolean goesOn(SupervisorView now) {
        return now.takesOver()
                || hands.raisesRevision()
                || (isInTime(now) && (now.joins() || now.observation().running()));
    }

    private static boolean isInTime(SupervisorView now) {
        return now.down().filter(down -> down.compareTo(now.patience()) < 0).isPresent();
    }

    /** One that cannot be seen has told systemd that it is ready; to fail it would end it. */
    private static boolean serves(ServerObservation observation) {
        return observation.serves()
                || (observation.server() == EtcdState.UNSEEN && !observation.starting());
    }

    private Answer stop(long deadline) throws InterruptedException {
        hands.lookAtCluster();
        // Half for the leave, the rest for the end of the process.
        Duration rest = left(deadline);
        Moment begun = supervisor.now();
        // Never dropped, however late it is taken in: Pacemaker may not ask for it again, and a
        // supervisor without it would start etcd behind Pacemaker's back.
        supervisor.post(new Event.StopRequested(begun.plus(rest.dividedBy(2)), begun.plus(rest)));
        if (actor.call(() -> true, rest).isEmpty()) {
            return new Answer(
                    GENERIC,
                    "tandem-agent is too busy to stop etcd now, and stops it as soon as it can");
        }
        long answerBy = deadline + RESERVE.toNanos();
        while (true) {
            long seen = actor.changes();
            SupervisorView now = supervisor.view();
            switch (now.stopProgress()) {
                case SupervisorView.StopProgress.Stopped() -> {
                    return new Answer(SUCCESS, "");
                }
                case SupervisorView.StopProgress.Failed(String why) -> {
                    return new Answer(GENERIC, why);
                }
                case SupervisorView.StopProgress.UnderWay() -> {}
            }
            if (!left(answerBy).isPositive()) {
                return new Answer(
                        GENERIC,
                        now.cannotStore()
                                .map("this node cannot store its state: "::concat)
                                .orElse("etcd did not stop in time"));
            }
            if (now.facts().abdication() instanceof Abdication.Departure) {
                // It waits for the peer to answer that.
                hands.tellPeer();
            }
            actor.awaitChange(seen, shorter(left(answerBy), GLANCE));
            supervisor.post(new Event.Tick());
        }
    }

    /**
     * Returns when it was: what is asked from then on knows of it. One that was not taken in within
     * the limit is dropped.
     */
    private void takeIn(Event request, Duration limit) {
        Optional<Boolean> _ =
                actor.call(
                        () -> {
                            supervisor.on(request);
                            return true;
                        },
                        limit);
    }

    private Answer monitor() {
        SupervisorView now = supervisor.view();
        ServerObservation observation = now.observation();
        if (now.runsUnasked()) {
            // Pacemaker then stops it and starts it, and both are orders that the agent knows.
            return new Answer(
                    GENERIC,
                    "etcd runs, but tandem-agent does not know that Pacemaker has started it:"
                            + " if the peer fails, nothing takes over");
        }
        if (observation.serves()) {
            if (now.lookAge().compareTo(NOT_LOOKED) > 0) {
                return new Answer(
                        DEGRADED,
                        "tandem-agent has not seen etcd for %d s"
                                .formatted(now.lookAge().toSeconds()));
            }
            return Health.of(now.facts()) == Health.REDUNDANT
                    ? new Answer(SUCCESS, "")
                    : new Answer(SUCCESS, "etcd serves, without redundancy");
        }
        if (!now.wantsEtcd()) {
            return observation.running()
                    ? new Answer(SUCCESS, "etcd is being stopped")
                    : new Answer(NOT_RUNNING, "");
        }
        if (observation.server() == EtcdState.UNSEEN) {
            return new Answer(DEGRADED, now.sentence());
        }
        if (now.unfit()) {
            // Pacemaker then stops it, that fails too, and the peer is told to fence this node.
            return new Answer(GENERIC, now.sentence());
        }
        // A restart brings no leader where nobody else votes; and on a stop this node would give up
        // its right to take over to a peer that does not hear of it.
        boolean waitsForPeer =
                observation.running()
                        && now.membership().known()
                        && (!now.membership().peerPresent() || !now.peerHeardLately());
        if (waitsForPeer || now.takesOver() || hands.raisesRevision() || isInTime(now)) {
            return new Answer(DEGRADED, now.sentence());
        }
        return new Answer(observation.running() ? GENERIC : NOT_RUNNING, now.sentence());
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    static Map<String, String> variables(String lines) {
        Map<String, String> variables = new HashMap<>();
        lines.lines()
                .forEach(line -> {
                    int equals = line.indexOf('=');
                    if (equals > 0) {
                        variables.put(line.substring(0, equals), line.substring(equals + 1));
                    }
                });
        return variables;
    }

    private static Duration limit(Map<String, String> variables) {
        String millis = variables.getOrDefault("OCF_RESKEY_CRM_meta_timeout", "");
        return millis.matches("[0-9]{1,9}") && Long.parseLong(millis) >= 10_000
                ? Duration.ofMillis(Long.parseLong(millis))
                : DEFAULT_LIMIT;
    }

    private long deadline(Duration limit) {
        return nanos.getAsLong() + limit.toNanos();
    }

    private Duration left(long deadline) {
        long left = deadline - nanos.getAsLong();
        return left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
    }
}
