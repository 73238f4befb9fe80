package dev.tandem.lab.image;

import dev.tandem.core.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the package of this build. */
public final class TandemPackage {
    /** Set by the launcher of a source tree and by packaged builds. */
    static final String ENVIRONMENT = "TANDEM_DEB";

    private TandemPackage() {}

    /** The one named, the one in the environment, or the one of the source tree around us. */
    public static Optional<Path> find(@Nullable Path named) throws IOException {
        String fromEnvironment = System.getenv(ENVIRONMENT);
        Path chosen =
                named != null
                        ? named
                        : fromEnvironment == null || fromEnvironment.isEmpty()
                                ? null
                                : Path.of(fromEnvironment);
        if (chosen == null) {
            return inSourceTree();
        }
        if (!Files.isRegularFile(chosen)) {
            throw new Failure(
                    "cannot install the package " + chosen,
                    "there is no such file",
                    "build it, or start nodes without Tandem: tandem lab up --plain");
        }
        return Optional.of(chosen.toAbsolutePath());
    }

    /** Classes and jars of a source tree lie in MODULE/target; the package in packaging/target. */
    private static Optional<Path> inSourceTree() throws IOException {
        Path own;
        try {
            own =
                    Path.of(
                            TandemPackage.class
                                    .getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation()
                                    .toURI());
        } catch (java.net.URISyntaxException e) {
            return Optional.empty();
        }
        for (Path up = own; up != null; up = up.getParent()) {
            Path target = up.resolve("packaging/target");
            if (Files.isDirectory(target)) {
                try (Stream<Path> files = Files.list(target)) {
                    return files.filter(file ->
                                    file.getFileName().toString().matches("tandem_.*_all\\.deb"))
                            .max(Comparator.comparingLong(file -> file.toFile().lastModified()));
                }
            }
        }
        return Optional.empty();
    }
}
