package dev.tandem.host.plan;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One field of a plan.
 *
 * @param fallback what an absent field means, as it would be written; blank where that is nothing
 * @param about a phrase without its full stop
 * @param example as it is written in YAML; blank for mappings, whose fields have their own
 * @param peerExample the same for the second node
 */
record PlanField(
        String name,
        Kind kind,
        boolean required,
        String fallback,
        String about,
        String example,
        String peerExample) {

    static PlanField required(String name, Kind kind, String about, String example) {
        return new PlanField(name, kind, true, "", about, example, example);
    }

    static PlanField optional(String name, Kind kind, String about, String example) {
        return new PlanField(name, kind, false, "", about, example, example);
    }

    PlanField orElse(String value) {
        return new PlanField(name, kind, required, value, about, example, peerExample);
    }

    PlanField onPeer(String value) {
        return new PlanField(name, kind, required, fallback, about, example, value);
    }

    /** As it stands on one line; a mapping with the fields that it cannot be without. */
    String inlineExample() {
        return example.isEmpty() ? kind.mapping().orElseThrow().inline() : example;
    }

    /** What an absent field means, where it means anything. */
    Optional<String> defaultValue() {
        return fallback.isEmpty() ? Optional.empty() : Optional.of(fallback);
    }

    /** What may stand after the name of a field. */
    sealed interface Kind {
        /** For people: what is possible. */
        String words();

        /** The fields inside; none for most kinds. */
        default Optional<Mapping> mapping() {
            return Optional.empty();
        }

        /**
         * One line of text.
         *
         * @param pattern what every usable text matches; the reader may ask for more
         */
        record Text(Pattern pattern, String words) implements Kind {}

        record Flag() implements Kind {
            @Override
            public String words() {
                return "true or false";
            }
        }

        record Whole(long least, long most) implements Kind {
            @Override
            public String words() {
                return "a number from " + least + " to " + most;
            }
        }

        record Time(Duration least, Duration most) implements Kind {
            @Override
            public String words() {
                return "a time in ms or s, " + range();
            }

            String range() {
                return written(least) + " to " + written(most);
            }

            boolean contains(Duration time) {
                return time.compareTo(least) >= 0 && time.compareTo(most) <= 0;
            }
        }

        /**
         * Names with values, which are not ours to know.
         *
         * @param name what every usable name matches; the reader may ask for more
         * @param value the same for the values
         */
        record Pairs(Pattern name, Pattern value, String words) implements Kind {}

        record Choice(List<String> choices) implements Kind {
            public Choice {
                choices = List.copyOf(choices);
            }

            @Override
            public String words() {
                return choices.size() == 1
                        ? choices.getFirst()
                        : String.join(", ", choices.subList(0, choices.size() - 1))
                                + " or "
                                + choices.getLast();
            }
        }

        /**
         * A list.
         *
         * @param most no limit where it is {@link Integer#MAX_VALUE}
         */
        record ListOf(Kind item, int least, int most) implements Kind {
            @Override
            public String words() {
                String count =
                        least == most
                                ? "of exactly " + least
                                : most == Integer.MAX_VALUE ? "" : "of " + least + " to " + most;
                return ("a list " + count).strip() + ", each " + item.words();
            }

            @Override
            public Optional<Mapping> mapping() {
                return item.mapping();
            }
        }

        /**
         * Fields inside a field.
         *
         * @param what what findings call it
         * @param path where it stands in a plan; blank for the plan itself
         * @param oneOf of these fields exactly one stands there; none where each is for itself
         */
        record Mapping(String what, String path, List<PlanField> fields, List<String> oneOf)
                implements Kind {
            public Mapping {
                fields = List.copyOf(fields);
                oneOf = List.copyOf(oneOf);
            }

            Mapping(String what, String path, List<PlanField> fields) {
                this(what, path, fields, List.of());
            }

            /** Whether a field can only stand there in place of the usual one. */
            boolean isAlternative(PlanField field) {
                return oneOf.indexOf(field.name()) > 0;
            }

            /** Whether a plan has it unless somebody chose something else. */
            boolean isUsual(PlanField field) {
                return field.required() || oneOf.indexOf(field.name()) == 0;
            }

            List<String> names() {
                return fields.stream().map(PlanField::name).toList();
            }

            PlanField field(String name) {
                return fields.stream()
                        .filter(field -> field.name().equals(name))
                        .findFirst()
                        .orElseThrow(() ->
                                new IllegalArgumentException(
                                        what + " has no field " + name + " in PlanFields"));
            }

            /** On one line, with what has to be there. */
            String inline() {
                return fields.stream()
                        .filter(this::isUsual)
                        .map(field -> field.name() + ": " + field.inlineExample())
                        .collect(Collectors.joining(", ", "{", "}"));
            }

            @Override
            public String words() {
                return "with fields of its own";
            }

            @Override
            public Optional<Mapping> mapping() {
                return Optional.of(this);
            }
        }

        /** One of several kinds. */
        record Either(List<Kind> kinds) implements Kind {
            public Either {
                kinds = List.copyOf(kinds);
            }

            @Override
            public String words() {
                return kinds.stream()
                        .map(kind ->
                                kind instanceof Mapping mapping
                                        ? "fields, such as " + mapping.inline()
                                        : kind.words())
                        .collect(Collectors.joining("; or "));
            }

            @Override
            public Optional<Mapping> mapping() {
                return kinds.stream().flatMap(kind -> kind.mapping().stream()).findFirst();
            }
        }
    }

    /** A time as it is written in a plan. */
    static String written(Duration time) {
        return time.toMillis() % 1000 == 0 ? time.toSeconds() + "s" : time.toMillis() + "ms";
    }
}
