package dev.tandem.agent.peer;

import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.host.pacemaker.NodeAttributes;
import dev.tandem.host.pacemaker.NodeAttributes.Lifetime;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Words between the two agents over attributes that the cluster replicates, for when HTTPS is cut
 * and Corosync is not. Each node has one attribute, its letter: a question of its own and the
 * answer to the peer's last one. An answer repeats the number of its question.
 *
 * <p>An attribute stays where it is, so a letter may be read long after it was written. Therefore
 * every letter carries a stamp, and a question names the stamp of the letter that the peer wrote
 * last: a question that names an old one is old itself, and not taken. See ADR 11.
 */
public final class AttributeTransport implements PeerTransport {
    static final String ATTRIBUTE = "tandem-letter";

    private static final Duration ANSWER = Duration.ofSeconds(5);

    /** As long as a question may be on its way over HTTPS. */
    private static final Duration FRESH = Duration.ofSeconds(5);

    /** How often a listener writes again, so that the peer has a stamp that is good for a while. */
    private static final Duration RENEWED = Duration.ofSeconds(2);

    /** No event tells of a private attribute; each look costs the start of a small program. */
    public static final Duration LOOK = Duration.ofMillis(500);

    /** Where letters are left and found. */
    interface Letters {
        /** The peer's; empty if there is none, or the cluster does not answer. */
        Optional<String> theirs();

        void leave(String mine);
    }

    private final NodeName peer;
    private final Letters letters;
    private final Inbox inbox;
    private final LongSupplier nanos;

    private final Map<Long, Long> stamps = new LinkedHashMap<>();
    private long lastStamp;
    private Letter.@Nullable Question question;
    private Letter.@Nullable Answer answer;

    public AttributeTransport(NodeName peer, Letters letters, Inbox inbox, LongSupplier nanos) {
        this.peer = peer;
        this.letters = letters;
        this.inbox = inbox;
        this.nanos = nanos;
    }

    /** Private attributes: replicated, never in the CIB, gone when the node leaves. */
    public static Letters inCluster(NodeAttributes attributes, NodeName self, NodeName peer) {
        return new Letters() {
            @Override
            public Optional<String> theirs() {
                return attributes.read(Lifetime.PRIVATE, peer.value(), ATTRIBUTE).known();
            }

            @Override
            public void leave(String mine) {
                attributes.write(Lifetime.PRIVATE, self.value(), ATTRIBUTE, mine);
            }
        };
    }

    @Override
    public Reply ask(long number, PeerMessage mine) {
        long end = nanos.getAsLong() + ANSWER.toNanos();
        try {
            do {
                Optional<Letter> theirs = read();
                Optional<Letter.Answer> told =
                        theirs.flatMap(Letter::answer).filter(reply -> reply.number() == number);
                if (told.isPresent()) {
                    return told.get().said().isOf(peer)
                            ? new Reply.Answered(told.get().said())
                            : new Reply.Silent("the letter is not of " + peer);
                }
                if (theirs.isPresent()) {
                    put(Letter.asking(number, theirs.get().stamp(), mine));
                }
                Thread.sleep(LOOK);
            } while (nanos.getAsLong() - end < 0);
            return new Reply.Silent("no letter of " + peer + " answers");
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

    private synchronized void put(Letter.Question next) {
        if (!next.equals(question)) {
            question = next;
            write();
        }
    }

    /** Looks once for a question of the peer and answers it. */
    public void listen() {
        Optional<Letter.Question> asked =
                read().flatMap(Letter::question)
                        .filter(this::fresh)
                        .filter(found -> found.said().isOf(peer));
        Optional<Letter.Answer> told =
                asked.flatMap(found ->
                        inbox.asked(found.number(), found.said())
                                .map(mine -> Letter.answering(found.number(), mine)));
        synchronized (this) {
            told.ifPresent(next -> answer = next);
            if (told.isPresent() || nanos.getAsLong() - lastStamp > RENEWED.toNanos()) {
                write();
            }
        }
    }

    private synchronized boolean fresh(Letter.Question asked) {
        Letter.Answer last = answer;
        Long written = stamps.get(asked.stamp());
        return written != null
                && nanos.getAsLong() - written <= FRESH.toNanos()
                && (last == null || last.number() != asked.number());
    }

    private void write() {
        long now = nanos.getAsLong();
        long stamp = Math.max(now, lastStamp + 1);
        lastStamp = stamp;
        stamps.values().removeIf(written -> now - written > FRESH.toNanos());
        stamps.put(stamp, now);
        Letter.Question mine = question;
        Letter.Answer told = answer;
        letters.leave(
                new Letter(stamp, Optional.ofNullable(mine), Optional.ofNullable(told)).encoded());
    }

    private Optional<Letter> read() {
        return letters.theirs().flatMap(Letter::parse);
    }
}
