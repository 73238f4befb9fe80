package dev.tandem.host.bmc;

import java.util.Arrays;
import java.util.Optional;

/** What Redfish's ComputerSystem.Reset can be asked for. */
public enum ResetType {
    ON("On"),
    FORCE_ON("ForceOn"),
    FORCE_OFF("ForceOff"),
    GRACEFUL_SHUTDOWN("GracefulShutdown"),
    GRACEFUL_RESTART("GracefulRestart"),
    FORCE_RESTART("ForceRestart"),
    POWER_CYCLE("PowerCycle"),
    FULL_POWER_CYCLE("FullPowerCycle"),
    PUSH_POWER_BUTTON("PushPowerButton"),
    NMI("Nmi");

    private final String redfishName;

    ResetType(String redfishName) {
        this.redfishName = redfishName;
    }

    public String redfishName() {
        return redfishName;
    }

    public static Optional<ResetType> parse(String redfishName) {
        return Arrays.stream(values()).filter(t -> t.redfishName.equals(redfishName)).findFirst();
    }
}
