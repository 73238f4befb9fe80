package dev.tandem.core;

/**
 * The version of the form of a file or message, and the oldest reader that understands it.
 *
 * <p>The version rises when a field changes its meaning or goes. Where a reader of an earlier
 * version would still understand the rest correctly, the writer says so by {@code readableBy}, and
 * a node can go back to the earlier release; without it, the two are the same.
 *
 * @param readableBy at most the version
 */
public record FormatVersion(int version, int readableBy) {
    /** The name of the second figure, wherever the two are written. */
    public static final String READABLE_BY = "readableBy";

    public FormatVersion {
        // A form that its own writer could not read is none; nothing is guessed from it.
        readableBy = readableBy < 1 || readableBy > version ? version : readableBy;
    }

    /** Of a form that no earlier reader understands. */
    public static FormatVersion of(int version) {
        return new FormatVersion(version, version);
    }

    /**
     * Whether a program understands it.
     *
     * @param reader the version that a program writes itself
     */
    public boolean isReadableBy(int reader) {
        return readableBy <= reader;
    }

    /** Whether the second figure says more than the first: only then it is written. */
    public boolean isReadableByEarlier() {
        return readableBy < version;
    }

    @Override
    public String toString() {
        return isReadableByEarlier()
                ? "version %d, readable from version %d on".formatted(version, readableBy)
                : "version " + version;
    }
}
