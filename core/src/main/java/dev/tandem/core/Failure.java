package dev.tandem.core;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Something that could not be done, told so that a person can go on: what, why and what to do. What
 * is merely unknown is a value, and what was found wrong is a verdict; neither is a failure.
 */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String what;
    private final String why;
    private final String remedy;

    public Failure(String what, String why, String remedy) {
        super(what + ": " + why);
        this.what = what;
        this.why = why;
        this.remedy = remedy;
    }

    public Failure(String what, String why, String remedy, Throwable cause) {
        super(what + ": " + why, cause);
        this.what = what;
        this.why = why;
        this.remedy = remedy;
    }

    /**
     * Several that a person can mend together, each cause and each remedy in a line of its own; a
     * single one is told as it is.
     *
     * @param what could not be done because of them
     */
    public static Failure of(String what, List<Failure> failures) {
        return failures.size() == 1
                ? failures.getFirst()
                : new Failure(
                        what,
                        failures.stream()
                                .map(failure -> failure.what + ": " + failure.why)
                                .distinct()
                                .collect(Collectors.joining("\n       ")),
                        failures.stream()
                                .map(failure -> failure.remedy)
                                .distinct()
                                .collect(Collectors.joining("\n     ")));
    }

    /** What could not be done, as a sentence without its full stop. */
    public String what() {
        return what;
    }

    public String why() {
        return why;
    }

    /** What the reader can do about it, ready to paste where it is a command. */
    public String remedy() {
        return remedy;
    }
}
