package dev.tandem.agent.peer;

import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.agent.state.Journal;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.agent.thread.Actor;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.PeerChannelKind;
import dev.tandem.core.decision.FenceDelay.Link;
import dev.tandem.core.health.RecoveryReadiness;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.VolatileState;
import dev.tandem.host.plan.PlanDigest;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The messages between the two agents: this node's questions, its answers, and when it last heard
 * from the peer. They go over HTTPS, and over attributes of the cluster while HTTPS fails and the
 * cluster has both nodes.
 *
 * <p>Questions are numbered across both channels, and one that is overtaken by a later one is
 * ignored: facts arrive in the order in which they were true.
 */
public final class PeerExchange {
    /** Both ask, and each question and each answer carries facts: one of them every second. */
    private static final Duration HEARTBEAT = Duration.ofSeconds(2);

    private static final Duration HEARTBEAT_WHILE_JOINING = Duration.ofMillis(200);
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(4);

    /**
     * The peer asks every two seconds; after this long without a question, HTTPS fails or its agent
     * is down.
     */
    private static final Duration NOT_ASKED = Duration.ofSeconds(5);

    private final EtcdSupervisor supervisor;
    private final Actor actor;
    private final Journal journal;
    private final BootTimestamps moments;
    private final BooleanSupplier peerPresent;
    private final Supplier<RecoveryReadiness> readiness;
    private final Supplier<PlanDigest> plan;
    private final Supplier<Duration> needs;
    private final Supplier<Link> apiLink;

    private volatile long lastHeardNanos;
    private volatile long lastAskedNanos = System.nanoTime();
    private volatile PeerChannelKind channel = PeerChannelKind.NONE;
    private final AtomicReference<@Nullable Unknown> notUnderstood = new AtomicReference<>();
    private volatile @Nullable Told told;
    private long lastNumber;

    /** What of the peer's messages is not understood: their version, and which parts. */
    private record Unknown(int version, Set<PeerMessages.Part> parts) {}

    private record Told(
            RecoveryReadiness readiness,
            Optional<PlanDigest> plan,
            Optional<Duration> needs,
            Link apiLink,
            long nanos) {
        static Told now(PeerMessages.Received theirs) {
            return new Told(
                    theirs.recovery(),
                    theirs.plan(),
                    theirs.fence(),
                    theirs.apiLink(),
                    System.nanoTime());
        }
    }

    /**
     * @param peerPresent whether Corosync has both nodes
     * @param readiness whether this node would recover from the peer's failure; asked with each
     *     message, on any thread
     * @param plan by which this node runs now
     * @param needs how long this node would need now to have the peer off
     * @param apiLink of this node to the network of the API's address
     */
    public PeerExchange(
            EtcdSupervisor supervisor,
            Actor actor,
            Journal journal,
            BootTimestamps moments,
            BooleanSupplier peerPresent,
            Supplier<RecoveryReadiness> readiness,
            Supplier<PlanDigest> plan,
            Supplier<Duration> needs,
            Supplier<Link> apiLink) {
        this.supervisor = supervisor;
        this.actor = actor;
        this.journal = journal;
        this.moments = moments;
        this.peerPresent = peerPresent;
        this.readiness = readiness;
        this.plan = plan;
        this.needs = needs;
        this.apiLink = apiLink;
    }

    /** How long until the next question. */
    public Duration heartbeat() {
        return supervisor.view().reconciles() ? HEARTBEAT_WHILE_JOINING : HEARTBEAT;
    }

    /** Asks the peer, and tells the supervisor what it answered. One thread asks. */
    public void ask(PeerTransport https, PeerTransport attributes) {
        PeerTransport.Reply reply = ask(https);
        PeerChannelKind now = PeerChannelKind.HTTPS;
        if (reply instanceof PeerTransport.Reply.Silent && peerPresent.getAsBoolean()) {
            reply = ask(attributes);
            now = PeerChannelKind.CLUSTER_ATTRIBUTES;
        }
        noteChannel(reply instanceof PeerTransport.Reply.Silent ? PeerChannelKind.NONE : now);
    }

    /** A new question for each channel: the facts may have changed while the first was tried. */
    private PeerTransport.Reply ask(PeerTransport transport) {
        VolatileState.Question question = supervisor.view().question();
        PeerTransport.Reply reply = transport.ask(nextNumber(), envelope(question.message()));
        if (reply instanceof PeerTransport.Reply.Answered(PeerMessages.Received theirs)) {
            heardNow();
            noteNotUnderstood(theirs);
            told = Told.now(theirs);
            supervisor.post(
                    new Event.PeerAnswered(
                            question, theirs.message(), !theirs.isOnlyASignOfLife()));
        }
        return reply;
    }

