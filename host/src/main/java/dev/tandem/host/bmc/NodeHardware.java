package dev.tandem.host.bmc;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/** Reads which machine this node is, as the kernel shows it below /sys. */
public final class NodeHardware {
    /** net_device.addr_assign_type: the address was set by somebody, or is the device's own. */
    private static final Set<String> GIVEN = Set.of("0", "3");

    private final Path sys;

    public NodeHardware() {
        this(Path.of("/sys"));
    }

    public NodeHardware(Path sys) {
        this.sys = sys;
    }

    /** What cannot be read, as by a user who is not root, is empty. */
    public HardwareIdentity read() {
        Path dmi = sys.resolve("class/dmi/id");
        return new HardwareIdentity(
                text(dmi.resolve("product_uuid")).flatMap(NodeHardware::uuid),
                text(dmi.resolve("product_serial")),
                macs());
    }

    public static Optional<UUID> uuid(String text) {
        try {
            return Optional.of(UUID.fromString(text.strip()));
        } catch (IllegalArgumentException e) {
            // A vendor's free text where a UUID should be says nothing about the machine.
            return Optional.empty();
        }
    }

    /**
     * Of devices that sit in the machine, but for those at its USB: through one of them a machine
     * talks to its own BMC, with an address that is the same in every board of a make, and any
     * other is carried from machine to machine. Bridges, tunnels and pods' links come and go, and
     * anybody can give them a neighbour's address. A machine without any device of its own, such as
     * a container, is known by its plain links.
     */
    private Set<String> macs() {
        Set<String> own = new TreeSet<>();
        Set<String> plain = new TreeSet<>();
        Path net = sys.resolve("class/net");
        try (DirectoryStream<Path> links = Files.newDirectoryStream(net)) {
            for (Path link : links) {
                // A bond gives all its members one address; the original is kept beside.
                Optional<String> mac =
                        text(link.resolve("bonding_slave/perm_hwaddr"))
                                .or(() -> text(link.resolve("address")));
                if (mac.isEmpty()) {
                    continue;
                }
                if (Files.exists(link.resolve("device"))) {
                    if (!isAtUsb(link)) {
                        own.add(mac.get());
                    }
                } else if (isPlain(link)) {
                    plain.add(mac.get());
                }
            }
        } catch (IOException e) {
            // Without the directory there are no links that could be named.
            return Set.of();
        }
        return own.isEmpty() ? plain : own;
    }

    private static boolean isAtUsb(Path link) {
        try {
            return link.resolve("device/subsystem").toRealPath().endsWith("bus/usb");
        } catch (IOException e) {
            // No bus that has a name: not USB.
            return false;
        }
    }

    private static boolean isPlain(Path link) {
        return !Files.exists(link.resolve("bridge"))
                && !Files.exists(link.resolve("bonding"))
                && !Files.exists(link.resolve("tun_flags"))
                && text(link.resolve("addr_assign_type")).filter(GIVEN::contains).isPresent();
    }

    private static Optional<String> text(Path file) {
        try {
            return Optional.of(Files.readString(file).strip()).filter(text -> !text.isEmpty());
        } catch (IOException e) {
            // Not there, or not for us to read: not known.
            return Optional.empty();
        }
    }
}
