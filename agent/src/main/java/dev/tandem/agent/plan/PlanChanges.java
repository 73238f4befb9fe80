package dev.tandem.agent.plan;

import dev.tandem.agent.bmc.BmcChanges;
import dev.tandem.agent.state.PlanInUse;
import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.plan.PlanUse;
import dev.tandem.agentapi.plan.PlanUse.Changed;
import dev.tandem.agentapi.plan.PlanUse.Effect;
import dev.tandem.agentapi.plan.PlanUse.NodeUse;
import dev.tandem.agentapi.plan.PlanUse.Outcome;
import dev.tandem.agentapi.plan.PlanUse.Setting;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.Secrets;
import dev.tandem.host.credential.PasswordSource;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.NodeFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Has both agents run by a plan that was changed, without a restart.
 *
 * <p>The plan in use is one value, and it is replaced only when all that is new in it can be used:
 * a BMC is asked before, and one setting that a running pair cannot change leaves everything as it
 * was. How a BMC is reached and logged in to goes its own way, that of {@code fencing set}: so both
 * nodes check it first, and a node that is away is told later.
 */
public final class PlanChanges {
    /** Between two looks at the plan on the disk. */
    public static final Duration INTERVAL = Duration.ofSeconds(15);

    /** Less than a message between the agents may take. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final NodeName self;
    private final NodeName peer;
    private final Path file;
    private final PlanInUse inUse;
    private final BmcChanges bmcs;
    private final Function<PlanMessage, Optional<NodeUse>> peersAgent;
    private final BooleanSupplier peerPresent;
    private final Consumer<JournalEvent> journal;
    private final LongSupplier nanos;
    private final ReentrantLock changing = new ReentrantLock();
    private volatile Optional<Unused> unused = Optional.empty();

    /**
     * A plan on the disk that is not the one in use.
     *
     * @param sinceNanos when that was first seen, by the monotonic clock
     * @param settings in which they differ; empty where it cannot be read
     * @param unreadable why it cannot be read; empty where it can
     */
    public record Unused(long sinceNanos, List<Changed> settings, Optional<String> unreadable) {}

    /**
     * @param file where this node keeps its plan
     * @param peersAgent asks it; empty where it does not answer
     * @param peerPresent whether Corosync has the peer
     */
    public PlanChanges(
            NodeName self,
            NodeName peer,
            Path file,
            PlanInUse inUse,
            BmcChanges bmcs,
            Function<PlanMessage, Optional<NodeUse>> peersAgent,
            BooleanSupplier peerPresent,
            Consumer<JournalEvent> journal,
            LongSupplier nanos) {
        this.self = self;
        this.peer = peer;
        this.file = file;
        this.inUse = inUse;
        this.bmcs = bmcs;
        this.peersAgent = peersAgent;
        this.peerPresent = peerPresent;
        this.journal = journal;
        this.nanos = nanos;
    }

    /** What lies on the disk and is not used, as it was seen last. */
    public Optional<Unused> unused() {
        return unused;
    }

    /** Compares the disk with what is in use. */
    public void look() {
        List<Changed> settings = List.of();
        Optional<String> unreadable = Optional.empty();
        try {
            settings = differences(onDisk());
        } catch (Failure e) {
            unreadable = Optional.of("%s: %s".formatted(e.what(), e.why()));
        }
        if (settings.isEmpty() && unreadable.isEmpty()) {
            unused = Optional.empty();
        } else {
            unused =
                    Optional.of(
                            new Unused(
                                    unused.map(Unused::sinceNanos).orElseGet(nanos::getAsLong),
                                    settings,
                                    unreadable));
        }
    }

    /** A person has applied a plan on this node. */
    public PlanUse take(PlanUse.Request request) throws InterruptedException {
        if (!changing.tryLock()) {
            throw new Failure(
                    "the plan was not taken into use",
                    "tandem-agent on %s is taking another plan into use".formatted(self),
                    "run this again when that has ended");
        }
        try {
            return takeLocked(request);
        } finally {
            changing.unlock();
            look();
        }
    }

