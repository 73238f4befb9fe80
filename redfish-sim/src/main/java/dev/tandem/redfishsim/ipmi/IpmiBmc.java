package dev.tandem.redfishsim.ipmi;

import dev.tandem.host.Deadline;
import dev.tandem.redfishsim.MachineIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * OpenIPMI's {@code ipmi_sim} as the BMC of a machine. The simulator of Debian 12 knows cipher
 * suite 3 and none with SHA-256.
 */
public final class IpmiBmc implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(20);
    private static final Duration END_LIMIT = Duration.ofSeconds(5);
    private static final Duration GLANCE = Duration.ofMillis(10);

    private final Process process;
    private final ChassisSocket chassis;

    private IpmiBmc(Process process, ChassisSocket chassis) {
        this.process = process;
        this.chassis = chassis;
    }

    /**
     * Starts one and returns when its port is open.
     *
     * @param directory for its files; of this simulator alone
     * @param inside what runs a program where the BMC lives, such as in a network namespace
     */
    public static IpmiBmc start(
            Path directory,
            List<String> inside,
            InetSocketAddress address,
            List<IpmiAccount> accounts,
            MachineIdentity machine,
            PowerButton button)
            throws IOException, InterruptedException {
        Path program = directory.resolve("chassis");
        try (InputStream script =
                Objects.requireNonNull(IpmiBmc.class.getResourceAsStream("chassis"))) {
            Files.write(program, script.readAllBytes());
        }
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        Path socket = directory.resolve("button");
        Path settings = directory.resolve("lan.conf");
        Files.writeString(settings, settings(program, socket, address, accounts, machine.uuid()));
        Path commands = directory.resolve("commands");
        Files.writeString(commands, commands(machine));
        ChassisSocket chassis = new ChassisSocket(socket, button);
        List<String> command = new ArrayList<>(inside);
        command.addAll(
                List.of(
                        "ipmi_sim",
                        "--nostdio",
                        "--nopersist",
                        "--state-dir",
                        directory.toString(),
                        "--config-file",
                        settings.toString(),
                        "--command-file",
                        commands.toString()));
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("log").toFile())
                        .start();
        IpmiBmc bmc = new IpmiBmc(process, chassis);
        try {
            bmc.awaitOpen(address.getPort(), directory.resolve("log"));
            return bmc;
        } catch (IOException | InterruptedException | RuntimeException e) {
            bmc.close();
            throw e;
        }
    }

    /** The password stands in the file only, of a directory that the caller keeps to itself. */
    private static String settings(
            Path program,
            Path socket,
            InetSocketAddress address,
            List<IpmiAccount> accounts,
            UUID guid) {
        StringBuilder users = new StringBuilder();
        for (int i = 0; i < accounts.size(); i++) {
            // Of the users 1 is nobody. The levels are not heeded in RMCP+ sessions by 2.0.33.
            users.append(
                    "user %d true \"%s\" \"%s\" operator 10 none\n"
                            .formatted(i + 2, accounts.get(i).user(), accounts.get(i).password()));
        }
        return """
        name "tandem"
        set_working_mc 0x20
        startlan 1
        addr %s %d
        priv_limit operator
        allowed_auths_callback none
        allowed_auths_user none
        allowed_auths_operator none
        guid %s
        endlan
        chassis_control "%s %s"
        user 1 false "" "" user 10 none
        %s\
        """
                .formatted(
                        address.getAddress().getHostAddress(),
                        address.getPort(),
                        HexFormat.of().formatHex(smbios(guid)),
                        program,
                        socket,
                        users);
    }

    /** As SMBIOS stores a UUID, and firmware tells it. */
    private static byte[] smbios(UUID guid) {
        long high = guid.getMostSignificantBits();
        ByteBuffer bytes = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt((int) (high >>> 32)).putShort((short) (high >>> 16)).putShort((short) high);
        bytes.order(ByteOrder.BIG_ENDIAN).putLong(guid.getLeastSignificantBits());
        return bytes.array();
    }

    private static String commands(MachineIdentity machine) {
        byte[] fru = FruData.of(machine);
        return """
        mc_setbmc 0x20
        mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr
        mc_add_fru_data 0x20 0 %d data %s
        mc_enable 0x20
        """
                .formatted(fru.length, HexFormat.ofDelimiter(" ").withPrefix("0x").formatHex(fru));
    }

    /** The kernel shows the sockets of the process's own network, which need not be ours. */
    private void awaitOpen(int port, Path log) throws IOException, InterruptedException {
        Deadline end = Deadline.in(START_LIMIT);
        String wanted = ":%04X".formatted(port).toUpperCase(Locale.ROOT);
        while (!isOpen(wanted)) {
            if (!process.isAlive() || end.passed()) {
                throw new IOException(
                        "ipmi_sim did not open port %d: %s"
                                .formatted(port, Files.readString(log).strip()));
            }
            end.pause(GLANCE);
        }
    }

    private boolean isOpen(String port) {
        return Stream.of("udp", "udp6")
                .map(table -> Path.of("/proc/" + process.pid() + "/net/" + table))
                .anyMatch(table -> {
                    try (Stream<String> lines = Files.lines(table)) {
                        return lines.map(line -> line.strip().split("\\s+", 3))
                                .anyMatch(words -> words.length > 1 && words[1].endsWith(port));
                    } catch (IOException e) {
                        return false;
                    }
                });
    }

    public ProcessHandle process() {
        return process.toHandle();
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        chassis.close();
    }
}
