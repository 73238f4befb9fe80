package dev.tandem.agent.bmc;

import dev.tandem.agent.bmc.BmcChangeMessage.Reply;
import dev.tandem.agent.bmc.BmcChangeMessage.State;
import dev.tandem.agent.bmc.BmcChangeMessage.Step;
import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.FencingChange;
import dev.tandem.agentapi.FencingChangeRequest;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.BmcAddress;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.host.UnexpectedErrors;
import dev.tandem.host.bmc.check.BmcPreflight;
import dev.tandem.host.plan.ClusterPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Changes the settings of a BMC on both nodes while they run.
 *
 * <p>Nothing is changed before the BMC has proven itself with the new settings to both nodes. Then
 * this node stores them: from that moment on they are the pair's, and the old ones are given up. It
 * tells the peer until the peer has taken them, however long that is away. So a crash leaves
 * nothing changed, or a change that goes on; of two settings the higher generation is the newer.
 */
public final class BmcChanges {
    /** A BMC that takes this long to prove itself would be of no use in a recovery. */
    private static final Duration CHECK_LIMIT = Duration.ofSeconds(90);

    private static final Duration BEAT = Duration.ofMillis(500);

    /** Until a BMC that refused the peer is asked again: it may lock accounts. */
    private static final Duration AFTER_A_REFUSAL = Duration.ofMinutes(5);

    /** Between two looks for what is not made yet. */
    public static final Duration INTERVAL = Duration.ofSeconds(15);

    /** What is around: the world, apart from files. */
    public interface Surroundings {
        /** Asks a BMC for all that a fence needs; throws why it would not do. */
        BmcPreflight.Proof check(ClusterPlan.Node node, BmcSettings settings);

        /** From now on fences and looks use them. */
        void use(ClusterPlan.Node node);

        /** Makes Pacemaker's device of the second level as the plan has it. */
        void configureSecondLevel(ClusterPlan plan, String node);

        /** Asks the peer's agent; empty where it does not answer. */
        Optional<Reply> askPeer(BmcChangeMessage message);
    }

    private final NodeName self;
    private final NodeName peer;
    private final BmcSettingsStore store;
    private final Surroundings around;
    private final BooleanSupplier peerPresent;
    private final Consumer<JournalEvent> journal;
    private final PeerDebts debts;
    private final ReentrantLock changing = new ReentrantLock();
    private volatile ClusterPlan plan;
    private Optional<Checking> asked = Optional.empty();

    /** When the peer last said that it cannot use what it is to take. */
    private Optional<Long> refused = Optional.empty();

    /** What the peer wants to know, and how far that is. */
    private record Checking(String id, Thread thread, Result result) {
        static final class Result {
            volatile Optional<Reply> reply = Optional.empty();
        }
    }

    /**
     * @param plan as this node has it; changes that an earlier agent began must be made by {@link
     *     #complete} before
     * @param debts which changes the peer has not taken yet
     */
    public BmcChanges(
            NodeName self,
            NodeName peer,
            ClusterPlan plan,
            BmcSettingsStore store,
            Surroundings around,
            BooleanSupplier peerPresent,
            Consumer<JournalEvent> journal,
            PeerDebts debts) {
        this.self = self;
        this.peer = peer;
        this.plan = plan;
        this.store = store;
        this.around = around;
        this.peerPresent = peerPresent;
        this.journal = journal;
        this.debts = debts;
    }

    /** Makes the files of changes that an earlier agent began; the plan with them in it. */
    public static ClusterPlan complete(ClusterPlan plan, BmcSettingsStore store) {
        ClusterPlan complete = plan;
        for (ClusterPlan.Node node : plan.nodes()) {
            Optional<BmcSettings> begun = store.unfinished(node.name());
            if (begun.isPresent()) {
                complete = store.write(complete, begun.get());
            }
        }
        return complete;
    }

