package dev.tandem.install.config;

import dev.tandem.install.yaml.Value;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Finds values that mean the same as an earlier one, in one pass however long the list. */
public final class Duplicates {
    private Duplicates() {}

    /**
     * Tells each value whose meaning occurred before, with the first of that meaning. A value
     * without meaning is passed over.
     */
    public static void of(
            List<Value<String>> values,
            Function<Value<String>, Optional<String>> meaning,
            BiConsumer<Value<String>, Value<String>> tell) {
        Map<String, Value<String>> first = new HashMap<>();
        for (Value<String> value : values) {
            meaning.apply(value)
                    .ifPresent(word -> {
                        Value<String> earlier = first.putIfAbsent(word, value);
                        if (earlier != null) {
                            tell.accept(value, earlier);
                        }
                    });
        }
    }

    public static Optional<String> unlessEmpty(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }
}
