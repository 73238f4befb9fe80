package dev.tandem.agent.ocf;

import dev.tandem.agent.bmc.BmcSessions;
import dev.tandem.agent.state.Journal;
import dev.tandem.agent.state.LastFence;
import dev.tandem.agent.state.SwitchOffTime;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.BmcName;
import dev.tandem.core.decision.FenceDelay;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Moment;
import dev.tandem.host.bmc.PowerOutcome;
import dev.tandem.host.bmc.fence.FenceAgent;
import dev.tandem.host.pacemaker.cib.CibPlan;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Carries out Pacemaker's fence orders over the warm session to the BMC.
 *
 * <p>When both nodes live and cannot hear each other, both are told to fence. One of them is told,
 * by {@code split_delay} of its device, to let the other go first; and so does the other if all of
 * its own links are down. The delay is for that case alone: a peer whose BMC reads Off already has
 * crashed, and nothing is waited for.
 */
public final class FenceActions {
    private static final Set<String> SWITCHING_OFF = Set.of("off", "reboot");
    private static final Duration GLANCE = Duration.ofMillis(250);

    /** Pacemaker goes on with the second level at once; a new order begins with the first. */
    private static final Duration SAME_ORDER = Duration.ofSeconds(30);

    private final String peer;
    private final BmcSessions bmcs;
    private final Journal journal;
    private final LastFence lastFence;
    private final SwitchOffTime switchOffTime;
    private final SplitDelays delays;
    private final Supplier<Proofs.Order> order;
    private final BooleanSupplier falseOff;
    private final BooleanSupplier secondFalseOff;
    private final Supplier<Moment> clock;
    private final LongSupplier sinceBoot;
    private final Consumer<Event> seen;
    private final Runnable membership;
    private final Receiver receiver;

    /** Rises whenever a fence of the peer begins or ends here, or may begin on the second level. */
    private long fences;

    private int underWay;

    /** When the last order for the peer was found to be about an earlier boot. */
    private volatile Optional<Moment> overtaken = Optional.empty();

    /** Hears of a fence at the moment the peer was read Off. */
    public interface Receiver {
        /** Returns why it proves nothing, where it does not. */
        Optional<String> off(
                Proofs.Order order, Proofs.Machine machine, Event.FenceReading reading);
    }

    /**
     * @param order what is known of the peer now, for an order that is given now
     * @param falseOff whether the peer's BMC reads Off while the peer is there
     * @param secondFalseOff the same of the second of its BMCs
     * @param clock the supervisor's
     * @param sinceBoot hundredths of a second, as the shim counts them
     * @param seen is told when a fence of the peer begins and ends
     * @param membership has the supervisor take in who is in the cluster now
     */
    public FenceActions(
            String peer,
            BmcSessions bmcs,
            Journal journal,
            LastFence lastFence,
            SwitchOffTime switchOffTime,
            SplitDelays delays,
            Supplier<Proofs.Order> order,
            BooleanSupplier falseOff,
            BooleanSupplier secondFalseOff,
            Supplier<Moment> clock,
            LongSupplier sinceBoot,
            Consumer<Event> seen,
            Runnable membership,
            Receiver receiver) {
        this.peer = peer;
        this.bmcs = bmcs;
        this.journal = journal;
        this.lastFence = lastFence;
        this.switchOffTime = switchOffTime;
        this.delays = delays;
        this.order = order;
        this.falseOff = falseOff;
        this.secondFalseOff = secondFalseOff;
        this.clock = clock;
        this.sinceBoot = sinceBoot;
        this.seen = seen;
        this.membership = membership;
        this.receiver = receiver;
    }

    /**
     * The order is carried out by whatever BMC there is; its word alone does not make it a fence.
     */
    private Optional<String> off(String node, PowerOutcome.Observed observed, Proofs.Order given) {
        // First of all: the journal and the machine's identity take up to some seconds, and a peer
        // that answers meanwhile was not switched off.
        Moment read = clock.get();
        journal.record(new JournalEvent.SwitchedOff(node, observed.took().toMillis()));
        if (!node.equals(peer)) {
            return Optional.empty();
        }
        Optional<String> provesNothing =
                receiver.off(
                        given,
                        bmcs.judge(node, observed.machine()),
                        new Event.FenceReading(
                                BmcSessions.reading(observed.state()),
                                observed.confirmed(),
                                observed.span(),
                                read));
        if (observed.confirmed()) {
            // Last: it is an estimate, and a slow disk takes seconds to keep it.
            switchOffTime.took(observed.took());
        }
        return provesNothing;
    }

