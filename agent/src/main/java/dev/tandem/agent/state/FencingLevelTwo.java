package dev.tandem.agent.state;

import dev.tandem.agent.state.BootTimestamps.Event;
import dev.tandem.agent.state.BootTimestamps.Moment;
import dev.tandem.core.decision.Proofs;
import dev.tandem.host.UnexpectedErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What the second fencing level left behind: {@code fence_tandem_redfish} notes when it was ordered
 * to switch the peer off, once it has done so. Pacemaker's own history would tell the same by the
 * time of day, which can be set, and keeps fences of boots that are long gone.
 */
public final class FencingLevelTwo {
    public static final String METHOD = "fence_redfish";

    private final Path record;
    private final BootTimestamps moments;
    private final Supplier<Optional<Proofs.Machine>> machine;

    /**
     * @param record where the moment of the last order that succeeded is noted
     * @param machine which machine the peer's BMC controls, asked now; empty while that cannot be
     *     told
     */
    public FencingLevelTwo(
            Path record, BootTimestamps moments, Supplier<Optional<Proofs.Machine>> machine) {
        this.record = record;
        this.moments = moments;
        this.machine = machine;
    }

    /**
     * Whether the boot in which the peer was last heard was switched off: the order came after the
     * last sign of life, and after the last moment at which the BMC was known to deceive. Where one
     * of these moments is unknown, it was not.
     */
    public boolean fencedLastHeardBoot() {
        return BootTimestamps.read(record) instanceof Moment.At(long ordered)
                && moments.last(Event.PEER_HEARD) instanceof Moment.At(long heard)
                && Proofs.isOfLastHeardBoot(ordered, heard)
                && switch (moments.last(Event.BMC_DECEIVED)) {
                    case Moment.Never() -> true;
                    case Moment.At(long deceived) -> ordered > deceived;
                    case Moment.Unknown() -> false;
                };
    }

    /**
     * The peer is in the membership. If that is still the case after an order that was to switch it
     * off, it was not switched off by it, and the record must not speak when it goes missing later.
     */
    public void peerIsThere(Duration missedForSure) {
        if (BootTimestamps.read(record) instanceof Moment.At ordered
                && moments.since(ordered).compareTo(missedForSure) > 0) {
            try {
                Files.deleteIfExists(record);
            } catch (IOException e) {
                UnexpectedErrors.log("deleting the record of a fence that did not hold", e);
            }
        }
    }

    /** The stock agent does not look which machine it switches, so that is asked afterwards. */
    public Optional<Proofs.Machine> machine() {
        return machine.get();
    }
}
