package dev.tandem.cli;

/** Who states something. */
public final class Person {
    private Person() {}

    /** The one behind sudo; commands of a node are root's otherwise. */
    public static String name() {
        return System.getenv().getOrDefault("SUDO_USER", "root");
    }
}
