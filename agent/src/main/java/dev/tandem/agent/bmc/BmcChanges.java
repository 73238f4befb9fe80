package dev.tandem.agent.bmc;

import dev.tandem.agent.bmc.BmcChangeMessage.Reply;
import dev.tandem.agent.bmc.BmcChangeMessage.State;
import dev.tandem.agent.bmc.BmcChangeMessage.Step;
import dev.tandem.agent.state.PlanInUse;
import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.FencingChange;
import dev.tandem.agentapi.FencingChangeRequest;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.BmcAddress;
import dev.tandem.core.BmcName;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.host.NodePaths;
import dev.tandem.host.UnexpectedErrors;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.check.BmcPreflight;
import dev.tandem.host.bmc.login.LoginBackoff;
import dev.tandem.host.credential.PasswordSource;
import dev.tandem.host.credential.SourceAnswer;
import dev.tandem.host.plan.ClusterPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Changes the settings of a BMC on both nodes while they run.
 *
 * <p>Nothing is changed before the BMC has proven itself with the new settings to both nodes. Then
 * this node stores them: from that moment on they are the pair's, and the old ones are given up. It
 * tells the peer until the peer has taken them, however long that is away. So a crash leaves
 * nothing changed, or a change that goes on; of two settings the one with the higher change number
 * is newer.
 */
public final class BmcChanges {
    /** A BMC that takes this long to prove itself would be of no use in a recovery. */
    private static final Duration CHECK_LIMIT = Duration.ofSeconds(90);

    private static final Duration BEAT = Duration.ofMillis(500);

    /** Until a BMC that refused the peer is asked again: it may lock accounts. */
    private static final Duration AFTER_A_REFUSAL = LoginBackoff.LONGEST;

    /** Between two looks for what is not made yet. */
    public static final Duration INTERVAL = Duration.ofSeconds(15);

    /** What is around: the world, apart from files. */
    public interface Surroundings {
        /** Asks a BMC for all that a fence needs; throws why it would not do. */
        BmcPreflight.Proof check(ClusterPlan.Node node, BmcSettings settings);

        /** The BMC accepts the login that is in use, whatever it said before. */
        void accepted(String bmc);

        /** With what the connection to the BMC logs in. */
        BmcCredentials credentials(String bmc);

        /** Whether the second of a node's BMC is reached in another way than this. */
        boolean secondDiffers(ClusterPlan.Node node);

        /** From now on fences and looks use them. */
        void use(ClusterPlan.Node node);

        /** The same of the second of its BMC, and of nothing else. */
        void useSecond(ClusterPlan.Node node);

        /** Only where its password comes from is new; somebody should ask there. */
        void onNewSource(ClusterPlan.Node node);

        /**
         * Makes Pacemaker's device that fences by this BMC without the agent as the plan has it.
         */
        void configureSecondLevel(ClusterPlan plan, String bmc);

        /** Asks the peer's agent; empty where it does not answer. */
        Optional<Reply> askPeer(BmcChangeMessage message);
    }

    private final NodeName self;
    private final NodeName peer;
    private final BmcSettingsStore store;
    private final Surroundings around;
    private final BooleanSupplier peerPresent;
    private final Consumer<JournalEvent> journal;
    private final SettingsToTell toTell;
    private final ReentrantLock changing = new ReentrantLock();
    private final PlanInUse plan;
    private Optional<Checking> asked = Optional.empty();

    /** When the peer last said that it cannot use what it is to take, and why. */
    private final Map<String, Refused> refused = new ConcurrentHashMap<>();

    private volatile List<Unfinished> unfinished = List.of();

    private record Refused(long nanos, String words) {}

    /** Where new settings are not yet. */
    public enum Lacks {
        /** On the peer, which will be told. */
        PEER,

        /** The peer was told, and has others that are as new: a person has to choose. */
        PEER_HAS_OTHERS,

        /** In Pacemaker's device of the second level alone. */
        SECOND_LEVEL
    }

    /**
     * New settings that are not everywhere yet.
     *
     * @param bmc whose they are
     * @param refusal why the peer cannot use them; empty where it did not say so
     */
    public record Unfinished(String bmc, Lacks lacks, Optional<String> refusal) {
        public String node() {
            return BmcName.nodeOf(bmc);
        }

