package dev.tandem.install.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.yaml.YamlReader;
import dev.tandem.install.check.Code;
import dev.tandem.install.check.Finding;
import dev.tandem.install.check.Findings;
import dev.tandem.install.config.InstallMethod;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Files made to hurt their reader are refused quickly and cheaply. */
class HostileFilesTest {
    private static final Duration LIMIT = Duration.ofSeconds(1);
    private static final int TRIES = 5;

    static Iterable<Map.Entry<String, String>> files() {
        int half = YamlReader.MAX_BYTES - 100;
        Map<String, String> files = new LinkedHashMap<>();
        files.put("a megabyte of nothing", "#".repeat(1 << 20));
        files.put("a megabyte of brackets", "[".repeat(1 << 20));
        files.put("brackets up to the limit", "a: " + "[".repeat(half));
        files.put("braces up to the limit", "a: " + "{".repeat(half));
        files.put("open braces with keys", "{a: ".repeat(half / 4));
        files.put("dashes", "- ".repeat(half / 2));
        files.put("question marks", "? ".repeat(half / 2));
        files.put("many keys", numbered("k%d: v\n", half / 12));
        files.put("many unknown keys below the limit of values", numbered("k%d: v\n", 6000));
        files.put("a list of ones", "a: [" + "1,".repeat(half / 2 - 10) + "1]");
        files.put("one long key", "k".repeat(half) + ": v");
        files.put("one long value", "baseDomain: " + "v".repeat(half));
        files.put("one long label", "baseDomain: " + "a.".repeat(half / 2 - 10) + "a");
        files.put("a quote left open", "a: \"" + "x".repeat(half));
        files.put("a literal block", "a: |\n" + " x\n".repeat(half / 3));
        files.put("many anchors", numbered("k%d: &a%<d v\n", half / 20));
        files.put("many comments", "# x\n".repeat(half / 4));
        files.put("many documents", "---\na: b\n".repeat(half / 9));
        files.put("many credentials", credentials(2000));
        files.put("many hosts", hosts(2000));
        files.put("many networks", networks(19_000));
        files.put(
                "password lines", "password: x\n".repeat(1) + numbered("- pass%d: s\n", half / 20));
        StringBuilder laughs = new StringBuilder("a0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n");
        for (int i = 1; i < 40; i++) {
            laughs.append("a%d: &a%<d [".formatted(i));
            laughs.append("*a%d,".formatted(i - 1).repeat(9)).append("]\n");
        }
        files.put("a billion laughs", laughs.toString());
        files.put("a value that contains itself", "a: &a [*a]");
        files.put("a merge of itself", "a: &a\n  <<: *a\n");
        files.put("a type that runs code", "a: !!javax.script.ScriptEngineManager [x]");
        return files.entrySet();
    }

    @ParameterizedTest
    @MethodSource("files")
    void isRefusedWithinASecond(Map.Entry<String, String> file) {
        byte[] bytes = file.getValue().getBytes(StandardCharsets.UTF_8);
        InstallConfigCheck check = new InstallConfigCheck(InstallMethod.AGENT, Optional.empty());
        // The time of this thread, not of the clock: nothing here waits. Neighbours count all the
        // same, by the caches and cores that they share, and so does a compiler that has not seen
        // the code yet; what is slow by itself is slow each time.
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Duration best = Duration.ofDays(1);
        for (int i = 0; i < TRIES && best.compareTo(LIMIT) >= 0; i++) {
            long started = threads.getCurrentThreadCpuTime();

            InstallConfigCheck.Result result = check.check(bytes);

            Duration took = Duration.ofNanos(threads.getCurrentThreadCpuTime() - started);
            best = took.compareTo(best) < 0 ? took : best;
            assertThat(result.good()).isFalse();
            assertThat(result.findings()).hasSizeLessThanOrEqualTo(Findings.LIMIT);
        }
        assertThat(best).isLessThan(LIMIT);
    }

    /** Run by the test below in a Java of its own, whose heap is small. */
    public static void main(String[] arguments) {
        for (Map.Entry<String, String> file : files()) {
            byte[] bytes = file.getValue().getBytes(StandardCharsets.UTF_8);
            boolean good =
                    new InstallConfigCheck(InstallMethod.AGENT, Optional.empty())
                            .check(bytes)
                            .good();
            System.out.println((good ? "accepted " : "refused ") + file.getKey());
        }
    }

    @Test
    void allAreRefusedInAHeapOf48Megabytes() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process =
                new ProcessBuilder(
                                java,
                                "-Xmx48m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                HostileFilesTest.class.getName())
                        .redirectErrorStream(true)
                        .start();
        try {
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(said).isZero();
            assertThat(said.lines())
                    .hasSize((int) StreamSupport.stream(files().spliterator(), false).count())
                    .allMatch(line -> line.startsWith("refused"));
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void aByteOrderMarkDoesNoHarm() {
        byte[] bytes = "\uFEFFapiVersion: v1\n".getBytes(StandardCharsets.UTF_8);

        assertThat(
                        new InstallConfigCheck(InstallMethod.AGENT, Optional.empty())
                                .check(bytes)
                                .findings())
                .extracting(Finding::code)
                .contains(Code.K5)
                .doesNotContain(Code.Y2, Code.Y3);
    }

    private static String numbered(String line, int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(line.formatted(i));
        }
        return text.toString();
    }

    private static String credentials(int count) {
        return "controlPlane:\n  replicas: 2\n  fencing:\n    credentials:\n"
                + numbered(
                        "    - {hostName: n%d, address: 'https://h%<d/redfish/v1/Systems/1'}\n",
                        count);
    }

    private static String hosts(int count) {
        return "platform:\n  baremetal:\n    hosts:\n"
                + numbered(
                        "    - {name: n%d, bmc: {address: 'https://h%<d/redfish/v1/Systems/1'}}\n",
                        count);
    }

    private static String networks(int count) {
        return "networking:\n  serviceNetwork:\n" + numbered("  - 2001:db8:%x::/48\n", count);
    }
}
