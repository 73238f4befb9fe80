package dev.tandem.agent.state;

import dev.tandem.agent.state.BootTimestamps.Event;
import dev.tandem.agent.state.BootTimestamps.Moment;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.supervise.Event.FenceReading;
import dev.tandem.host.UnexpectedErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What the second fencing level left behind: {@code fence_tandem_redfish} notes when it was ordered
 * to switch the peer off, and when it read Off, once it has done so. Pacemaker's own history would
 * tell the same by the time of day, which can be set, and keeps fences of boots that are long gone.
 *
 * <p>The record is a {@link VersionedLine} of times since boot. Its first version was the time of
 * the order and nothing else, left by a shim that was content with one reading and could not tell
 * whether an order had been sent. Such a fence counts only where this agent reads Off itself,
 * twice; a peer that was switched on again meanwhile comes back instead.
 */
public final class FencingLevelTwo {
    private static final String RECORDS = "fenced";

    /** Of the record, as the shim of this release writes it. */
    private static final int VERSION = 2;

    /** What the peer's BMC answers when this agent asks it. */
    public record Asked(Proofs.Machine machine, PowerReading power) {}

    /**
     * A fence of the second level, for the supervisor to judge.
     *
     * @param ordered in hundredths of a second since boot
     */
    public record Fence(Proofs.Machine machine, FenceReading reading, long ordered) {}

    /**
     * @param span between the two times at which the shim read Off; empty if it did so once
     * @param staysOff the node was not to be switched on again
     */
    private record Left(long ordered, Optional<Duration> span, boolean staysOff) {}

    /** Since when this agent reads Off itself, after that order. */
    private record OwnOff(long ordered, Moment.At since) {}

    private final String method;
    private final Path record;
    private final BootTimestamps moments;
    private final Supplier<Optional<Asked>> bmc;
    private final VersionedLine.Told told;
    private Optional<OwnOff> ownOff = Optional.empty();
    private Optional<Long> toldOnce = Optional.empty();
    private String notUnderstood = "";

    /**
     * @param method the stock agent that it is
     * @param run where the last fence that succeeded left its record
     * @param bmc which machine the BMC of that level controls and what it reads, asked now; empty
     *     while the machine cannot be told
     */
    public FencingLevelTwo(
            String method,
            Path run,
            String peer,
            BootTimestamps moments,
            Supplier<Optional<Asked>> bmc) {
        this(method, run.resolve(RECORDS).resolve(peer), moments, bmc, VersionedLine.Told.LOGGED);
    }

    FencingLevelTwo(
            String method,
            Path record,
            BootTimestamps moments,
            Supplier<Optional<Asked>> bmc,
            VersionedLine.Told told) {
        this.method = method;
        this.record = record;
        this.moments = moments;
        this.bmc = bmc;
        this.told = told;
    }

    public String method() {
        return method;
    }

    public boolean hasRecord() {
        return Files.exists(record);
    }

    /**
     * The fence of the boot in which the peer was last heard: the order came after the last sign of
     * life, and after the last moment at which the BMC was known to read a false Off. Where one of
     * these moments is unknown, there was none. The stock agent does not look which machine it
     * switches, so that is asked now; it may take seconds, and the peer may be heard meanwhile: see
     * {@link #isOfLastHeardBoot(Fence)}.
     *
     * @param now by the supervisor's clock. The record is written after Off was read, so that was
     *     before it
     */
    public Optional<Fence> ofLastHeardBoot(dev.tandem.core.supervise.Moment now) {
        return left().filter(left -> isOfLastHeardBoot(left.ordered()))
                .flatMap(left ->
                        left.span()
                                .map(span ->
                                        bmc.get()
                                                // Where the plan has the certificate
                                                // unverified, somebody may have answered the shim.
                                                .filter(asked ->
                                                        !left.staysOff()
                                                                || asked.power() != PowerReading.ON)
                                                .map(asked ->
                                                        new Fence(
                                                                asked.machine(),
                                                                off(span, now),
                                                                left.ordered())))
                                .orElseGet(() -> readOnce(left.ordered(), now)));
    }

