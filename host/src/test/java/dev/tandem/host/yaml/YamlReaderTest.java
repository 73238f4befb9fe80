package dev.tandem.host.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.yaml.YamlFault.Kind;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class YamlReaderTest {
    private static final YamlSubject MENU =
            new YamlSubject("a", "menu", "apiVersion: v1", "cook show");

    @Test
    void valuesAreReadWithTheirPlaces() {
        YamlNode.Mapping root = read("a: 1\nb:\n  - x\n  - {c: 'true'}\n");

        assertThat(root.data()).isEqualTo(Map.of("a", 1L, "b", List.of("x", Map.of("c", "true"))));
        YamlNode.Entry second = root.find("b").orElseThrow();
        assertThat(List.of(second.line(), second.column())).containsExactly(2, 1);
        assertThat(second.value().line()).isEqualTo(3);
    }

    /** What is refused, why, and where; \n stands for a line break. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    a: 1\\nb: c: d       | MALFORMED        | 2
                    a: !!str 1          | TYPE_TAG         | 1
                    a: 1\\nb: 2\\na: 3  | DUPLICATE_KEY    | 3
                    a: {b: 1, b: 2}     | DUPLICATE_KEY    | 1
                    [a, b]: c           | KEY_NOT_TEXT     | 1
                    a: *b               | ALIAS_OF_NOTHING | 1
                    a: &a [*a]          | ALIAS_OF_NOTHING | 1
                    '# nothing'         | NOT_ONE_MAPPING  | 1
                    [a, b]              | NOT_ONE_MAPPING  | 1
                    a: 1\\n---\\nb: 2  | NOT_ONE_MAPPING  | 2
                    """)
    void whatIsRefusedIsToldWithItsPlace(String text, Kind kind, int line) {
        YamlFault fault = refused(text.replace("\\n", "\n"));

        assertThat(fault.kind()).isEqualTo(kind);
        assertThat(fault.line()).isEqualTo(line);
        assertThat(fault.sentence()).startsWith("line " + line + ", column ");
    }

    /** \n stands for a line break and \t for a tab. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    a: 1\\nb:\\n\\t- x         | 3 | 1
                    a: 1\\nb:\\n  c: 1\\n\\td: 2  | 4 | 1
                    a: 1\\nb:\\n  \\tc: 1\\n  d: 2  | 3 | 3
                    """)
    void aTabIsNamedAsOne(String text, int line, int column) {
        YamlFault fault = refused(text.replace("\\n", "\n").replace("\\t", "\t"));

        assertThat(fault.sentence())
                .startsWith("line %d, column %d: there is a tab here".formatted(line, column));
        assertThat(fault.remedy()).isEqualTo("replace the tab with spaces");
    }

    @Test
    void whatCouldGrowIsBounded() {
        assertThat(refused("#".repeat(YamlReader.MAX_BYTES + 1)).kind()).isEqualTo(Kind.TOO_LONG);
        assertThat(refused("a: " + "[".repeat(YamlReader.MAX_DEPTH + 1)).kind())
                .isEqualTo(Kind.TOO_DEEP);
        assertThat(refused("a: [" + "1,".repeat(YamlReader.MAX_VALUES) + "1]").kind())
                .isEqualTo(Kind.TOO_MANY_VALUES);
        assertThat(
                        refused("a: &a 1\nb: [" + "*a,".repeat(YamlReader.MAX_ALIASES + 1) + "]\n")
                                .kind())
                .isEqualTo(Kind.TOO_MANY_VALUES);
    }

    @Test
    void whatIsNoTextIsRefused() {
        assertThat(YamlReader.read(new byte[] {(byte) 0xff}, MENU))
                .isEqualTo(new YamlReader.Outcome.Refused(MENU.notText()));
        assertThat(refused("a: x\nb: \u0007\n").sentence())
                .startsWith("line 2, column ")
                .contains("the file contains a character that YAML forbids");
    }

    @Test
    void aRefusalSpeaksOfTheFileAndNeverRepeatsIt() {
        assertThat(refused("").remedy()).isEqualTo("begin with an example: cook show");
        YamlFault fault = refused("password: hunter2\npassword: hunter2\n");

        assertThat(fault.toString()).doesNotContain("hunter2");
        assertThat(refused("password: \"hunter2\n").toString()).doesNotContain("hunter2");
    }

    private static YamlNode.Mapping read(String text) {
        return ((YamlReader.Outcome.Read) outcome(text)).root();
    }

    private static YamlFault refused(String text) {
        return ((YamlReader.Outcome.Refused) outcome(text)).fault();
    }

    private static YamlReader.Outcome outcome(String text) {
        return YamlReader.read(text.getBytes(StandardCharsets.UTF_8), MENU);
    }
}
