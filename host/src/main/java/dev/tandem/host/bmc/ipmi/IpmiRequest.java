package dev.tandem.host.bmc.ipmi;

import java.util.List;
import java.util.Optional;

/**
 * What a BMC is asked, as a command of ipmitool. Most are raw requests: what ipmitool makes of an
 * answer for people changes with its version, the bytes of IPMI do not, and a raw request that is
 * refused is told with its completion code.
 */
enum IpmiRequest {
    /** Get System GUID. */
    GUID("raw 0x06 0x37", "0x6", "0x37"),
    /** Get Chassis Status. */
    CHASSIS_STATUS("raw 0x00 0x01", "0x0", "0x1"),
    /** Chassis Control: power down at once, without asking the operating system. */
    POWER_DOWN("raw 0x00 0x02 0x00", "0x0", "0x2"),
    /** Chassis Control: power up. */
    POWER_UP("raw 0x00 0x02 0x01", "0x0", "0x2"),
    /** Get Session Info, of the session that asks. */
    SESSION_INFO("raw 0x06 0x3d 0x00", "0x6", "0x3d"),
    /** What the maker wrote into the machine; text for people, so nothing else may follow it. */
    FRU("fru print 0", "", "");

    private final String command;
    private final String netFunction;
    private final String code;

    IpmiRequest(String command, String netFunction, String code) {
        this.command = command;
        this.netFunction = netFunction;
        this.code = code;
    }

    String command() {
        return command;
    }

    /** As ipmitool names it where it was not answered. */
    static Optional<IpmiRequest> of(List<IpmiRequest> asked, String function, String code) {
        return asked.stream()
                .filter(request ->
                        request.netFunction.equals(function) && request.code.equals(code))
                .findFirst();
    }

    boolean isRaw() {
        return this != FRU;
    }
}
