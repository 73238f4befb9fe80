package dev.tandem.host.bmc;

import java.util.Arrays;
import java.util.Optional;

/** The power states of Redfish's Resource schema. Only {@link #OFF} says that nothing runs. */
public enum PowerState {
    ON("On"),
    OFF("Off"),
    POWERING_ON("PoweringOn"),
    POWERING_OFF("PoweringOff"),
    PAUSED("Paused");

    private final String redfishName;

    PowerState(String redfishName) {
        this.redfishName = redfishName;
    }

    public String redfishName() {
        return redfishName;
    }

    /** Empty for a value that the schema does not have: nothing may be concluded from it. */
    public static Optional<PowerState> parse(String redfishName) {
        String word = redfishName.strip();
        return Arrays.stream(values()).filter(s -> s.redfishName.equals(word)).findFirst();
    }
}
