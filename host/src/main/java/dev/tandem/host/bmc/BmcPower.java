package dev.tandem.host.bmc;

import java.time.Duration;

/** The power button of one machine, whatever protocol reaches it. */
public interface BmcPower {

    /** The power state as the BMC tells it now. */
    BmcAnswer<PowerState> read();

    /** Cuts the power and reads until Off is seen, or until the limit. */
    PowerOutcome off(Duration limit);

    /** Switches on and reads until the machine is on or on its way, or until the limit. */
    PowerOutcome on(Duration limit);
}
