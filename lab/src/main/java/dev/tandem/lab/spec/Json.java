package dev.tandem.lab.spec;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** The lab's own files and messages: one JSON document a line. */
public final class Json {
    public static final JsonMapper MAPPER =
            JsonMapper.builder()
                    // A newer daemon may say more than an older command line asks for.
                    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .defaultPropertyInclusion(
                            JsonInclude.Value.construct(
                                    JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
                    .build();

    private Json() {}

    public static String line(Object value) {
        try {
            return MAPPER.writeValueAsString(value) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(value.getClass() + " has no JSON form", e);
        }
    }
}
