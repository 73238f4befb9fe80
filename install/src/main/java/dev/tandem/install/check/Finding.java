package dev.tandem.install.check;

import dev.tandem.install.yaml.Place;
import java.util.regex.Matcher;

/**
 * One thing about a file that its writer should know.
 *
 * @param what what is wrong, a sentence without its full stop
 * @param why why it matters
 * @param remedy how to mend it; a command in it names the file as {@link #FILE}
 */
public record Finding(Code code, Place place, String what, String why, String remedy) {
    /** Stands for the name of the file, which the rules do not know. */
    public static final String FILE = "FILE";

    /** How to mend it, in a file of that name. */
    public String remedyIn(String file) {
        return remedy.replaceAll("\\b" + FILE + "\\b", Matcher.quoteReplacement(file));
    }

    public Severity severity() {
        return code.severity();
    }
}
