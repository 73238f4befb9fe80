package dev.tandem.agent.bmc;

import dev.tandem.host.bmc.HardwareIdentity;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Identities in short: "uuid/serial/mac", each part may be "-". */
final class Identities {
    private Identities() {}

    static HardwareIdentity identity(String text) {
        String[] parts = text.split("/", -1);
        return new HardwareIdentity(
                switch (parts[0]) {
                    case "-" -> Optional.empty();
                    // What makers leave in.
                    case "zero" -> Optional.of(new UUID(0, 0));
                    case "ami" ->
                            Optional.of(UUID.fromString("03000200-0400-0500-0006-000700080009"));
                    default -> Optional.of(new UUID(0x4c4c4544_00424a10L, parts[0].charAt(0)));
                },
                switch (parts[1]) {
                    case "-" -> Optional.empty();
                    case "oem" -> Optional.of("To be filled by O.E.M.");
                    default -> Optional.of(parts[1]);
                },
                parts[2].equals("-") ? Set.of() : Set.of("00:1b:21:00:00:0" + parts[2].charAt(1)));
    }
}
