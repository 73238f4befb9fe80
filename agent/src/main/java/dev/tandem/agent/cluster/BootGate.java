package dev.tandem.agent.cluster;

import dev.tandem.agent.state.Journal;
import dev.tandem.agent.state.VersionedLine;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.BootId;
import dev.tandem.core.FormatVersion;
import dev.tandem.core.IpAddress;
import dev.tandem.core.link.LinkStability;
import dev.tandem.core.link.PeerLoss;
import dev.tandem.core.supervise.Moment;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.UnexpectedErrors;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Holds Corosync back after a boot while the network to the peer is unstable.
 *
 * <p>A node that loses the peer in such a network is fenced, boots, meets the peer, loses it again
 * and is fenced again, as often as the network fails. So a node whose last boot ended without the
 * peer comes back only when the peer has answered for a while. A node that lost its power or
 * crashed had its peer until the end, and does not wait.
 *
 * <p>Anything unexpected opens the gate: it only saves restarts, and fencing is what keeps data
 * safe.
 */
public final class BootGate {
    private static final Duration PROBE = Duration.ofMillis(250);

    /** Of the mark; one of the first files is the name of the boot and nothing else. */
    private static final int VERSION = 1;

    private static final FormatVersion FORM = FormatVersion.of(VERSION);

    private final Path mark;
    private final BootId boot;
    private final Supplier<List<IpAddress>> peer;
    private final Journal journal;
    private final LongSupplier nanoTime;
    private final VersionedLine.Told told;
    private final CompletableFuture<LinkStability.Verdict> opened = new CompletableFuture<>();
    private PeerLoss loss;

    /**
     * @param mark exists while the peer is not heard, or was lost a moment ago; holds the boot in
     *     which that was noticed. The shell file await-stable-link looks for that boot's name in it
     */
    public BootGate(
            Path mark,
            BootId boot,
            Supplier<List<IpAddress>> peer,
            Journal journal,
            LongSupplier nanoTime) {
        this(mark, boot, peer, journal, nanoTime, VersionedLine.Told.LOGGED);
    }

    BootGate(
            Path mark,
            BootId boot,
            Supplier<List<IpAddress>> peer,
            Journal journal,
            LongSupplier nanoTime,
            VersionedLine.Told told) {
        this.nanoTime = nanoTime;
        this.told = told;
        this.mark = mark;
        this.boot = boot;
        this.peer = peer;
        this.journal = journal;
        this.loss = PeerLoss.of(Files.exists(mark));
    }

    public void start() {
        if (lastBootHeardThePeer()) {
            opened.complete(LinkStability.Verdict.STABLE);
            return;
        }
        journal.record(new JournalEvent.StableLinkAwaited(LinkStability.STABLE_FOR.toSeconds()));
        Thread.ofVirtual().name("boot-gate").start(this::watch);
    }

    private boolean lastBootHeardThePeer() {
        try {
            String text = Files.readString(mark).strip();
            VersionedLine line = VersionedLine.parse(text);
            Optional<String> marked =
                    line.form().isEmpty()
                            ? Optional.of(text).filter(bare -> bare.matches("[0-9A-Za-z-]+"))
                            : Optional.ofNullable(line.values().get("boot"));
            Optional<String> refusal =
                    line.refusal(VERSION)
                            .or(() ->
                                    marked.isEmpty()
                                            ? Optional.of("it names no boot")
                                            : Optional.empty());
            refusal.ifPresent(why -> told.notUnderstood(mark, why));
            return refusal.isPresent() || marked.equals(Optional.of(boot.value()));
        } catch (IOException e) {
            return true;
        }
    }

    private void watch() {
        LinkStability link = LinkStability.from(now());
        LinkStability.Verdict verdict = LinkStability.Verdict.WAIT;
        try {
            while (verdict == LinkStability.Verdict.WAIT) {
                if (peer.get().stream().anyMatch(BootGate::answers)) {
                    link = link.answered(now());
                    Thread.sleep(PROBE);
                }
                verdict = link.verdict(now());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            opened.complete(verdict);
        }
        ended(verdict).ifPresent(end -> journal.record(new JournalEvent.StableLinkWaitEnded(end)));
    }

    private static Optional<JournalEvent.StableLinkWaitEnded.Verdict> ended(
            LinkStability.Verdict verdict) {
        return switch (verdict) {
            // Interrupted: the agent is ending.
            case WAIT -> Optional.empty();
            case STABLE -> Optional.of(JournalEvent.StableLinkWaitEnded.Verdict.STABLE);
            case PEER_AWAY -> Optional.of(JournalEvent.StableLinkWaitEnded.Verdict.PEER_AWAY);
            case TIME_IS_UP -> Optional.of(JournalEvent.StableLinkWaitEnded.Verdict.TIME_IS_UP);
        };
    }

    private static boolean answers(IpAddress address) {
        try {
            return InetAddress.ofLiteral(address.toString()).isReachable((int) PROBE.toMillis());
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns when Corosync may start, with the reason. */
    public String await() throws InterruptedException {
        try {
            return opened.get().name();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What Corosync waits for, if it does. */
    public Optional<String> sentence() {
        return opened.isDone()
                ? Optional.empty()
                : Optional.of(
                        "the link to the peer was unstable before this boot; Corosync starts here"
                                + " once the peer"
                                + " has answered for %d s, or after %d minutes"
                                        .formatted(
                                                LinkStability.STABLE_FOR.toSeconds(),
                                                LinkStability.LIMIT.toMinutes()));
    }

    private static Moment now() {
        return new Moment(System.nanoTime());
    }

    /**
     * Whether Corosync has the peer in the membership, as the loop and every action of Pacemaker
     * see it.
     *
     * @param peerBoot the peer's boot, as last heard
     */
    public synchronized void peerPresent(boolean present, Optional<BootId> peerBoot) {
        PeerLoss.Seen seen = loss.seen(present, peerBoot, new Moment(nanoTime.getAsLong()));
        loss = seen.after();
        switch (seen.mark()) {
            case SET -> mark(true);
            case CLEAR -> mark(false);
            case LEAVE -> {}
        }
    }

    private void mark(boolean lost) {
        try {
            if (lost) {
                DurableFiles.write(mark, VersionedLine.begin(FORM) + "boot=" + boot + "\n");
            } else {
                DurableFiles.delete(mark);
            }
        } catch (IOException e) {
            UnexpectedErrors.log("whether the peer is heard", e);
        }
    }
}