    /**
     * Whether the second level may switch this node: not through a BMC that controls another
     * machine, nor through a second one that does not tell which it controls, if the first does,
     * nor through one whose Off is known to be false; nor with a password that the BMC has denied
     * to the first level, for it would lock the account; nor for an order that the first level has
     * just found to be about an earlier boot: what Pacemaker wanted off is gone, and the second
     * level would switch off the new boot. Pacemaker then tries again, instead of taking the node
     * for fenced. The first line of the answer is an exit code, the rest says why not. What is
     * known is answered at once: the shim takes no answer for a refusal.
     *
     * <p>A further level asks no BMC: what is known of those says nothing of it.
     *
     * @param bmc the name of a node, with {@link BmcName#SECOND} after it for the second of its
     *     BMC, or that of a further level
     */
    public String secondLevelMay(String bmc) {
        String node = BmcName.nodeOf(bmc);
        if (node.equals(peer)) {
            seen.accept(new Event.FenceExpected(CibPlan.LEVEL_TWO_LIMIT));
        }
        Optional<String> refusal =
                BmcName.isFurther(bmc) ? ofEarlierBoot(node) : unfit(node, through(bmc));
        if (node.equals(peer) && refusal.isEmpty()) {
            secondLevelBegins();
        }
        return refusal.map(
                        why -> {
                            journal.record(new JournalEvent.LevelTwoRefused(node, why));
                            return FenceAgent.FAILURE + "\n" + why + "\n";
                        })
                .orElse(FenceAgent.SUCCESS + "\n");
    }

    private Optional<String> unfit(String node, BmcSessions through) {
        return through.anotherMachine(node)
                .or(() -> through.deniedPassword(node))
                .or(() -> ofEarlierBoot(node))
                .or(() ->
                        node.equals(peer) && !through.equals(bmcs)
                                ? bmcs.secondProvesNothing()
                                : Optional.empty())
                .or(() ->
                        node.equals(peer) && readsFalseOff(through)
                                ? Optional.of("the BMC of %s reads Off falsely".formatted(node))
                                : Optional.empty());
    }

    private Optional<String> ofEarlierBoot(String node) {
        return overtaken
                .filter(_ -> node.equals(peer))
                .filter(since -> clock.get().since(since).compareTo(SAME_ORDER) < 0)
                .map(_ ->
                        "%s has booted since this fence was ordered; the next order is about that boot"
                                .formatted(node));
    }

    /** Whether the second level may log in to see whether it would work; the form is the same. */
    public String secondLevelMayLook(String bmc) {
        return Optional.of(bmc)
                .filter(name -> !BmcName.isFurther(name))
                .flatMap(name -> through(name).deniedPassword(BmcName.nodeOf(name)))
                .map(why -> FenceAgent.FAILURE + "\n" + why + "\n")
                .orElse(FenceAgent.SUCCESS + "\n");
    }

    /** A plan without a second has nothing to say about one that Pacemaker still uses. */
    private BmcSessions through(String bmc) {
        return BmcName.isSecond(bmc) ? bmcs.second().orElse(bmcs) : bmcs;
    }

    private boolean readsFalseOff(BmcSessions through) {
        return (through.equals(bmcs) ? falseOff : secondFalseOff).getAsBoolean();
    }

    /** The first line of the answer is the exit code, the rest what the agent prints. */
    public String run(String action, String parameters) throws InterruptedException {
        Map<String, String> values = OcfActions.variables(parameters);
        String target =
                Optional.ofNullable(values.get("plug"))
                        .or(() -> Optional.ofNullable(values.get("port")))
                        .or(() -> Optional.ofNullable(values.get("nodename")))
                        .orElse("");
        boolean fencesPeer = SWITCHING_OFF.contains(action) && target.equals(peer);
        Proofs.Order given = order.get();
        if (!fencesPeer) {
            return answer(carryOut(action, parameters, given));
        }
        seen.accept(new Event.FencingSeen(true));
        Turn turn = begin();
        try {
            return fence(action, target, parameters, values, given, turn);
        } finally {
            end();
            seen.accept(new Event.FencingSeen(false));
        }
    }

    /**
     * The place of a fence of the peer among all of them.
     *
     * @param alone whether no other was under way when it began
     */
    private record Turn(long number, boolean alone) {}

    private synchronized Turn begin() {
        underWay++;
        fences++;
        return new Turn(fences, underWay == 1);
    }

    private synchronized void end() {
        underWay--;
        fences++;
    }

    private synchronized void secondLevelBegins() {
        fences++;
    }

    /**
     * Whether a newer boot of the peer cannot come from another fence: there was none beside it.
     */
    private synchronized boolean isTheOnlyOne(Turn turn) {
        return turn.alone() && fences == turn.number();
    }

