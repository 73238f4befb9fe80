package dev.tandem.agent.peer;

import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.agent.state.Journal;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.agent.thread.Actor;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.PeerChannel;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.VolatileState;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

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

    private volatile long lastHeardNanos;
    private volatile long lastAskedNanos = System.nanoTime();
    private volatile boolean peerCannotStore;
    private volatile PeerChannel channel = PeerChannel.NONE;
    private final AtomicReference<String> notUnderstood = new AtomicReference<>("");
    private long lastNumber;

    /**
     * @param peerPresent whether Corosync has both nodes
     */
    public PeerExchange(
            EtcdSupervisor supervisor,
            Actor actor,
            Journal journal,
            BootTimestamps moments,
            BooleanSupplier peerPresent) {
        this.supervisor = supervisor;
        this.actor = actor;
        this.journal = journal;
        this.moments = moments;
        this.peerPresent = peerPresent;
    }

    /** How long until the next question. */
    public Duration heartbeat() {
        return supervisor.view().reconciles() ? HEARTBEAT_WHILE_JOINING : HEARTBEAT;
    }

    /** Asks the peer, and tells the supervisor what it answered. One thread asks. */
    public void ask(PeerTransport https, PeerTransport attributes) {
        PeerTransport.Reply reply = ask(https);
        PeerChannel now = PeerChannel.HTTPS;
        if (reply instanceof PeerTransport.Reply.Silent && peerPresent.getAsBoolean()) {
            reply = ask(attributes);
            now = PeerChannel.CLUSTER_ATTRIBUTES;
        }
        noteChannel(reply instanceof PeerTransport.Reply.Silent ? PeerChannel.NONE : now);
    }

    /** A new question for each channel: the facts may have changed while the first was tried. */
    private PeerTransport.Reply ask(PeerTransport transport) {
        VolatileState.Question question = supervisor.view().question();
        PeerTransport.Reply reply = transport.ask(nextNumber(), question.message());
        if (reply instanceof PeerTransport.Reply.Answered(PeerMessages.Received theirs)) {
            heardNow();
            peerCannotStore = theirs.cannotStore();
            noteNotUnderstood(theirs);
            supervisor.post(
                    new Event.PeerAnswered(
                            question, theirs.message(), !theirs.isOnlyASignOfLife()));
        }
        return reply;
    }

    /** By the monotonic clock, so that an agent that was restarted goes on above its last. */
    private long nextNumber() {
        lastNumber = Math.max(lastNumber + 1, System.nanoTime() / 1000);
        return lastNumber;
    }

    private void noteChannel(PeerChannel now) {
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
        String kind =
                theirs.notUnderstood().stream()
                        .map(part -> part.split(" ", 2)[0])
                        .collect(Collectors.joining(" ", theirs.version() + " ", ""));
        if (!kind.equals(notUnderstood.getAndSet(kind))) {
            journal.record(
                    new JournalEvent.PeerNotUnderstood(theirs.version(), theirs.notUnderstood()));
        }
    }

    /** The peer asks over HTTPS. */
    public Optional<PeerMessage> askedOverHttps(long number, PeerMessages.Received theirs) {
        lastAskedNanos = System.nanoTime();
        return asked(number, theirs);
    }

    /** The peer asks; empty when it was overtaken, or the supervisor is busy. */
    public Optional<PeerMessage> asked(long number, PeerMessages.Received theirs) {
        heardNow();
        peerCannotStore = theirs.cannotStore();
        noteNotUnderstood(theirs);
        Event.PeerAsked question =
                new Event.PeerAsked(number, theirs.message(), !theirs.isOnlyASignOfLife());
        return actor.call(() -> supervisor.asked(question), ANSWER_LIMIT).flatMap(answer -> answer);
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
    public PeerChannel channel() {
        return channel;
    }

    /** Whether this node's disk stores nothing, as the peer is told. */
    public boolean cannotStore() {
        return supervisor.view().cannotStore().isPresent();
    }

    /** Whether the peer said of itself, when it was last heard, that it cannot store its state. */
    public boolean peerCannotStore() {
        return peerCannotStore;
    }

    /** How long ago the peer was heard; empty if never. */
    public Optional<Duration> silence() {
        return lastHeardNanos == 0
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(System.nanoTime() - lastHeardNanos));
    }
}
