package dev.tandem.lab.kube;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.SystemCommands;
import dev.tandem.lab.image.ProgressListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds a Go that is new enough: on the machine, or in its distribution. Go itself would download a
 * later one if it were let; what compiles comes from where the machine's other programs come from.
 */
final class GoTools {
    /** In go.mod too, where Go itself reads it. */
    static final Release NEEDED = new Release(1, 24);

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final Duration INSTALL_LIMIT = Duration.ofMinutes(5);

    private static final String OTHERWISE =
            "; or name a directory that has the programs, or go without Kubernetes: --no-kube";

    private final Supplier<List<Path>> places;
    private final Commands commands;
    private final Map<String, String> environment;

    /**
     * @param places where a Go may be; asked again after one was installed
     */
    GoTools(Supplier<List<Path>> places, Commands commands, Map<String, String> environment) {
        this.places = places;
        this.commands = commands;
        this.environment = Map.copyOf(environment);
    }

    static GoTools of(Map<String, String> environment) {
        return new GoTools(() -> places(environment), new SystemCommands(), environment);
    }

    private static List<Path> places(Map<String, String> environment) {
        List<Path> places = new ArrayList<>();
        Arrays.stream(environment.getOrDefault("PATH", "").split(":", -1))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, "go"))
                .forEach(places::add);
        places.add(Path.of("/usr/local/go/bin/go"));
        // Debian keeps several side by side here, and only golang-go links one into the PATH.
        try (Stream<Path> versions = Files.list(Path.of("/usr/lib"))) {
            versions.filter(path -> path.getFileName().toString().startsWith("go-1."))
                    .sorted()
                    .map(path -> path.resolve("bin/go"))
                    .forEach(places::add);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list /usr/lib", e);
        }
        return places;
    }

    /** A package of the distribution. */
    private record Offer(String name, Release release) {}

    /** The first two numbers of a version, which are what compatibility hangs on. */
    record Release(int major, int minor) implements Comparable<Release> {
        private static final Pattern TEXT = Pattern.compile("(?:\\d+:)?(?:go)?(\\d+)\\.(\\d+).*");

        /** Reads "go1.26.8" as well as Debian's "2:1.24~2". */
        static Optional<Release> parse(String text) {
            Matcher matcher = TEXT.matcher(text.strip());
            return matcher.matches()
                    ? Optional.of(
                            new Release(
                                    Integer.parseInt(matcher.group(1)),
                                    Integer.parseInt(matcher.group(2))))
                    : Optional.empty();
        }

        @Override
        public int compareTo(Release other) {
            return major != other.major
                    ? Integer.compare(major, other.major)
                    : Integer.compare(minor, other.minor);
        }

        boolean isEnough() {
            return compareTo(NEEDED) >= 0;
        }

        @Override
        public String toString() {
            return major + "." + minor;
        }
    }

    Map<String, String> environment() {
        return environment;
    }

    /** The first one that can compile Kubernetes; installed from the distribution if it has one. */
    Path program(ProgressListener steps) {
        List<String> found = new ArrayList<>();
        Optional<Path> enough = look(found);
        if (enough.isPresent()) {
            return enough.get();
        }
        Optional<Offer> offer = offer();
        if (offer.isPresent()) {
            install(offer.get(), steps);
            Optional<Path> installed = look(new ArrayList<>());
            if (installed.isPresent()) {
                return installed.get();
            }
        }
        throw new Failure(
                "cannot build Kubernetes for the lab",
                "it is compiled with Go "
                        + NEEDED
                        + " or later, and this machine has "
                        + (found.isEmpty() ? "none" : String.join(" and ", found))
                        + "; its distribution offers none either",
                "install Go from https://go.dev/dl into /usr/local/go" + OTHERWISE);
    }

    private Optional<Path> look(List<String> tooOld) {
        for (Path place : places.get().stream().distinct().filter(Files::isExecutable).toList()) {
            Optional<Release> release = releaseOf(place);
            if (release.map(Release::isEnough).orElse(false)) {
                return Optional.of(place);
            }
            tooOld.add(
                    release.map(Release::toString)
                                    .orElse("a go program whose version cannot be read")
                            + " in "
                            + place);
        }
        return Optional.empty();
    }

    private void install(Offer offer, ProgressListener steps) {
        steps.step("installing on this host: %s, Go %s".formatted(offer.name(), offer.release()));
        Commands.Output output =
                commands.run(
                        INSTALL_LIMIT,
                        List.of(
                                "env",
                                "DEBIAN_FRONTEND=noninteractive",
                                "apt-get",
                                "install",
                                "-q",
                                "-y",
                                "--no-install-recommends",
                                offer.name()));
        if (!output.ok()) {
            throw new Failure(
                    "cannot build Kubernetes for the lab",
                    "it is compiled with Go, and apt-get could not install "
                            + offer.name()
                            + ": "
                            + output.err().strip(),
                    "as root: apt-get update && apt-get install " + offer.name() + OTHERWISE);
        }
    }

    private Optional<Release> releaseOf(Path place) {
        // GOTOOLCHAIN=local: an old Go would otherwise answer with one it downloads first.
        Commands.Output output =
                commands.run(
                        LIMIT,
                        List.of("env", "GOTOOLCHAIN=local", place.toString(), "env", "GOVERSION"));
        return output.ok() ? Release.parse(output.out()) : Optional.empty();
    }

    /** The first package that apt would install and that is new enough. */
    private Optional<Offer> offer() {
        // Some distributions have newer ones beside their default.
        return Stream.of("golang-go", "golang-1.26-go", "golang-1.25-go", "golang-1.24-go")
                .flatMap(name ->
                        candidate(name).filter(Release::isEnough).stream()
                                .map(release -> new Offer(name, release)))
                .findFirst();
    }

    /** Empty where there is no apt or no such package. */
    private Optional<Release> candidate(String name) {
        return commands.run(LIMIT, List.of("apt-cache", "policy", name))
                .out()
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith("Candidate:"))
                .flatMap(line -> Release.parse(line.substring("Candidate:".length())).stream())
                .findFirst();
    }
}