        /** As people call it. */
        public String words() {
            return BmcName.words(bmc);
        }
    }

    /** What is not made yet, as of the last look. */
    public List<Unfinished> unfinished() {
        return unfinished;
    }

    /** The change of each BMC that was made by this agent. */
    private final Map<String, Long> made = new ConcurrentHashMap<>();

    /** What the peer wants to know, and how far that is. */
    private record Checking(String id, Thread thread, Result result) {
        static final class Result {
            volatile Optional<Reply> reply = Optional.empty();
        }
    }

    /**
     * @param plan changes that an earlier agent began must be in it, by {@link #complete}
     * @param toTell which changes the peer has not taken yet
     */
    public BmcChanges(
            NodeName self,
            NodeName peer,
            PlanInUse plan,
            BmcSettingsStore store,
            Surroundings around,
            BooleanSupplier peerPresent,
            Consumer<JournalEvent> journal,
            SettingsToTell toTell) {
        this.self = self;
        this.peer = peer;
        this.plan = plan;
        this.store = store;
        this.around = around;
        this.peerPresent = peerPresent;
        this.journal = journal;
        this.toTell = toTell;
    }

    /** Makes the files of changes that an earlier agent began; the plan with them in it. */
    public static ClusterPlan complete(ClusterPlan plan, BmcSettingsStore store) {
        ClusterPlan complete = plan;
        for (String bmc : plan.bmcs()) {
            try {
                Optional<BmcSettings> begun = store.unfinished(bmc);
                if (begun.isPresent()) {
                    store.write(begun.get());
                    complete = begun.get().in(complete);
                }
            } catch (Failure e) {
                // An agent with the old settings is better than none; it is tried again later.
                UnexpectedErrors.log("completing a change of a BMC's settings", e);
            }
        }
        return complete;
    }

    /** A person asks for it, on this node. */
    public FencingChange change(FencingChangeRequest request) throws InterruptedException {
        String bmc = request.second() ? request.node() + BmcName.SECOND : request.node();
        if (request.password() != null) {
            requireSilentSource(bmc);
        }
        return alone(() -> {
            requireBmcOfTheDisk(bmc);
            BmcSettings before = store.current(plan.get(), bmc);
            return changeLocked(
                    before, wanted(before, request), request.person(), request.dryRun());
        });
    }

    /** The source of a BMC's password has another one than is in use. */
    void takeFromSource(String bmc, String password) throws InterruptedException {
        var _ =
                alone(() -> {
                    requireBmcOfTheDisk(bmc);
                    BmcSettings before = inUse(bmc);
                    String source = source(bmc).map(PasswordSource.Origin::words).orElse("");
                    return changeLocked(
                            before, before.withPassword(password).by(source), source, false);
                });
    }

    /** Where the password of a BMC comes from, if that is not a file. */
    private Optional<PasswordSource.Origin> source(String bmc) {
        return plan.get()
                .by(bmc)
                .filter(one -> one.bmc().password() instanceof PasswordSource.Fetched)
                .map(one -> ((PasswordSource.Fetched) one.bmc().password()).origin());
    }

    /**
     * What a person gives would be replaced by what the source has. Only while that has nothing is
     * the person the one who knows.
     */
    private void requireSilentSource(String bmc) {
        if (plan.get()
                .by(bmc)
                .flatMap(store::askSource)
                .filter(SourceAnswer.Read.class::isInstance)
                .isPresent()) {
            throw new Failure(
                    "nothing was changed",
                    "the password for %s comes from %s, which can be read"
                            .formatted(
                                    BmcName.words(bmc),
                                    source(bmc).map(PasswordSource.Origin::words).orElse("")),
                    ("change the password there; both nodes take it within %d min, or as soon as"
                                    + " the BMC refuses the old one")
                            .formatted(PasswordRefresh.INTERVAL.toMinutes()));
        }
    }

    /**
     * The password of a BMC that is in use is kept where one of this source is looked for, so that
     * a plan with that source can be used. Nobody is asked.
     *
     * @param node as that plan has it
     */
    public void keepFor(ClusterPlan.Node node) {
        store.keep(node, around.credentials(node.name()).password());
    }

