package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.host.Commands;
import dev.tandem.host.SystemCommands;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What systemd thinks of our units: 10 is a service that may do anything. */
class UnitHardeningTest {
    private static final Pattern LEVEL = Pattern.compile("exposure level for \\S+: ([0-9.]+)");
    private static final double MOST = 4.0;
    private static final Path AGENT =
            Path.of("../packaging/src/root/usr/lib/systemd/system/tandem-agent.service");

    @TempDir private Path directory;

    private double exposure(String name, String text) throws IOException {
        Commands commands = new SystemCommands();
        boolean there =
                commands.run(Duration.ofSeconds(20), List.of("systemd-analyze", "--version")).ok();
        if (!there && isRoot(commands) && Files.isExecutable(Path.of("/usr/bin/apt-get"))) {
            // A test that is skipped in silence where it could run protects nobody.
            fail("systemd-analyze is not installed: apt-get install systemd");
        }
        assumeTrue(there, "there is no systemd-analyze here");
        Path unit = directory.resolve(name);
        Files.writeString(unit, text);
        Commands.Output output =
                commands.run(
                        Duration.ofSeconds(60),
                        List.of(
                                "systemd-analyze",
                                "security",
                                "--no-pager",
                                "--offline=true",
                                unit.toString()));
        Matcher level = LEVEL.matcher(output.out());
        assertThat(level.find()).as(output.out() + output.err()).isTrue();
        return Double.parseDouble(level.group(1));
    }

    private static boolean isRoot(Commands commands) {
        return commands.run(Duration.ofSeconds(20), List.of("id", "-u")).out().strip().equals("0");
    }

    private String etcd() {
        return new EtcdUnitFile(new SystemCommands(), EtcdUnitFile.Places.STANDARD)
                .unitText(
                        new EtcdConfig(
                                "node-0",
                                List.of(InetAddress.ofLiteral("127.0.0.1")),
                                EtcdConfig.Ports.STANDARD,
                                Path.of("/var/lib/etcd/current"),
                                Optional.empty(),
                                Optional.empty(),
                                EtcdConfig.Limits.STANDARD));
    }

    @Test
    void theAgentIsConfined() throws IOException {
        assertThat(exposure("tandem-agent.service", Files.readString(AGENT)))
                .isLessThanOrEqualTo(MOST);
    }

    @Test
    void etcdIsConfined() throws IOException {
        assertThat(exposure("tandem-etcd.service", etcd())).isLessThanOrEqualTo(MOST);
    }

    /**
     * systemd waits for it before it starts the agent; a minus sign forgives an exit code alone.
     */
    @Test
    void nothingBeforeTheAgentHoldsItUp() throws IOException {
        assertThat(Files.readAllLines(AGENT))
                .filteredOn(line -> line.startsWith("ExecStartPre="))
                .isNotEmpty()
                .allMatch(line -> line.matches("ExecStartPre=-\\+/usr/bin/timeout [0-9]+ .*"));
    }

    /** Memory holds keys, passwords and the database. */
    @Test
    void neitherLeavesACore() throws IOException {
        assertThat(etcd()).contains("LimitCORE=0");
        assertThat(Files.readString(AGENT)).contains("LimitCORE=0", "WatchdogSignal=SIGKILL");
    }

    /** Also of those that are still to come. */
    @Test
    void noUnitOfThePackageLeavesACore() throws IOException {
        try (Stream<Path> units = Files.list(AGENT.resolveSibling("."))) {
            List<Path> services =
                    units.filter(unit -> unit.toString().endsWith(".service")).toList();

            assertThat(services).isNotEmpty();
            for (Path unit : services) {
                assertThat(unit).content().contains("LimitCORE=0");
            }
        }
    }
}
