package dev.tandem.host.yaml;

/**
 * Why a file is not read. Never holds a piece of the file: that may be a password.
 *
 * @param line counted from 1; 0 when it is about the file as a whole
 * @param column counted from 1; 0 with line 0
 * @param what what is wrong, a sentence without its full stop
 * @param why why it matters
 * @param remedy how to correct it
 */
public record YamlFault(Kind kind, int line, int column, String what, String why, String remedy) {

    /** What a file can be refused for. */
    public enum Kind {
        TOO_LONG,
        NOT_TEXT,
        MALFORMED,
        TYPE_TAG,
        TOO_DEEP,
        TOO_MANY_VALUES,
        ALIAS_OF_NOTHING,
        DUPLICATE_KEY,
        KEY_NOT_TEXT,
        NOT_ONE_MAPPING
    }

    /** In one line, with the place where there is one. */
    public String sentence() {
        String place = line == 0 ? "" : "line %d, column %d: ".formatted(line, column);
        return place + what + " (" + why + ")";
    }
}
