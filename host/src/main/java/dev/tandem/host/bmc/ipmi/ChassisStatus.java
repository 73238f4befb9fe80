package dev.tandem.host.bmc.ipmi;

import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.PowerState;
import java.time.Duration;

/** The answer to Get Chassis Status, IPMI 2.0, 28.2. */
final class ChassisStatus {
    private static final int POWER_IS_ON = 1;

    /** The BMC tried to switch the power, and the machine did not follow. */
    private static final int CONTROL_FAULT = 1 << 4;

    private ChassisStatus() {}

    /** Off counts only of a BMC that does not say itself that switching failed. */
    static BmcAnswer<PowerState> power(byte[] answer) {
        // The fourth byte, on the buttons of the front panel, may be missing.
        if (answer.length < 3 || answer.length > 4) {
            return nonsense(
                    "its chassis status has %d bytes instead of 3 or 4".formatted(answer.length));
        }
        boolean on = (answer[0] & POWER_IS_ON) != 0;
        if (!on && (answer[0] & CONTROL_FAULT) != 0) {
            return nonsense("it reads Off, and that the machine did not obey its last order");
        }
        return new BmcAnswer.Read<>(on ? PowerState.ON : PowerState.OFF, Duration.ZERO);
    }

    private static BmcAnswer<PowerState> nonsense(String why) {
        return new BmcAnswer.Unknown<>(new BmcFault.Unintelligible(why));
    }
}
