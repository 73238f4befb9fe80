package dev.tandem.host.bmc;

import java.util.Optional;
import java.util.Set;

/**
 * What an account may do, as far as the BMC tells.
 *
 * @param privileges empty if the BMC names none
 */
public record BmcPrivileges(Optional<String> role, Set<String> privileges) {

    /** The Redfish privilege that ComputerSystem.Reset needs. */
    private static final String RESET = "ConfigureComponents";

    /** Whether the account may switch power. */
    public enum MayReset {
        YES,
        NO,
        /** The BMC does not tell; only a drill shows it. */
        NOT_TOLD
    }

    public BmcPrivileges {
        privileges = Set.copyOf(privileges);
    }

    /** Of an account whose protocol has no names for what it may do, only a role. */
    public static BmcPrivileges ofRole(String role, boolean maySwitch) {
        return new BmcPrivileges(Optional.of(role), Set.of(maySwitch ? RESET : "Login"));
    }

    public MayReset mayReset() {
        if (privileges.isEmpty()) {
            return MayReset.NOT_TOLD;
        }
        return privileges.contains(RESET) ? MayReset.YES : MayReset.NO;
    }
}