    private PeerMessages.Envelope envelope(PeerMessage message) {
        return new PeerMessages.Envelope(
                message,
                readiness.get(),
                Optional.of(plan.get()),
                Optional.of(needs.get()),
                apiLink.get());
    }

    /** By the monotonic clock, so that an agent that was restarted goes on above its last. */
    private long nextNumber() {
        lastNumber = Math.max(lastNumber + 1, System.nanoTime() / 1000);
        return lastNumber;
    }

    private void noteChannel(PeerChannelKind now) {
        if (now != channel) {
            channel = now;
            journal.record(new JournalEvent.PeerChannelChanged(now));
        }
    }

    /**
     * Once for each version and each set of parts, and not with every message of a peer that stays
     * as it is: the values in them may differ every time.
     */
    private void noteNotUnderstood(PeerMessages.Received theirs) {
        if (theirs.notUnderstood().isEmpty()) {
            return;
        }
        Unknown unknown =
                new Unknown(
                        theirs.version(),
                        theirs.notUnderstood().stream()
                                .map(PeerMessages.NotUnderstood::part)
                                .collect(
                                        Collectors.toCollection(
                                                () -> EnumSet.noneOf(PeerMessages.Part.class))));
        if (!unknown.equals(notUnderstood.getAndSet(unknown))) {
            journal.record(
                    new JournalEvent.PeerNotUnderstood(
                            theirs.version(),
                            theirs.notUnderstood().stream()
                                    .map(PeerMessages.NotUnderstood::words)
                                    .toList()));
        }
    }

    /** The peer asks over HTTPS. */
    public Optional<PeerMessages.Envelope> askedOverHttps(
            long number, PeerMessages.Received theirs) {
        lastAskedNanos = System.nanoTime();
        return asked(number, theirs);
    }

    /** The peer asks; empty when it was overtaken, or the supervisor is busy. */
    public Optional<PeerMessages.Envelope> asked(long number, PeerMessages.Received theirs) {
        heardNow();
        noteNotUnderstood(theirs);
        Event.PeerAsked question =
                new Event.PeerAsked(number, theirs.message(), !theirs.isOnlyASignOfLife());
        Optional<PeerMessage> answer =
                actor.call(() -> supervisor.asked(question), ANSWER_LIMIT).flatMap(taken -> taken);
        // One that was overtaken says nothing any more.
        answer.ifPresent(_ -> told = Told.now(theirs));
        return answer.map(this::envelope);
    }

    /** Whether the peer may be asking over the attributes, since it does not ask over HTTPS. */
    public boolean shouldListen() {
        return peerPresent.getAsBoolean()
                && System.nanoTime() - lastAskedNanos > NOT_ASKED.toNanos();
    }

    /** Before what was heard is taken in: a boot is never known without its moment. */
    private void heardNow() {
        moments.note(BootTimestamps.Event.PEER_HEARD);
        lastHeardNanos = System.nanoTime();
    }

    /** Over which the last question was answered. */
    public PeerChannelKind channel() {
        return channel;
    }

    /**
     * Whether the peer would recover from this node's failure, as it last said; empty if that was
     * longer ago than the limit, or never. An answer that a question has overtaken may bring back
     * an older word, until the next message: this is for people, and no decision reads it.
     */
    public Optional<RecoveryReadiness> peerReadiness(Duration limit) {
        return told(limit).map(Told::readiness);
    }

    /**
     * Whether the peer runs by another plan than this node, as it last said; not if that was longer
     * ago than the limit, nor where its release does not tell.
     */
    public boolean plansDiffer(Duration limit) {
        return told(limit).flatMap(Told::plan).filter(plan.get()::contradicts).isPresent();
    }

    /**
     * How long the peer would need to have this node off, as it last said, however long ago: that
     * is when the two have lost each other. Empty where its release does not tell.
     */
    public Optional<Duration> peerNeeds() {
        return Optional.ofNullable(told).flatMap(Told::needs);
    }

    /**
     * Whether the peer is connected to the network of the API's address, as it last said; not if
     * that was longer ago than the limit.
     */
    public boolean peersApiLinkIsUp(Duration limit) {
        return told(limit).filter(last -> last.apiLink() == Link.UP).isPresent();
    }

    private Optional<Told> told(Duration limit) {
        Told last = told;
        return last == null || System.nanoTime() - last.nanos() > limit.toNanos()
                ? Optional.empty()
                : Optional.of(last);
    }

    /** How long ago the peer was heard; empty if never. */
    public Optional<Duration> silence() {
        return lastHeardNanos == 0
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(System.nanoTime() - lastHeardNanos));
    }
}