    /** Whether the peer has given no sign of life since that order, still. */
    public boolean isOfLastHeardBoot(Fence fence) {
        return isOfLastHeardBoot(fence.ordered());
    }

    private static FenceReading off(Duration span, dev.tandem.core.supervise.Moment read) {
        // The stock agent does not look at what the BMC answers to an order.
        return new FenceReading(PowerReading.OFF, false, span, read);
    }

    private boolean isOfLastHeardBoot(long ordered) {
        return moments.last(Event.PEER_HEARD) instanceof Moment.At(long heard)
                && Proofs.isOfLastHeardBoot(ordered, heard)
                && switch (moments.last(Event.FALSE_OFF_ENDED)) {
                    case Moment.Never() -> true;
                    case Moment.At(long ended) -> ordered > ended;
                    case Moment.Unknown() -> false;
                };
    }

    /** Told as what it is once, so that the journal says why nothing follows from it. */
    private Optional<Fence> readOnce(long ordered, dev.tandem.core.supervise.Moment now) {
        Moment.At asking = moments.now();
        return bmc.get()
                .flatMap(asked -> {
                    Duration span = ownSpan(ordered, asking, asked.power());
                    return span.isPositive() || isNew(ordered)
                            ? Optional.of(new Fence(asked.machine(), off(span, now), ordered))
                            : Optional.empty();
                });
    }

    /** For how long this agent has read Off, and nothing else, after that order. */
    private synchronized Duration ownSpan(long ordered, Moment.At asked, PowerReading power) {
        if (power != PowerReading.OFF) {
            ownOff = Optional.empty();
            return Duration.ZERO;
        }
        Optional<OwnOff> before = ownOff.filter(off -> off.ordered() == ordered);
        if (before.isEmpty()) {
            ownOff = Optional.of(new OwnOff(ordered, moments.now()));
        }
        return before.map(off -> BootTimestamps.between(off.since(), asked)).orElse(Duration.ZERO);
    }

    private synchronized boolean isNew(long ordered) {
        boolean known = toldOnce.equals(Optional.of(ordered));
        toldOnce = Optional.of(ordered);
        return !known;
    }

    /**
     * The peer is in the membership. If that is still the case after an order that was to switch it
     * off, it was not switched off by it, and the record must not speak when it goes missing later.
     */
    public void peerIsThere(Duration missedForSure) {
        if (left().map(Left::ordered).map(Moment.At::new).map(moments::since).stream()
                .anyMatch(since -> since.compareTo(missedForSure) > 0)) {
            try {
                Files.deleteIfExists(record);
            } catch (IOException e) {
                UnexpectedErrors.log("deleting the record of a fence that did not hold", e);
            }
        }
    }

    private Optional<Left> left() {
        String text;
        try {
            text = Files.readString(record).strip();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            UnexpectedErrors.log("reading the record of a fence", e);
            return Optional.empty();
        }
        if (text.matches("[0-9]{1,15}")) {
            return Optional.of(new Left(Long.parseLong(text), Optional.empty(), false));
        }
        VersionedLine line = VersionedLine.parse(text);
        Optional<Long> ordered = line.count("ordered");
        Optional<String> refusal =
                line.refusal(VERSION)
                        .or(() ->
                                line.form().isEmpty() || ordered.isEmpty()
                                        ? Optional.of("it does not say when the fence was ordered")
                                        : Optional.empty());
        if (refusal.isPresent()) {
            tellOnce(text, refusal.get());
            return Optional.empty();
        }
        return ordered.map(moment ->
                new Left(
                        moment, span(line), line.word("action").filter("off"::equals).isPresent()));
    }

    private static Optional<Duration> span(VersionedLine line) {
        return line.count("off")
                .flatMap(off ->
                        line.count("again")
                                .map(again ->
                                        BootTimestamps.between(
                                                new Moment.At(off), new Moment.At(again))))
                .filter(Duration::isPositive);
    }

    private synchronized void tellOnce(String text, String why) {
        if (!notUnderstood.equals(text)) {
            notUnderstood = text;
            told.notUnderstood(record, why);
        }
    }
}
