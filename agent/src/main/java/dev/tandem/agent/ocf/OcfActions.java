package dev.tandem.agent.ocf;

import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.agent.thread.Actor;
import dev.tandem.core.Failure;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Health;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.host.etcd.EtcdProcess;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

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

    private static final Duration BUSY = Duration.ofSeconds(8);
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

        /** Hands leadership to the peer's server; returns what came of it. */
        String handLeadershipOver();
    }

    private final EtcdSupervisor supervisor;
    private final Actor actor;
    private final Hands hands;

    public OcfActions(EtcdSupervisor supervisor, Actor actor, Hands hands) {
        this.supervisor = supervisor;
        this.actor = actor;
        this.hands = hands;
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
        boolean asked =
                actor.call(
                                () -> {
                                    supervisor.startRequested();
                                    return true;
                                },
                                left(deadline))
                        .orElse(false);
        hands.tellPeer();
        String sentence = "tandem-agent is busy";
        long courtesy = deadline(FOR_OTHERS);
        while (asked) {
            long seen = actor.changes();
            boolean begun =
                    actor.call(() -> serves(supervisor.observation()), left(deadline))
                            .orElse(false);
            if (begun) {
                return new Answer(SUCCESS, "");
            }
            sentence = actor.call(supervisor::sentence, BUSY).orElse(sentence);
            if (System.nanoTime() - courtesy > 0
                    && actor.call(supervisor::waitsForOthers, BUSY).orElse(false)) {
                return new Answer(SUCCESS, sentence);
            }
            if (!left(deadline).isPositive()) {
                break;
            }
            actor.awaitChange(seen, shorter(left(deadline), GLANCE));
        }
        return new Answer(GENERIC, sentence);
    }

    /** One that cannot be seen has told systemd that it is ready; to fail it would end it. */
    private static boolean serves(EtcdProcess.EtcdObservation observation) {
        return observation.serves()
                || (observation.server() == EtcdState.UNSEEN && !observation.starting());
    }

    private Answer stop(long deadline) throws InterruptedException {
        // Not with a limit: a request that were dropped because the supervisor is busy would leave
        // it
        // starting etcd again behind Pacemaker's back.
        actor.post(supervisor::stopRequested);
        hands.lookAtCluster();
        // Half for the leave, the rest for the end of the process.
        long leaveUntil = System.nanoTime() + left(deadline).toNanos() / 2;
        while (actor.call(() -> supervisor.observation().running(), BUSY).orElse(true)) {
            long seen = actor.changes();
            boolean timeIsUp = !left(leaveUntil).isPositive();
            Optional<Decision> decision = actor.call(() -> supervisor.leave(timeIsUp), BUSY);
            if (decision.isEmpty() || decision.get() instanceof Decision.Stop) {
                break;
            }
            switch (decision.get()) {
                case Decision.HandLeadershipOver() -> hands.handLeadershipOver();
                case Decision.Depart() ->
                        actor.call(
                                () -> {
                                    supervisor.depart();
                                    return true;
                                },
                                BUSY);
                default -> {
                    hands.tellPeer();
                    actor.awaitChange(seen, GLANCE);
                }
            }
        }
        try {
            Duration rest = left(deadline);
            boolean ended =
                    actor.call(
                                    () -> {
                                        supervisor.end(false, rest);
                                        return true;
                                    },
                                    rest.plus(RESERVE))
                            .orElse(false);
            return ended
                    ? new Answer(SUCCESS, "")
                    : new Answer(GENERIC, "etcd did not stop in time");
        } catch (Failure e) {
            return new Answer(GENERIC, e.what() + ": " + e.why());
        }
    }

    private Answer monitor() {
        return actor.call(this::seen, BUSY)
                .orElseGet(() -> new Answer(GENERIC, "tandem-agent is stuck"));
    }

    private Answer seen() {
        EtcdProcess.EtcdObservation observation = supervisor.observation();
        if (observation.serves()) {
            return Health.of(supervisor.facts()) == Health.REDUNDANT
                    ? new Answer(SUCCESS, "")
                    : new Answer(SUCCESS, "etcd serves, without redundancy");
        }
        if (!supervisor.wantsEtcd()) {
            return observation.running()
                    ? new Answer(SUCCESS, "etcd is being stopped")
                    : new Answer(NOT_RUNNING, "");
        }
        if (observation.server() == EtcdState.UNSEEN) {
            return new Answer(DEGRADED, supervisor.sentence());
        }
        if (supervisor.unfit()) {
            // Pacemaker then stops it, that fails too, and the peer is told to fence this node.
            return new Answer(GENERIC, supervisor.sentence());
        }
        boolean waitsForFencing =
                observation.running()
                        && supervisor.presence().known()
                        && !supervisor.presence().peerPresent();
        boolean inTime =
                supervisor
                        .down()
                        .filter(down -> down.compareTo(supervisor.patience()) < 0)
                        .isPresent();
        if (waitsForFencing || inTime) {
            return new Answer(DEGRADED, supervisor.sentence());
        }
        return new Answer(observation.running() ? GENERIC : NOT_RUNNING, supervisor.sentence());
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

    private static long deadline(Duration limit) {
        return System.nanoTime() + limit.toNanos();
    }

    private static Duration left(long deadline) {
        long nanos = deadline - System.nanoTime();
        return nanos > 0 ? Duration.ofNanos(nanos) : Duration.ZERO;
    }
}
