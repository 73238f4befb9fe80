package dev.tandem.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.tandem.host.yaml.YamlWriter;
import java.util.function.Function;
import picocli.CommandLine.Option;

/**
 * The answer of a command, as text for people or in a versioned form for programs. Mixed into every
 * command that answers something.
 */
public final class Output {
    /** Machine forms carry this, so that a script can tell when their shape has changed. */
    static final String API_VERSION = "tandem.dev/v1";

    static final String OPTION = "--output";

    /** How the answer is written. */
    public enum Format {
        TEXT,
        JSON,
        YAML;

        @Override
        public String toString() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    @Option(
            names = {"-o", OPTION},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description =
                    "How to write the answer: ${COMPLETION-CANDIDATES} (default:"
                            + " ${DEFAULT-VALUE}).")
    private Format format = Format.TEXT;

    public Format format() {
        return format;
    }

    public boolean isText() {
        return format == Format.TEXT;
    }

    /**
     * Writes the answer.
     *
     * @param kind the name of the answer's shape in the machine forms, such as {@code LabStatus}
     */
    public <T> void print(Terminal terminal, String kind, T answer, Function<T, String> asText) {
        print(terminal, format, kind, answer, asText);
    }

    static <T> void print(
            Terminal terminal, Format format, String kind, T answer, Function<T, String> asText) {
        String written =
                switch (format) {
                    case TEXT -> asText.apply(answer);
                    case JSON -> json(kind, answer);
                    case YAML -> YamlWriter.write(versioned(kind, answer));
                };
        terminal.out()
                .print(written.endsWith("\n") || written.isEmpty() ? written : written + "\n");
        terminal.out().flush();
    }

    private static String json(String kind, Object answer) {
        try {
            return mapper().writeValueAsString(versioned(kind, answer));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("answer " + kind + " has no JSON form", e);
        }
    }

    private static JsonNode versioned(String kind, Object answer) {
        ObjectNode node =
                mapper().createObjectNode().put("apiVersion", API_VERSION).put("kind", kind);
        JsonNode content = mapper().valueToTree(answer);
        return content instanceof ObjectNode fields
                ? node.setAll(fields)
                : node.set("items", content);
    }

    private static ObjectMapper mapper() {
        return MapperHolder.MAPPER;
    }

    /** Loaded with the first machine form only: a text answer does not pay for Jackson. */
    private static final class MapperHolder {
        private static final ObjectMapper MAPPER =
                JsonMapper.builder()
                        .addModule(new Jdk8Module())
                        .addModule(new JavaTimeModule())
                        .enable(SerializationFeature.INDENT_OUTPUT)
                        .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
                        .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
                        .defaultPropertyInclusion(
                                JsonInclude.Value.construct(
                                        JsonInclude.Include.NON_ABSENT,
                                        JsonInclude.Include.USE_DEFAULTS))
                        .build();
    }
}
