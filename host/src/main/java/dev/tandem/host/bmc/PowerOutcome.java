package dev.tandem.host.bmc;

import java.time.Duration;
import java.util.Optional;

/** How an attempt to switch a machine ended. */
public sealed interface PowerOutcome {

    /**
     * The state was read after the request was sent.
     *
     * @param machine which machine it was read of
     * @param confirmed whether the BMC accepted the request; if not, the machine was there before
     * @param span between the first and the last of the readings that said the same; zero if it was
     *     read once
     */
    record Observed(
            PowerState state,
            HardwareIdentity machine,
            boolean confirmed,
            Duration took,
            Duration span)
            implements PowerOutcome {}

    /** Nothing was switched: the order had lapsed, for this reason. */
    record Withheld(String why) implements PowerOutcome {}

    /** The time ran out, or going on was pointless. The machine may be in any state. */
    record NotObserved(Optional<PowerState> lastRead, Optional<BmcFault> lastFault, Duration took)
            implements PowerOutcome {
        public String sentence() {
            String seen =
                    lastRead.map(state -> "it last read " + state.redfishName())
                            .orElse("its power state was never read");
            return "after %.1f s %s%s"
                    .formatted(
                            took.toMillis() / 1000.0,
                            seen,
                            lastFault.map(fault -> "; " + fault.sentence()).orElse(""));
        }
    }
}
