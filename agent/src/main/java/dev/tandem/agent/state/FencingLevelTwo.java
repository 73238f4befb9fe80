package dev.tandem.agent.state;

import dev.tandem.agent.state.BootTimestamps.Event;
import dev.tandem.agent.state.BootTimestamps.Moment;
import dev.tandem.core.BmcAddress;
import dev.tandem.core.decision.LevelTwoRecord;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.host.UnexpectedErrors;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.plan.FurtherLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * What the second fencing level left behind: {@code fence_tandem_redfish} notes when it was ordered
 * to switch the peer off, and when it read Off, once it has done so. Pacemaker's own history would
 * tell the same by the time of day, which can be set, and keeps fences of boots that are long gone.
 * Whether it counts is the supervisor's to judge.
 *
 * <p>The record is a {@link VersionedLine} of times since boot, with the BMC that gave it and what
 * that told of its machine when it read Off. Its first version was the time of the order and
 * nothing else, left by a shim that was content with one reading and could not tell whether an
 * order had been sent.
 */
public final class FencingLevelTwo {
    public static final String IPMI = "fence_ipmilan";

    private static final String RECORDS = "fenced";
    private static final Pattern UUID_TEXT =
            Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

    /** Of the record, as the shim of this release writes it. */
    private static final int VERSION = 2;

    /** The stock agent that fences by such a BMC. */
    public static String method(BmcAddress bmc) {
        return bmc.isIpmi() ? IPMI : "fence_redfish";
    }

    /** Where further levels leave their records, with their number after it. */
    public static final String FURTHER = "further";

    /** What is known, when a record is found, of that by which it was given. */
    public sealed interface Answer {}

    /** What the peer's BMC answers when this agent asks it. */
    public record Asked(Proofs.Machine machine, PowerReading power) implements Answer {}

    /** What the plan says of a further level, which this agent does not ask. */
    public record Stated(boolean provesOff) implements Answer {}

    /** By what a level switches the peer. */
    public sealed interface Device {}

    /** The BMC of that level that is in use for the peer. */
    public non-sealed interface PeersBmc extends Device {
        /** Where it is reached, if there is one. */
        Optional<BmcAddress> address();

        /**
         * Which machine it controls and what it reads, asked now; empty while the machine cannot be
         * told.
         */
        Optional<Asked> ask();

        /** Whether it is the peer that a BMC has told of, be it another BMC. */
        Proofs.Machine machineOf(HardwareIdentity told);
    }

    /**
     * An outlet, or whatever else a stock agent of the plan switches: it has no BMC and tells of no
     * machine.
     *
     * @param level as the plan in use has it, and whether it says that this is the peer's power;
     *     empty where it has no such level
     */
    public record OfThePlan(Supplier<Optional<FurtherLevel>> level) implements Device {}

    private final Supplier<String> method;
    private final Path record;
    private final BootTimestamps moments;
    private final BootTimestamps ofItsDevice;
    private final Device device;
    private final VersionedLine.Told told;
    private String notUnderstood = "";

    /**
     * @param method the stock agent that it is now
     * @param run where the last fence that succeeded left its record
     * @param moments when the peer was heard
     * @param ofItsDevice when that by which this level fences read a false Off
     * @param device in use for the peer
     */
    public FencingLevelTwo(
            Supplier<String> method,
            Path run,
            String peer,
            BootTimestamps moments,
            BootTimestamps ofItsDevice,
            Device device) {
        this(
                method,
                run.resolve(RECORDS).resolve(peer),
                moments,
                ofItsDevice,
                device,
                VersionedLine.Told.LOGGED);
    }

    FencingLevelTwo(
            Supplier<String> method,
            Path record,
            BootTimestamps moments,
            BootTimestamps ofItsDevice,
            Device device,
            VersionedLine.Told told) {
        this.method = method;
        this.record = record;
        this.moments = moments;
        this.ofItsDevice = ofItsDevice;
        this.device = device;
        this.told = told;
    }

    public String method() {
        return method.get();
    }

    /** A record, with the moments of now, and what was answered about it. */
    public record Found(LevelTwoRecord record, Answer answer) {}

    /**
     * What is known of a record; it may take seconds. Empty where that is not known, and where the
     * level has fenced again meanwhile: the answer is none about that fence. The record of another
     * machine is used up: whatever the BMC is found to control later, as once its address is
     * corrected, it must not speak again.
     */
    public Optional<Found> find(LevelTwoRecord judged) {
        Optional<Answer> answer = ask();
        // Again, since the peer may have been heard meanwhile.
        Optional<Found> found =
                answer.flatMap(what ->
                        read().filter(left -> left.ordered() == judged.ordered())
                                .map(left -> new Found(left, what)));
        if (found.map(Found::answer).filter(FencingLevelTwo::isAnothers).isPresent()) {
            delete("deleting the record of a fence of another machine");
        }
        return found;
    }

