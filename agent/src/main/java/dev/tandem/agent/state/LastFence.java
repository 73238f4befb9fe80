package dev.tandem.agent.state;

import dev.tandem.host.bmc.BmcFault;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Why the last fence of the peer failed, for the status. Reading a BMC does not show all of it: an
 * account may be allowed to read and not to switch, and a BMC may accept an order and do nothing.
 * Any thread may ask and tell.
 */
public final class LastFence {
    /**
     * A fence that failed.
     *
     * @param fault what its BMC answered last, where that was a fault
     * @param age since it was answered
     */
    public record Failed(String why, Optional<BmcFault> fault, Duration age) {}

    private record Answer(String why, Optional<BmcFault> fault, long nanos) {}

    private final LongSupplier nanos;
    private volatile Optional<Answer> last = Optional.empty();

    public LastFence(LongSupplier nanos) {
        this.nanos = nanos;
    }

    public void failed(String why, Optional<BmcFault> fault) {
        last = Optional.of(new Answer(why, fault, nanos.getAsLong()));
    }

    /** It succeeded, or the peer is back: what failed before concerns nobody any more. */
    public void forget() {
        last = Optional.empty();
    }

    public Optional<Failed> failed() {
        return last.map(answer ->
                new Failed(
                        answer.why(),
                        answer.fault(),
                        Duration.ofNanos(nanos.getAsLong() - answer.nanos())));
    }
}
