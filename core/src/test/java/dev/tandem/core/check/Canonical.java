package dev.tandem.core.check;

import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.ServerObservation;
import dev.tandem.core.supervise.State;
import dev.tandem.core.supervise.VolatileState;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Brings an agent into the form in which two agents that will act alike are equal: of a moment only
 * how long ago it was, and that only as far as a limit of the policy can tell; of a running number
 * only its place among those in use. The supervisor is always asked at {@link #NOW}.
 */
final class Canonical {
    /** As long as the limits of the model's policy count. */
    static final long TICK = 1_000_000_000L;

    static final Moment NOW = new Moment(1000 * TICK);

    /** The generation of the newest order to etcd. */
    static final long GENERATION = 4;

    /** For people only, or compared with nothing that the model's policy could tell apart. */
    private static final Set<String> FROZEN =
            Set.of(
                    "Pending.since",
                    "Write.since",
                    "Ordered.since",
                    "Writes.at",
                    "Writes.notBefore",
                    "Work.stepNotBefore",
                    "Server.downSince",
                    "VolatileState.membershipAt",
                    "Stopping.endUntil",
                    "RestartBackoff.notBefore",
                    "RestartBackoff.failedUntil");

    /** Up to how many ticks of age matter; two where nothing is said. */
    private static final Map<String, Integer> OLDEST =
            Map.of(
                    "Server.lookedAt", 2,
                    "Heard.at", 1,
                    "Heard.factsAt", 2,
                    "Heard.leaderlessSince", 1,
                    "Server.leaderlessSince", 1,
                    "OffWhilePresent.since", 1,
                    "Fencing.notBefore", 0,
                    "Server.startedAt", 3,
                    "SeatRequest.at", 1);

    private static final Set<String> IDS =
            Set.of(
                    "Write.id",
                    "Waiting.from",
                    "Work.nextId",
                    "Work.step",
                    "Work.handOver",
                    "Work.mark",
                    "Ordered.id",
                    "Store.write",
                    "Etcd.id",
                    "ChangeMembership.id",
                    "HandLeadershipOver.id",
                    "MarkComplete.id",
                    "Fencing.order",
                    "OrderFence.id");

    private static final Set<String> GENERATIONS =
            Set.of("ServerObservation.generation", "TakeOver.generation");

    private static final Set<String> COUNTS =
            Set.of("PeerConversation.count", "Question.count", "Asker.number");

    private static final Rewriting RECORDS = new Rewriting(Set.of(Moment.class), paths());

    private Canonical() {}

    private static Set<String> paths() {
        Set<String> all = new TreeSet<>(IDS);
        all.addAll(GENERATIONS);
        all.addAll(COUNTS);
        return all;
    }

    /**
     * @param generation of the shell: how many orders it has begun, counted as in the body
     */
    static Agent.Body of(Agent.Body body, long generation) {
        long[] ids = ids(body);
        boolean asked = body.question().isPresent();
        boolean heardSince =
                asked
                        && body.question().get().count()
                                != body.state().live().heard().conversation().count();
        Order order = Order.in(body);
        return RECORDS.in(
                body, (part, value) -> part(part, value, ids, generation, heardSince, order));
    }

    /**
     * What is known of the moments that are compared with each other rather than with the present.
     * A new one is younger than all of them.
     *
     * @param provenSince the newest proof is younger than the question under way
     * @param offSince the Off that was read and is not told is younger than the question under way
     * @param aliveSince the peer gave a sign of life after that Off. Without one this does not
     *     matter: an Off that is read later is younger
     */
    private record Order(boolean provenSince, boolean offSince, boolean aliveSince) {
        static Order in(Agent.Body body) {
            VolatileState live = body.state().live();
            return new Order(
                    body.question()
                            .filter(it -> it.asked().isBefore(live.power().provenAt()))
                            .isPresent(),
                    body.question()
                            .filter(it -> body.off().filter(it.asked()::isBefore).isPresent())
                            .isPresent(),
                    body.off().filter(off -> off.isBefore(live.heard().aliveAt())).isPresent());
        }

        /** A moment that keeps the order; null for one that is not among them. */
        @Nullable Moment place(String path) {
            return switch (path) {
                case "Question.asked" -> before(10);
                case "Power.provenAt" -> before(provenSince ? 8 : 12);
                case "Body.off" -> before(offSince ? 8 : 12);
                case "Heard.aliveAt" -> before(aliveSince ? 6 : 14);
                default -> null;
            };
        }

        private static Moment before(long nanos) {
            return new Moment(NOW.nanos() - nanos);
        }
    }

    /** The running numbers in use, the smallest first. */
    private static long[] ids(Agent.Body body) {
        VolatileState live = body.state().live();
        VolatileState.Work work = live.work();
        LongStream.Builder ids = LongStream.builder().add(work.nextId());
        live.writes().inFlight().ifPresent(write -> ids.add(write.id()));
        live.writes().waiting().forEach(waiting -> ids.add(waiting.from()));
        work.etcd().ifPresent(order -> ids.add(order.id()));
        work.step().ifPresent(ids::add);
        work.handOver().ifPresent(ids::add);
        work.mark().ifPresent(ids::add);
        live.fencing().order().ifPresent(ids::add);
        for (Action action : body.work()) {
            switch (action) {
                case Action.Store store -> ids.add(store.write());
                case Action.Etcd etcd -> ids.add(etcd.id());
                case Action.ChangeMembership change -> ids.add(change.id());
                case Action.HandLeadershipOver over -> ids.add(over.id());
                case Action.MarkComplete mark -> ids.add(mark.id());
                case Action.OrderFence fence -> ids.add(fence.id());
                default -> {}
            }
        }
        return ids.build().sorted().distinct().toArray();
    }

    private static @Nullable Object part(
            Rewriting.Part part,
            Object value,
            long[] ids,
            long generation,
            boolean heardSince,
            Order order) {
        String path = part.path();
        if (value instanceof Moment moment) {
            Moment place = order.place(path);
            return place == null ? aged(path, moment, 0) : place;
        }
        if (value instanceof Long number) {
            if (IDS.contains(path)) {
                return Arrays.binarySearch(ids, number) + 1L;
            }
            if (GENERATIONS.contains(path)) {
                return Math.max(0, number - generation + GENERATION);
            }
            return switch (path) {
                case "PeerConversation.count" -> heardSince ? 1L : 0L;
                case "Question.count" -> 0L;
                // Which questions are younger is the world's to know.
                case "Asker.number" -> Wire.TAKEN;
                default -> null;
            };
        }
        return null;
    }

    /** The same agent so much later. */
    static Agent.Body later(Agent.Body body, int ticks) {
        return RECORDS.in(
                body,
                (part, value) -> {
                    if (!(value instanceof Moment moment)) {
                        return null;
                    }
                    return switch (part.path()) {
                        case "Power.provenAt", "Question.asked", "Body.off", "Heard.aliveAt" ->
                                value;
                        default -> aged(part.path(), moment, ticks);
                    };
                });
    }

    private static Moment aged(String path, Moment moment, int more) {
        if (FROZEN.contains(path)) {
            return NOW;
        }
        long age = Math.floorDiv(NOW.nanos() - moment.nanos(), TICK) + more;
        long oldest = OLDEST.getOrDefault(path, 2);
        return new Moment(NOW.nanos() - TICK * Math.max(-3, Math.min(oldest, age)));
    }

    /** The actions that a report must follow; the others are over when they are begun. */
    static boolean isReported(Action action) {
        return switch (action) {
            case Action.Store _,
                    Action.Etcd _,
                    Action.ChangeMembership _,
                    Action.HandLeadershipOver _,
                    Action.MarkComplete _,
                    Action.OrderFence _,
                    Action.CloseInstallation _ ->
                    true;
            case Action.AnswerPeer _,
                    Action.TellPeer _,
                    Action.LookAtEtcd _,
                    Action.Acknowledge _,
                    Action.DeclarePeerOff _,
                    Action.NoteBmc _,
                    Action.Journal _ ->
                    false;
        };
    }

    static Agent.Body begun(State state, java.util.List<Action> work) {
        return new Agent.Body(
                state,
                work,
                java.util.Optional.<VolatileState.Question>empty(),
                java.util.Optional.<ServerObservation>empty(),
                java.util.Optional.<Moment>empty());
    }
}