    /**
     * What was kept for a source that is not in use yet was proven by nobody, and may have been
     * corrected there since.
     *
     * @param node as the plan has it that is to be used
     */
    public void readAgainIfUnproven(ClusterPlan.Node node) {
        if (node.bmc().password() instanceof PasswordSource.Fetched
                && !store.password(node).equals(around.credentials(node.name()).password())) {
            store.askSource(node)
                    .ifPresent(answer -> {
                        if (answer instanceof SourceAnswer.Read(String password)) {
                            store.keep(node, password);
                        }
                    });
        }
    }

    /** The plan in use has another source for the password of this BMC, and is asked at once. */
    public void onNewSource(String node) {
        around.onNewSource(plan.get().node(node).orElseThrow());
    }

    /** Whether the settings of a BMC on the disk are others than those in use. */
    public boolean differOnDisk(String node) {
        return !differences(inUse(node), store.current(store.installed(), node)).isEmpty();
    }

    /**
     * Settings that a plan brought to this node's disk: checked and taken as if a person had set
     * them.
     */
    public FencingChange follow(String node, String person, boolean dryRun)
            throws InterruptedException {
        return alone(() ->
                changeLocked(
                        inUse(node),
                        store.current(store.installed(), node).by(person),
                        person,
                        dryRun));
    }

    /** Whether the second BMC of a node, or its password on the disk, is not the one in use. */
    public boolean secondDiffers(ClusterPlan.Node node) {
        return around.secondDiffers(node);
    }

    /** What the BMCs of a node of another plan prove, with the passwords on the disk. */
    public void prove(ClusterPlan.Node node) {
        proven(checkedByPlan(node), node.name());
        if (isReachedAsInUse(node)) {
            around.accepted(node.name());
        }
        // Some tell no machine over IPMI; then no fence by it counts, and the status says so.
        node.bySecond().ifPresent(this::checkedByPlan);
    }

    private boolean isReachedAsInUse(ClusterPlan.Node node) {
        BmcSettings now = inUse(node.name());
        return now.where().equals(node.bmc().address())
                && now.username().equals(node.bmc().username())
                && now.password().equals(store.password(node));
    }

    private BmcPreflight.Proof checkedByPlan(ClusterPlan.Node node) {
        return around.check(
                node,
                new BmcSettings(
                        node.name(),
                        0,
                        node.bmc().address().toString(),
                        node.bmc().username(),
                        store.password(node),
                        ""));
    }

    /**
     * The plan, on the disk or in use, is changed by somebody else, who reads it in there too:
     * settings that are taken at the same time would be lost.
     */
    public synchronized void exclusively(Runnable change) {
        change.run();
    }

    /** The connection of a BMC is made once more, by the plan in use. */
    public void reconnect(String node) {
        around.use(plan.get().node(node).orElseThrow());
    }

    private interface Change {
        FencingChange make() throws InterruptedException;
    }