    private static boolean isAnothers(Answer answer) {
        return answer instanceof Asked(var machine, _) && machine == Proofs.Machine.ANOTHER;
    }

    /**
     * Which machine is at the end of the wire and what it reads. A record that names a machine is
     * about that one, whatever the BMC that is in use controls. Of a further level, what the plan
     * says; empty where the plan has no such level.
     */
    Optional<Answer> ask() {
        return switch (device) {
            case PeersBmc bmc -> ask(bmc).map(answer -> answer);
            case OfThePlan(var level) -> level.get().map(now -> new Stated(isStated(now)));
        };
    }

    /**
     * Whether the plan says so now, and said so of the same when the power was switched: a wrong
     * outlet that was switched is no other one once the plan names the right one.
     */
    private boolean isStated(FurtherLevel now) {
        return now.statement()
                .filter(statement ->
                        line().flatMap(left -> left.word("stated")).equals(Optional.of(statement)))
                .isPresent();
    }

    private Optional<Asked> ask(PeersBmc bmc) {
        Proofs.Machine named =
                line().map(left -> bmc.machineOf(machine(left))).orElse(Proofs.Machine.NOT_TOLD);
        return switch (named) {
            case ANOTHER -> Optional.of(new Asked(Proofs.Machine.ANOTHER, PowerReading.UNKNOWN));
            // What another machine reads now says nothing of the one that was switched.
            case THE_PEER ->
                    bmc.ask()
                            .map(asked ->
                                    isAnothers(asked)
                                            ? new Asked(named, PowerReading.UNKNOWN)
                                            : asked);
            case NOT_TOLD, NOT_STATED -> bmc.ask();
        };
    }

    /**
     * The peer is in the membership. A record that this refutes must not speak when it goes missing
     * later.
     */
    public void peerIsThere(Duration missedForSure) {
        if (read().map(left -> moments.since(new Moment.At(left.ordered()))).stream()
                .anyMatch(since -> LevelTwoRecord.isRefutedByPresence(since, missedForSure))) {
            delete("deleting the record of a fence that did not hold");
        }
    }

    private void delete(String what) {
        try {
            Files.deleteIfExists(record);
        } catch (IOException e) {
            UnexpectedErrors.log(what, e);
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
            return Optional.of(
                    with(
                            Long.parseLong(text),
                            Optional.empty(),
                            false,
                            LevelTwoRecord.Giver.UNKNOWN));
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
                with(
                        moment,
                        span(line),
                        line.word("action").filter("off"::equals).isPresent(),
                        giver(line)));
    }

    private LevelTwoRecord with(
            long ordered, Optional<Duration> span, boolean staysOff, LevelTwoRecord.Giver giver) {
        return new LevelTwoRecord(
                ordered,
                span,
                staysOff,
                giver,
                sinceBoot(moments.last(Event.PEER_HEARD)),
                sinceBoot(ofItsDevice.last(Event.FALSE_OFF_ENDED)));
    }

    private Optional<VersionedLine> line() {
        return text().map(VersionedLine::parse);
    }

    /** That of a further level says nothing of it: the plan does, to whoever judges the record. */
    private LevelTwoRecord.Giver giver(VersionedLine line) {
        return switch (device) {
            case PeersBmc bmc -> giver(bmc, line);
            case OfThePlan _ -> LevelTwoRecord.Giver.UNKNOWN;
        };
    }

    /** What came with the Off says more than the address: that may lead to anybody by now. */
    private static LevelTwoRecord.Giver giver(PeersBmc bmc, VersionedLine line) {
        Optional<String> said = line.word("bmc");
        boolean inUse =
                said.isPresent() && bmc.address().map(FencingLevelTwo::recordedAs).equals(said);
        return inUse || bmc.machineOf(machine(line)) == Proofs.Machine.THE_PEER
                ? LevelTwoRecord.Giver.THE_PEERS
                : LevelTwoRecord.Giver.UNKNOWN;
    }

    /** As the shim spells it, from the parameters of its device. */
    static String recordedAs(BmcAddress address) {
        String host = address.isIpmi() ? address.host() : address.bracketedHost();
        return (host + ":" + address.port() + address.systemPath()).replace(';', ',');
    }

    private static HardwareIdentity machine(VersionedLine line) {
        return new HardwareIdentity(
                line.word("uuid")
                        .filter(text -> UUID_TEXT.matcher(text).matches())
                        .map(UUID::fromString),
                line.word("serial"),
                Set.of());
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
