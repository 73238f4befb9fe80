package dev.tandem.host.bmc.check;

import dev.tandem.host.bmc.HardwareIdentity;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Decides whether a BMC controls the node it is configured for.
 *
 * <p>Swapped credentials are the fault this is for: a node with its peer's BMC fences itself, or
 * takes over beside a peer that runs. So what cannot be compared is not the same.
 */
public final class IdentityCheck {

    /** What comparing gave; each has a reason that is shown to people word for word. */
    public sealed interface Verdict {
        String reason();

        /**
         * They are one machine.
         *
         * @param by what showed it; a serial number is the weakest
         */
        record Same(Trait by, String reason) implements Verdict {}

        record Different(String reason) implements Verdict {}

        /** The two have nothing in common that could be compared. */
        record Incomparable(String reason) implements Verdict {}
    }

    /** What a machine can be known by. */
    public enum Trait {
        UUID,
        MAC,
        SERIAL
    }

    private IdentityCheck() {}

    public static Verdict compare(HardwareIdentity bmc, HardwareIdentity node) {
        Optional<UUID> bmcUuid = bmc.meaningful().uuid();
        Optional<UUID> nodeUuid = node.meaningful().uuid();
        Optional<String> bmcSerial = bmc.meaningful().serial();
        Optional<String> nodeSerial = node.meaningful().serial();
        boolean uuids = bmcUuid.isPresent() && nodeUuid.isPresent();
        boolean serials = bmcSerial.isPresent() && nodeSerial.isPresent();
        boolean macs = !bmc.macs().isEmpty() && !node.macs().isEmpty();

        if (uuids && sameUuid(bmcUuid.get(), nodeUuid.get())) {
            return new Verdict.Same(Trait.UUID, "both have the UUID " + nodeUuid.get());
        }
        Set<String> shared = new TreeSet<>(bmc.macs());
        shared.retainAll(node.macs());
        if (uuids) {
            // The card through which a machine talks to its own BMC has the same address in every
            // machine of its make. Makers take it from the range that nobody assigns, and it shows
            // nothing where the UUIDs say otherwise.
            shared.removeIf(IdentityCheck::isLocallyAdministered);
        }
        if (!shared.isEmpty()) {
            return new Verdict.Same(Trait.MAC, "both have the MAC " + shared.iterator().next());
        }
        // A serial number alone counts only where nothing better contradicts it: it is free text,
        // and the nodes of one chassis may share it.
        if (serials && bmcSerial.equals(nodeSerial) && !uuids && !macs) {
            return new Verdict.Same(
                    Trait.SERIAL, "both have the serial number " + nodeSerial.get());
        }
        String both = "the BMC controls %s; the node is %s".formatted(bmc, node);
        return uuids || macs || serials
                ? new Verdict.Different(both)
                : new Verdict.Incomparable("nothing can be compared: " + both);
    }

    private static boolean isLocallyAdministered(String mac) {
        return (Integer.parseInt(mac, 0, 2, 16) & 2) != 0;
    }

    /**
     * SMBIOS before 2.6 left open in which byte order the first three fields stand, and some BMCs
     * still show them the other way round than the kernel does.
     */
    private static boolean sameUuid(UUID one, UUID other) {
        return one.equals(other) || swapped(one).equals(other);
    }

    private static UUID swapped(UUID uuid) {
        long high = uuid.getMostSignificantBits();
        ByteBuffer big = ByteBuffer.allocate(8).putLong(high);
        ByteBuffer little = ByteBuffer.wrap(big.array()).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer result = ByteBuffer.allocate(8);
        result.putInt(little.getInt(0)).putShort(little.getShort(4)).putShort(little.getShort(6));
        return new UUID(result.getLong(0), uuid.getLeastSignificantBits());
    }
}