    private FencingChange alone(Change change) throws InterruptedException {
        if (!changing.tryLock(CHECK_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new Failure(
                    "nothing was changed",
                    "another change of a BMC's settings is under way on this node",
                    "try again when that change has ended");
        }
        try {
            return change.make();
        } finally {
            changing.unlock();
        }
    }

    /**
     * With the password of the connection, which may be another than that on the disk; with one
     * that equals no other where the connection has none.
     */
    private BmcSettings inUse(String bmc) {
        ClusterPlan.Bmc used = plan.get().by(bmc).orElseThrow().bmc();
        return new BmcSettings(
                bmc,
                store.changeNumber(bmc),
                used.address().toString(),
                used.username(),
                passwordInUse(bmc),
                "");
    }

    private String passwordInUse(String node) {
        try {
            return around.credentials(node).password();
        } catch (Failure e) {
            return "";
        }
    }

    private FencingChange changeLocked(
            BmcSettings before, BmcSettings wanted, String person, boolean dryRun)
            throws InterruptedException {
        String bmc = before.bmc();
        String checked = provenHere(wanted);
        Optional<Reply> theirs = provenByPeer(wanted);
        List<FencingChange.Setting> changed = differences(before, wanted);
        String peerChecked = theirs.map(Reply::words).orElse("");
        boolean peerDiffers =
                changed.isEmpty() && theirs.filter(reply -> !reply.same()).isPresent();
        if (!dryRun && changed.isEmpty() && theirs.isPresent() && !peerDiffers) {
            // Somebody has made them the same by other means. The peer may have the mark too.
            toTell.agree(bmc);
            var _ =
                    around.askPeer(
                            new BmcChangeMessage(
                                    UUID.randomUUID().toString(),
                                    Step.COMMIT,
                                    before.as(theirs.get().changeNumber())));
        }
        if (dryRun || (changed.isEmpty() && !peerDiffers)) {
            return new FencingChange(
                    AgentMessages.VERSION,
                    BmcName.nodeOf(bmc),
                    BmcName.isSecond(bmc),
                    changed,
                    false,
                    checked,
                    theirs.isEmpty()
                            ? FencingChange.Peer.WILL_BE_TOLD
                            : peerDiffers ? FencingChange.Peer.DIFFERS : FencingChange.Peer.CHECKED,
                    peerChecked);
        }
        long newest = Math.max(before.changeNumber(), theirs.map(Reply::changeNumber).orElse(0L));
        BmcSettings settings = wanted.as(newest + 1);
        toTell.add(bmc);
        takeUnlessOvertaken(settings, before);
        journal.accept(
                new JournalEvent.BmcSettingsChanged(bmc, changed, settings.changeNumber(), person));
        boolean differs = theirs.isPresent() && tell(settings) == State.HAS_OTHERS;
        finishIfTold(settings);
        return new FencingChange(
                AgentMessages.VERSION,
                BmcName.nodeOf(bmc),
                BmcName.isSecond(bmc),
                changed,
                true,
                checked,
                differs
                        ? FencingChange.Peer.DIFFERS
                        : toTell.contains(bmc)
                                ? FencingChange.Peer.WILL_BE_TOLD
                                : FencingChange.Peer.USES_THEM,
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
                        case BmcAddress.Reading.Good(BmcAddress good)
                                when good.isIpmi() != before.where().isIpmi() ->
                                throw new Failure(
                                        "nothing was changed: the BMC would be reached by another"
                                                + " protocol",
                                        "in the plan, %s has an address for %s"
                                                .formatted(
                                                        before.words(),
                                                        good.isIpmi() ? "Redfish" : "IPMI"),
                                        "write the address into the plan; then on both nodes:"
                                                + " tandem cluster apply PLAN.yaml");
                        case BmcAddress.Reading.Good(BmcAddress good) -> good.toString();
                        case BmcAddress.Reading.Bad(BmcAddress.Fault fault) ->
                                throw new Failure(
                                        "nothing was changed: the address is not that of a BMC",
                                        fault.why(),
                                        fault.remedy());
                    };
        }
        return new BmcSettings(
                before.bmc(),
                before.changeNumber(),
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
                around.check(settings.in(plan.get()).by(settings.bmc()).orElseThrow(), settings);
        if (!BmcName.isSecond(settings.bmc())) {
            proven(proof, settings.bmc());
        }
        if (isCurrent(settings)) {
            around.accepted(settings.bmc());
        }
        return proof;
    }

    /**
     * Not of the second: some BMCs tell no machine over IPMI. Then no fence by it counts, and the
     * status says so; and one that is known to be of another machine did not pass the check.
     */
    private static void proven(BmcPreflight.Proof proof, String node) {
        if (proof.identity().isEmpty()) {
            throw new Failure(
                    "cannot verify that this BMC belongs to %s".formatted(node),
                    "%s has not said yet which machine it is".formatted(node),
                    "try again once %s has joined the cluster, or add its identity to the plan"
                            .formatted(node));
        }
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
                        "nothing was changed: %s has not checked the new settings".formatted(peer),
                        "%s is in the cluster, but its agent has given no result".formatted(peer),
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

    /** A plan that was written since is not to be undone by what is in memory. */
    private void requireBmcOfTheDisk(String bmc) {
        ClusterPlan.Bmc known =
                plan.get()
                        .by(bmc)
                        .map(ClusterPlan.Node::bmc)
                        .orElseThrow(() ->
                                new Failure(
                                        "nothing was changed",
                                        plan.get().node(BmcName.nodeOf(bmc)).isPresent()
                                                ? "the plan has no bmc.second for "
                                                        + BmcName.nodeOf(bmc)
                                                : "there is no node %s; the nodes of this pair are %s and %s"
                                                        .formatted(BmcName.nodeOf(bmc), self, peer),
                                        plan.get().node(BmcName.nodeOf(bmc)).isPresent()
                                                ? "leave out --second, or add bmc.second to the"
                                                        + " plan; then on both nodes: tandem"
                                                        + " cluster apply PLAN.yaml"
                                                : "name one of them"));
        if (store.installed().by(bmc).filter(one -> one.bmc().equals(known)).isEmpty()) {
            throw new Failure(
                    "nothing was changed",
                    "the plan on the disk of %s has other settings for this BMC, and they are not in use"
                            .formatted(self),
                    "take that plan into use first: tandem cluster apply " + NodePaths.PLAN);
        }
    }

    /** Unless the peer had its own taken in the meantime. */
    private synchronized void takeUnlessOvertaken(BmcSettings settings, BmcSettings before) {
        if (store.changeNumber(settings.bmc()) != before.changeNumber()) {
            throw new Failure(
                    "nothing was changed",
                    "somebody has changed these settings on %s in the meantime".formatted(peer),
                    "see whether they fit: tandem fencing check");
        }
        take(settings);
    }

    /** Stores them and uses them. */
    private synchronized void take(BmcSettings settings) {
        // What a plan on the disk cannot hold must not be begun: it would never be finished.
        ClusterPlan _ = settings.in(store.installed());
        store.commit(settings);
        // They are newer than both of what differed.
        toTell.agree(settings.bmc());
        make(settings);
    }

    /** What was stored; it can be made again. */
    private synchronized void make(BmcSettings settings) {
        store.write(settings);
        String bmc = settings.bmc();
        ClusterPlan.Node node = plan.change(settings::in).node(BmcName.nodeOf(bmc)).orElseThrow();
        if (BmcName.isSecond(bmc)) {
            around.useSecond(node);
        } else {
            around.use(node);
        }
        made.put(bmc, settings.changeNumber());
    }

    /** Both nodes share the device of the second level, but each has a password of its own. */
    private void finishIfTold(BmcSettings settings) {
        if (!toTell.contains(settings.bmc()) || !peerPresent.getAsBoolean()) {
            finish(settings);
        }
    }

    private void makeAndFinish(BmcSettings settings) {
        if (!Long.valueOf(settings.changeNumber()).equals(made.get(settings.bmc()))) {
            make(settings);
        }
        finishIfTold(settings);
    }

    /** The second level follows as soon as Pacemaker can be told. */
    private void finish(BmcSettings settings) {
        try {
            around.configureSecondLevel(plan.get(), settings.bmc());
        } catch (Failure e) {
            // Pacemaker is down here, or has no quorum: tried again with the next round.
            return;
        }
        store.finish(settings);
    }

    /** What is not made yet is tried again: here, and on the peer. */
    public void look() {
        for (String bmc : plan.get().bmcs()) {
            if (changing.tryLock()) {
                try {
                    settle(bmc);
                    store.unfinished(bmc).ifPresent(this::makeAndFinish);
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
        unfinished = plan.get().bmcs().stream().flatMap(this::unfinished).toList();
    }

    private Stream<Unfinished> unfinished(String bmc) {
        boolean lacks = toTell.contains(bmc);
        boolean begun;
        try {
            begun = store.unfinished(bmc).isPresent();
        } catch (Failure e) {
            // What cannot be read is reported by the next change.
            begun = false;
        }
        if (lacks) {
            return Stream.of(
                    new Unfinished(
                            bmc,
                            Lacks.PEER,
                            Optional.ofNullable(refused.get(bmc)).map(Refused::words)));
        }
        if (toTell.differs(bmc)) {
            return Stream.of(new Unfinished(bmc, Lacks.PEER_HAS_OTHERS, Optional.empty()));
        }
        return begun
                ? Stream.of(new Unfinished(bmc, Lacks.SECOND_LEVEL, Optional.empty()))
                : Stream.empty();
    }

    /** Has the peer take them, if it does not know them and can use them. */
    private void settle(String bmc) throws InterruptedException {
        long now = System.nanoTime();
        if (!toTell.contains(bmc)
                || Optional.ofNullable(refused.get(bmc))
                        .filter(when -> now - when.nanos() < AFTER_A_REFUSAL.toNanos())
                        .isPresent()) {
            return;
        }
        BmcSettings settings = store.current(plan.get(), bmc);
        Optional<Reply> reply = askToCheck(settings);
        reply.filter(one -> one.state() == State.UNFIT)
                .ifPresent(one ->
                        refused.put(
                                bmc,
                                new Refused(
                                        System.nanoTime(),
                                        "%s: %s".formatted(one.words(), one.why()))));
        if (reply.filter(one -> one.state() == State.FIT).isPresent()) {
            tell(settings);
        }
    }

    private State tell(BmcSettings settings) {
        String bmc = settings.bmc();
        Optional<Reply> reply =
                around.askPeer(
                        new BmcChangeMessage(UUID.randomUUID().toString(), Step.COMMIT, settings));
        State state = reply.map(Reply::state).orElse(State.CHECKING);
        switch (state) {
            case TAKEN -> {
                toTell.remove(bmc);
                refused.remove(bmc);
            }
            case HAS_OTHERS -> {
                // Before the other mark goes: the status must not be without either.
                toTell.differ(bmc);
                toTell.remove(bmc);
                journal.accept(
                        new JournalEvent.BmcSettingsDiffer(
                                bmc, reply.map(Reply::changeNumber).orElse(0L)));
            }
            case CHECKING, FIT, UNFIT -> {
                // Not taken: it is told again with the next round.
            }
        }
        return state;
    }

    /** The peer asks. */
    public Reply asked(BmcChangeMessage message) {
        String bmc = message.settings().bmc();
        if (plan.get().by(bmc).isEmpty()) {
            return new Reply(
                    State.UNFIT,
                    0,
                    BmcName.words(bmc) + " is not in the plan",
                    "the plans of the two nodes differ",
                    "on both nodes, with the same plan: tandem cluster apply PLAN.yaml");
        }
        try {
            return switch (message.step()) {
                case CHECK -> checked(message);
                case COMMIT -> committed(message.settings());
            };
        } catch (Failure e) {
            return new Reply(State.UNFIT, 0, e.what(), e.why(), e.remedy());
        }
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
                                store.changeNumber(message.settings().bmc()),
                                "the BMC is being asked"));
    }

    private Reply examined(BmcSettings settings) {
        long changeNumber = 0;
        try {
            changeNumber = store.changeNumber(settings.bmc());
            return Reply.fit(changeNumber, words(check(settings)), isCurrent(settings));
        } catch (Failure e) {
            return new Reply(State.UNFIT, changeNumber, e.what(), e.why(), e.remedy());
        } catch (RuntimeException e) {
            UnexpectedErrors.log("checking a BMC for the peer", e);
            return new Reply(
                    State.UNFIT,
                    changeNumber,
                    "the BMC could not be checked",
                    "something unexpected happened",
                    "see why, on %s: journalctl -u tandem-agent".formatted(self));
        }
    }

    private synchronized Reply committed(BmcSettings settings) {
        String bmc = settings.bmc();
        long own = store.changeNumber(bmc);
        Optional<BmcSettings> begun = store.unfinished(bmc);
        if (begun.filter(one -> one.changeNumber() == settings.changeNumber()).isPresent()) {
            if (!begun.get().saysTheSameAs(settings)) {
                return new Reply(State.HAS_OTHERS, own, "this node has other settings");
            }
            makeAndFinish(begun.get());
            toTell.agree(bmc);
            return new Reply(State.TAKEN, own, "taken");
        }
        if (own > settings.changeNumber()
                || (own == settings.changeNumber() && !isCurrent(settings))) {
            return new Reply(State.HAS_OTHERS, own, "this node has other settings");
        }
        if (own < settings.changeNumber()) {
            List<FencingChange.Setting> changed = differences(inUse(bmc), settings);
            take(settings);
            journal.accept(
                    new JournalEvent.BmcSettingsChanged(
                            bmc, changed, settings.changeNumber(), settings.person()));
        }
        toTell.agree(bmc);
        return new Reply(State.TAKEN, settings.changeNumber(), "taken");
    }

    private boolean isCurrent(BmcSettings settings) {
        BmcSettings current;
        try {
            current = store.current(plan.get(), settings.bmc());
        } catch (Failure e) {
            // A password that is lost on the disk is still the one that is logged in with.
            current = inUse(settings.bmc());
        }
        return current.saysTheSameAs(settings);
    }
}
