package dev.tandem.install.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.install.check.Code;
import dev.tandem.install.check.Finding;
import dev.tandem.install.check.Severity;
import dev.tandem.install.config.InstallMethod;
import dev.tandem.install.config.Release;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * For every code one file that has the fault and one, nearly the same, that has not. Comments at
 * the top of a file set the scene: {@code # method:}, {@code # release:}, {@code # also:} for
 * further errors of a refused file, and {@code # pad:} for a size.
 */
class RuleFilesTest {
    static final Path RULES = Path.of("src/test/resources/rules");

    @ParameterizedTest
    @EnumSource(Code.class)
    void theFaultyFileIsRefusedForThatReasonAlone(Code code) throws IOException {
        Scene scene = Scene.of(code, "refused");

        InstallConfigCheck.Result result = scene.check();

        assertThat(codes(result, null)).as("all findings").contains(code);
        Set<Code> errors = new HashSet<>(codes(result, Severity.ERROR));
        errors.removeAll(scene.also());
        errors.remove(code);
        assertThat(errors).as("other errors").isEmpty();
        assertThat(result.good()).isEqualTo(code.severity() != Severity.ERROR);
    }

    @ParameterizedTest
    @EnumSource(Code.class)
    void theMendedFileIsAccepted(Code code) throws IOException {
        InstallConfigCheck.Result result = Scene.of(code, "accepted").check();

        assertThat(codes(result, null)).doesNotContain(code);
        assertThat(codes(result, Severity.ERROR)).isEmpty();
        assertThat(result.good()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Code.class)
    void everyFindingSaysWhereWhyAndWhatToDoAndNeverAPassword(Code code) throws IOException {
        Scene scene = Scene.of(code, "refused");
        for (Finding finding : scene.check().findings()) {
            assertThat(List.of(finding.what(), finding.why(), finding.remedy()))
                    .allSatisfy(text -> assertThat(text).isNotBlank().doesNotEndWith("."));
            boolean wholeFile = Set.of(Code.Y1, Code.Y2).contains(finding.code());
            assertThat(finding.place().line()).isGreaterThanOrEqualTo(wholeFile ? 0 : 1);
            assertThat(finding.toString()).doesNotContain("fill-");
        }
        assertThat(scene.check().toString()).doesNotContain("fill-");
    }

    @Test
    void noDirectoryIsLeftWithoutItsCode() throws IOException {
        try (Stream<Path> directories = Files.list(RULES)) {
            assertThat(directories.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(
                            Arrays.stream(Code.values()).map(Code::name).toList());
        }
    }

    private static List<Code> codes(InstallConfigCheck.Result result, @Nullable Severity severity) {
        return result.findings().stream()
                .map(Finding::code)
                .filter(code -> severity == null || code.severity() == severity)
                .toList();
    }

    /** A file with the circumstances that its first lines name. */
    private record Scene(InstallConfigCheck.Result check, Set<Code> also) {
        private static final Pattern DIRECTIVE = Pattern.compile("# (\\w+): (.*)");

        static Scene of(Code code, String name) throws IOException {
            Path directory = RULES.resolve(code.name());
            byte[] bytes = Files.readAllBytes(directory.resolve(name + ".yaml"));
            InstallMethod method = InstallMethod.INSTALLER;
            Optional<Release> release = Optional.empty();
            Set<Code> also = Set.of();
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            for (String line : text.lines().toList()) {
                Matcher directive = DIRECTIVE.matcher(line);
                if (!directive.matches()) {
                    break;
                }
                String value = directive.group(2);
                switch (directive.group(1)) {
                    case "method" -> method = InstallMethod.valueOf(value.toUpperCase(Locale.ROOT));
                    case "release" -> release = Release.parse(value);
                    case "also" ->
                            also =
                                    Arrays.stream(value.split(", ", -1))
                                            .map(Code::valueOf)
                                            .collect(Collectors.toSet());
                    case "pad" ->
                            bytes =
                                    (text + "#".repeat(Integer.parseInt(value)))
                                            .getBytes(StandardCharsets.ISO_8859_1);
                    default -> throw new IllegalArgumentException(line);
                }
            }
            Path agent = directory.resolve(name + ".agent-config.yaml");
            Optional<byte[]> agentBytes =
                    Files.exists(agent) ? Optional.of(Files.readAllBytes(agent)) : Optional.empty();
            return new Scene(
                    new InstallConfigCheck(method, release).check(bytes, agentBytes), also);
        }
    }
}
