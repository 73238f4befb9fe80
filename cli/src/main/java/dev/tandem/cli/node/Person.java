package dev.tandem.cli.node;

/** Who states something. */
final class Person {
    private Person() {}

    /** The one behind sudo; commands of a node are root's otherwise. */
    static String name() {
        return System.getenv().getOrDefault("SUDO_USER", "root");
    }
}
