package dev.tandem.agentapi;

import org.jspecify.annotations.Nullable;

/**
 * A person changes how the BMC of a node is reached or logged in to. What is absent stays as it is.
 * The password appears in no text made by this class.
 *
 * @param address as a plan has it
 * @param dryRun only asks whether both nodes could use it
 */
public record FencingChangeRequest(
        int version,
        String node,
        @Nullable String address,
        @Nullable String username,
        @Nullable String password,
        String person,
        boolean dryRun) {

    @Override
    public String toString() {
        return "FencingChangeRequest[%s, %s, %s, by %s%s]"
                .formatted(node, address, username, person, dryRun ? ", dry run" : "");
    }
}
