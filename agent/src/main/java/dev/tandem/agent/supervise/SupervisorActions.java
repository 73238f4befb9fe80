package dev.tandem.agent.supervise;

import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.agent.state.DurableStore;
import dev.tandem.agent.state.StopMark;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.Failure;
import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.DurableState;
import dev.tandem.core.supervise.EtcdOrder;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Event.OrderResult;
import dev.tandem.core.supervise.Membership;
import dev.tandem.core.supervise.ServerObservation;
import dev.tandem.host.UnexpectedErrors;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Does what the supervisor wants done, each thing away from its thread, and reports what became of
 * it: also if it failed, and if it did not come to an end.
 *
 * @param disk one thread: what is written last is what the disk holds
 * @param notes another one, for the notes of this boot, which are in memory: they do not wait for a
 *     disk that hangs
 * @param moments of the peer's BMC
 * @param secondMoments of the second of its BMCs
 * @param journal writes down in the order in which things happened, and keeps nobody waiting
 * @param orderLimit beyond the time an order has of its own
 */
public record SupervisorActions(
        EtcdSupervisor supervisor,
        EtcdOrders etcd,
        DurableStore store,
        StopMark stopMark,
        Executor disk,
        Executor notes,
        Consumer<JournalEvent> journal,
        MembershipChanges changes,
        BootTimestamps moments,
        BootTimestamps secondMoments,
        Installation installation,
        Surroundings surroundings,
        Duration orderLimit)
        implements EtcdSupervisor.Performer {

    /**
     * For the log, which is read at a gigabyte a second or so, and for a disk that takes ten
     * seconds for each of a handful of writes.
     */
    public static final Duration ORDER_LIMIT = Duration.ofSeconds(90);

    /** The mark of a running installation. */
    public interface Installation {
        boolean open();

        /** For good: from now on this node never begins an empty cluster. */
        void close();
    }

    /** What is to be done elsewhere in the agent. */
    public interface Surroundings {
        /** Exchange messages with the peer now rather than at the next heartbeat. */
        void tellPeer();

        /** Look at etcd now rather than at the next round. */
        void lookAtEtcd();

        /** Tells the cluster that the peer is off and need not be waited for. */
        void peerIsOff(Membership membership);

        /**
         * Has Pacemaker fence the peer, and returns when that succeeded; within minutes.
         *
         * @throws Failure if it did not
         */
        void fencePeer(Action.FenceKind how);
    }

    @Override
    public void perform(Action action) {
        switch (action) {
            case Action.Store(long write, DurableState content) ->
                    disk.execute(() -> supervisor.post(stored(write, content)));
            case Action.Etcd(long id, EtcdOrder order) ->
                    reported("order", () -> ended(id, order), why -> unfinished(id, why));
            case Action.ChangeMembership(long id, Step step) ->
                    reported("lead", () -> stepped(id, step), why -> stepFailed(id, step, why));
            case Action.HandLeadershipOver(long id) ->
                    reported("hand-over", () -> handedOver(id), _ -> new Event.HandOverEnded(id));
            case Action.MarkComplete(long id) ->
                    reported("mark", () -> marked(id), why -> new Event.MarkEnded(id, false, why));
            case Action.OrderFence(long id, Action.FenceKind how) ->
                    reported(
                            "fence-order",
                            () -> fenceOrdered(id, how),
                            why -> new Event.FenceOrderEnded(id, false, why));
            case Action.CloseInstallation() ->
                    reported(
                            "installed", this::installed, _ -> new Event.InstallationClosed(false));
            case Action.DeclarePeerOff(Membership membership) ->
                    beside("peer-off", () -> surroundings.peerIsOff(membership));
            case Action.NoteBmc(Action.BmcMark mark) -> notes.execute(() -> note(mark));
            case Action.TellPeer() -> surroundings.tellPeer();
            case Action.LookAtEtcd() -> surroundings.lookAtEtcd();
            case Action.Journal(var notice) -> journal.accept(Notices.event(notice));
            case Action.AnswerPeer _, Action.Acknowledge _ -> {
                // The supervisor gives these to the caller.
            }
        }
    }

    private static void beside(String name, Runnable work) {
        Thread.ofVirtual()
                .name(name)
                .start(() -> {
                    try {
                        work.run();
                    } catch (RuntimeException | Error e) {
                        UnexpectedErrors.log(name, e);
                    }
                });
    }

    /**
     * The same, for what the supervisor waits for: there is a report also of an error. An agent
     * whose package was replaced under it may lack a class that it has not loaded yet, and goes on
     * with all the others.
     */
    private void reported(String name, Supplier<Event> work, Function<String, Event> failed) {
        beside(name, () -> supervisor.post(outcome(name, work, failed)));
    }

    private static Event outcome(
            String name, Supplier<Event> work, Function<String, Event> failed) {
        try {
            return work.get();
        } catch (RuntimeException | Error e) {
            return failed.apply(UnexpectedErrors.words(name, e));
        }
    }

    private Event stored(long write, DurableState content) {
        try {
            store.write(content);
            if (!content.wanted()) {
                stopMark.remove();
            }
            return new Event.Stored(write);
        } catch (Failure e) {
            return new Event.NotStored(write, e.what() + ": " + e.why());
        } catch (RuntimeException | Error e) {
            return new Event.NotStored(write, UnexpectedErrors.words("storing the state", e));
        }
    }

    /**
     * An order that does not come to an end within its limit is told to end: what it has not begun
     * by then it does not begin any more. What it has begun may still change the disk, when one
     * that stood still moves again; so until it has ended nothing else is decided, and the peer
     * hears no facts that may be over.
     */
    private Event ended(long id, EtcdOrder order) {
        // Asked before the order begins: its work may hold what this question needs.
        Duration limit = etcd.extraTime(order).plus(orderLimit);
        CompletableFuture<OrderResult> result = new CompletableFuture<>();
        Thread worker =
                Thread.ofPlatform()
                        .daemon()
                        .name("etcd-order")
                        .start(() -> {
                            try {
                                result.complete(etcd.carryOut(order));
                            } catch (RuntimeException | Error e) {
                                result.completeExceptionally(e);
                            }
                        });
        try {
            return new Event.EtcdOrderEnded(
                    id, result.get(limit.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            UnexpectedErrors.log(
                    "an order to etcd takes longer than %d s".formatted(limit.toSeconds()), e);
            worker.interrupt();
            return late(id, result);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            worker.interrupt();
            return unfinished(id, "the agent ends");
        } catch (ExecutionException e) {
            return unfinished(id, UnexpectedErrors.words("an order to etcd", e));
        }
    }

    private Event late(long id, CompletableFuture<OrderResult> result) {
        try {
            return new Event.EtcdOrderEnded(id, result.get());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return unfinished(id, "the agent ends");
        } catch (ExecutionException e) {
            return unfinished(id, UnexpectedErrors.words("an order to etcd", e));
        }
    }

    private Event unfinished(long id, String why) {
        return new Event.EtcdOrderEnded(
                id,
                new OrderResult.Failed(
                        seen(),
                        "etcd was not started or stopped as decided",
                        why,
                        "look at the disk and at systemd: systemctl status tandem-etcd",
                        false,
                        true));
    }

    /** As it is now; if that cannot be had, as it was. */
    private ServerObservation seen() {
        try {
            return etcd.look();
        } catch (RuntimeException | Error e) {
            UnexpectedErrors.log("a look at etcd after an order", e);
            return supervisor.view().observation();
        }
    }

    private Event stepped(long id, Step step) {
        MembershipChanges.Led led = changes.carryOut(step);
        return new Event.StepEnded(id, step, led.offer(), led.done(), led.outcome());
    }

    private static Event stepFailed(long id, Step step, String why) {
        return new Event.StepEnded(id, step, Optional.empty(), false, why);
    }

    private Event handedOver(long id) {
        changes.handLeadershipOver();
        supervisor.post(new Event.EtcdObserved(etcd.look()));
        return new Event.HandOverEnded(id);
    }

    /** Nothing is ordered until it was reported, so a disk that hangs must not keep it. */
    private Event marked(long id) {
        CompletableFuture<Event> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("mark").start(() -> done.complete(markedNow(id)));
        return done.completeOnTimeout(
                        new Event.MarkEnded(
                                id,
                                false,
                                "this took longer than %d s".formatted(orderLimit.toSeconds())),
                        orderLimit.toSeconds(),
                        TimeUnit.SECONDS)
                .join();
    }

    private Event markedNow(long id) {
        try {
            etcd.markComplete();
            return new Event.MarkEnded(id, true, "");
        } catch (Failure e) {
            return new Event.MarkEnded(id, false, e.what() + ": " + e.why());
        } catch (RuntimeException | Error e) {
            return new Event.MarkEnded(
                    id, false, UnexpectedErrors.words("marking the replica as complete", e));
        }
    }

    private Event fenceOrdered(long id, Action.FenceKind how) {
        try {
            surroundings.fencePeer(how);
            return new Event.FenceOrderEnded(id, true, "");
        } catch (Failure e) {
            return new Event.FenceOrderEnded(id, false, e.what() + ": " + e.why());
        }
    }

    private Event installed() {
        installation.close();
        return new Event.InstallationClosed(true);
    }

    private static void falseOffEnded(BootTimestamps of) {
        // First the new mark: if that fails, the next agent still disbelieves this BMC.
        if (of.note(BootTimestamps.Event.FALSE_OFF_ENDED)) {
            of.forget(BootTimestamps.Event.FALSE_OFF_BEGAN);
        }
    }

    private void note(Action.BmcMark mark) {
        try {
            switch (mark) {
                case FALSE_OFF_BEGAN -> {
                    boolean _ = moments.note(BootTimestamps.Event.FALSE_OFF_BEGAN);
                }
                case FALSE_OFF_ENDED -> falseOffEnded(moments);
                case SECOND_FALSE_OFF_BEGAN -> {
                    boolean _ = secondMoments.note(BootTimestamps.Event.FALSE_OFF_BEGAN);
                }
                case SECOND_FALSE_OFF_ENDED -> falseOffEnded(secondMoments);
            }
        } catch (RuntimeException e) {
            UnexpectedErrors.log("noting what the peer's BMC does", e);
        }
    }
}
