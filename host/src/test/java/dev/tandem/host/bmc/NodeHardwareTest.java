package dev.tandem.host.bmc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeHardwareTest {
    @TempDir private Path sys;

    @Test
    void aMachineIsKnownByItsFirmwareAndItsOwnDevices() throws IOException {
        write("class/dmi/id/product_uuid", "6B2B1A7E-6F0B-4C3E-9D55-0A3F1C2D4E5F\n");
        write("class/dmi/id/product_serial", "TND-0001\n");
        write("class/net/eth0/address", "02:00:00:00:00:01\n");
        Files.createDirectory(sys.resolve("class/net/eth0/device"));
        // A member of a bond, which has taken the bond's address.
        write("class/net/eth1/address", "02:00:00:00:00:01\n");
        write("class/net/eth1/bonding_slave/perm_hwaddr", "02:00:00:00:00:02\n");
        Files.createDirectory(sys.resolve("class/net/eth1/device"));
        // The card through which this machine talks to its BMC.
        write("class/net/usb0/address", "02:00:00:00:00:03\n");
        Files.createDirectories(sys.resolve("bus/usb"));
        Files.createDirectory(sys.resolve("class/net/usb0/device"));
        Files.createSymbolicLink(
                sys.resolve("class/net/usb0/device/subsystem"), sys.resolve("bus/usb"));
        // A pod's link with a neighbour's address.
        write("class/net/veth7/address", "02:00:00:00:00:99\n");
        write("class/net/veth7/addr_assign_type", "3\n");

        assertThat(new NodeHardware(sys).read())
                .isEqualTo(
                        new HardwareIdentity(
                                Optional.of(
                                        UUID.fromString("6b2b1a7e-6f0b-4c3e-9d55-0a3f1c2d4e5f")),
                                Optional.of("TND-0001"),
                                Set.of("02:00:00:00:00:01", "02:00:00:00:00:02")));
    }

    @Test
    void aMachineWithoutDevicesIsKnownByItsPlainLinks() throws IOException {
        write("class/net/lo/address", "00:00:00:00:00:00\n");
        write("class/net/lo/addr_assign_type", "0\n");
        write("class/net/host0/address", "02:00:00:00:00:01\n");
        write("class/net/host0/addr_assign_type", "3\n");
        write("class/net/random0/address", "02:00:00:00:00:02\n");
        write("class/net/random0/addr_assign_type", "1\n");
        write("class/net/br0/address", "02:00:00:00:00:03\n");
        write("class/net/br0/addr_assign_type", "3\n");
        Files.createDirectory(sys.resolve("class/net/br0/bridge"));

        assertThat(new NodeHardware(sys).read().macs()).containsExactly("02:00:00:00:00:01");
    }

    @Test
    void whatCannotBeReadIsEmpty() {
        assertThat(new NodeHardware(sys).read())
                .isEqualTo(new HardwareIdentity(Optional.empty(), Optional.empty(), Set.of()));
    }

    private void write(String file, String text) throws IOException {
        Path path = sys.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
