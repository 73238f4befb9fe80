package dev.tandem.core.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a sentence as somebody does who pastes the command in it: nothing may stand behind a
 * command that the program would take for a part of it, and what the program knew it must have
 * filled in.
 */
public final class PrintedCommands {
    private static final String PROGRAMS =
            "(?<![\\w./-])(?:tandem|pcs|systemctl|journalctl|kubectl|curl|chmod|hostnamectl"
                    + "|corosync-cfgtool|etcdctl)";

    /** Up to the end of a sentence; what is in parentheses or behind a semicolon is another's. */
    private static final Pattern FULL_STOP =
            Pattern.compile(PROGRAMS + " [^;,()\"'\\n]*?[^.'\\s]\\.(?=\\s|$)");

    /** Names and codes that whoever writes the sentence has at hand. */
    private static final Pattern UNFILLED =
            Pattern.compile("\\{[a-z]+}|\\b(?:NODE|PEER|INCIDENT|CODE|FINGERPRINT|LAB)\\b");

    private PrintedCommands() {}

    /** What keeps the text from being pasted; empty when nothing does. */
    public static List<String> faults(String text) {
        List<String> faults = new ArrayList<>(withFullStop(text));
        Matcher unfilled = UNFILLED.matcher(text);
        while (unfilled.find()) {
            faults.add("not filled in: " + unfilled.group() + " in: " + text);
        }
        return faults;
    }

    /** The commands that end with the full stop of their sentence. */
    public static List<String> withFullStop(String text) {
        List<String> faults = new ArrayList<>();
        Matcher stop = FULL_STOP.matcher(text);
        while (stop.find()) {
            faults.add("ends with a full stop: " + stop.group());
        }
        return faults;
    }
}
