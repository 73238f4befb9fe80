package dev.tandem.install.yaml;

import java.util.function.Predicate;

/**
 * One value of a file with its place. An absent one has its default and the place where it would
 * stand.
 */
public record Value<T>(T value, Place place, boolean given) {

    public boolean is(Predicate<T> test) {
        return given && test.test(value);
    }

    /** Without the value: people put passwords in every place. */
    @Override
    public String toString() {
        return place.path() + " (line " + place.line() + ")";
    }
}