    /** A person asks for it, on this node. */
    public FencingChange change(FencingChangeRequest request) throws InterruptedException {
        if (!changing.tryLock(CHECK_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new Failure(
                    "nothing was changed",
                    "another change of a BMC's settings is under way on this node",
                    "wait for it, then see tandem fencing check");
        }
        try {
            return changeAlone(request);
        } finally {
            changing.unlock();
        }
    }

    private FencingChange changeAlone(FencingChangeRequest request) throws InterruptedException {
        String node = request.node();
        BmcSettings before =
                plan.node(node)
                        .map(_ -> store.current(plan, node))
                        .orElseThrow(() ->
                                new Failure(
                                        "nothing was changed",
                                        "there is no node %s; the nodes of this pair are %s and %s"
                                                .formatted(node, self, peer),
                                        "name one of them"));
        BmcSettings wanted = wanted(before, request);
        String checked = provenHere(wanted);
        Optional<Reply> theirs = provenByPeer(wanted);
        List<FencingChange.Setting> changed = differences(before, wanted);
        String peerChecked = theirs.map(Reply::words).orElse("");
        if (request.dryRun() || changed.isEmpty()) {
            return new FencingChange(
                    AgentMessages.VERSION,
                    node,
                    changed,
                    false,
                    checked,
                    theirs.isPresent()
                            ? FencingChange.Peer.CHECKED
                            : FencingChange.Peer.WILL_BE_TOLD,
                    peerChecked);
        }
        long newest = Math.max(before.generation(), theirs.map(Reply::generation).orElse(0L));
        BmcSettings settings = wanted.as(newest + 1);
        debts.owe(node);
        take(settings);
        journal.accept(
                new JournalEvent.BmcSettingsChanged(
                        node, changed, settings.generation(), request.person()));
        if (theirs.isPresent()) {
            tell(settings);
        }
        finish(settings);
        return new FencingChange(
                AgentMessages.VERSION,
                node,
                changed,
                true,
                checked,
                debts.owes(node) ? FencingChange.Peer.WILL_BE_TOLD : FencingChange.Peer.USES_THEM,
                peerChecked);
    }

    private static BmcSettings wanted(BmcSettings before, FencingChangeRequest request) {
        String address = request.address();
        String username = request.username();
        String password = request.password();
        String where = before.address();
        if (address != null) {
            where =
                    switch (BmcAddress.read(address)) {
                        case BmcAddress.Reading.Good(BmcAddress good) -> good.toString();
                        case BmcAddress.Reading.Bad(BmcAddress.Fault fault) ->
                                throw new Failure(
                                        "nothing was changed: that is no address of a BMC",
                                        fault.why(),
                                        fault.remedy());
                    };
        }
        return new BmcSettings(
                before.node(),
                before.generation(),
                where,
                username == null ? before.username() : username,
                password == null ? before.password() : password,
                request.person());
    }

    private static List<FencingChange.Setting> differences(BmcSettings before, BmcSettings after) {
        List<FencingChange.Setting> changed = new ArrayList<>();
        if (!before.where().equals(after.where())) {
            changed.add(FencingChange.Setting.ADDRESS);
        }
        if (!before.username().equals(after.username())) {
            changed.add(FencingChange.Setting.USERNAME);
        }
        if (!before.password().equals(after.password())) {
            changed.add(FencingChange.Setting.PASSWORD);
        }
        return changed;
    }

    private BmcPreflight.Proof check(BmcSettings settings) {
        BmcPreflight.Proof proof =
                around.check(settings.in(plan).node(settings.node()).orElseThrow(), settings);
        if (proof.identity().isEmpty()) {
            throw new Failure(
                    "the BMC of %s cannot be shown to belong to it".formatted(settings.node()),
                    "%s has not said yet which machine it is".formatted(settings.node()),
                    "try again when %s has been in the cluster, or name its identity in the plan"
                            .formatted(settings.node()));
        }
        return proof;
    }

    private static String words(BmcPreflight.Proof proof) {
        return "power %s, %s"
                .formatted(
                        proof.power().redfishName(), proof.identity().orElse("identity unknown"));
    }

    private String provenHere(BmcSettings wanted) {
        try {
            return words(check(wanted));
        } catch (Failure e) {
            throw new Failure("nothing was changed: " + e.what(), e.why(), e.remedy(), e);
        }
    }

    /** Empty where the peer is away: it will be told when it is back. */
    private Optional<Reply> provenByPeer(BmcSettings wanted) throws InterruptedException {
        Optional<Reply> reply = askToCheck(wanted);
        if (reply.isEmpty()) {
            if (peerPresent.getAsBoolean()) {
                throw new Failure(
                        "nothing was changed: whether %s could use it is not known".formatted(peer),
                        "%s is in the cluster, and its agent does not answer".formatted(peer),
                        "see why, on %s: systemctl status tandem-agent".formatted(peer));
            }
            return Optional.empty();
        }
        if (reply.get().state() != State.FIT) {
            throw new Failure(
                    "nothing was changed: on %s, %s".formatted(peer, reply.get().words()),
                    reply.get().why(),
                    reply.get().remedy());
        }
        return reply;
    }

    /** The peer has only seconds for an answer, and a slow BMC takes longer to prove itself. */
    private Optional<Reply> askToCheck(BmcSettings wanted) throws InterruptedException {
        BmcChangeMessage question =
                new BmcChangeMessage(UUID.randomUUID().toString(), Step.CHECK, wanted);
        long end = System.nanoTime() + CHECK_LIMIT.toNanos();
        Optional<Reply> reply = around.askPeer(question);
        while (reply.filter(one -> one.state() == State.CHECKING).isPresent()
                && System.nanoTime() - end < 0) {
            Thread.sleep(BEAT);
            reply = around.askPeer(question);
        }
        return reply.filter(one -> one.state() != State.CHECKING);
    }

    /** Stores them and uses them. */
    private synchronized void take(BmcSettings settings) {
        store.commit(settings);
        plan = store.write(plan, settings);
        around.use(plan.node(settings.node()).orElseThrow());
    }

    /** The second level follows as soon as Pacemaker can be told. */
    private void finish(BmcSettings settings) {
        try {
            around.configureSecondLevel(plan, settings.node());
        } catch (Failure e) {
            // Pacemaker is down here, or has no quorum: tried again with the next round.
            return;
        }
        store.finish(settings);
    }

    /** What is not made yet is tried again: here, and on the peer. */
    public void look() {
        for (ClusterPlan.Node node : plan.nodes()) {
            if (changing.tryLock()) {
                try {
                    store.unfinished(node.name()).ifPresent(this::finish);
                    settle(node.name());
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                } catch (Failure e) {
                    UnexpectedErrors.log("completing a change of a BMC's settings", e);
                } finally {
                    changing.unlock();
                }
            }
        }
    }

    /** Has the peer take them, if it does not know them and can use them. */
    private void settle(String node) throws InterruptedException {
        long now = System.nanoTime();
        if (!debts.owes(node)
                || refused.filter(when -> now - when < AFTER_A_REFUSAL.toNanos()).isPresent()) {
            return;
        }
        BmcSettings settings = store.current(plan, node);
        Optional<Reply> reply = askToCheck(settings);
        refused = reply.filter(one -> one.state() == State.UNFIT).map(_ -> System.nanoTime());
        if (reply.filter(one -> one.state() == State.FIT).isPresent()) {
            tell(settings);
        }
    }

    private void tell(BmcSettings settings) {
        String node = settings.node();
        Optional<Reply> reply =
                around.askPeer(
                        new BmcChangeMessage(UUID.randomUUID().toString(), Step.COMMIT, settings));
        switch (reply.map(Reply::state).orElse(State.CHECKING)) {
            case TAKEN -> debts.paid(node);
            case HAS_OTHERS -> {
                debts.paid(node);
                journal.accept(
                        new JournalEvent.BmcSettingsDiffer(
                                node, reply.map(Reply::generation).orElse(0L)));
            }
            case CHECKING, FIT, UNFIT -> {
                // Not taken: it is told again with the next round.
            }
        }
    }

    /** The peer asks. */
    public Reply asked(BmcChangeMessage message) {
        String node = message.settings().node();
        if (plan.node(node).isEmpty()) {
            return new Reply(
                    State.UNFIT,
                    0,
                    "there is no node " + node,
                    "the plans of the two nodes differ",
                    "apply one plan on both: tandem cluster prepare");
        }
        return switch (message.step()) {
            case CHECK -> checked(message);
            case COMMIT -> committed(message.settings());
        };
    }

    private synchronized Reply checked(BmcChangeMessage message) {
        Optional<Checking> known = asked.filter(one -> one.id().equals(message.id()));
        if (known.isEmpty()) {
            Checking.Result result = new Checking.Result();
            Thread thread =
                    Thread.ofVirtual()
                            .name("bmc-settings")
                            .start(() -> result.reply = Optional.of(examined(message.settings())));
            known = Optional.of(new Checking(message.id(), thread, result));
            asked = known;
        }
        return known.get()
                .result()
                .reply
                .orElseGet(() ->
                        new Reply(
                                State.CHECKING,
                                store.generation(message.settings().node()),
                                "the BMC is being asked"));
    }

    private Reply examined(BmcSettings settings) {
        long generation = store.generation(settings.node());
        try {
            return new Reply(State.FIT, generation, words(check(settings)));
        } catch (Failure e) {
            return new Reply(State.UNFIT, generation, e.what(), e.why(), e.remedy());
        } catch (RuntimeException e) {
            UnexpectedErrors.log("checking a BMC for the peer", e);
            return new Reply(
                    State.UNFIT,
                    generation,
                    "the BMC could not be checked",
                    "something unexpected happened",
                    "see journalctl -u tandem-agent");
        }
    }

    private Reply committed(BmcSettings settings) {
        long own = store.generation(settings.node());
        if (own > settings.generation()
                || (own == settings.generation()
                        && !store.current(plan, settings.node()).saysTheSameAs(settings))) {
            return new Reply(State.HAS_OTHERS, own, "this node has other settings");
        }
        if (own < settings.generation()) {
            List<FencingChange.Setting> changed =
                    differences(store.current(plan, settings.node()), settings);
            try {
                take(settings);
            } catch (Failure e) {
                return new Reply(State.UNFIT, own, e.what(), e.why(), e.remedy());
            }
            journal.accept(
                    new JournalEvent.BmcSettingsChanged(
                            settings.node(), changed, settings.generation(), settings.person()));
        }
        return new Reply(State.TAKEN, settings.generation(), "taken");
    }
}
