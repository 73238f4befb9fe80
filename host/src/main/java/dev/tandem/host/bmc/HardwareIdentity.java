package dev.tandem.host.bmc;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Which machine something is, by what its maker wrote into it: told by a BMC about the machine it
 * controls, or by a node about itself. What is not told is empty.
 */
public record HardwareIdentity(Optional<UUID> uuid, Optional<String> serial, Set<String> macs) {

    /** Nothing is told. */
    public static final HardwareIdentity UNTOLD =
            new HardwareIdentity(Optional.empty(), Optional.empty(), Set.of());

    private static final Set<UUID> MEANINGLESS_UUIDS =
            Set.of(
                    new UUID(0, 0),
                    new UUID(-1, -1),
                    // What board makers ship when nobody has set one.
                    UUID.fromString("03000200-0400-0500-0006-000700080009"),
                    UUID.fromString("00020003-0004-0005-0006-000700080009"));

    private static final Set<String> MEANINGLESS_SERIALS =
            Set.of(
                    "none",
                    "n/a",
                    "unknown",
                    "default string",
                    "not specified",
                    "not available",
                    "system serial number",
                    "to be filled by o.e.m.",
                    "0",
                    "0123456789",
                    "123456789");

    public HardwareIdentity {
        serial = serial.map(String::strip).filter(text -> !text.isEmpty());
        macs =
                macs.stream()
                        .map(mac -> mac.strip().toLowerCase(Locale.ROOT).replace('-', ':'))
                        .filter(mac -> mac.matches("[0-9a-f]{2}(:[0-9a-f]{2}){5}"))
                        .filter(mac -> !mac.equals("00:00:00:00:00:00"))
                        .collect(Collectors.toCollection(TreeSet::new));
    }

    /** What two machines both have, and what therefore names neither of them. */
    public HardwareIdentity sharedWith(HardwareIdentity other) {
        Set<String> both = new TreeSet<>(macs);
        both.retainAll(other.macs);
        return new HardwareIdentity(
                uuid.filter(own -> other.uuid.equals(Optional.of(own))),
                serial.filter(own -> other.serial.equals(Optional.of(own))),
                both);
    }

    public HardwareIdentity without(HardwareIdentity traits) {
        Set<String> rest = new TreeSet<>(macs);
        rest.removeAll(traits.macs);
        return new HardwareIdentity(
                uuid.filter(own -> !traits.uuid.equals(Optional.of(own))),
                serial.filter(own -> !traits.serial.equals(Optional.of(own))),
                rest);
    }

    /** Without what only a second question to a BMC gives. */
    public HardwareIdentity withoutMacs() {
        return new HardwareIdentity(uuid, serial, Set.of());
    }

    /** Without the UUIDs and serial numbers that makers leave in many boards alike. */
    public HardwareIdentity meaningful() {
        return new HardwareIdentity(
                uuid.filter(told -> !MEANINGLESS_UUIDS.contains(told)),
                serial.filter(told -> !MEANINGLESS_SERIALS.contains(told.toLowerCase(Locale.ROOT))),
                macs);
    }

    @Override
    public String toString() {
        return "UUID "
                + uuid.map(UUID::toString).orElse("none")
                + ", serial "
                + serial.orElse("none")
                + ", MACs "
                + (macs.isEmpty() ? "none" : String.join(" ", macs));
    }
}