    private PlanUse takeLocked(PlanUse.Request request) throws InterruptedException {
        ClusterPlan planned = installed(request.plan());
        if (!request.dryRun() && !planned.equals(onDisk())) {
            throw new Failure(
                    "the plan was not taken into use",
                    "%s holds a plan other than the one being applied".formatted(file),
                    "apply the plan that is wanted: tandem cluster apply PLAN.yaml");
        }
        List<Changed> settings =
                planned.equals(onDisk())
                        ? differences(planned)
                        : PlanDifference.between(inUse.get(), planned);
        Optional<Changed> impossible = impossible(settings);
        if (impossible.isPresent()) {
            return answer(
                    List.of(
                            notTaken(self, settings, impossible.get()),
                            askPeer(new PlanMessage(request.plan(), request.person(), true))));
        }
        if (!request.dryRun()) {
            return carriedOut(planned, settings, request);
        }
        return answer(
                List.of(
                        new NodeUse(
                                self.value(),
                                settings.isEmpty() ? Outcome.SAME : Outcome.WOULD_BE_TAKEN,
                                settings,
                                "",
                                ""),
                        askPeer(new PlanMessage(request.plan(), request.person(), true))));
    }

    private PlanUse carriedOut(ClusterPlan planned, List<Changed> settings, PlanUse.Request request)
            throws InterruptedException {
        List<String> toFollow = new ArrayList<>();
        List<String> toReconnect = new ArrayList<>();
        List<String> newSources = newSources(planned);
        for (ClusterPlan.Node node : planned.nodes()) {
            try {
                if (newSources.contains(node.name())) {
                    bmcs.readAgainIfUnproven(node);
                }
                if (needsNewConnection(node) || bmcs.secondDiffers(node)) {
                    bmcs.prove(node);
                    toReconnect.add(node.name());
                } else if (bmcs.differOnDisk(node.name())) {
                    bmcs.follow(node.name(), request.person(), true);
                    toFollow.add(node.name());
                }
            } catch (Failure e) {
                throw new Failure(
                        "the plan was not taken into use: " + e.what(), e.why(), e.remedy(), e);
            }
        }
        bmcs.exclusively(() -> {
            requireStillOnDisk(planned);
            // All of it at once; of the BMCs that follow, the settings that are in use until they
            // do.
            inUse.change(before ->
                    withFurtherOf(withBmcsOf(planned, before, toFollow, newSources), planned));
        });
        List<Changed> made = reconnected(settings, toReconnect);
        if (!settings.isEmpty()) {
            journal.accept(new JournalEvent.PlanTaken(names(settings), request.person()));
        }
        NodeUse theirs = askPeer(new PlanMessage(request.plan(), request.person(), false));
        try {
            for (String node : toFollow) {
                try {
                    bmcs.follow(node, request.person(), false);
                } catch (Failure e) {
                    // The rest of the plan is in use on both nodes by now, and that is to be told.
                    made = withFailure(made, node, e);
                }
            }
        } finally {
            newSources.forEach(bmcs::onNewSource);
        }
        return answer(
                List.of(
                        new NodeUse(
                                self.value(),
                                made.isEmpty() ? Outcome.SAME : Outcome.TAKEN,
                                made,
                                "",
                                ""),
                        theirs));
    }

    /** The peer may have brought settings of a BMC while others were checked. */
    private void requireStillOnDisk(ClusterPlan planned) {
        if (!planned.equals(onDisk())) {
            throw new Failure(
                    "the plan was not taken into use",
                    "%s was changed while the BMCs were checked".formatted(file),
                    "see what it says now, then apply the plan that is wanted: tandem cluster apply"
                            + " PLAN.yaml");
        }
    }

    /** The plan is in use by then, whatever becomes of one connection. */
    private List<Changed> reconnected(List<Changed> settings, List<String> nodes) {
        List<Changed> made = settings;
        for (String node : nodes) {
            try {
                bmcs.reconnect(node);
            } catch (Failure e) {
                made = withFailure(made, node, e);
            }
        }
        return made;
    }

    private static List<Changed> withFailure(List<Changed> settings, String node, Failure failure) {
        Stream<Changed> others =
                settings.stream()
                        .filter(one -> one.setting() != Setting.BMC || !node.equals(one.of()));
        return Stream.concat(
                        others,
                        Stream.of(
                                new Changed(
                                        Setting.BMC,
                                        node,
                                        Effect.FAILED,
                                        "%s: %s".formatted(failure.what(), failure.why()),
                                        failure.remedy())))
                .toList();
    }

