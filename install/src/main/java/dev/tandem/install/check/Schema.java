package dev.tandem.install.check;

import java.util.List;

/** The keys of a file, what may stand behind them, and what they are for. */
public sealed interface Schema {

    /** Text; {@code allowed} is empty when any text may stand here. */
    record Text(List<String> allowed, boolean secret) implements Schema {
        public Text {
            allowed = List.copyOf(allowed);
        }
    }

    record Whole(int minimum) implements Schema {}

    record Flag() implements Schema {}

    record ListOf(Schema item) implements Schema {}

    /** Keys of our own; others are warned about. */
    record Keys(List<Field> fields) implements Schema {
        public Keys {
            fields = List.copyOf(fields);
        }

        public List<String> names() {
            return fields.stream().map(Field::name).toList();
        }
    }

    /** Somebody else's: passed on as it is. */
    record Anything() implements Schema {}

    /** A key. */
    record Field(String name, Schema schema, String about, boolean required) {}

    static Schema text() {
        return new Text(List.of(), false);
    }

    static Schema oneOf(String... words) {
        return new Text(List.of(words), false);
    }

    static Schema secret() {
        return new Text(List.of(), true);
    }

    static Schema listOf(Schema item) {
        return new ListOf(item);
    }

    static Keys keys(Field... fields) {
        return new Keys(List.of(fields));
    }

    static Field field(String name, Schema schema, String about) {
        return new Field(name, schema, about, false);
    }

    static Field required(String name, Schema schema, String about) {
        return new Field(name, schema, about, true);
    }
}
