package dev.tandem.host.bmc.ipmi;

import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcPrivileges;
import java.time.Duration;

/** The answer to Get Session Info, IPMI 2.0, 22.20. */
final class SessionInfo {
    private static final int LEVEL_AT = 4;
    private static final int LEVEL = 0x0f;

    private SessionInfo() {}

    /** By the level that the BMC has given the session of this account. */
    static BmcAnswer<BmcPrivileges> privileges(byte[] answer) {
        if (answer.length <= LEVEL_AT) {
            return new BmcAnswer.Unknown<>(
                    new BmcFault.Unintelligible(
                            "its session info has %d bytes".formatted(answer.length)));
        }
        int level = answer[LEVEL_AT] & LEVEL;
        return new BmcAnswer.Read<>(
                BmcPrivileges.ofRole(
                        "IPMI level " + level, level >= IpmiPrivilege.OPERATOR.level()),
                Duration.ZERO);
    }
}