    /** The peer's agent says by which plan the pair runs. It waits, so no BMC is asked here. */
    public NodeUse asked(PlanMessage message) {
        try {
            // A little: it may be asking once more about what this agent is just taking.
            if (!changing.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                return isTakingAnother();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return isTakingAnother();
        }
        try {
            return askedLocked(message);
        } catch (Failure e) {
            return new NodeUse(
                    self.value(),
                    Outcome.NOT_TAKEN,
                    List.of(),
                    "%s: %s".formatted(e.what(), e.why()),
                    e.remedy());
        } finally {
            changing.unlock();
            look();
        }
    }

    private NodeUse isTakingAnother() {
        return new NodeUse(
                self.value(),
                Outcome.NOT_TAKEN,
                List.of(),
                "tandem-agent on %s is taking another plan into use".formatted(self),
                "run this again when that has ended");
    }

    private NodeUse askedLocked(PlanMessage message) {
        ClusterPlan told = installed(message.plan());
        List<Changed> settings = PlanDifference.between(inUse.get(), told);
        Optional<Changed> impossible = impossible(settings);
        if (impossible.isPresent()) {
            return notTaken(self, settings, impossible.get());
        }
        List<String> names = told.nodes().stream().map(ClusterPlan.Node::name).toList();
        List<String> newSources = new ArrayList<>();
        bmcs.exclusively(() -> {
            ClusterPlan there = onDisk();
            newSources(told).stream()
                    .filter(name -> canUseSource(told.node(name).orElseThrow(), there))
                    .forEach(newSources::add);
            if (!message.dryRun()) {
                // Its secrets are not in it: BMCs stay as they are here until their settings are
                // told.
                writeAll(withBmcsOf(told, there, names, newSources), there, newSources);
                inUse.change(before -> withBmcsOf(told, before, names, newSources));
            }
        });
        List<Changed> answered =
                settings.stream().map(one -> asTaken(one, told, newSources)).toList();
        if (!message.dryRun()) {
            List<Changed> taken =
                    answered.stream()
                            .filter(one ->
                                    one.setting() != Setting.BMC
                                            || newSources.contains(String.valueOf(one.of())))
                            .toList();
            newSources.forEach(bmcs::onNewSource);
            answered =
                    reconnected(
                            answered,
                            settings.stream()
                                    .filter(one -> one.setting() == Setting.IDENTITY)
                                    .map(one -> String.valueOf(one.of()))
                                    .toList());
            if (!taken.isEmpty()) {
                journal.accept(new JournalEvent.PlanTaken(names(taken), message.person()));
            }
        }
        return new NodeUse(
                self.value(),
                settings.isEmpty()
                        ? Outcome.SAME
                        : message.dryRun() ? Outcome.WOULD_BE_TAKEN : Outcome.TAKEN,
                answered,
                "",
                "");
    }

    /** Any step may be the last before a power cut: one of the two plans finds its passwords. */
    private void writeAll(ClusterPlan wanted, ClusterPlan there, List<String> newSources) {
        for (String name : newSources) {
            ClusterPlan.Node node = wanted.node(name).orElseThrow();
            if (!hasSource(there, node)) {
                bmcs.keepFor(node);
            }
        }
        if (!wanted.equals(there)) {
            Secrets.write(file, wanted.toYaml());
        }
        new NodeFiles(DurableFiles.parent(file)).deleteObsolete(wanted);
    }

    private static List<Setting> names(List<Changed> settings) {
        return settings.stream().map(Changed::setting).distinct().toList();
    }

    /** What this release does not understand. */
    static NodeUse anotherRelease(String self) {
        return new NodeUse(
                self,
                Outcome.NOT_TAKEN,
                List.of(),
                "the two nodes run different versions of Tandem",
                "install the same version on both nodes: apt-get install ./tandem_*_all.deb");
    }

    /** Nodes with another source of the password of their BMC than the one in use. */
    private List<String> newSources(ClusterPlan planned) {
        return planned.nodes().stream()
                .filter(node -> !hasSource(inUse.get(), node))
                .map(ClusterPlan.Node::name)
                .toList();
    }

    private static boolean hasSource(ClusterPlan plan, ClusterPlan.Node node) {
        return plan.node(node.name())
                .filter(other -> other.bmc().password().equals(node.bmc().password()))
                .isPresent();
    }

    /**
     * Whether all that a new source needs is on this node. The password in use is; what a store is
     * logged in to with is not told, so it has to be the same as before, or prepared here. A
     * program runs as root: somebody who is root on this node has to have named it here.
     */
    private boolean canUseSource(ClusterPlan.Node told, ClusterPlan there) {
        return isReachedTheSameWay(told)
                && (hasSource(there, told) || !isNewHere(told.bmc().password(), told.name()));
    }

    private boolean isNewHere(PasswordSource source, String node) {
        PasswordSource now = inUse.get().node(node).orElseThrow().bmc().password();
        return switch (source) {
            case PasswordSource.InFile _ -> false;
            case PasswordSource.Fetched(PasswordSource.Program program, _) ->
                    !(now instanceof PasswordSource.Fetched(PasswordSource.Program before, _)
                            && program.equals(before));
            case PasswordSource.Fetched(PasswordSource.Vault vault, _) ->
                    !(now instanceof PasswordSource.Fetched(PasswordSource.Vault before, _)
                            && vault.isLoggedInToAs(before));
        };
    }

    /**
     * How a BMC is believed, and how a store is logged in to, may need a file; account and address
     * are told with the password.
     */
    private Changed asTaken(Changed one, ClusterPlan told, List<String> newSources) {
        Optional<ClusterPlan.Node> node =
                told.node(String.valueOf(one.of())).filter(_ -> one.setting() == Setting.BMC);
        if (node.filter(bmc -> !isReachedTheSameWay(bmc)).isPresent()) {
            return byHand(
                    one,
                    "%s has to check this BMC itself, because it will be reached or verified in another way"
                            .formatted(self));
        }
        if (node.filter(bmc -> !hasSameFurther(bmc)).isPresent()) {
            return byHand(
                    one,
                    "the agents of further levels, and their passwords, have to be on %s itself"
                            .formatted(self));
        }
        return node.filter(bmc -> !hasSource(inUse.get(), bmc))
                        .filter(bmc -> !newSources.contains(bmc.name()))
                        .isPresent()
                ? byHand(one, whyNotHere(node.orElseThrow().bmc().password()))
                : one;
    }

    private String whyNotHere(PasswordSource source) {
        return source instanceof PasswordSource.Fetched(PasswordSource.Program _, _)
                ? "%s would run the program as root, and runs none that was not named on %s itself"
                        .formatted(self, self)
                : "the files with which %s logs in to the store are not sent over the network"
                        .formatted(self);
    }

    private boolean isReachedTheSameWay(ClusterPlan.Node planned) {
        ClusterPlan.Bmc before = inUse.get().node(planned.name()).orElseThrow().bmc();
        return before.verification().equals(planned.bmc().verification())
                && before.second().equals(planned.bmc().second())
                && before.address().isIpmi() == planned.bmc().address().isIpmi();
    }

    private boolean hasSameFurther(ClusterPlan.Node planned) {
        return inUse.get()
                .node(planned.name())
                .orElseThrow()
                .bmc()
                .further()
                .equals(planned.bmc().further());
    }

    /** What {@code fencing set} cannot change. */
    private boolean needsNewConnection(ClusterPlan.Node planned) {
        return !isReachedTheSameWay(planned)
                || !inUse.get()
                        .node(planned.name())
                        .orElseThrow()
                        .identity()
                        .equals(planned.identity());
    }

    private Changed byHand(Changed one, String why) {
        return new Changed(
                one.setting(),
                one.of(),
                Effect.BY_HAND,
                why,
                "on %s, with the same plan and its files: tandem cluster apply PLAN.yaml"
                        .formatted(self));
    }

    private List<Changed> differences(ClusterPlan planned) {
        List<Changed> settings = PlanDifference.between(inUse.get(), planned);
        // A password is in no plan, and yet part of what was applied.
        List<Changed> passwords =
                planned.nodes().stream()
                        .filter(node -> inUse.get().node(node.name()).isPresent())
                        .filter(node ->
                                settings.stream()
                                        .noneMatch(one ->
                                                one.setting() == Setting.BMC
                                                        && node.name().equals(one.of())))
                        .filter(node -> bmcs.differOnDisk(node.name()) || bmcs.secondDiffers(node))
                        .map(node -> PlanDifference.now(Setting.BMC, node.name()))
                        .toList();
        return Stream.concat(settings.stream(), passwords.stream()).toList();
    }

    private static Optional<Changed> impossible(List<Changed> settings) {
        return settings.stream().filter(one -> one.effect() == Effect.NOT_POSSIBLE).findFirst();
    }

    private static NodeUse notTaken(NodeName node, List<Changed> settings, Changed impossible) {
        return new NodeUse(
                node.value(),
                Outcome.NOT_TAKEN,
                settings,
                "%s cannot be changed while the pair runs: %s"
                        .formatted(impossible.subject(), impossible.why()),
                impossible.remedy());
    }

    private NodeUse askPeer(PlanMessage message) {
        return peersAgent
                .apply(message)
                .or(() -> takenMeanwhile(message))
                .orElseGet(() ->
                        new NodeUse(
                                peer.value(),
                                peerPresent.getAsBoolean() ? Outcome.SILENT : Outcome.AWAY,
                                List.of(),
                                "its agent does not answer, or its release cannot take a plan while"
                                        + " it runs",
                                "on %s, with this plan: tandem cluster prepare PLAN.yaml; systemctl restart tandem-agent"
                                        .formatted(peer)));
    }

    /**
     * What the peer has come to use, where that took longer than an answer may: to encrypt the
     * passwords of a new source takes a busy machine its time.
     */
    private Optional<NodeUse> takenMeanwhile(PlanMessage message) {
        if (message.dryRun() || !peerPresent.getAsBoolean()) {
            return Optional.empty();
        }
        return peersAgent
                .apply(new PlanMessage(message.plan(), message.person(), true))
                .filter(use ->
                        use.outcome() != Outcome.WOULD_BE_TAKEN
                                || use.settings().stream()
                                        .allMatch(one -> one.effect() == Effect.BY_HAND))
                .map(use ->
                        use.outcome() == Outcome.WOULD_BE_TAKEN
                                ? new NodeUse(use.node(), Outcome.TAKEN, use.settings(), "", "")
                                : use);
    }

    private static PlanUse answer(List<NodeUse> nodes) {
        return new PlanUse(AgentMessages.VERSION, nodes);
    }

    private ClusterPlan onDisk() {
        return installed(ClusterPlan.read(file));
    }

    private ClusterPlan installed(String text) {
        return installed(ClusterPlan.readText(text, file));
    }

    private ClusterPlan installed(ClusterPlan plan) {
        return plan.installed(DurableFiles.parent(file));
    }

    /** They are no BMC: nothing of them is checked from both nodes, or follows later. */
    private static ClusterPlan withFurtherOf(ClusterPlan plan, ClusterPlan planned) {
        ClusterPlan with = plan;
        for (ClusterPlan.Node node : planned.nodes()) {
            ClusterPlan.Bmc bmc = with.node(node.name()).orElseThrow().bmc();
            with = with.withBmc(node.name(), bmc.withFurther(node.bmc().further()));
        }
        return with;
    }

    /**
     * @param newSources nodes for which the password of the BMC comes from where the plan says
     */
    private static ClusterPlan withBmcsOf(
            ClusterPlan plan, ClusterPlan other, List<String> nodes, List<String> newSources) {
        ClusterPlan with = plan;
        for (String node : nodes) {
            Optional<ClusterPlan.Bmc> kept = other.node(node).map(ClusterPlan.Node::bmc);
            if (kept.isPresent()) {
                ClusterPlan.Bmc bmc = kept.get();
                with =
                        with.withBmc(
                                node,
                                newSources.contains(node)
                                        ? bmc.withPassword(
                                                plan.node(node).orElseThrow().bmc().password())
                                        : bmc);
            }
        }
        return with;
    }
}
