package dev.tandem.host.pacemaker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.tandem.core.BmcAddress;
import dev.tandem.host.Commands;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.bmc.login.Denials;
import dev.tandem.host.bmc.login.DeniedLogins;
import dev.tandem.host.bmc.login.LoginBackoff;
import dev.tandem.host.bmc.login.LoginBackoff.Purpose;
import dev.tandem.host.credential.OtherCredentialKey;
import dev.tandem.host.credential.SealedPassword;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The shell files of the package, run as Pacemaker runs them. The other end of their socket is a
 * few lines here, for the protocol is our own; systemctl is a script that keeps its state in a
 * file, because this machine's own services are not for tests.
 *
 * <p>Side by side: each test has a directory of its own, and most of them wait.
 */
@Execution(ExecutionMode.CONCURRENT)
class ShimTest {
    private static final Path ROOT = Path.of("..", "packaging", "src", "root").toAbsolutePath();
    private static final Path OCF = ROOT.resolve("usr/lib/ocf/resource.d/tandem/etcd");
    private static final Path FENCE = ROOT.resolve("usr/sbin/fence_tandem");
    private static final Path SECOND = ROOT.resolve("usr/sbin/fence_tandem_redfish");
    private static final Path SECOND_IPMI = ROOT.resolve("usr/sbin/fence_tandem_ipmilan");
    private static final Path FURTHER = ROOT.resolve("usr/sbin/fence_tandem_further");
    private static final Path ALERT = ROOT.resolve("usr/share/tandem/alert");
    private static final Path PASSWORD = ROOT.resolve("usr/share/tandem/bmc-password");
    private static final Duration LIMIT = Duration.ofMinutes(3);

    @TempDir Path directory;

    /** Answers each request with a body; remembers request lines with their bodies. */
    private static final class FakeAgent implements AutoCloseable {
        private final ServerSocketChannel server;
        private final Thread serving;
        final List<String> requests = new CopyOnWriteArrayList<>();

        FakeAgent(Path socket, UnaryOperator<String> answer) throws IOException {
            server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(UnixDomainSocketAddress.of(socket));
            serving = Thread.ofVirtual().start(() -> serve(answer));
        }

        private void serve(UnaryOperator<String> answer) {
            while (server.isOpen()) {
                try (SocketChannel client = server.accept()) {
                    BufferedReader in =
                            new BufferedReader(
                                    new InputStreamReader(
                                            Channels.newInputStream(client),
                                            StandardCharsets.UTF_8));
                    String request = String.valueOf(in.readLine());
                    int length = 0;
                    for (String line = in.readLine();
                            line != null && !line.isEmpty();
                            line = in.readLine()) {
                        if (line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:")) {
                            length = Integer.parseInt(line.substring(15).strip());
                        }
                    }
                    char[] body = new char[length];
                    int read = 0;
                    while (read < length) {
                        read += in.read(body, read, length - read);
                    }
                    requests.add(request + "\n" + new String(body));
                    byte[] reply = answer.apply(request).getBytes(StandardCharsets.UTF_8);
                    client.write(
                            ByteBuffer.wrap(
                                    ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: "
                                                    + reply.length
                                                    + "\r\n\r\n")
                                            .getBytes(StandardCharsets.US_ASCII)));
                    client.write(ByteBuffer.wrap(reply));
                } catch (IOException e) {
                    // Closed by the test, or the client went away: both end this request only.
                    requests.add("broken off: " + e);
                }
            }
        }

