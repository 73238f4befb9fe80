package dev.tandem.agentapi;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Failure;
import dev.tandem.core.FormatVersion;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the messages of the local API. Each has the version that its writer speaks.
 *
 * <p>The version rises only when a field changes its meaning or goes. A new field, or a new value
 * of an enum, leaves it as it is: {@link #read} ignores the one and takes the other for unknown. A
 * message of a higher version is read where it says that this one can ({@link FormatVersion}).
 */
public final class AgentMessages {
    public static final int VERSION = 1;

    private static final ObjectMapper TOLERANT =
            AgentJson.MAPPER
                    .copy()
                    .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .disable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                    .disable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                    .enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
                    .enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL);

    private static final ObjectMapper EXACT =
            TOLERANT.copy()
                    .disable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
                    .disable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
                    .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);

    private AgentMessages() {}

    /**
     * Reads an answer of an agent that may be newer or older than this program: what it does not
     * say has a default, and what is new in it is left out.
     */
    public static <T extends Record> T read(String text, Class<T> kind) {
        try {
            JsonNode json = TOLERANT.readTree(text);
            FormatVersion form = AgentJson.version(json, "version", VERSION);
            if (!form.isReadableBy(VERSION)) {
                throw new Failure(
                        "cannot understand tandem-agent",
                        ("the agent is newer than this command line: it speaks %s, this command"
                                        + " line version %d")
                                .formatted(form, VERSION),
                        "use the command line that was installed with the agent");
            }
            if (!json.isObject()) {
                throw notUnderstood("it answers with " + text.strip());
            }
            return TOLERANT.treeToValue(json, kind);
        } catch (JsonProcessingException e) {
            throw notUnderstood(e.getOriginalMessage());
        }
    }

    private static Failure notUnderstood(String why) {
        return new Failure(
                "cannot understand tandem-agent",
                why,
                "use the command line that was installed with the agent");
    }

    /**
     * Reads what is to be acted on or judged: nothing is guessed. What may be absent is nullable;
     * anything else that is missing, any unknown value of an enum and any version that does not say
     * it can be read here is refused.
     *
     * @throws IllegalArgumentException says what was not understood
     */
    public static <T extends Record> T readExactly(String text, Class<T> kind) {
        try {
            JsonNode json = EXACT.readTree(text);
            FormatVersion form = AgentJson.version(json, "version", VERSION);
            if (form.version() < 1 || !form.isReadableBy(VERSION)) {
                throw new IllegalArgumentException(
                        "version %s instead of %d".formatted(json.path("version"), VERSION));
            }
            List<String> missing = new ArrayList<>();
            collectMissing(json, kind, "", missing);
            if (!missing.isEmpty()) {
                throw new IllegalArgumentException(
                        "no %s in %s".formatted(String.join(", ", missing), text.strip()));
            }
            return EXACT.treeToValue(json, kind);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "%s in %s".formatted(e.getOriginalMessage(), text.strip()), e);
        }
    }

    private static void collectMissing(
            @Nullable JsonNode json, Class<?> kind, String path, List<String> missing) {
        for (RecordComponent component : kind.getRecordComponents()) {
            String name = path + nameOf(component);
            JsonNode value = json == null ? null : json.get(nameOf(component));
            if (value == null || value.isNull()) {
                if (!component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                    missing.add(name);
                }
            } else if (isMessage(component.getType())) {
                collectMissing(value, component.getType(), name + ".", missing);
            } else if (component.getGenericType() instanceof ParameterizedType list
                    && list.getActualTypeArguments()[0] instanceof Class<?> element
                    && isMessage(element)) {
                for (JsonNode each : value) {
                    collectMissing(each, element, name + ".", missing);
                }
            }
        }
    }

    private static String nameOf(RecordComponent component) {
        JsonProperty given = component.getAccessor().getAnnotation(JsonProperty.class);
        return given == null ? component.getName() : given.value();
    }

    private static boolean isMessage(Class<?> type) {
        return type.isRecord() && type.getPackage().equals(AgentMessages.class.getPackage());
    }
}
