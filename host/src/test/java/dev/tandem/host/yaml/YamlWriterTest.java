package dev.tandem.host.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

class YamlWriterTest {

    @Test
    void writesTheOrdinaryThingsPlainly() {
        Map<String, Object> inner = new LinkedHashMap<>();
        inner.put("b", "c");
        inner.put("d", List.of("e"));
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("kind", "ConfigMap");
        map.put("count", 2);
        map.put("on", true);
        map.put("none", Map.of());
        map.put("nothing", List.of());
        map.put("list", List.of("a", inner));
        map.put("script", "one\n\ntwo\n");

        assertThat(YamlWriter.write(map))
                .isEqualTo(
                        """
                        kind: ConfigMap
                        count: 2
                        "on": true
                        "none": {}
                        nothing: []
                        list:
                        - a
                        - b: c
                          d:
                          - e
                        script: |
                          one

                          two
                        """);
    }

    @Test
    void writesJsonInItsOwnOrder() throws JsonProcessingException {
        String json =
                """
                {"z": {"on": null, "b": [1, 2.5, true, {"c": []}]}, "a": "yes"}
                """;

        assertThat(YamlWriter.write(new ObjectMapper().readTree(json)))
                .isEqualTo(
                        """
                        z:
                          "on": null
                          b:
                          - 1
                          - 2.5
                          - true
                          - c: []
                        a: "yes"
                        """);
    }

    /** What a reader of YAML 1.1 takes for something else than text. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "yes",
                "No",
                "on",
                "OFF",
                "y",
                "n",
                "true",
                "null",
                "~",
                "",
                "1",
                "0644",
                "1e3",
                "0x1f",
                ".inf",
                "1_000",
                "12:30:45",
                "2026-01-01",
                "-",
                "? x",
                "a: b",
                "a #b",
                "*a",
                "&a",
                "!a",
                "%a",
                "@a",
                "`a",
                "[a",
                "{a",
                "a ",
                " a",
                "=",
                "<<",
                "'a",
                "\"a",
                "a\tb",
                "é",
                "\u0000"
            })
    void quotesWhatCouldBeMistaken(String text) {
        assertThat(YamlWriter.write(Map.of("k", text))).startsWith("k: \"").endsWith("\"\n");
    }

    @Test
    void whateverIsWrittenReadsBackEqual() {
        String letters = "ab1 :#-'\"\\\n\t{}[],&*!|>%@`~é\u2028\ud83d\ude00.0";
        Random random = new Random(2026);
        for (int i = 0; i < 20_000; i++) {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("text", text(random, letters));
            map.put("k" + text(random, letters), List.of(text(random, letters), 7L));
            List<Object> deep = new ArrayList<>();
            Map<String, Object> inner = new LinkedHashMap<>();
            inner.put("x", text(random, letters));
            inner.put("y", text(random, letters));
            deep.add(inner);
            map.put("deep", deep);
            String yaml = YamlWriter.write(map);
            Object read = new Load(LoadSettings.builder().build()).loadFromString(yaml);
            Map<String, Object> expected = new LinkedHashMap<>(map);
            assertThat(String.valueOf(read)).as(yaml).isEqualTo(String.valueOf(expected));
        }
    }

    private static String text(Random random, String letters) {
        StringBuilder text = new StringBuilder();
        int[] points = letters.codePoints().toArray();
        int length = random.nextInt(12);
        for (int i = 0; i < length; i++) {
            text.appendCodePoint(points[random.nextInt(points.length)]);
        }
        return text.toString();
    }
}
