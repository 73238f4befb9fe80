package dev.tandem.install.check;

import dev.tandem.core.Nearest;
import dev.tandem.install.yaml.Place;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Collects everything found in one run. Text out of the file enters a finding through {@link
 * #quoted} only, which hides what may be part of a password.
 */
public final class Findings {
    /** Nobody reads more, and a hostile file must not fill the memory with complaints. */
    public static final int LIMIT = 500;

    /** A longer word is not a slip of the fingers but something else in the wrong place. */
    private static final int QUOTE_LIMIT = 40;

    private final Redaction redaction;
    private final List<Finding> findings = new ArrayList<>();
    private int errorsLeftOut;

    public Findings(Redaction redaction) {
        this.redaction = redaction;
    }

    public void add(Code code, Place place, String what, String why, String remedy) {
        if (findings.size() < LIMIT) {
            findings.add(new Finding(code, place, what, why, remedy));
        } else if (code.severity() == Severity.ERROR) {
            errorsLeftOut++;
        }
    }

    /** The word in quotes, or a stand-in where showing it might show a secret or a mess. */
    String quoted(String word) {
        boolean harmless = word.matches("[A-Za-z0-9._=+/-]{1," + QUOTE_LIMIT + "}");
        return harmless && !redaction.hides(word) ? "'" + word + "'" : "(not shown)";
    }

    /** A quoted word where it resembles a known one, so that a slip is recognised. */
    public Optional<String> nearest(String word, Collection<String> known) {
        return word.length() > QUOTE_LIMIT
                ? Optional.empty()
                : Nearest.to(word, known).stream().findFirst();
    }

    public int errorsLeftOut() {
        return errorsLeftOut;
    }

    /** In the order of the file. */
    public List<Finding> sorted() {
        return findings.stream()
                .distinct()
                .sorted(
                        Comparator.comparingInt((Finding f) -> f.place().line())
                                .thenComparingInt(f -> f.place().column())
                                .thenComparing(Finding::code))
                .toList();
    }
}