    private String fence(
            String action,
            String target,
            String parameters,
            Map<String, String> values,
            Proofs.Order given,
            Turn turn)
            throws InterruptedException {
        overtaken = Optional.empty();
        journal.record(new JournalEvent.FenceOrdered(target, action));
        long began = System.nanoTime();
        Optional<String> another = bmcs.anotherMachineNow(target);
        if (another.isEmpty()) {
            letTheOtherGoFirst(target, began, values.getOrDefault("split_delay", "0"), given);
            another = bmcs.knownAsAnother(target);
        }
        if (another.isPresent()) {
            journal.record(new JournalEvent.FenceAnswered(FenceAgent.FAILURE, another.get()));
            lastFence.failed(another.get(), Optional.empty());
            return FenceAgent.FAILURE + "\n" + another.get() + "\n";
        }
        FenceAgent.Result result = carryOut(action, parameters, given);
        // One that does not say until when its caller waits may have none any more. And a boot that
        // was begun by another fence may be the one that Pacemaker is to have back.
        boolean mayBeRenewed = !values.getOrDefault("expires", "").isBlank();
        while (result.lapse().equals(Optional.of(FenceAgent.Lapse.OVERTAKEN))
                && mayBeRenewed
                && isTheOnlyOne(turn)) {
            // Bound before anything is switched, as any order is: what is Off after that has ended
            // the boot that was heard before.
            Proofs.Order renewed = order.get();
            journal.record(new JournalEvent.FenceRenewed(target));
            // A peer that is back in the membership is to be known as such before it is switched
            // off, or that would count as a sign of life after it.
            membership.run();
            result = carryOut(action, parameters, renewed);
        }
        result.lapse().ifPresent(lapse -> lapsed(target, lapse));
        journal.record(new JournalEvent.FenceAnswered(result.exitCode(), result.err()));
        if (result.exitCode() == FenceAgent.SUCCESS) {
            lastFence.forget();
            bmcs.onOrder(target, Optional.empty());
        } else {
            result.fault().ifPresent(fault -> bmcs.onOrder(target, Optional.of(fault)));
            lastFence.failed(result.err().strip(), result.fault());
        }
        return answer(result);
    }

    private void lapsed(String target, FenceAgent.Lapse lapse) {
        journal.record(
                new JournalEvent.FenceLapsed(
                        target,
                        switch (lapse) {
                            case EXPIRED -> JournalEvent.FenceLapsed.Cause.EXPIRED;
                            case OVERTAKEN -> {
                                overtaken = Optional.of(clock.get());
                                yield JournalEvent.FenceLapsed.Cause.OVERTAKEN;
                            }
                        }));
    }

    private FenceAgent.Result carryOut(String action, String parameters, Proofs.Order given) {
        FenceAgent agent =
                new FenceAgent(
                        bmcs::power,
                        (node, observed) -> off(node, observed, given),
                        new StillAsOrdered(given));
        // The path says what is to be done; a second word in the body must not say otherwise.
        String lines =
                "action="
                        + action
                        + "\n"
                        + parameters
                                .lines()
                                .filter(line -> !line.matches("(action|option)\\s*=.*"))
                                .reduce("", (all, line) -> all + line + "\n");
        return bmcs.holdingConnections(() -> agent.run(List.of(), lines));
    }

    /** An order is about the boot in which the peer was last heard when it was given. */
    private final class StillAsOrdered implements FenceAgent.Permit {
        private final Proofs.Order given;

        StillAsOrdered(Proofs.Order given) {
            this.given = given;
        }

        @Override
        public long now() {
            return sinceBoot.getAsLong();
        }

        @Override
        public Optional<String> overtaken(String node) {
            return node.equals(peer) && given.isOvertakenBy(order.get())
                    ? Optional.of(
                            "it was heard in a newer boot than the one that the order is about")
                    : Optional.empty();
        }
    }

    private static String answer(FenceAgent.Result result) {
        return result.exitCode() + "\n" + (result.exitCode() == 0 ? result.out() : result.err());
    }

    private void letTheOtherGoFirst(String target, long began, String seconds, Proofs.Order given)
            throws InterruptedException {
        FenceDelay.Delay delay =
                delays.now(
                        seconds.matches("[0-9]{1,3}s?")
                                ? Duration.ofSeconds(Long.parseLong(seconds.replace("s", "")))
                                : Duration.ZERO);
        if (delay.time().isZero() || bmcs.read(target) == PowerReading.OFF) {
            return;
        }
        journal.record(
                delay.reason() == FenceDelay.Reason.ISOLATED
                        ? new JournalEvent.IsolationDelay(delay.time().toSeconds())
                        : new JournalEvent.SplitDelay(delay.time().toSeconds()));
        long end = began + delay.time().toNanos();
        // A peer that has booted since has no fence of this node under way, and begins none before
        // it has met this node and lost it again: there is nobody to let go first.
        while (System.nanoTime() - end < 0
                && !given.isOvertakenBy(order.get())
                && bmcs.read(target) != PowerReading.OFF) {
            Thread.sleep(GLANCE);
        }
    }
}
