package dev.tandem.cli;

/** What the build wrote into this jar. */
public final class BuildInfo {
    private BuildInfo() {}

    /** The version of this Tandem; {@code development} when run from class files. */
    public static String version() {
        String version = BuildInfo.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
