package dev.tandem.redfishsim;

import java.util.List;
import java.util.UUID;

/** What a machine is known by, from inside as well as from its BMC. */
public record MachineIdentity(UUID uuid, String serial, String model, List<Nic> nics) {
    public MachineIdentity {
        nics = List.copyOf(nics);
    }
}