        /** Nobody listens when this returns, also where it was just about to. */
        @Override
        public void close() throws IOException {
            server.close();
            serving.interrupt();
            try {
                serving.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Path socket() {
        return directory.resolve("agent.sock");
    }

    /** What ends the process: the stop of its unit, or only a signal. */
    private enum EndsBy {
        STOP("*no-block*etcd*"),
        TERM("*TERM*"),
        KILL("*KILL*");

        private final String words;

        EndsBy(String words) {
            this.words = words;
        }
    }

    private void systemctl(String state) {
        systemctl(state, EndsBy.STOP);
    }

    /**
     * A systemctl whose unit is in the state that the file says. A stop that is waited for takes
     * long, as it does while the machine shuts down.
     */
    private void systemctl(String state, EndsBy end) {
        try {
            Files.writeString(directory.resolve("state"), state);
            executable(
                    "systemctl",
                    """
                    #!/bin/sh
                    echo "$*" >> %1$s/systemctl.log
                    case $* in *ControlGroup*) echo /../../..%1$s/group; exit ;; esac
                    case $1 in show) exec cat %1$s/state ;; esac
                    case $* in
                        %2$s) echo inactive > %1$s/state ;;
                        "stop tandem"*) exec /bin/sleep 30 ;;
                    esac
                    """
                            .formatted(directory, end.words));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A program that the shim finds before the machine's own. */
    private void executable(String name, String text) throws IOException {
        Path script = Files.createDirectories(directory.resolve("bin")).resolve(name);
        Files.writeString(script, text);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Runs the machine's own program of this name, and writes down for how long it was waited. */
    private static final String WAITED =
            """
            #!/bin/sh
            program=$(PATH=${PATH#*:} command -v %1$s) || exit 9
            "$program" "$@"
            code=$?
            case $code in %2$s) %3$s >> '%4$s' ;; esac
            exit $code
            """;

    /**
     * What the shim waits for is counted from here on. On the wall there would be the time, too,
     * that this machine takes to start some dozens of programs.
     */
    private void waitsAreCounted() throws IOException {
        // coreutils: ended, and not even heeding that. Its third argument is the limit.
        executable("timeout", WAITED.formatted("timeout", "124 | 137", "echo \"$3\"", waits()));
        executable(
                "curl",
                WAITED.formatted(
                        "curl",
                        "28",
                        "printf '%s\\n' \"$*\" | sed 's/.*--max-time \\([0-9]*\\).*/\\1/'",
                        waits()));
        executable("sleep", WAITED.formatted("sleep", "0", "echo \"$1\"", waits()));
        Files.createFile(waits());
    }

    private Path waits() {
        return directory.resolve("waits");
    }

    /** How long the shim stood still in all: what ran into a limit counts with the limit. */
    private Duration waited() throws IOException {
        return Duration.ofSeconds(
                Files.readAllLines(waits()).stream().mapToLong(Long::parseLong).sum());
    }

    private String path() {
        return directory.resolve("bin") + ":" + System.getenv("PATH");
    }

    private Commands.Output ocf(String action, Map<String, String> environment) {
        List<String> command = new ArrayList<>(List.of("env"));
        command.add("OCF_RESKEY_socket=" + socket());
        command.add("PATH=" + path());
        // The servers of labs on this machine are not for tests either.
        command.add("TANDEM_PROC=" + directory.resolve("proc"));
        environment.forEach((name, value) -> command.add(name + "=" + value));
        command.addAll(List.of("sh", OCF.toString(), action));
        return new SystemCommands().run(LIMIT, command);
    }

    @Test
    void theAnswerOfTheAgentIsTheAnswerOfTheResourceAgent() throws IOException {
        systemctl("active");
        try (FakeAgent agent =
                new FakeAgent(socket(), _ -> "7\netcd is not running\nsince noon\n")) {
            Commands.Output output =
                    ocf("monitor", Map.of("OCF_RESKEY_CRM_meta_notify_type", "pre", "SECRET", "x"));

            assertThat(output.exitCode()).isEqualTo(7);
            assertThat(output.err()).isEqualTo("ocf-exit-reason:etcd is not running\nsince noon\n");
            assertThat(agent.requests)
                    .singleElement()
                    .asString()
                    .startsWith("POST /ocf/etcd/monitor ")
                    .contains("OCF_RESKEY_CRM_meta_notify_type=pre\n")
                    .doesNotContain("SECRET");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    active       | 190
                    activating   | 190
                    deactivating | 190
                    inactive     | 7
                    failed       | 7
                    ''           | 1
                    """)
    void withoutTheAgentMonitorAsksSystemd(String state, int expected) {
        systemctl(state);

        assertThat(ocf("monitor", Map.of()).exitCode()).isEqualTo(expected);
    }

    /** A stop, which systemd would not carry out, would have a healthy node fenced. */
    @Test
    void aServerThatLivesIsLeftAloneWhenNeitherTheAgentNorSystemdAnswers() throws IOException {
        systemctl("");

        Commands.Output output =
                ocf(
                        "monitor",
                        Map.of("OCF_RESKEY_unit", ownControlGroup(), "TANDEM_PROC", "/proc"));

        assertThat(output.exitCode()).isEqualTo(190);
        assertThat(output.err())
                .startsWith("ocf-exit-reason:neither tandem-agent nor systemd answers: ");
    }

    /** The last part of the name of a control group in which this test runs. */
    private static String ownControlGroup() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/cgroup")).stream()
                .map(line -> line.substring(line.lastIndexOf('/') + 1))
                .filter(name -> !name.isEmpty())
                .findFirst()
                .orElseGet(() -> abort("this test runs in no control group of its own"));
    }

    @Test
    void aDeadAgentBesideALivingEtcdIsShownByPacemaker() {
        systemctl("active");

        Commands.Output output = ocf("monitor", Map.of());

        assertThat(output.exitCode()).isEqualTo(190);
        assertThat(output.err())
                .isEqualTo(
                        "ocf-exit-reason:tandem-agent does not answer: if the peer fails, nothing"
                                + " takes over (systemctl status tandem-agent)\n");
    }

    @Test
    void anAgentThatIsBeingRestartedIsNotCalledDead() throws Exception {
        systemctl("active");
        Path paused = pausesUntilTheAgentIsBack();
        FakeAgent[] back = new FakeAgent[1];
        Thread restart =
                Thread.ofVirtual().start(() -> back[0] = listensOnceThereIs(paused, "0\n"));

        Commands.Output output = ocf("monitor", Map.of());

        restart.join();
        back[0].close();
        assertThat(output.exitCode()).isZero();
        assertThat(output.err()).isEmpty();
    }

    @Test
    void anAgentThatListensIsAskedOnce() throws IOException {
        systemctl("active");
        try (FakeAgent agent = new FakeAgent(socket(), _ -> "no code\n")) {
            assertThat(ocf("monitor", Map.of()).exitCode()).isEqualTo(190);
            assertThat(agent.requests).hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"hello", "''", "-1", "0x7", "12345"})
    void anAnswerInOtherWordsIsNone(String answer) throws IOException {
        systemctl("inactive");
        try (FakeAgent _ = new FakeAgent(socket(), _ -> answer)) {
            assertThat(ocf("monitor", Map.of()).exitCode()).isEqualTo(7);
        }
    }

    private Path silence() {
        return directory.resolve("etcd-silent");
    }

    /** A monitor has seen silence from the first moment to the last, in seconds before now. */
    private void silent(long first, long last) throws IOException {
        long now = uptime() / 100;
        Files.writeString(silence(), "%d %d\n".formatted(now - first, now - last));
    }

    /** What etcd was started with, in the words of its configuration. */
    private void etcdTellsItsFiguresAt(int port) throws IOException {
        Files.writeString(
                Files.createDirectories(directory.resolve("etcd")).resolve("started.json"),
                """
                {
                  "listen-client-urls" : "https://192.0.2.1:2379,https://127.0.0.1:2379",
                  "listen-metrics-urls" : "http://127.0.0.1:%d",
                  "heartbeat-interval" : 100
                }
                """
                        .formatted(port));
    }

    /** As that of a stopped process: the kernel takes the connection, and nobody answers. */
    private ServerSocket etcdThatHangs() throws IOException {
        ServerSocket socket = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        etcdTellsItsFiguresAt(socket.getLocalPort());
        return socket;
    }

    /** It is given up where the peer can go on: without an agent nothing starts it here again. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    first | last | partition       | exit
                    20    | 10   | node-0 node-1   | 190
                    31    | 10   | node-0 node-1   | 1
                    # nobody else is there, or nobody knows
                    31    | 10   | node-1          | 190
                    31    | 10   | ''              | 190
                    # it was not looked at for a while
                    200   | 100  | node-0 node-1   | 190
                    """)
    void anEtcdThatIsSilentForLongHasFailedWhereThePeerCanGoOn(
            long first, long last, String partition, int exit) throws IOException {
        systemctl("active");
        executable("crm_node", "#!/bin/sh\necho '%s'\n".formatted(partition));
        silent(first, last);
        try (ServerSocket _ = etcdThatHangs();
                FakeAgent _ = new FakeAgent(socket(), _ -> "no code\n")) {
            Commands.Output output = ocf("monitor", Map.of());

            assertThat(output.exitCode()).isEqualTo(exit);
            assertThat(output.err().contains("etcd has not answered for 30 s"))
                    .isEqualTo(exit == 1);
            assertThat(silence()).exists();
        }
    }

    @Test
    void theFirstSilenceIsNotedAndTheNextOnesAreCountedFromIt() throws IOException {
        systemctl("active");
        try (ServerSocket _ = etcdThatHangs();
                FakeAgent _ = new FakeAgent(socket(), _ -> "no code\n")) {
            assertThat(ocf("monitor", Map.of()).exitCode()).isEqualTo(190);
            long[] once = silenceSeen();
            assertThat(once[0]).isEqualTo(once[1]);

            assertThat(ocf("monitor", Map.of()).exitCode()).isEqualTo(190);
            long[] twice = silenceSeen();
            assertThat(twice[0]).isEqualTo(once[0]);
            assertThat(twice[1]).isGreaterThan(once[1]);
        }
    }

    private long[] silenceSeen() throws IOException {
        return Stream.of(Files.readString(silence()).strip().split(" ", -1))
                .mapToLong(Long::parseLong)
                .toArray();
    }

    /** Whatever it says: it moves. */
    @Test
    void anAnswerOfEtcdEndsASilence() throws IOException {
        systemctl("active");
        HttpServer etcd =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        etcd.createContext(
                "/health",
                exchange -> {
                    exchange.sendResponseHeaders(503, -1);
                    exchange.close();
                });
        etcd.start();
        etcdTellsItsFiguresAt(etcd.getAddress().getPort());
        silent(100, 10);
        executable("crm_node", "#!/bin/sh\necho node-0 node-1\n");
        try (FakeAgent _ = new FakeAgent(socket(), _ -> "no code\n")) {
            assertThat(ocf("monitor", Map.of()).exitCode()).isEqualTo(190);
            assertThat(silence()).doesNotExist();
        } finally {
            etcd.stop(0);
        }
    }

    /** It has its permit until it serves; systemd may not say that it starts. */
    @ParameterizedTest
    @CsvSource({"activating, false", "active, true"})
    void anEtcdThatStartsIsNotCalledSilent(String state, boolean permitted) throws IOException {
        systemctl(state);
        executable("crm_node", "#!/bin/sh\necho node-0 node-1\n");
        silent(100, 10);
        try (ServerSocket _ = etcdThatHangs();
                FakeAgent _ = new FakeAgent(socket(), _ -> "no code\n")) {
            if (permitted) {
                permitAStart();
            }
            assertThat(ocf("monitor", Map.of()).exitCode()).isEqualTo(190);
            assertThat(silence()).doesNotExist();
        }
    }

    private void permitAStart() throws IOException {
        Files.writeString(
                Files.createDirectories(directory.resolve("etcd")).resolve("permit.json"), "{}\n");
    }

    @Test
    void anAgentThatAnswersLooksAfterEtcdItself() throws IOException {
        systemctl("active");
        silent(100, 10);
        try (FakeAgent _ = new FakeAgent(socket(), _ -> "0\n")) {
            assertThat(ocf("monitor", Map.of()).exitCode()).isZero();
            assertThat(silence()).doesNotExist();
        }
    }

    /** A monitor that overruns its limit is a failure, whatever it found. */
    @Test
    void aMonitorIsInTimeAlthoughNobodyAnswersIt() throws IOException {
        for (String program :
                List.of("systemctl", "crm_node", "corosync-quorumtool", "attrd_updater")) {
            hanging(program);
        }
        silent(61, 10);
        UnaryOperator<String> silent =
                _ -> {
                    LockSupport.parkNanos(LIMIT.toNanos());
                    return "";
                };
        waitsAreCounted();
        try (ServerSocket _ = etcdThatHangs();
                FakeAgent _ = new FakeAgent(socket(), silent)) {
            server(TERM_ENDS_IT);
            Commands.Output output = ocf("monitor", Map.of("OCF_RESKEY_CRM_meta_timeout", "20000"));

            assertThat(output.exitCode()).isEqualTo(190);
            // Pacemaker waits for 20 s; the rest is for starting the programs.
            assertThat(waited()).hasSeconds(17);
        }
    }

    private void hanging(String program) throws IOException {
        executable(program, "#!/bin/sh\nexec /bin/sleep 100\n");
    }

    private static final String TERM_ENDS_IT = "echo; exec sleep 100";
    private static final String ONLY_KILL_ENDS_IT = "trap '' TERM; echo; exec sleep 100";

    private final List<Process> servers = new ArrayList<>();

    @AfterEach
    void endServers() {
        servers.forEach(Process::destroyForcibly);
    }

    /** A process that the kernel of this test shows as one of the unit. */
    private Process server(String script) throws IOException {
        Process server = new ProcessBuilder("sh", "-c", script).start();
        servers.add(server);
        assertThat(server.inputReader().readLine()).as("it has begun").isEmpty();
        Path process = directory.resolve("proc").resolve(String.valueOf(server.pid()));
        Path thread = process.resolve("task").resolve(String.valueOf(server.pid()));
        Files.createDirectories(thread);
        Files.writeString(process.resolve("cgroup"), "0::/system.slice/tandem-etcd.service\n");
        Files.writeString(thread.resolve("status"), "Name:\tetcd\nState:\tS (sleeping)\n");
        return server;
    }

    /** What the kernel shows of it when it has ended, and a hanging systemd has not reaped it. */
    private void isShownAsEnded(Process server) {
        Path thread = directory.resolve("proc/%1$d/task/%1$d/status".formatted(server.pid()));
        CompletableFuture<Void> _ =
                server.onExit()
                        .thenAccept(_ -> {
                            try {
                                Files.writeString(thread, "Name:\tetcd\nState:\tZ (zombie)\n");
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
    }

    /** On a sole survivor nobody could fence the node. */
    @ParameterizedTest
    @CsvSource({"true, 143", "false, 137"})
    void aStopEndsEtcdAlthoughSystemdHangs(boolean heedsTerm, int endedBy) throws Exception {
        hanging("systemctl");
        executable("crm_node", "#!/bin/sh\necho node-0\n");
        Process server = server(heedsTerm ? TERM_ENDS_IT : ONLY_KILL_ENDS_IT);
        isShownAsEnded(server);
        waitsAreCounted();

        Commands.Output output = ocf("stop", Map.of("OCF_RESKEY_CRM_meta_timeout", "16000"));

        assertThat(output.exitCode()).isZero();
        assertThat(server.waitFor()).isEqualTo(endedBy);
        assertThat(waited()).isLessThan(Duration.ofSeconds(16));
    }

    @Test
    void aStopIsInTimeAlthoughNeitherTheAgentNorSystemdAnswers() throws Exception {
        hanging("systemctl");
        executable("crm_node", "#!/bin/sh\necho node-0\n");
        Process server = server(ONLY_KILL_ENDS_IT);
        isShownAsEnded(server);
        UnaryOperator<String> silent =
                _ -> {
                    LockSupport.parkNanos(LIMIT.toNanos());
                    return "";
                };
        waitsAreCounted();
        try (FakeAgent _ = new FakeAgent(socket(), silent)) {
            Commands.Output output = ocf("stop", Map.of("OCF_RESKEY_CRM_meta_timeout", "32000"));

            assertThat(output.exitCode()).isZero();
            assertThat(server.waitFor()).isEqualTo(137);
            // Seven eighths; the rest is for starting the programs.
            assertThat(waited()).isLessThanOrEqualTo(Duration.ofSeconds(28));
        }
    }

    /** A thread that the kernel holds outlives the process it belongs to. */
    @Test
    void aStopDoesNotCallEtcdGoneThatTheKernelHolds() throws Exception {
        hanging("systemctl");
        Process server = server(TERM_ENDS_IT);
        isShownAsEnded(server);
        Path held = directory.resolve("proc/%d/task/1".formatted(server.pid()));
        Files.createDirectories(held);
        Files.writeString(held.resolve("status"), "Name:\tetcd\nState:\tD (disk sleep)\n");
        waitsAreCounted();

        Commands.Output output = ocf("stop", Map.of("OCF_RESKEY_CRM_meta_timeout", "16000"));

        assertThat(output.exitCode()).isEqualTo(1);
        assertThat(output.err()).contains("systemd does not answer", "this node must be fenced");
        assertThat(server.waitFor()).isEqualTo(143);
        assertThat(waited()).isLessThan(Duration.ofSeconds(16));
    }

    /** On a machine too busy for an answer the peer may be there, and wait for a proof. */
    @Test
    void aNodeThatIsNotKnownToBeAloneHasNotStoppedCleanly() throws Exception {
        for (String program : List.of("systemctl", "crm_node", "corosync-quorumtool")) {
            hanging(program);
        }
        aServerRanInThisBoot();
        Process server = server(TERM_ENDS_IT);
        isShownAsEnded(server);

        Commands.Output output = ocf("stop", Map.of("OCF_RESKEY_CRM_meta_timeout", "30000"));

        assertThat(output.exitCode()).isEqualTo(1);
        assertThat(output.err()).contains("this node must be fenced, so that the peer takes over");
        assertThat(server.waitFor()).isEqualTo(143);
    }

    /** A start may be ordered that a hanging systemd has not begun. */
    @Test
    void aStopDoesNotCallEtcdGoneWhileItMayBeStarted() throws IOException {
        hanging("systemctl");
        executable("crm_node", "#!/bin/sh\necho node-0\n");
        permitAStart();

        assertThat(ocf("stop", Map.of("OCF_RESKEY_CRM_meta_timeout", "8000")).exitCode())
                .isEqualTo(1);
        Files.delete(directory.resolve("etcd/permit.json"));
        assertThat(ocf("stop", Map.of("OCF_RESKEY_CRM_meta_timeout", "8000")).exitCode()).isZero();
    }

    /** One that hangs does not react to SIGTERM. */
    @ParameterizedTest
    @CsvSource({"31, true", "20, false"})
    void aStopOfAnEtcdThatHungKillsItAtOnce(long first, boolean atOnce) throws IOException {
        systemctl("active", EndsBy.KILL);
        silent(first, 0);

        Commands.Output output = ocf("stop", Map.of("OCF_RESKEY_CRM_meta_timeout", "8000"));

        assertThat(output.exitCode()).isZero();
        String log = Files.readString(directory.resolve("systemctl.log"));
        assertThat(log).contains("--signal=KILL");
        assertThat(log.contains("--signal=TERM")).isEqualTo(!atOnce);
    }

    private void aServerRanInThisBoot() throws IOException {
        etcdTellsItsFiguresAt(1);
    }

    /**
     * Only the agent can leave in order. Without its word the peer needs a proof; but a node on
     * which nothing ran would be fenced at each boot.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    state    | ran   | partition     | machine  | exit
                    active   | true  | node-0 node-1 | running  | 1
                    active   | true  | node-0 node-1 | degraded | 1
                    # it has died
                    failed   | true  | node-0 node-1 | running  | 1
                    # nobody else is there
                    active   | true  | node-1        | running  | 0
                    # nobody says so: the peer may be there
                    active   | true  | ''            | running  | 1
                    # the machine shuts down: its peer's agent misses it and sees to it
                    active   | true  | node-0 node-1 | stopping | 0
                    active   | true  | ''            | stopping | 0
                    # it was ended in order, or never ran
                    inactive | true  | node-0 node-1 | running  | 0
                    failed   | false | node-0 node-1 | running  | 0
                    """)
    void aStopWithoutTheWordOfTheAgentFailsWhereThePeerCanGoOn(
            String state, boolean ran, String partition, String machine, int exit)
            throws IOException {
        systemctl(state);
        Path real = directory.resolve("bin/systemctl");
        executable(
                "systemctl",
                Files.readString(real)
                        .replace(
                                "case $1 in show)",
                                "case $1 in is-system-running) echo %s; exit 1 ;; show)"
                                        .formatted(machine)));
        executable("crm_node", "#!/bin/sh\necho '%s'\n".formatted(partition));
        executable("corosync-quorumtool", "#!/bin/sh\nexit 1\n");
        if (ran) {
            aServerRanInThisBoot();
        }

        Commands.Output output = ocf("stop", Map.of("OCF_RESKEY_CRM_meta_timeout", "8000"));

        assertThat(output.exitCode()).isEqualTo(exit);
        assertThat(
                        output.err()
                                .contains(
                                        "without an orderly departure (tandem-agent does not"
                                                + " answer): this node must be fenced"))
                .isEqualTo(exit == 1);
    }

    /**
     * On a machine too busy for an answer the peer may be there, and wait for a proof. Each
     * question takes 3 s, and what overruns the limit has the node fenced without a reason.
     */
    @ParameterizedTest
    @CsvSource({"5000, 1", "60000, 2"})
    void aStopFailsWhereNobodySaysThatTheNodeIsAloneAndAsksOnceMoreOnlyWithinItsLimit(
            String limit, int asked) throws IOException {
        systemctl("active");
        executable(
                "crm_node",
                "#!/bin/sh\necho asked >> '%s'\nexec /bin/sleep 100\n"
                        .formatted(directory.resolve("asked")));
        hanging("corosync-quorumtool");
        aServerRanInThisBoot();

        Commands.Output output = ocf("stop", Map.of("OCF_RESKEY_CRM_meta_timeout", limit));

        assertThat(output.exitCode()).isEqualTo(1);
        assertThat(output.err())
                .contains("this node must be fenced", "neither Pacemaker nor Corosync says");
        assertThat(Files.readAllLines(directory.resolve("asked"))).hasSize(asked);
    }

    /** A busy machine is not a node that is alone. */
    @ParameterizedTest
    @CsvSource({"2, 1", "1, 0", "'', 1"})
    void whatPacemakerDoesNotSayInTimeCorosyncSays(String nodes, int exit) throws IOException {
        systemctl("active");
        hanging("crm_node");
        executable(
                "corosync-quorumtool",
                "#!/bin/sh\nprintf 'Quorum information\\nNodes:            %s\\n'\nexit 2\n"
                        .formatted(nodes));
        aServerRanInThisBoot();

        Commands.Output output = ocf("stop", Map.of("OCF_RESKEY_CRM_meta_timeout", "30000"));

        assertThat(output.exitCode()).isEqualTo(exit);
    }

    /** As on a node whose disk takes no writes: nothing it says can be relied on. */
    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1"})
    void aStopThatTheAgentDoesNotConfirmFailsWhereThePeerCanGoOn(int answer, int exit)
            throws IOException {
        systemctl("active", EndsBy.KILL);
        executable("crm_node", "#!/bin/sh\necho node-0 node-1\n");
        aServerRanInThisBoot();
        try (FakeAgent _ = new FakeAgent(socket(), _ -> answer + "\nno space is left\n")) {
            Commands.Output output = ocf("stop", Map.of("OCF_RESKEY_CRM_meta_timeout", "8000"));

            assertThat(output.exitCode()).isEqualTo(exit);
            assertThat(output.err().contains("departure (no space is left)")).isEqualTo(exit == 1);
        }
    }

    @Test
    void anAgentThatIsBeingRestartedIsWaitedForByAStop() throws Exception {
        systemctl("failed");
        executable("crm_node", "#!/bin/sh\necho node-0 node-1\n");
        aServerRanInThisBoot();
        Path mark = directory.resolve("etcd-stopped");
        FakeAgent[] back = new FakeAgent[1];
        // The mark is made after the agent was asked for the first time.
        Thread restart = Thread.ofVirtual().start(() -> back[0] = listensOnceThereIs(mark, "0\n"));
        try {
            assertThat(ocf("stop", Map.of()).exitCode()).isZero();
            restart.join();
            assertThat(back[0].requests).isNotEmpty();
        } finally {
            restart.join();
            back[0].close();
        }
    }

    /**
     * The shim asked and found nobody; its pause lasts until the agent listens, however long either
     * of them takes. Made when it pauses.
     */
    private Path pausesUntilTheAgentIsBack() throws IOException {
        Path paused = directory.resolve("paused");
        executable(
                "sleep",
                """
                #!/bin/sh
                : > '%s'
                until [ -e '%s' ]; do /bin/sleep 0.05; done
                """
                        .formatted(paused, back()));
        return paused;
    }

    private Path back() {
        return directory.resolve("back");
    }

    private FakeAgent listensOnceThereIs(Path mark, String answer) {
        long until = System.nanoTime() + LIMIT.toNanos();
        while (!Files.exists(mark) && System.nanoTime() < until) {
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
        try {
            FakeAgent agent = new FakeAgent(socket(), _ -> answer);
            Files.createFile(back());
            return agent;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void withoutTheAgentStopStopsEtcd() {
        systemctl("active");

        assertThat(ocf("stop", Map.of()).exitCode()).isZero();
        assertThat(directory.resolve("systemctl.log"))
                .content()
                .contains("stop --no-block tandem-etcd.service");
    }

    /** The control plane beside etcd; not with kubelet, whose crash Pacemaker answers by a stop. */
    @Test
    void whatAsksEtcdStartsAndStopsWithIt() throws IOException {
        systemctl("active");
        Path log = directory.resolve("systemctl.log");
        try (FakeAgent _ = new FakeAgent(socket(), _ -> "0\n")) {
            assertThat(ocf("monitor", Map.of()).exitCode()).isZero();
            assertThat(log).doesNotExist();
            assertThat(ocf("start", Map.of()).exitCode()).isZero();
            assertThat(log)
                    .content()
                    .isEqualTo(
                            """
                            is-active --quiet kubelet.service
                            start --no-block tandem-kubernetes.target
                            """);
        }
        assertThat(ocf("stop", Map.of()).exitCode()).isZero();
        assertThat(log).content().contains("stop --no-block tandem-kubernetes.target\n");
    }

    @Test
    void nothingStartsBesideAnEtcdThatDoesNot() throws IOException {
        systemctl("inactive");
        try (FakeAgent _ = new FakeAgent(socket(), _ -> "1\nnot yet\n")) {
            assertThat(ocf("start", Map.of()).exitCode()).isEqualTo(1);
        }
        assertThat(directory.resolve("systemctl.log")).doesNotExist();
    }

    /** Pacemaker takes etcd for stopped from then on; the next agent is told by a mark. */
    @Test
    void aStopWithoutTheAgentIsMarkedUntilTheNextStart() throws IOException {
        systemctl("active");
        Path mark = directory.resolve("etcd-stopped");

        assertThat(ocf("stop", Map.of()).exitCode()).isZero();
        assertThat(mark).exists();
        try (FakeAgent _ = new FakeAgent(socket(), _ -> "0\n")) {
            assertThat(ocf("start", Map.of()).exitCode()).isZero();
            assertThat(mark).doesNotExist();
            assertThat(ocf("stop", Map.of()).exitCode()).isZero();
            assertThat(mark).as("the agent knows").doesNotExist();
        }
    }

    @Test
    void aSystemdThatDoesNotTellTheProcessesHasNotStoppedThem() throws IOException {
        systemctl("failed");
        Path real = directory.resolve("bin/systemctl");
        executable(
                "systemctl",
                Files.readString(real)
                        .replace(
                                "*ControlGroup*) echo /../../..%s/group; exit".formatted(directory),
                                "*ControlGroup*) exit 1"));

        assertThat(ocf("stop", Map.of("OCF_RESKEY_CRM_meta_timeout", "8000")).exitCode())
                .isEqualTo(1);
    }

    @Test
    void whileTheMachineShutsDownASignalEndsEtcdAndNotSystemdsStop() {
        systemctl("active", EndsBy.TERM);

        assertThat(ocf("stop", Map.of()).exitCode()).isZero();
        assertThat(directory.resolve("systemctl.log"))
                .content()
                .contains("--signal=TERM")
                .doesNotContain("--signal=KILL");
    }

    @Test
    void aStopThatHangsEndsInAKillWithinTheLimit() throws IOException {
        systemctl("deactivating", EndsBy.KILL);
        waitsAreCounted();

        Commands.Output output = ocf("stop", Map.of("OCF_RESKEY_CRM_meta_timeout", "8000"));

        assertThat(output.exitCode()).isZero();
        assertThat(directory.resolve("systemctl.log")).content().contains("--signal=KILL");
        assertThat(waited()).isLessThan(Duration.ofSeconds(8));
    }

    /** A clock that stands still would hold the stop for ever, and one that leaps cut it short. */
    @ParameterizedTest
    @CsvSource({"-3600", "3600"})
    void aStepOfTheWallClockChangesNothingAboutTheStop(int step) throws IOException {
        systemctl("deactivating", EndsBy.KILL);
        executable(
                "date",
                """
                #!/bin/sh
                n=$(($(cat %1$s/steps 2> /dev/null || echo 0) + 1))
                echo "$n" > %1$s/steps
                echo $((2000000000 + n * %2$d))
                """
                        .formatted(directory, step));
        waitsAreCounted();
        long began = System.nanoTime();

        Commands.Output output = ocf("stop", Map.of("OCF_RESKEY_CRM_meta_timeout", "8000"));

        Duration took = Duration.ofNanos(System.nanoTime() - began);
        assertThat(output.exitCode()).isZero();
        assertThat(directory.resolve("systemctl.log")).content().contains("--signal=KILL");
        // A quarter of the limit belongs to the orderly stop.
        assertThat(took).isGreaterThan(Duration.ofSeconds(1));
        assertThat(waited()).isLessThan(Duration.ofSeconds(8));
    }

    @Test
    void anAgentThatSaysStoppedIsBelievedWhenSystemdAgrees() throws IOException {
        systemctl("active");
        try (FakeAgent _ = new FakeAgent(socket(), _ -> "0\n")) {
            assertThat(ocf("stop", Map.of()).exitCode()).isZero();
        }
        assertThat(directory.resolve("systemctl.log"))
                .content()
                .contains("stop --no-block tandem-etcd.service");
    }

    @Test
    void anAgentThatCannotStopEtcdDoesNotKeepItRunning() throws IOException {
        systemctl("active", EndsBy.KILL);
        try (FakeAgent _ = new FakeAgent(socket(), _ -> "1\nno\n")) {
            assertThat(ocf("stop", Map.of()).exitCode()).isZero();
        }
    }

    @Test
    void aProcessThatOutlivesSigkillIsNotStoppedWhateverSystemdCallsItsUnit() throws IOException {
        systemctl("failed");
        Path group = Files.createDirectories(directory.resolve("group"));
        Files.writeString(group.resolve("cgroup.procs"), "1041\n");
        waitsAreCounted();

        Commands.Output output = ocf("stop", Map.of("OCF_RESKEY_CRM_meta_timeout", "8000"));

        assertThat(output.exitCode()).isEqualTo(1);
        assertThat(output.err()).contains("this node must be fenced");
        assertThat(waited()).isLessThan(Duration.ofSeconds(8));
        assertThat(ocf("monitor", Map.of()).exitCode()).isEqualTo(1);
    }

    @Test
    void withoutTheAgentStartFailsSoftlyAndSoon() throws IOException {
        systemctl("inactive");
        waitsAreCounted();

        Commands.Output output = ocf("start", Map.of());

        assertThat(output.exitCode()).isEqualTo(1);
        assertThat(output.err()).contains("ocf-exit-reason:tandem-agent does not answer");
        assertThat(waited()).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void anUnknownActionIsUnimplementedAndANotificationNeverFails() {
        systemctl("inactive");

        assertThat(ocf("promote", Map.of()).exitCode()).isEqualTo(3);
        assertThat(ocf("notify", Map.of()).exitCode()).isZero();
        assertThat(ocf("validate-all", Map.of()).exitCode()).isZero();
    }

    @Test
    void bothAgentsDescribeThemselvesWithoutTandemAgent() throws XmlElement.MalformedXml {
        XmlElement ocf = XmlElement.parse(ocf("meta-data", Map.of()).out());
        XmlElement fence = XmlElement.parse(fence("action=metadata\n").out());

        assertThat(ocf.section("actions"))
                .extracting(action -> action.attribute("name", ""))
                .contains("start", "stop", "monitor", "notify", "validate-all", "meta-data");
        assertThat(fence.section("actions"))
                .extracting(action -> action.attribute("name", ""))
                .contains("on", "off", "reboot", "status", "monitor", "validate-all", "metadata");
        assertThat(fence.section("parameters"))
                .extracting(parameter -> parameter.attribute("name", ""))
                .contains("action", "plug", "split_delay")
                .doesNotContain("password");
    }

    private Commands.Output fence(String stdin, String... arguments) {
        List<String> command = new ArrayList<>(List.of("sh", FENCE.toString()));
        command.addAll(Arrays.asList(arguments));
        return new SystemCommands().run(LIMIT, command, stdin);
    }

    @Test
    void aFenceGoesToTheAgentWithAllItsParameters() throws IOException {
        try (FakeAgent agent = new FakeAgent(socket(), _ -> "0\nSuccess: off\n")) {
            Commands.Output output =
                    fence(
                            "# from Pacemaker\naction=reboot\nplug=node-1\nsplit_delay=5\nsocket="
                                    + socket()
                                    + "\n");

            assertThat(output.exitCode()).isZero();
            assertThat(output.out()).isEqualTo("Success: off\n");
            assertThat(agent.requests)
                    .singleElement()
                    .asString()
                    .startsWith("POST /fence/reboot ")
                    .contains("\nplug=node-1\nsplit_delay=5\n");
        }
    }

    @Test
    void anOrderSaysWhichItIsAndUntilWhenSomebodyWaits() throws IOException {
        Pattern mark = Pattern.compile("\norder=([0-9a-f-]{36})\nexpires=(\\d+)\n$");
        Set<String> ids = new HashSet<>();
        try (FakeAgent agent = new FakeAgent(socket(), _ -> "0\n")) {
            for (String action : List.of("off", "reboot")) {
                long before = uptime();
                fence("action=" + action + "\nplug=node-1\nlimit=69\nsocket=" + socket() + "\n");

                Matcher order = mark.matcher(agent.requests.getLast());
                assertThat(order.find()).as(agent.requests.getLast()).isTrue();
                ids.add(order.group(1));
                assertThat(Long.parseLong(order.group(2)))
                        .isBetween(before + 6800, uptime() + 6900);
            }
            fence("action=monitor\nsocket=" + socket() + "\n");
            assertThat(agent.requests.getLast()).doesNotContain("order=");
        }
        assertThat(ids).hasSize(2);
    }

    /** The shim of the second level around a stock agent that ends with a code. */
    private Commands.Output secondLevel(String stockScript, String stdin) throws IOException {
        return secondLevel(stockScript, stdin, List.of());
    }

    private Commands.Output secondLevel(String stockScript, String stdin, List<String> surroundings)
            throws IOException {
        Path stock = directory.resolve("stock");
        Files.writeString(stock, "#!/bin/sh\n" + stockScript + "\n");
        Files.setPosixFilePermissions(stock, PosixFilePermissions.fromString("rwx------"));
        List<String> command = new ArrayList<>(List.of("env", "PATH=" + path()));
        command.addAll(surroundings);
        command.addAll(
                List.of(
                        "TANDEM_RUN=" + directory,
                        "TANDEM_FENCE_REDFISH=" + stock,
                        "sh",
                        SECOND.toString()));
        return new SystemCommands().run(LIMIT, command, stdin);
    }

    /**
     * Two links of which one is this machine's: its loopback, which is said to be in that state.
     * Whoever sleeps there writes it down instead.
     */
    private List<String> linksOfWhichOneIsOurs(String state, String carrier) throws IOException {
        Path conf = directory.resolve("corosync.conf");
        Files.writeString(
                conf,
                """
                nodelist {
                    node {
                        ring0_addr: 127.0.0.1
                        name: node-0
                    }
                    node {
                        ring0_addr: 192.0.2.77
                        name: node-1
                    }
                }
                """);
        Path loopback = Files.createDirectories(directory.resolve("net/lo"));
        Files.writeString(loopback.resolve("operstate"), state + "\n");
        if (!carrier.equals("-")) {
            Files.writeString(loopback.resolve("carrier"), carrier + "\n");
        }
        Path bin = Files.createDirectories(directory.resolve("bin"));
        Path sleep = bin.resolve("sleep");
        Files.writeString(sleep, "#!/bin/sh\necho sleep=$1 >> '%s'\n".formatted(given()));
        Files.setPosixFilePermissions(sleep, PosixFilePermissions.fromString("rwx------"));
        return List.of(
                "TANDEM_COROSYNC_CONF=" + conf, "TANDEM_SYS_NET=" + directory.resolve("net"));
    }

    private Path given() {
        return directory.resolve("given");
    }

    /** What the second level did after it had asked for an agent three times a second apart. */
    private List<String> done() throws IOException {
        return Files.readAllLines(given()).stream()
                .filter(line -> line.startsWith("action=") || line.startsWith("sleep="))
                .filter(line -> !line.equals("sleep=1"))
                .toList();
    }

    /** Else it would switch off the node that others still reach. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    state          | carrier | waits
                    up             | 0       | true
                    down           | -       | true
                    lowerlayerdown | 0       | true
                    up             | 1       | false
                    unknown        | 1       | false
                    # what cannot be told is not down
                    up             | -       | false
                    """)
    void aNodeWithoutAgentAndLinksLetsTheOtherGoFirst(String state, String carrier, boolean waits)
            throws IOException {
        Commands.Output output =
                secondLevel(
                        library("On On Off"),
                        "action=off\nnodename=node-1\npower_timeout=32\n",
                        linksOfWhichOneIsOurs(state, carrier));

        assertThat(output.exitCode()).as(output.err()).isZero();
        assertThat(done())
                .isEqualTo(
                        waits
                                ? List.of(
                                        "action=status", "sleep=74", "action=off", "action=status")
                                : List.of("action=off", "action=status"));
    }

    /** A bridge, which has a carrier while a virtual machine's port has. Here with a VLAN below. */
    @ParameterizedTest
    @CsvSource({
        "down, 0, true",
        "up, 0, true",
        "up, 1, false",
        // What cannot be told is not down.
        "up, -, false"
    })
    void aBridgeIsAsGoodAsTheCableBehindItOnTheSecondLevelToo(
            String state, String carrier, boolean waits) throws IOException {
        List<String> surroundings = linksOfWhichOneIsOurs("up", "1");
        Path bridge = directory.resolve("net/lo");
        for (String port : List.of("eth0", "eth0.7", "vnet0")) {
            Path made = Files.createDirectories(directory.resolve("net").resolve(port));
            Files.writeString(made.resolve("operstate"), "up\n");
            Files.writeString(made.resolve("carrier"), "1\n");
        }
        Path card = directory.resolve("net/eth0");
        Files.createDirectory(card.resolve("device"));
        Files.writeString(card.resolve("operstate"), state + "\n");
        if (carrier.equals("-")) {
            Files.delete(card.resolve("carrier"));
        } else {
            Files.writeString(card.resolve("carrier"), carrier + "\n");
        }
        Path vlan = directory.resolve("net/eth0.7");
        Files.createSymbolicLink(vlan.resolve("lower_eth0"), card);
        Files.createSymbolicLink(bridge.resolve("lower_eth0.7"), vlan);
        Files.createSymbolicLink(bridge.resolve("lower_vnet0"), directory.resolve("net/vnet0"));

        secondLevel(library("On On Off"), "action=off\nnodename=node-1\n", surroundings);

        if (waits) {
            assertThat(done()).contains("sleep=50");
        } else {
            assertThat(done()).doesNotContain("sleep=50");
        }
    }

    @Test
    void aNodeWhoseAddressesAreGoneIsWithoutLinks() throws IOException {
        List<String> surroundings = linksOfWhichOneIsOurs("up", "1");
        Path conf = directory.resolve("corosync.conf");
        Files.writeString(conf, Files.readString(conf).replace("127.0.0.1", "192.0.2.78"));

        secondLevel(library("On On Off"), "action=off\nnodename=node-1\n", surroundings);

        assertThat(done()).contains("sleep=50");
    }

    /** With a cable from node to node, a peer without power takes the carrier away. */
    @Test
    void nobodyWaitsForANodeThatIsOff() throws IOException {
        List<String> surroundings = linksOfWhichOneIsOurs("up", "0");

        assertThat(
                        secondLevel(library("Off"), "action=off\nnodename=node-1\n", surroundings)
                                .exitCode())
                .isZero();

        assertThat(done()).containsExactly("action=status", "action=off", "action=status");
    }

    /** Its own first level has waited. */
    @Test
    void aNodeWhoseAgentRunsDoesNotWaitAgain() throws IOException {
        List<String> surroundings = linksOfWhichOneIsOurs("up", "0");
        try (FakeAgent _ = new FakeAgent(socket(), _ -> "0\n")) {
            secondLevel(library("On Off"), "action=off\nnodename=node-1\n", surroundings);
        }

        assertThat(done()).containsExactly("action=off", "action=status");
    }

    /** The machine stood still while tandem-agent was asked. */
    @ParameterizedTest
    @CsvSource({"129.99, 0", "130.07, 1"})
    void anOrderThatIsLateSwitchesNothing(String asked, int code) throws IOException {
        Path clock = Files.writeString(directory.resolve("uptime"), "100.05 7.00\n");
        UnaryOperator<String> later =
                _ -> {
                    try {
                        Files.writeString(clock, asked + " 7.00\n");
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                    return "0\n";
                };
        Commands.Output output;
        try (FakeAgent _ = new FakeAgent(socket(), later)) {
            output =
                    secondLevel(
                            library("On Off"),
                            "action=off\nnodename=node-1\n",
                            List.of("TANDEM_UPTIME=" + clock));
        }

        assertThat(output.exitCode()).isEqualTo(code);
        if (code == 1) {
            assertThat(output.err())
                    .startsWith(
                            "fence_tandem_redfish: the order to fence node-1 is more than 30 s");
            assertThat(given()).doesNotExist();
            assertThat(fenceRecord()).doesNotExist();
        }
    }

    private Path fenceRecord() {
        return directory.resolve("fenced").resolve("node-1");
    }

    /** A stock agent for a machine that is off, and reads so whenever it is asked. */
    private static final String READS_OFF =
            """
            action=$(sed -n 's/^action=//p')
            [ "$action" != status ] || exit 2
            """;

    /**
     * Does what the library of the stock agents does (fence-agents 4.16, lib/fencing.py): it reads,
     * orders Off only where it did not read so, and reads until it does. What it reads is written
     * down beforehand, the last for ever.
     */
    private String library(String readings) throws IOException {
        Files.write(directory.resolve("readings"), List.of(readings.split(" ")));
        return """
        cd '%s' || exit 9
        tee -a given > now
        action=$(sed -n 's/^action=//p' now)
        power() {
            power=$(head -n 1 readings)
            [ "$(wc -l < readings)" -lt 2 ] || sed -i 1d readings
            [ "$power" != silent ] || exit 1
        }
        until_it_is() {
            for try in 1 2 3; do
                power
                [ "$power" != "$1" ] || return 0
            done
            return 1
        }
        power
        case $action-$power in
            status-Off) echo 'Status: OFF'; exit 2 ;;
            status-On) echo 'Status: ON' ;;
            off-Off) echo 'Success: Already OFF' ;;
            off-On) echo ForceOff >> orders; until_it_is Off || exit 1; echo 'Success: Powered OFF' ;;
            on-On) echo 'Success: Already ON' ;;
            on-Off) echo On >> orders; until_it_is On || exit 1; echo 'Success: Powered ON' ;;
            reboot-*)
                if [ "$power" = On ]; then
                    echo ForceOff >> orders
                    until_it_is Off || exit 1
                fi
                echo On >> orders
                until_it_is On
                echo 'Success: Rebooted'
                ;;
        esac
        """
                .formatted(directory);
    }

    /**
     * The stock agent calls a machine off that read Off once, without any order. An Off that is not
     * confirmed neither counts nor switches anything on: Pacemaker fences again.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    action | readings       | exit | orders
                    # it had crashed, and is off
                    reboot | Off            | 0    | On
                    off    | Off            | 0    | ''
                    # it lives, and is switched off
                    reboot | On On Off      | 0    | ForceOff On
                    reboot | On Off Off On  | 0    | ForceOff
                    off    | On Off         | 0    | ForceOff
                    # it lives, and its BMC has just started and reads what was true once
                    reboot | Off On         | 1    | ''
                    off    | Off On         | 1    | ''
                    # it lives, and the order was refused: the stock agent does not look
                    reboot | On Off On      | 1    | ForceOff
                    # nobody knows
                    reboot | Off silent     | 1    | ''
                    reboot | On Off silent  | 1    | ForceOff
                    reboot | silent         | 1    | ''
                    """)
    void anOffOfTheSecondLevelCountsWhenItIsReadTwice(
            String action, String readings, int exit, String orders) throws IOException {
        Commands.Output output;
        try (FakeAgent _ = new FakeAgent(socket(), _ -> "0\n")) {
            output = secondLevel(library(readings), "action=" + action + "\nnodename=node-1\n");
        }

        assertThat(output.exitCode()).isEqualTo(exit);
        assertThat(Files.exists(fenceRecord())).isEqualTo(exit == 0);
        Path ordered = directory.resolve("orders");
        assertThat(Files.exists(ordered) ? Files.readAllLines(ordered) : List.of())
                .isEqualTo(Stream.of(orders.split(" ")).filter(order -> !order.isEmpty()).toList());
    }

    @Test
    void theSecondLevelRecordsWhenItWasOrderedAndWhenItReadOff() throws IOException {
        long before = uptime();
        Commands.Output output =
                secondLevel(
                        library("On Off"),
                        "action=reboot\nip=192.0.2.1\npassword_script=show it\nnodename=node-1\n");

        assertThat(output.exitCode()).isZero();
        assertThat(output.out()).startsWith("Success: Powered OFF\n");
        String others = "ip=192.0.2.1\npassword_script=show it\nnodename=node-1\n";
        assertThat(directory.resolve("given"))
                .hasContent(
                        "action=off\n"
                                + others
                                + "action=status\n"
                                + others
                                + "action=on\n"
                                + others);
        Matcher left =
                Pattern.compile(
                                "version=2;action=(?:off|reboot);ordered=(\\d+);off=(\\d+);again=(\\d+);bmc=192\\.0\\.2\\.1:\n")
                        .matcher(Files.readString(fenceRecord()));
        assertThat(left.matches()).isTrue();
        long off = Long.parseLong(left.group(2));
        long again = Long.parseLong(left.group(3));
        assertThat(Long.parseLong(left.group(1))).isBetween(before, off);
        assertThat(again - off).as("hundredths of a second").isGreaterThanOrEqualTo(100);
        assertThat(again).isLessThanOrEqualTo(uptime());
    }

    /**
     * The address may be corrected before an agent finds the record. What was told to an earlier
     * fence counts for nothing.
     */
    @Test
    void theSecondLevelRecordsWhichBmcReadOffAndOfWhichMachine() throws IOException {
        String tells =
                "[ -z \"$TANDEM_MACHINE_TOLD\" ] || [ -e '%s' ] ||"
                                .formatted(directory.resolve("silent"))
                        + " printf ';uuid=%s;serial=A 1' \"$PPID\" > \"$TANDEM_MACHINE_TOLD\"\n"
                        + READS_OFF;
        String order =
                """
                action=reboot
                nodename=node-1
                ip=[2001:db8::1]
                ipport=443
                systems_uri=/redfish/v1/Systems/a;b
                """;
        assertThat(secondLevel(tells, order).exitCode()).isZero();
        assertThat(Files.readString(fenceRecord()))
                .containsPattern(
                        ";bmc=\\[2001:db8::1\\]:443/redfish/v1/Systems/a,b;uuid=\\d+;serial=A 1\n"
                                + "$");

        Files.writeString(directory.resolve("silent"), "");
        assertThat(secondLevel(tells, order).exitCode()).isZero();
        assertThat(Files.readString(fenceRecord()))
                .endsWith(";bmc=[2001:db8::1]:443/redfish/v1/Systems/a,b\n");
        try (Stream<Path> left = Files.list(directory.resolve("fenced"))) {
            assertThat(left).containsExactly(fenceRecord());
        }
    }

    /** It would otherwise hold up the fence until Pacemaker ends it. */
    @Test
    void aNodeThatDoesNotComeOnIsFencedAllTheSame() throws IOException {
        Commands.Output output = secondLevel(library("Off"), "action=reboot\nnodename=node-1\n");

        assertThat(output.exitCode()).isZero();
        assertThat(output.err()).contains("node-1 is off, and was not seen to come on again");
        assertThat(fenceRecord()).exists();
    }

    @Test
    void theSecondLevelRecordsNothingElse() throws IOException {
        assertThat(secondLevel("exit 1", "action=off\nnodename=node-1\n").exitCode()).isOne();
        assertThat(secondLevel("exit 0", "action=monitor\nnodename=node-1\n").exitCode()).isZero();
        assertThat(secondLevel("exit 0", "action=on\nnodename=node-1\n").exitCode()).isZero();

        assertThat(directory.resolve("fenced")).doesNotExist();
    }

    /** Without a name nobody can be asked, and no record left. Stock agents reboot by default. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    action=off
                    action=reboot;nodename=
                    action=off;nodename=../node-1
                    action=off;nodename=node_1
                    action=OFF;nodename=node-1
                    action=cycle;nodename=node-1
                    nodename=node-1
                    """)
    void whatSwitchesOffNeedsTheNameOfANode(String order) throws IOException {
        String fired = "echo > '" + directory.resolve("fired") + "'\n" + READS_OFF;

        Commands.Output output = secondLevel(fired, order.replace(';', '\n') + "\n");

        assertThat(output.exitCode()).isOne();
        assertThat(output.err()).startsWith("fence_tandem_redfish: ");
        assertThat(directory.resolve("fired")).doesNotExist();
    }

    @Test
    void theSecondLevelDoesNotShootAnotherMachine() throws IOException {
        String fired = "echo > '" + directory.resolve("fired") + "'\n" + READS_OFF;
        try (FakeAgent agent = new FakeAgent(socket(), _ -> "1\nthe BMC is another machine's\n")) {
            Commands.Output output = secondLevel(fired, "action=off\nnodename=node-1\n");

            assertThat(output.exitCode()).isOne();
            assertThat(output.err()).contains("the BMC is another machine's");
            assertThat(directory.resolve("fired")).doesNotExist();
            assertThat(agent.requests).singleElement().asString().startsWith("POST /second-level ");
        }
        Files.deleteIfExists(socket());

        assertThat(secondLevel(fired, "action=off\nnodename=node-1\n").exitCode())
                .as("an agent that is down does not keep it from shooting")
                .isZero();
        assertThat(directory.resolve("fired")).exists();
    }

    @Test
    void theSecondLevelDoesNotLogInToLookWithADeniedPassword() throws IOException {
        String fired = "echo > '" + directory.resolve("fired") + "'";
        String monitor = "action=monitor\npassword_script=/usr/share/tandem/bmc-password node-1\n";
        try (FakeAgent agent = new FakeAgent(socket(), _ -> "1\nthe BMC denies it\n")) {
            Commands.Output output = secondLevel(fired, monitor);

            assertThat(output.exitCode()).isOne();
            assertThat(output.err()).isEqualTo("fence_tandem_redfish: the BMC denies it\n");
            assertThat(directory.resolve("fired")).doesNotExist();
            assertThat(agent.requests)
                    .singleElement()
                    .asString()
                    .startsWith("POST /second-level/look ")
                    .endsWith("node-1");
        }
        Files.deleteIfExists(socket());

        assertThat(secondLevel(fired, monitor).exitCode())
                .as("without an agent nobody knows")
                .isZero();
        assertThat(directory.resolve("fired")).exists();
    }

    /** An agent that is down cannot say so, but has noted it. */
    @ParameterizedTest
    @CsvSource({"other-machine-found, controls another machine", "false-off-began, reads Off"})
    void whatTheAgentNotedOfTheBmcKeepsTheSecondLevelFromShooting(String mark, String why)
            throws IOException {
        String fired = "echo > '" + directory.resolve("fired") + "'\n" + READS_OFF;
        Files.writeString(
                Files.createDirectories(directory.resolve("moments")).resolve(mark), "4711\n");

        Commands.Output output = secondLevel(fired, "action=off\nnodename=node-1\n");

        assertThat(output.exitCode()).isOne();
        assertThat(output.err()).startsWith("fence_tandem_redfish: ").contains(why);
        assertThat(directory.resolve("fired")).doesNotExist();
        assertThat(fenceRecord()).doesNotExist();
        try (FakeAgent _ = new FakeAgent(socket(), _ -> "0\n")) {
            assertThat(secondLevel(fired, "action=off\nnodename=node-1\n").exitCode())
                    .as("the agent knows better")
                    .isZero();
        }
    }

    @Test
    void anAgentThatIsBeingRestartedIsAskedBeforeTheSecondLevelShoots() throws Exception {
        String fired = "echo > '" + directory.resolve("fired") + "'\n" + READS_OFF;
        Path paused = pausesUntilTheAgentIsBack();
        FakeAgent[] back = new FakeAgent[1];
        Thread restart =
                Thread.ofVirtual()
                        .start(() -> back[0] = listensOnceThereIs(paused, "1\nnot by this BMC\n"));

        Commands.Output output = secondLevel(fired, "action=off\nnodename=node-1\n");

        restart.join();
        back[0].close();
        assertThat(output.exitCode()).isOne();
        assertThat(output.err()).contains("not by this BMC");
        assertThat(directory.resolve("fired")).doesNotExist();
    }

    /** Whoever listens may know that the BMC is another machine's. */
    @ParameterizedTest
    @CsvSource({"0, 9", "'', 0", "no, 0", "10, 0", "2, 0"})
    void anAgentThatListensAndDoesNotSayYesKeepsTheSecondLevelFromShooting(
            String answer, int afterSeconds) throws IOException {
        String fired = "echo > '" + directory.resolve("fired") + "'";
        UnaryOperator<String> slow =
                _ -> {
                    LockSupport.parkNanos(Duration.ofSeconds(afterSeconds).toNanos());
                    return answer + "\n";
                };
        try (FakeAgent _ = new FakeAgent(socket(), slow)) {
            Commands.Output output = secondLevel(fired, "action=off\nnodename=node-1\n");

            assertThat(output.exitCode()).isOne();
            assertThat(output.err()).startsWith("fence_tandem_redfish: ");
            assertThat(directory.resolve("fired")).doesNotExist();
            assertThat(fenceRecord()).doesNotExist();
        }
    }

    private static final String TRIED =
            """
            action=%s
            username=fencer
            ip=192.0.2.1
            nodename=node-1
            password_script=%s node-1
            """;

    /** A BMC that denies the password, and what the programs around the stock agent say of that. */
    private String denies() {
        return "echo tried >> '%s'\necho > \"$TANDEM_DENIED\"\nexit 1"
                .formatted(directory.resolve("tries"));
    }

    /** With a password in a file, at this second after the boot, and without an agent. */
    private Commands.Output secondLevelAt(int second, String action, String stock)
            throws IOException {
        executable("sleep", "#!/bin/sh\n");
        Path clock = Files.writeString(directory.resolve("uptime"), second + ".00 7.00\n");
        return secondLevel(
                stock,
                TRIED.formatted(action, PASSWORD),
                List.of("TANDEM_UPTIME=" + clock, "TANDEM_ETC=" + directory.resolve("etc")));
    }

    /** Set before all that is denied here. */
    private void passwordOfNode1() throws IOException {
        Path file =
                Files.createDirectories(directory.resolve("etc/bmc")).resolve("node-1.password");
        Files.writeString(file, "hunter2\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
    }

    private int tries() throws IOException {
        Path tries = directory.resolve("tries");
        return Files.exists(tries) ? Files.readAllLines(tries).size() : 0;
    }

    /**
     * With the agent down, Pacemaker repeats a fence that fails some ten times a minute. As {@link
     * dev.tandem.host.bmc.login.LoginBackoff} has it: three tries, and then one in 10 min.
     */
    @Test
    void aDeniedPasswordIsTriedAsRarelyAsTheAgentWould() throws IOException {
        passwordOfNode1();
        List<Integer> tried = new ArrayList<>();
        for (int second :
                List.of(1000, 1001, 1019, 1020, 1040, 1079, 1080, 1100, 1679, 1680, 1700)) {
            int before = tries();
            Commands.Output output = secondLevelAt(second, "off", denies());
            assertThat(output.exitCode()).isOne();
            if (tries() > before) {
                tried.add(second);
            } else {
                assertThat(output.err())
                        .startsWith("fence_tandem_redfish: the BMC of node-1 denied the password");
            }
        }

        assertThat(tried).containsExactly(1000, 1020, 1080, 1680);
    }

    /** What the agent was denied before it died counts, and for orders by its own rule. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    denied at      | orders | silent | at   | action  | tried
                    # looks do not keep an order from its first try
                    1000 1060      | ''     | false  | 1061 | off     | true
                    1000 1060      | ''     | false  | 1061 | monitor | false
                    1000           | ''     | false  | 1059 | monitor | false
                    1000           | ''     | false  | 1060 | monitor | true
                    1000           | ''     | true   | 1179 | monitor | false
                    1000           | ''     | true   | 1180 | monitor | true
                    1000           | 1000   | false  | 1019 | off     | false
                    1000           | 1000   | false  | 1020 | off     | true
                    1000           | 1000   | true   | 1059 | off     | false
                    1000 1020      | 1020   | false  | 1079 | off     | false
                    1000 1020      | 1020   | true   | 1190 | reboot  | false
                    1000 1020      | 1020   | true   | 1200 | reboot  | true
                    # a look that was denied in between has tried for the order too
                    1000 1020 1500 | 1020   | false  | 2099 | off     | false
                    1000 1020 1500 | 1020   | false  | 2100 | off     | true
                    # one that lies ahead is not believed
                    3000           | 3000   | false  | 1000 | off     | true
                    """)
    void whatTheAgentWasDeniedIsNotTriedByTheSecondLevel(
            String deniedAt, String orders, boolean silent, int at, String action, boolean tried)
            throws IOException {
        passwordOfNode1();
        AtomicLong nanos = new AtomicLong();
        LoginBackoff.Memory memory =
                new DeniedLogins(directory, nanos::get)
                        .ofTheAgent(
                                "node-1",
                                BmcAddress.of("redfish+https://192.0.2.1/redfish/v1/Systems/1"),
                                "fencer",
                                "hunter2",
                                Optional.of(directory.resolve("etc/bmc/node-1.password")));
        LoginBackoff agent = new LoginBackoff(LoginBackoff.SOON, nanos::get, memory);
        List<String> asOrders = Arrays.asList(orders.split(" ", -1));
        for (String moment : deniedAt.split(" ", -1)) {
            nanos.set(Duration.ofSeconds(Long.parseLong(moment)).toNanos());
            if (silent) {
                agent.onSilent();
            }
            agent.onDenied(asOrders.contains(moment) ? Purpose.ORDER : Purpose.LOOK, 401, "wrong");
        }

        secondLevelAt(at, action, denies());

        assertThat(tries()).isEqualTo(tried ? 1 : 0);
    }

    /** The tries of both are one row for the BMC. */
    @Test
    void theSecondLevelCountsOnFromWhatTheAgentWasDenied() throws IOException {
        passwordOfNode1();
        new DeniedLogins(directory, () -> 0L)
                .ofTheAgent(
                        "node-1",
                        BmcAddress.of("redfish+https://192.0.2.1/redfish/v1/Systems/1"),
                        "fencer",
                        "hunter2",
                        Optional.of(directory.resolve("etc/bmc/node-1.password")))
                .keep(
                        new Denials(
                                401,
                                "\"count\":1,\"last\":7",
                                1,
                                2,
                                Duration.ofSeconds(1000).toNanos(),
                                OptionalLong.empty(),
                                false));

        secondLevelAt(1001, "off", denies());
        secondLevelAt(1062, "off", denies());

        assertThat(tries()).as("it was the third").isOne();
    }

    /** An agent that starts knows nothing of its own of what was denied while there was none. */
    @Test
    void theAgentCountsOnFromWhatTheSecondLevelWasDenied() throws IOException {
        passwordOfNode1();
        secondLevelAt(1000, "off", denies());
        secondLevelAt(1020, "off", denies());
        assertThat(tries()).isEqualTo(2);

        AtomicLong nanos = new AtomicLong(Duration.ofSeconds(1025).toNanos());
        LoginBackoff agent =
                new LoginBackoff(
                        LoginBackoff.SOON,
                        nanos::get,
                        new DeniedLogins(directory, nanos::get)
                                .ofTheAgent(
                                        "node-1",
                                        BmcAddress.of(
                                                "redfish+https://192.0.2.1/redfish/v1/Systems/1"),
                                        "fencer",
                                        "hunter2",
                                        Optional.of(directory.resolve("etc/bmc/node-1.password"))));
        assertThat(agent.held(Purpose.LOOK)).isPresent();
        assertThat(agent.held(Purpose.ORDER)).isPresent();
        nanos.set(Duration.ofSeconds(1081).toNanos());
        assertThat(agent.held(Purpose.ORDER)).isEmpty();
        agent.onDenied(Purpose.ORDER, 401, "wrong");
        nanos.set(Duration.ofSeconds(1679).toNanos());
        assertThat(agent.held(Purpose.ORDER)).as("that was the third").isPresent();
    }

    @Test
    void anotherPasswordOrOneThatWasAcceptedIsTriedAtOnce() throws IOException {
        passwordOfNode1();
        Path password = directory.resolve("etc/bmc/node-1.password");
        secondLevelAt(1000, "off", denies());
        secondLevelAt(1001, "off", denies());
        assertThat(tries()).isOne();

        Files.setLastModifiedTime(password, FileTime.from(Instant.now().plusSeconds(60)));
        secondLevelAt(1002, "off", denies());
        assertThat(tries()).as("the file was written since").isEqualTo(2);

        Files.setLastModifiedTime(password, FileTime.from(Instant.EPOCH));
        assertThat(secondLevelAt(1022, "off", READS_OFF).exitCode()).isZero();
        secondLevelAt(1023, "off", denies());
        assertThat(tries()).as("it was accepted since").isEqualTo(3);

        new LoginBackoff(
                        LoginBackoff.SOON,
                        () -> 0,
                        new DeniedLogins(directory, () -> 0)
                                .ofTheAgent(
                                        "node-1",
                                        BmcAddress.of(
                                                "redfish+https://192.0.2.1/redfish/v1/Systems/1"),
                                        "fencer",
                                        "hunter2",
                                        Optional.of(directory.resolve("etc/bmc/node-1.password"))))
                .onAccepted();
        secondLevelAt(1024, "off", denies());
        assertThat(tries()).as("tandem-agent has logged in since").isEqualTo(4);
    }

    /** Nor does the second reading of a node without links log in with what was just denied. */
    @Test
    void aNodeWithoutLinksIsDeniedOnce() throws IOException {
        passwordOfNode1();
        List<String> surroundings = new ArrayList<>(linksOfWhichOneIsOurs("up", "0"));
        surroundings.add("TANDEM_ETC=" + directory.resolve("etc"));

        secondLevel(denies(), TRIED.formatted("off", PASSWORD), surroundings);

        assertThat(tries()).isOne();
    }

    @Test
    void aSocketOnWhichNobodyListensIsThatOfAnAgentThatIsDown() throws IOException {
        new FakeAgent(socket(), _ -> "1\n").close();
        assertThat(socket()).exists();

        assertThat(secondLevel(READS_OFF, "action=off\nnodename=node-1\n").exitCode()).isZero();
        assertThat(fenceRecord()).exists();
    }

    private static long uptime() throws IOException {
        String text = Files.readString(Path.of("/proc/uptime"));
        return Long.parseLong(text.substring(0, text.indexOf(' ')).replace(".", ""));
    }

    @Test
    void aNodeThatIsOffIsStatusTwoAndSaysSo() throws IOException {
        try (FakeAgent _ = new FakeAgent(socket(), _ -> "2\nStatus: OFF\n")) {
            Commands.Output output =
                    fence("", "-o", "status", "--plug=node-1", "--socket=" + socket());

            assertThat(output.exitCode()).isEqualTo(2);
            assertThat(output.out()).isEqualTo("Status: OFF\n");
        }
    }

    @ParameterizedTest
    @CsvSource({"action=off", "plug=node-1", "action=melt", "''"})
    void anOrderThatIsNotWholeSwitchesNothing(String order) throws IOException {
        try (FakeAgent agent = new FakeAgent(socket(), _ -> "0\n")) {
            assertThat(fence(order + "\nsocket=" + socket() + "\n").exitCode()).isEqualTo(1);
            assertThat(agent.requests).isEmpty();
        }
    }

    @Test
    void withoutTheAgentOrAPlainAnswerAFenceFails() throws IOException {
        String order = "action=off\nplug=node-1\nsocket=" + socket() + "\n";

        assertThat(fence(order).exitCode()).isEqualTo(1);
        try (FakeAgent _ = new FakeAgent(socket(), _ -> "OK, it is off\n")) {
            assertThat(fence(order).exitCode()).isEqualTo(1);
        }
    }

    @Test
    void anAlertIsPassedOnAndNeverFails() throws IOException {
        List<String> command =
                List.of(
                        "env",
                        "TANDEM_ALERT_SOCKET=" + socket(),
                        "CRM_alert_kind=fencing",
                        "CRM_alert_node=node-1",
                        "sh",
                        ALERT.toString());

        assertThat(new SystemCommands().run(LIMIT, command).exitCode()).isZero();
        try (FakeAgent agent = new FakeAgent(socket(), _ -> "")) {
            assertThat(new SystemCommands().run(LIMIT, command).exitCode()).isZero();
            assertThat(agent.requests)
                    .singleElement()
                    .asString()
                    .startsWith("POST /alert ")
                    .contains("CRM_alert_kind=fencing\n", "CRM_alert_node=node-1\n");
        }
    }

    @Test
    void aPasswordIsPrintedForANodeAndForNothingElse() throws IOException {
        Files.createDirectories(directory.resolve("bmc"));
        Files.writeString(directory.resolve("bmc/node-1.password"), "pass word\n");
        Files.writeString(directory.resolve("other.password"), "not for you\n");

        assertThat(password("node-1").out()).isEqualTo("pass word\n");
        assertThat(password("../other").exitCode()).isEqualTo(2);
        assertThat(password("").exitCode()).isEqualTo(2);
    }

    /** With neither an agent nor a store. */
    @Test
    void aPasswordThatWasFetchedIsDecryptedByTheShellAlone() throws IOException {
        Path key = directory.resolve("key");
        Path etc = Files.createDirectories(directory.resolve("etc"));
        SealedPassword sealed = new SealedPassword(new OtherCredentialKey(key), "node-1");
        sealed.write(SealedPassword.file(etc, "node-1"), "pass  word*");

        Commands.Output printed =
                new OtherCredentialKey(key)
                        .run(
                                LIMIT,
                                List.of("env", "TANDEM_ETC=" + etc, PASSWORD.toString(), "node-1"));
        assertThat(printed.out()).as(printed.err()).isEqualTo("pass  word*\n");

        // Made for another node, or for none.
        Files.copy(SealedPassword.file(etc, "node-1"), SealedPassword.file(etc, "node-0"));
        for (String other : List.of("node-0", "node-2")) {
            Commands.Output none =
                    new OtherCredentialKey(key)
                            .run(
                                    LIMIT,
                                    List.of(
                                            "env",
                                            "TANDEM_ETC=" + etc,
                                            PASSWORD.toString(),
                                            other));
            assertThat(none.exitCode()).isNotZero();
            assertThat(none.out()).isEmpty();
        }
    }

    private Path program(String name, String script) throws IOException {
        Path program = directory.resolve(name);
        Files.writeString(program, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        return program;
    }

    /** The second level of a BMC that speaks IPMI, around such a stock agent. */
    private Commands.Output secondLevelByIpmi(Path stock, Path ipmitool, String stdin) {
        return new SystemCommands()
                .run(
                        LIMIT,
                        List.of(
                                "env",
                                "TANDEM_RUN=" + directory,
                                "TANDEM_ETC=" + directory,
                                "TANDEM_SHARE=" + ROOT.resolve("usr/share/tandem"),
                                "TANDEM_FENCE_IPMILAN=" + stock,
                                "TANDEM_IPMITOOL=" + ipmitool,
                                SECOND_IPMI.toString()),
                        stdin);
    }

    /**
     * Calls ipmitool as fence_ipmilan 4.16 does where it has no password, and with an argument that
     * a shell would take apart.
     */
    @Test
    void thePasswordOfIpmiGoesByStandardInputAlone() throws IOException {
        Files.createDirectory(directory.resolve("bmc"));
        Files.writeString(directory.resolve("bmc/node-1.password"), "hunter2 * x\n");
        Path ipmitool =
                program(
                        "tool",
                        "for argument; do printf '[%s]' \"$argument\"; done; echo; cat;"
                                + " env | grep -c hunter2");
        Path stock =
                program(
                        "stock",
                        "cat > %s/given; $(sed -n 's/^ipmitool_path=//p' %s/given) -I lanplus -U 'a b' -P '' -C 17 chassis power status"
                                .formatted(directory, directory));

        Commands.Output output =
                secondLevelByIpmi(
                        stock,
                        ipmitool,
                        "action=status\nusername=a b\npassword_script=%s node-1\n"
                                .formatted(PASSWORD));

        assertThat(output.out().lines())
                .containsExactly(
                        "[-v][-f][/dev/stdin][-I][lanplus][-U][a"
                                + " b][-C][17][chassis][power][status]",
                        "hunter2 * x",
                        "0");
        assertThat(Files.readString(directory.resolve("given")))
                .isEqualTo(
                        "action=status\nusername=a b\nipmitool_path=%s\n"
                                .formatted(ROOT.resolve("usr/share/tandem/ipmitool")));
    }

    /** One that cannot be decrypted just now: the BMC would count an empty one as a wrong one. */
    @ParameterizedTest
    @CsvSource({"exit 1", "exit 0", "echo half of it; exit 1"})
    void withoutThePasswordNobodyLogsInOverIpmi(String script) throws IOException {
        Path ipmitool = program("tool", "echo tried >> '%s'".formatted(directory.resolve("tries")));
        Path stock =
                program("stock", "$(sed -n 's/^ipmitool_path=//p') -P '' chassis power status");
        Path password = program("password", script);

        for (String by : List.of("password_script=" + password + " node-1\n", "")) {
            Commands.Output output = secondLevelByIpmi(stock, ipmitool, "action=status\n" + by);

            assertThat(output.exitCode()).isNotZero();
            assertThat(directory.resolve("tries")).doesNotExist();
        }
    }

    /** As ipmitool 1.8.19 says it, and only where it is told to be verbose. */
    @ParameterizedTest
    @CsvSource({
        "> RAKP 2 HMAC is invalid, true",
        "RAKP 2 message indicates an error : unauthorized name, true",
        "> RAKP 2 message indicates an error : insufficient resources for session, false",
        "> Error: no response from RAKP 1 message, false"
    })
    void aPasswordThatIsDeniedOverIpmiIsRemembered(String says, boolean denied) throws IOException {
        Files.createDirectory(directory.resolve("bmc"));
        Path password = Files.writeString(directory.resolve("bmc/node-1.password"), "hunter2\n");
        Files.setLastModifiedTime(password, FileTime.from(Instant.EPOCH));
        Path ipmitool =
                program(
                        "tool",
                        "echo tried >> '%s'; [ \"$1\" != -v ] || echo '%s' >&2; exit 1"
                                .formatted(directory.resolve("tries"), says));
        Path stock =
                program(
                        "stock",
                        "$(sed -n 's/^ipmitool_path=//p') -I lanplus -P '' chassis power off");
        String order =
                "action=off\nnodename=node-1\npassword_script=%s node-1\n".formatted(PASSWORD);

        for (int i = 0; i < 2; i++) {
            assertThat(secondLevelByIpmi(stock, ipmitool, order).exitCode()).isOne();
        }

        assertThat(tries()).isEqualTo(denied ? 1 : 2);
    }

    @Test
    void aFenceByIpmiCountsWhenOffWasReadTwiceToo() throws IOException {
        Path stock = program("stock", library("On Off On"));

        Commands.Output output;
        try (FakeAgent _ = new FakeAgent(socket(), _ -> "0\n")) {
            output = secondLevelByIpmi(stock, stock, "action=off\nnodename=node-1\n");
        }

        assertThat(output.exitCode()).isEqualTo(1);
        assertThat(output.err())
                .contains("fence_tandem_ipmilan: the BMC of node-1 read Off and then On");
        assertThat(fenceRecord()).doesNotExist();
    }

    /** What is known of the first BMC says nothing of the second, nor the other way round. */
    @Test
    void theSecondOfABmcIsAskedForNotedAndRecordedApart() throws IOException {
        String order =
                "action=off\nnodename=node-1\npassword_script=%s node-1_second\n"
                        .formatted(PASSWORD);
        Path stock = program("stock", library("Off"));
        Path record = directory.resolve("second/fenced/node-1");
        Files.writeString(
                Files.createDirectories(directory.resolve("moments"))
                        .resolve("other-machine-found"),
                "4711\n");
        assertThat(secondLevelByIpmi(stock, stock, order).exitCode())
                .as("the first is another machine's")
                .isZero();
        assertThat(record).exists();
        assertThat(fenceRecord()).doesNotExist();
        Files.delete(record);

        Files.writeString(
                Files.createDirectories(directory.resolve("second/moments"))
                        .resolve("other-machine-found"),
                "4711\n");
        assertThat(secondLevelByIpmi(stock, stock, order).exitCode()).isOne();
        assertThat(record).doesNotExist();

        try (FakeAgent agent = new FakeAgent(socket(), _ -> "0\n")) {
            assertThat(secondLevelByIpmi(stock, stock, order).exitCode()).isZero();
            assertThat(agent.requests)
                    .singleElement()
                    .asString()
                    .startsWith("POST /second-level ")
                    .endsWith("node-1_second");
        }
    }

    /** IPMI comes before Redfish, whose fence would be proven. */
    @Test
    void aSecondThatDoesNotTellItsMachineLeavesTheFenceToTheFirst() throws IOException {
        String order =
                "action=off\nnodename=node-1\npassword_script=%s node-1_second\n"
                        .formatted(PASSWORD);
        Path stock = program("stock", library("Off"));
        Files.writeString(
                Files.createDirectories(directory.resolve("second/moments"))
                        .resolve("machine-not-told"),
                "4711\n");

        Commands.Output output = secondLevelByIpmi(stock, stock, order);

        assertThat(output.exitCode()).isOne();
        assertThat(output.err()).startsWith("fence_tandem_ipmilan: ").contains("does not tell");
        assertThat(directory.resolve("second/fenced/node-1")).doesNotExist();
        assertThat(secondLevel(READS_OFF, "action=off\nnodename=node-1\n").exitCode())
                .as("the first")
                .isZero();
    }

    /** A further level around such a stock agent, which lies where stock agents do. */
    private Commands.Output furtherLevel(String agent, String stdin) throws IOException {
        Path program = Files.createDirectories(directory.resolve("agents")).resolve("fence_pdu");
        Files.writeString(program, "#!/bin/sh\n" + agent + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        return new SystemCommands()
                .run(
                        LIMIT,
                        List.of(
                                "env",
                                "TANDEM_RUN=" + directory,
                                "TANDEM_SHARE=" + ROOT.resolve("usr/share/tandem"),
                                "TANDEM_FENCE_AGENTS=" + directory.resolve("agents"),
                                "TANDEM_ETC=" + directory.resolve("etc"),
                                FURTHER.toString()),
                        stdin
                                + "tandem_agent=fence_pdu\ntandem_level=node-1_further1\n"
                                + "power_timeout=2\nplug=7\n");
    }

    private Path furtherRecord() {
        return directory.resolve("further1/fenced/node-1");
    }

    /** What the agent of the outlet calls a success is read once more, and again after a second. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    action | readings         | exit | orders      | told
                    off    | On Off           | 0    | ForceOff    | Powered OFF
                    reboot | On Off Off Off Off On | 0 | ForceOff On | Powered ON
                    # it reads Off falsely, once or twice
                    off    | Off On           | 1    | ''          | fence-further: fence_pdu said that it had switched off, and reads On
                    off    | On Off Off On    | 1    | ForceOff    | fence_tandem_further: the power of node-1 read Off and then On
                    off    | On Off silent    | 1    | ForceOff    | fence-further: fence_pdu said that it had switched off, and does not read Off
                    off    | On Off Off silent| 1    | ForceOff    | fence_tandem_further: the power of node-1 read Off, and did not say so again
                    off    | silent           | 1    | ''          | ''
                    """)
    void aFenceByAFurtherLevelCountsWhenItsAgentReadsOffTwice(
            String action, String readings, int exit, String orders, String told)
            throws IOException {
        Commands.Output output;
        try (FakeAgent _ = new FakeAgent(socket(), _ -> "0\n")) {
            output = furtherLevel(library(readings), "action=" + action + "\nnodename=node-1\n");
        }

        assertThat(output.exitCode()).as(output.err()).isEqualTo(exit);
        assertThat(output.out() + output.err()).contains(told);
        assertThat(Files.exists(furtherRecord())).isEqualTo(exit == 0);
        assertThat(fenceRecord()).as("that of the first BMC").doesNotExist();
        Path ordered = directory.resolve("orders");
        assertThat(Files.exists(ordered) ? Files.readAllLines(ordered) : List.of())
                .isEqualTo(Stream.of(orders.split(" ")).filter(order -> !order.isEmpty()).toList());
        assertThat(Files.readAllLines(given()))
                .contains("plug=7", "nodename=node-1", "power_timeout=2")
                .noneMatch(line -> line.startsWith("tandem_"));
    }

    /** Neither an address nor a machine, whatever its parameters are: the plan says whose it is. */
    @Test
    void theRecordOfAFurtherLevelNamesNoBmc() throws IOException {
        assertThat(
                        furtherLevel(
                                        "[ -z \"${TANDEM_MACHINE_TOLD:-}\" ] || exit 1\n"
                                                + READS_OFF,
                                        "action=off\nnodename=node-1\nip=192.0.2.9\nipport=161\n")
                                .exitCode())
                .isZero();

        assertThat(Files.readString(furtherRecord()))
                .matches("version=2;action=off;ordered=[0-9]+;off=[0-9]+;again=[0-9]+\n");
    }

    /** Pacemaker would go on after its fence, and the peer wait for a person. */
    @Test
    void aFurtherLevelOfAnEarlierReleaseFails() throws IOException {
        Commands.Output output =
                furtherLevel(READS_OFF, "action=off\nnodename=node-1\ntandem_proves_off=1\n");

        assertThat(output.exitCode()).isOne();
        assertThat(output.err()).contains("tandem cluster apply");
        assertThat(furtherRecord()).doesNotExist();
    }

    /** As the plan said when the power was switched, which a later plan cannot change. */
    @Test
    void theRecordOfAFurtherLevelSaysWhatThePlanStated() throws IOException {
        assertThat(
                        furtherLevel(READS_OFF, "action=off\nnodename=node-1\ntandem_stated=12ab\n")
                                .exitCode())
                .isZero();

        assertThat(Files.readString(furtherRecord()))
                .matches(
                        "version=2;action=off;ordered=[0-9]+;off=[0-9]+;again=[0-9]+;stated=12ab\n");
    }

    /** What an outlet denied is noted in its own place, and holds nobody from asking the BMC. */
    @ParameterizedTest
    @ValueSource(strings = {"action=monitor\n", "action=off\nnodename=node-1\n"})
    void aPasswordThatAFurtherLevelWasDeniedIsTriedNoSoonerAgain(String order) throws IOException {
        Path etc = Files.createDirectories(directory.resolve("etc/bmc"));
        Files.writeString(etc.resolve("node-1_further1.password"), "secret\n");
        Files.setLastModifiedTime(
                etc.resolve("node-1_further1.password"), FileTime.from(Instant.EPOCH));
        String denying =
                "echo >> '" + directory.resolve("asked") + "'; : > \"$TANDEM_DENIED\"; exit 1";

        assertThat(furtherLevel(denying, order).exitCode()).isOne();
        assertThat(furtherLevel(denying, order).err())
                .contains("the device of node-1_further1 denied the password");
        assertThat(Files.readAllLines(directory.resolve("asked"))).hasSize(1);
        assertThat(directory.resolve("further1/bmc-denied-to-second-level-node-1")).exists();
        assertThat(directory.resolve("bmc-denied-to-second-level-node-1")).doesNotExist();
    }

    /** It switches, and nobody can tell whether it did. */
    @Test
    void anAgentWithoutAStatusFencesNobody() throws IOException {
        Commands.Output output =
                furtherLevel(
                        "[ \"$(sed -n 's/^action=//p')\" = off ] || exit 1",
                        "action=off\nnodename=node-1\n");

        assertThat(output.exitCode()).isOne();
        assertThat(output.err())
                .contains("fence_pdu said that it had switched off, and does not read Off");
        assertThat(furtherRecord()).doesNotExist();
    }

    /** Nor is anything of it left that would switch later, for somebody who has given up. */
    @Test
    void anAgentThatHangsIsEndedWithWhatItHasStarted() throws IOException {
        Commands.Output output =
                furtherLevel(
                        "sleep 1000 & echo $$ $! > '%s'; wait"
                                .formatted(directory.resolve("started")),
                        "action=off\nnodename=node-1\n");

        assertThat(output.exitCode()).isOne();
        assertThat(furtherRecord()).doesNotExist();
        for (String process :
                Files.readString(directory.resolve("started")).strip().split(" ", -1)) {
            awaitEnd(process);
        }
    }

    /** The signal is sent to all of them, and only the agent itself is waited for. */
    private static void awaitEnd(String process) {
        long limit = System.nanoTime() + LIMIT.toNanos();
        while (runs(process)) {
            assertThat(System.nanoTime() - limit).as("process %s runs", process).isNegative();
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    /** One that has ended may be left to a parent that does not ask. */
    private static boolean runs(String process) {
        try {
            return !Files.readString(Path.of("/proc", process, "stat")).contains(") Z ");
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void tandemAgentIsAskedBeforeAFurtherLevelShoots() throws IOException {
        String fired = "echo > '" + directory.resolve("fired") + "'\n" + READS_OFF;
        try (FakeAgent agent = new FakeAgent(socket(), _ -> "1\nit has booted since\n")) {
            Commands.Output output = furtherLevel(fired, "action=off\nnodename=node-1\n");

            assertThat(output.exitCode()).isOne();
            assertThat(output.err()).contains("fence_tandem_further: it has booted since");
            assertThat(directory.resolve("fired")).doesNotExist();
            assertThat(agent.requests)
                    .singleElement()
                    .asString()
                    .startsWith("POST /second-level ")
                    .endsWith("node-1_further1");
        }
        Files.deleteIfExists(socket());
        Files.writeString(
                Files.createDirectories(directory.resolve("moments"))
                        .resolve("other-machine-found"),
                "4711\n");

        assertThat(furtherLevel(fired, "action=off\nnodename=node-1\n").exitCode())
                .as("what was noted of the BMC says nothing of the outlet")
                .isZero();
        assertThat(furtherRecord()).exists();
    }

    /** It becomes the name of a program. */
    @ParameterizedTest
    @ValueSource(strings = {"", "../fence_pdu", "fence_tandem", "reboot", "fence_none"})
    void aFurtherLevelRunsStockAgentsOnly(String agent) {
        Commands.Output output =
                new SystemCommands()
                        .run(
                                LIMIT,
                                List.of(
                                        "env",
                                        "TANDEM_FENCE_AGENTS=" + directory.resolve("agents"),
                                        ROOT.resolve("usr/share/tandem/fence-further").toString()),
                                "action=status\ntandem_agent=" + agent + "\n");

        assertThat(output.exitCode()).isOne();
        assertThat(output.err()).startsWith("fence-further: ");
    }

    @Test
    void aFurtherLevelDescribesItselfWhateverItsAgent() throws XmlElement.MalformedXml {
        for (String order : List.of("-o metadata", "--action=metadata", "metadata", "")) {
            List<String> command =
                    new ArrayList<>(
                            List.of(
                                    "env",
                                    "TANDEM_SHARE=" + ROOT.resolve("usr/share/tandem"),
                                    FURTHER.toString()));
            Stream.of(order.split(" ")).filter(word -> !word.isEmpty()).forEach(command::add);

            Commands.Output output = new SystemCommands().run(LIMIT, command, "action=metadata\n");

            assertThat(output.exitCode()).isZero();
            assertThat(XmlElement.parse(output.out()).section("actions"))
                    .extracting(action -> action.attribute("name", ""))
                    .contains("off", "on", "reboot", "status", "monitor");
        }
    }

    /** Which would be called done, with nobody asked and Off read once or never. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "--action=off",
                "-o off",
                "--action=off metadata",
                "--action=off -o metadata",
                "--plug=node-1"
            })
    void anOrderOnTheCommandLineIsRefused(String order) throws IOException {
        executable("fence_stock", "#!/bin/sh\necho > '%s/fired'\n".formatted(directory));
        String stock = directory.resolve("bin/fence_stock").toString();
        for (Path program :
                List.of(SECOND, SECOND.resolveSibling("fence_tandem_ipmilan"), FURTHER)) {
            List<String> command =
                    new ArrayList<>(
                            List.of(
                                    "env",
                                    "TANDEM_RUN=" + directory,
                                    "TANDEM_SHARE=" + ROOT.resolve("usr/share/tandem"),
                                    "TANDEM_STOCK_FENCE_REDFISH=" + stock,
                                    "TANDEM_FENCE_IPMILAN=" + stock));
            if (program.equals(SECOND)) {
                command.add("TANDEM_FENCE_REDFISH=" + stock);
            }
            command.add(program.toString());
            command.addAll(List.of(order.split(" ")));

            Commands.Output output = new SystemCommands().run(LIMIT, command);

            assertThat(output.exitCode()).isOne();
            assertThat(output.out()).isEmpty();
            assertThat(output.err())
                    .startsWith(program.getFileName() + ": nothing was done")
                    .contains("pcs stonith fence");
            assertThat(directory.resolve("fired")).doesNotExist();
        }
        Commands.Output beneath =
                new SystemCommands()
                        .run(
                                LIMIT,
                                Stream.concat(
                                                Stream.of(
                                                        ROOT.resolve(
                                                                        "usr/share/tandem/fence-further")
                                                                .toString()),
                                                Stream.of(order.split(" ")))
                                        .toList());
        assertThat(beneath.exitCode()).isOne();
        assertThat(beneath.out()).isEmpty();
    }

    private Commands.Output password(String node) {
        return new SystemCommands()
                .run(
                        LIMIT,
                        List.of("env", "TANDEM_ETC=" + directory, "sh", PASSWORD.toString(), node));
    }

    @Test
    void shellcheckFindsNothing() throws IOException {
        assumeTrue(
                new SystemCommands().run(LIMIT, List.of("shellcheck", "--version")).ok(),
                "shellcheck is not installed");
        List<String> command = new ArrayList<>(List.of("shellcheck", "--shell=sh"));
        for (Path place : List.of(ROOT.resolve("usr"), ROOT.resolve("../deb/control"))) {
            try (Stream<Path> files = Files.walk(place)) {
                files.filter(Files::isRegularFile)
                        .filter(ShimTest::isShell)
                        .map(Path::toString)
                        .forEach(command::add);
            }
        }
        assertThat(command).contains(OCF.toString(), FENCE.toString(), ALERT.toString());

        Commands.Output output = new SystemCommands().run(LIMIT, command);

        assertThat(output.out()).isEmpty();
        assertThat(output.exitCode()).isZero();
    }

    private static boolean isShell(Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.findFirst().filter("#!/bin/sh"::equals).isPresent();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
