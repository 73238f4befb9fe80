package dev.tandem.install.config;

import java.util.Optional;

/** A minor release of OpenShift. */
public record Release(int major, int minor) implements Comparable<Release> {
    public static final Release ARBITER = new Release(4, 19);
    public static final Release FENCING = new Release(4, 20);

    /** Fencing is on by default, and an arbiter may stand on platform none. */
    public static final Release FENCING_BY_DEFAULT = new Release(4, 22);

    /**
     * The rules were written against the installers of these; what a later one wants is not known.
     */
    public static final Release OLDEST_KNOWN = new Release(4, 17);

    public static final Release NEWEST_KNOWN = FENCING_BY_DEFAULT;

    public boolean isKnown() {
        return !before(OLDEST_KNOWN) && !NEWEST_KNOWN.before(this);
    }

    /** From {@code 4.22} or {@code 4.22.3}. */
    public static Optional<Release> parse(String text) {
        if (!text.matches("[0-9]{1,3}\\.[0-9]{1,3}(?:\\..*)?")) {
            return Optional.empty();
        }
        String[] parts = text.split("\\.", -1);
        return Optional.of(new Release(Integer.parseInt(parts[0]), Integer.parseInt(parts[1])));
    }

    public boolean before(Release other) {
        return compareTo(other) < 0;
    }

    @Override
    public int compareTo(Release other) {
        int byMajor = Integer.compare(major, other.major);
        return byMajor != 0 ? byMajor : Integer.compare(minor, other.minor);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
