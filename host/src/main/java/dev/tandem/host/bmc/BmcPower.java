package dev.tandem.host.bmc;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** The power button of one machine, whatever protocol reaches it. */
public interface BmcPower {

    /** The power state as the BMC tells it now. */
    BmcAnswer<PowerState> read();

    /** Cuts the power and reads until Off is seen, or until the limit. */
    default PowerOutcome off(Duration limit) {
        return off(limit, Optional::empty);
    }

    /**
     * The same for an order that may lapse before it is carried out.
     *
     * @param lapsed why nothing may be switched any more; asked before each command to the BMC
     */
    PowerOutcome off(Duration limit, Supplier<Optional<String>> lapsed);

    /** Switches on and reads until the machine is on or on its way, or until the limit. */
    PowerOutcome on(Duration limit);
}
