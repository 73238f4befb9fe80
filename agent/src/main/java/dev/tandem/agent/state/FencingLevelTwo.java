package dev.tandem.agent.state;

import dev.tandem.agent.state.BootTimestamps.Event;
import dev.tandem.agent.state.BootTimestamps.Moment;
import dev.tandem.core.BmcAddress;
import dev.tandem.core.decision.LevelTwoRecord;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
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
 * Whether it counts is the supervisor's to judge.
 *
 * <p>The record is a {@link VersionedLine} of times since boot. Its first version was the time of
 * the order and nothing else, left by a shim that was content with one reading and could not tell
 * whether an order had been sent.
 */
public final class FencingLevelTwo {
    public static final String IPMI = "fence_ipmilan";

    private static final String RECORDS = "fenced";

    /** Of the record, as the shim of this release writes it. */
    private static final int VERSION = 2;

    /** The stock agent that fences by such a BMC. */
    public static String method(BmcAddress bmc) {
        return bmc.isIpmi() ? IPMI : "fence_redfish";
    }

    /** What the peer's BMC answers when this agent asks it. */
    public record Asked(Proofs.Machine machine, PowerReading power) {}

    private final Supplier<String> method;
    private final Path record;
    private final BootTimestamps moments;
    private final BootTimestamps ofItsBmc;
    private final Supplier<Optional<Asked>> bmc;
    private final VersionedLine.Told told;
    private String notUnderstood = "";

    /**
     * @param method the stock agent that it is now
     * @param run where the last fence that succeeded left its record
     * @param moments when the peer was heard
     * @param ofItsBmc when the BMC by which that level fences read a false Off
     * @param bmc which machine the BMC of that level controls and what it reads, asked now; empty
     *     while the machine cannot be told
     */
    public FencingLevelTwo(
            Supplier<String> method,
            Path run,
            String peer,
            BootTimestamps moments,
            BootTimestamps ofItsBmc,
            Supplier<Optional<Asked>> bmc) {
        this(
                method,
                run.resolve(RECORDS).resolve(peer),
                moments,
                ofItsBmc,
                bmc,
                VersionedLine.Told.LOGGED);
    }

    FencingLevelTwo(
            Supplier<String> method,
            Path record,
            BootTimestamps moments,
            BootTimestamps ofItsBmc,
            Supplier<Optional<Asked>> bmc,
            VersionedLine.Told told) {
        this.method = method;
        this.record = record;
        this.moments = moments;
        this.ofItsBmc = ofItsBmc;
        this.bmc = bmc;
        this.told = told;
    }

    public String method() {
        return method.get();
    }

    /** Which machine the peer's BMC controls and what it reads; it may take seconds. */
    public Optional<Asked> ask() {
        return bmc.get();
    }

    /**
     * The peer is in the membership. A record that this refutes must not speak when it goes missing
     * later.
     */
    public void peerIsThere(Duration missedForSure) {
        if (read().map(left -> moments.since(new Moment.At(left.ordered()))).stream()
                .anyMatch(since -> LevelTwoRecord.isRefutedByPresence(since, missedForSure))) {
            try {
                Files.deleteIfExists(record);
            } catch (IOException e) {
                UnexpectedErrors.log("deleting the record of a fence that did not hold", e);
            }
        }
    }

    /** What was left, and the moments of now; empty if there is nothing that is understood. */
    public Optional<LevelTwoRecord> read() {
        return text().flatMap(this::understood);
    }

    private Optional<String> text() {
        try {
            return Optional.of(Files.readString(record).strip());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            UnexpectedErrors.log("reading the record of a fence", e);
            return Optional.empty();
        }
    }

    private Optional<LevelTwoRecord> understood(String text) {
        if (text.matches("[0-9]{1,15}")) {
            return Optional.of(with(Long.parseLong(text), Optional.empty(), false));
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
                with(moment, span(line), line.word("action").filter("off"::equals).isPresent()));
    }

    private LevelTwoRecord with(long ordered, Optional<Duration> span, boolean staysOff) {
        return new LevelTwoRecord(
                ordered,
                span,
                staysOff,
                sinceBoot(moments.last(Event.PEER_HEARD)),
                sinceBoot(ofItsBmc.last(Event.FALSE_OFF_ENDED)));
    }

    private static LevelTwoRecord.SinceBoot sinceBoot(Moment moment) {
        return switch (moment) {
            case Moment.Never() -> new LevelTwoRecord.SinceBoot.Never();
            case Moment.At(long time) -> new LevelTwoRecord.SinceBoot.At(time);
            case Moment.Unknown() -> new LevelTwoRecord.SinceBoot.Unknown();
        };
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
