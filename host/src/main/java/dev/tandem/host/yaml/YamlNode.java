package dev.tandem.host.yaml;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A value of a YAML file that remembers where it stands. Text is never shown by {@code toString}:
 * any of it may be a password.
 */
public sealed interface YamlNode {
    int line();

    int column();

    /** How many values this one is made of, with every alias counted as what it stands for. */
    int weight();

    /** A key with its value; the position is the key's. */
    record Entry(String key, int line, int column, YamlNode value) {
        @Override
        public String toString() {
            return "entry at " + line + ":" + column;
        }
    }

    /** Keys and values in the order of the file. */
    record Mapping(List<Entry> entries, int line, int column, int weight) implements YamlNode {
        public Mapping {
            entries = List.copyOf(entries);
        }

        /** As Kubernetes reads it: the exact spelling first, then any use of capitals. */
        public Optional<Entry> find(String key) {
            Optional<Entry> exact = entries.stream().filter(e -> e.key().equals(key)).findFirst();
            return exact.isPresent()
                    ? exact
                    : entries.stream().filter(e -> e.key().equalsIgnoreCase(key)).findFirst();
        }

        @Override
        public String toString() {
            return entries.size() + " entries at " + line + ":" + column;
        }
    }

    /** Items in the order of the file. */
    record Sequence(List<YamlNode> items, int line, int column, int weight) implements YamlNode {
        public Sequence {
            items = List.copyOf(items);
        }

        @Override
        public String toString() {
            return items.size() + " items at " + line + ":" + column;
        }
    }

    /**
     * Text, number, truth value or nothing.
     *
     * @param plain written without quotes, so that its look decides what it is
     */
    record Scalar(String text, boolean plain, int line, int column) implements YamlNode {
        @Override
        public int weight() {
            return 1;
        }

        public boolean isNothing() {
            return plain && text.matches("~|null|Null|NULL|");
        }

        public boolean isFlag() {
            return plain && text.matches("true|True|TRUE|false|False|FALSE");
        }

        public boolean isWhole() {
            return plain && text.matches("[-+]?[0-9]{1,18}");
        }

        /**
         * Whether any YAML reader of the tools downstream takes it for text. Those of the 1.1 kind
         * read yes and 0x1F as something else.
         */
        public boolean isText() {
            return !plain || !(isNothing() || LOOKS_TYPED.matcher(text).matches());
        }

        private static final Pattern LOOKS_TYPED =
                Pattern.compile(
                        "(?i:true|false|yes|no|on|off|y|n)"
                                + "|[-+]?(?:0x[0-9a-fA-F_]+|0o?[0-7_]+|0b[01_]+)"
                                + "|[-+]?(?:[0-9][0-9_]*)?\\.?[0-9_]+(?:[eE][-+]?[0-9]+)?"
                                + "|[-+]?[0-9][0-9_]*\\.(?:[eE][-+]?[0-9]+)?"
                                + "|[-+]?\\.(?i:inf)|\\.(?i:nan)");

        @Override
        public String toString() {
            return "value at " + line + ":" + column;
        }
    }

    /**
     * The value as plain Java maps, lists, text, numbers, truth values; nothing is an empty
     * Optional.
     */
    default Object data() {
        return switch (this) {
            case Mapping mapping -> {
                Map<String, Object> map = new LinkedHashMap<>();
                mapping.entries().forEach(entry -> map.put(entry.key(), entry.value().data()));
                yield map;
            }
            case Sequence sequence -> {
                List<Object> list = new ArrayList<>();
                sequence.items().forEach(item -> list.add(item.data()));
                yield list;
            }
            case Scalar scalar -> {
                if (scalar.isNothing()) {
                    yield Optional.empty();
                }
                if (scalar.isFlag()) {
                    yield Boolean.parseBoolean(scalar.text());
                }
                yield scalar.isWhole() ? (Object) Long.parseLong(scalar.text()) : scalar.text();
            }
        };
    }
}
