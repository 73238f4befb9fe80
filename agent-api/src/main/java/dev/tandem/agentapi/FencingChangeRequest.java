package dev.tandem.agentapi;

import org.jspecify.annotations.Nullable;

/**
 * A person changes how the BMC of a node is reached or logged in to. What is absent stays as it is.
 * The password appears in no text made by this class.
 *
 * @param second whether it is the second of that node's BMC: IPMI beside Redfish
 * @param address as a plan has it
 * @param dryRun only asks whether both nodes could use it
 */
public record FencingChangeRequest(
        int version,
        String node,
        boolean second,
        @Nullable String address,
        @Nullable String username,
        @Nullable String password,
        String person,
        boolean dryRun) {

    @Override
    public String toString() {
        return "FencingChangeRequest[%s%s, %s, %s, by %s%s]"
                .formatted(
                        node,
                        second ? ", second" : "",
                        address,
                        username,
                        person,
                        dryRun ? ", dry run" : "");
    }
}
