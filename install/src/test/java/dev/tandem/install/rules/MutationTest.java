package dev.tandem.install.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.install.config.Explanation;
import dev.tandem.install.config.InstallConfig;
import dev.tandem.install.config.InstallMethod;
import dev.tandem.install.manifests.Manifest;
import dev.tandem.install.manifests.Manifests;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Good files, spoiled at random: the check must not throw, not hang, and not tell a password. A
 * failure prints the seed; {@code -Dmutation.seed=N} runs that one alone.
 */
class MutationTest {
    private static final int RUNS = 12_000;
    private static final long FIRST_SEED = 20261115;
    private static final Duration TOGETHER = Duration.ofSeconds(60);
    private static final Pattern PASSWORD = Pattern.compile("password: \"([^\"]+)\"");

    private final List<String> good = goodFiles();

    private static List<String> goodFiles() {
        List<String> files = new ArrayList<>();
        try (Stream<Path> paths = Files.walk(RuleFilesTest.RULES)) {
            for (Path path : paths.filter(p -> p.endsWith("accepted.yaml")).sorted().toList()) {
                files.add(Files.readString(path));
            }
            for (Examples.Example example : Examples.all()) {
                files.add(new String(example.bytes(), StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return files;
    }

    @Test
    void spoiledFilesNeitherThrowNorHangNorTellAPassword() {
        Long only = Long.getLong("mutation.seed");
        // The time of this thread, not of the clock: neighbours on the machine do not count.
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long started = threads.getCurrentThreadCpuTime();
        int accepted = 0;
        int runs = only == null ? RUNS : 1;
        for (int i = 0; i < runs; i++) {
            long seed = only == null ? FIRST_SEED + i : only;
            accepted += run(seed) ? 1 : 0;
        }
        Duration took = Duration.ofNanos(threads.getCurrentThreadCpuTime() - started);
        System.out.printf(
                "mutations: %d inputs from seeds %d on, %d still accepted, %d ms of CPU%n",
                runs, only == null ? FIRST_SEED : only, accepted, took.toMillis());
        assertThat(took).isLessThan(TOGETHER);
        if (only == null) {
            assertThat(accepted).as("some spoiled files stay good").isPositive();
            assertThat(accepted).as("most do not").isLessThan(RUNS / 2);
        }
    }

    private boolean run(long seed) {
        Random random = new Random(seed);
        String original = good.get(random.nextInt(good.size()));
        List<String> passwords = new ArrayList<>();
        Matcher matcher = PASSWORD.matcher(original);
        while (matcher.find()) {
            passwords.add(matcher.group(1));
        }
        byte[] bytes = original.getBytes(StandardCharsets.UTF_8);
        int changes = 1 + random.nextInt(3);
        for (int i = 0; i < changes; i++) {
            bytes = mutated(bytes, random);
        }
        InstallMethod method =
                List.of(InstallMethod.values()).get(random.nextInt(InstallMethod.values().length));
        try {
            InstallConfigCheck.Result result =
                    new InstallConfigCheck(method, Optional.empty()).check(bytes);
            StringBuilder said = new StringBuilder(result.toString());
            result.findings().forEach(finding -> said.append(finding));
            if (result.good()) {
                InstallConfig config = result.config().orElseThrow();
                for (Manifest file :
                        Manifests.of(config, method, Optional.empty(), Optional.empty())) {
                    said.append(file.secret() ? file.path() : file.content());
                }
                said.append(Explanation.of(config, method));
            }
            for (String password : passwords) {
                assertThat(said.indexOf(password))
                        .as("seed %d tells a password", seed)
                        .isNegative();
            }
            return result.good();
        } catch (RuntimeException | StackOverflowError e) {
            throw new AssertionError("seed " + seed + " throws", e);
        }
    }

    private static byte[] mutated(byte[] bytes, Random random) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        List<String> lines = new ArrayList<>(Arrays.asList(text.split("(?<=\n)", -1)));
        int line = random.nextInt(lines.size());
        int from = random.nextInt(text.length() + 1);
        int to = Math.min(text.length(), from + random.nextInt(40));
        return switch (random.nextInt(14)) {
            case 0 -> without(lines, line);
            case 1 -> with(lines, line, lines.get(line));
            case 2 -> with(lines, random.nextInt(lines.size()), lines.get(line));
            case 3 -> bytes(text.substring(0, from) + text.substring(to));
            case 4 -> bytes(text.substring(0, to) + text.substring(from));
            case 5 -> retyped(lines, line, random);
            case 6 -> bytes(text.substring(0, from) + garbage(random) + text.substring(from));
            case 7 -> bytes(text.substring(0, from));
            case 8 -> reindented(lines, line, random);
            case 9 ->
                    bytes(
                            text.replaceFirst(
                                    "password",
                                    List.of("passwd", "Password", "pasword", "x")
                                            .get(random.nextInt(4))));
            case 10 ->
                    bytes(
                            text.substring(0, from)
                                    + "x"
                                            .repeat(
                                                    random.nextInt(
                                                            random.nextInt(10) == 0
                                                                    ? 100_000
                                                                    : 5_000))
                                    + text.substring(from));
            case 11 -> moved(lines, random);
            case 12 -> bytes(text.replaceFirst("password: (\".*\")", "$1: password"));
            default -> flipped(bytes, random);
        };
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] without(List<String> lines, int line) {
        lines.remove(line);
        return bytes(String.join("", lines));
    }

    private static byte[] with(List<String> lines, int line, String added) {
        lines.add(line, added);
        return bytes(String.join("", lines));
    }

    private static byte[] moved(List<String> lines, Random random) {
        String taken = lines.remove(random.nextInt(lines.size()));
        lines.add(random.nextInt(lines.size() + 1), taken);
        return bytes(String.join("", lines));
    }

    private static byte[] retyped(List<String> lines, int line, Random random) {
        List<String> values =
                List.of(
                        "[]",
                        "{}",
                        "~",
                        "true",
                        "-1",
                        "99999999999999999999",
                        "[[[]]]",
                        "{a: b}",
                        "|",
                        ">-",
                        "&a x",
                        "*a",
                        "!!binary x",
                        "'",
                        "\"",
                        "? x",
                        "- x",
                        "0x1F",
                        "2147483647",
                        "@",
                        "%",
                        "<x>",
                        "a: b: c");
        String value = values.get(random.nextInt(values.size()));
        lines.set(
                line, lines.get(line).replaceFirst(":.*", Matcher.quoteReplacement(": " + value)));
        return bytes(String.join("", lines));
    }

    private static byte[] reindented(List<String> lines, int line, Random random) {
        String text = lines.get(line);
        lines.set(line, random.nextBoolean() ? "  " + text : text.replaceFirst("^ {1,2}", ""));
        return bytes(String.join("", lines));
    }

    private static String garbage(Random random) {
        StringBuilder garbage = new StringBuilder();
        int length = random.nextInt(30);
        for (int i = 0; i < length; i++) {
            garbage.append((char) random.nextInt(256));
        }
        return garbage.toString();
    }

    private static byte[] flipped(byte[] bytes, Random random) {
        byte[] copy = bytes.clone();
        for (int i = 0; i < 3 && copy.length > 0; i++) {
            copy[random.nextInt(copy.length)] = (byte) random.nextInt(256);
        }
        return copy;
    }
}
