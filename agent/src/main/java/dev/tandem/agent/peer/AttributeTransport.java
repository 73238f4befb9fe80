package dev.tandem.agent.peer;

import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.host.pacemaker.NodeAttributes;
import dev.tandem.host.pacemaker.NodeAttributes.Lifetime;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Messages between the two agents over attributes that the cluster replicates, for when HTTPS fails
 * and Corosync works. Each node writes one attribute: a question of its own and the answer to the
 * peer's last one. An answer repeats the number of its question.
 *
 * <p>An attribute stays where it is, so a message may be read long after it was written. Therefore
 * every message carries a stamp, and a question names the stamp of the message that the peer wrote
 * last: a question that names an old one is old itself, and is ignored. See ADR 11. Who may write
 * attributes cannot forge a message: see {@link SignedAttribute}.
 */
public final class AttributeTransport implements PeerTransport {
    /** The peer may be of an older release, so the name stays. */
    static final String ATTRIBUTE = "tandem-letter";

    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

    /** As long as a question may be on its way over HTTPS. */
    private static final Duration QUESTION_LIFETIME = Duration.ofSeconds(5);

    /** How often a listener writes again, so that the peer has a stamp that is good for a while. */
    private static final Duration STAMP_INTERVAL = Duration.ofSeconds(2);

    /** A change of a private attribute causes no event; each read starts a small program. */
    public static final Duration LOOK = Duration.ofMillis(500);

    /** One attribute of each node. */
    interface Attributes {
        /** Empty if there is none, or the cluster does not answer. */
        Optional<String> readPeers();

        void writeOwn(String mine);
    }

    private final NodeName peer;
    private final Attributes attributes;
    private final SignedAttribute signed;
    private final Inbox inbox;
    private final LongSupplier nanos;

    private final Map<Long, Long> stamps = new LinkedHashMap<>();
    private long lastStamp;
    private AttributeMessage.@Nullable Question question;
    private AttributeMessage.@Nullable Answer answer;

    public AttributeTransport(
            NodeName peer,
            Attributes attributes,
            SignedAttribute signed,
            Inbox inbox,
            LongSupplier nanos) {
        this.peer = peer;
        this.attributes = attributes;
        this.signed = signed;
        this.inbox = inbox;
        this.nanos = nanos;
    }

    /** Private attributes: replicated, never in the CIB, gone when the node leaves. */
    public static Attributes inCluster(NodeAttributes attributes, NodeName self, NodeName peer) {
        return new Attributes() {
            @Override
            public Optional<String> readPeers() {
                return attributes.read(Lifetime.PRIVATE, peer.value(), ATTRIBUTE).known();
            }

            @Override
            public void writeOwn(String mine) {
                attributes.write(Lifetime.PRIVATE, self.value(), ATTRIBUTE, mine);
            }
        };
    }

    @Override
    public Reply ask(long number, PeerMessages.Envelope mine) {
        long end = nanos.getAsLong() + ANSWER_LIMIT.toNanos();
        try {
            do {
                Optional<SignedAttribute.Opened> theirs = read();
                Optional<AttributeMessage.Answer> told =
                        theirs.flatMap(opened -> opened.message().answer())
                                .filter(reply -> reply.number() == number);
                if (told.isPresent()) {
                    // It answers a question of this very moment.
                    signed.isFresh(theirs.orElseThrow());
                    return told.get().said().isOf(peer)
                            ? new Reply.Answered(told.get().said())
                            : new Reply.Silent("the attribute was not written by " + peer);
                }
                if (theirs.isPresent()) {
                    put(AttributeMessage.asking(number, theirs.get().message().stamp(), mine));
                }
                Thread.sleep(LOOK);
            } while (nanos.getAsLong() - end < 0);
            return new Reply.Silent(peer + " does not answer over attributes");
        } catch (Failure e) {
            return new Reply.Silent(e.what() + ": " + e.why());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Reply.Silent("interrupted");
        } finally {
            synchronized (this) {
                question = null;
            }
        }
    }

    private synchronized void put(AttributeMessage.Question next) {
        if (!next.equals(question)) {
            question = next;
            write();
        }
    }

    /** Looks once for a question of the peer and answers it. */
    public void listen() {
        Optional<SignedAttribute.Opened> theirs = read();
        Optional<AttributeMessage.Question> asked =
                theirs.flatMap(opened -> opened.message().question())
                        .filter(this::fresh)
                        .filter(found -> found.said().isOf(peer));
        if (asked.isPresent()) {
            signed.isFresh(theirs.orElseThrow());
        }
        Optional<AttributeMessage.Answer> told =
                asked.flatMap(found ->
                        inbox.asked(found.number(), found.said())
                                .map(mine -> AttributeMessage.answering(found.number(), mine)));
        synchronized (this) {
            told.ifPresent(next -> answer = next);
            if (told.isPresent() || nanos.getAsLong() - lastStamp > STAMP_INTERVAL.toNanos()) {
                write();
            }
        }
    }

    private synchronized boolean fresh(AttributeMessage.Question asked) {
        AttributeMessage.Answer last = answer;
        Long written = stamps.get(asked.stamp());
        return written != null
                && nanos.getAsLong() - written <= QUESTION_LIFETIME.toNanos()
                && (last == null || last.number() != asked.number());
    }

    private void write() {
        long now = nanos.getAsLong();
        long stamp = Math.max(now, lastStamp + 1);
        lastStamp = stamp;
        stamps.values().removeIf(written -> now - written > QUESTION_LIFETIME.toNanos());
        stamps.put(stamp, now);
        AttributeMessage.Question mine = question;
        AttributeMessage.Answer told = answer;
        attributes.writeOwn(
                signed.write(
                        new AttributeMessage(
                                stamp, Optional.ofNullable(mine), Optional.ofNullable(told))));
    }

    private Optional<SignedAttribute.Opened> read() {
        return attributes.readPeers().filter(text -> !text.isBlank()).flatMap(signed::read);
    }
}
