package dev.tandem.lab.kube;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.SystemCommands;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds a Go that is new enough. It is never fetched: what compiles comes from the machine. */
final class GoTools {
    /** In go.mod too, where Go itself reads it. */
    static final Release NEEDED = new Release(1, 24);

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final List<Path> places;
    private final Commands commands;
    private final Map<String, String> environment;

    GoTools(List<Path> places, Commands commands, Map<String, String> environment) {
        this.places = List.copyOf(places);
        this.commands = commands;
        this.environment = Map.copyOf(environment);
    }

    static GoTools of(Map<String, String> environment) {
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
        return new GoTools(places, new SystemCommands(), environment);
    }

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

    /** The first one that can compile Kubernetes. */
    Path program() {
        List<String> found = new ArrayList<>();
        for (Path place : places.stream().distinct().filter(Files::isExecutable).toList()) {
            Optional<Release> release = releaseOf(place);
            if (release.map(Release::isEnough).orElse(false)) {
                return place;
            }
            found.add(
                    release.map(Release::toString).orElse("something that tells no version")
                            + " in "
                            + place);
        }
        String why =
                "it is compiled with Go "
                        + NEEDED
                        + " or later, and this machine has "
                        + (found.isEmpty() ? "none" : String.join(" and ", found));
        throw new Failure("no Kubernetes for the lab", why, remedy());
    }

    private Optional<Release> releaseOf(Path place) {
        // GOTOOLCHAIN=local: an old Go would otherwise answer with one it downloads first.
        Commands.Output output =
                commands.run(
                        LIMIT,
                        List.of("env", "GOTOOLCHAIN=local", place.toString(), "env", "GOVERSION"));
        return output.ok() ? Release.parse(output.out()) : Optional.empty();
    }

    private String remedy() {
        String otherwise =
                "; or name a directory that has the programs, or go without Kubernetes: --no-kube";
        return debian().map(release ->
                        release.isEnough()
                                ? "apt-get install golang-go, which is Go " + release + " here"
                                : "golang-go of this distribution is Go "
                                        + release
                                        + " and does not help; install a later one from"
                                        + " https://go.dev/dl into /usr/local/go")
                        .orElse("install Go, for example from https://go.dev/dl into /usr/local/go")
                + otherwise;
    }

    /** What apt would install; empty where there is no apt or no such package. */
    private Optional<Release> debian() {
        Commands.Output output = commands.run(LIMIT, List.of("apt-cache", "policy", "golang-go"));
        return output.out()
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith("Candidate:"))
                .map(line -> line.substring("Candidate:".length()))
                .flatMap(version -> Release.parse(version).stream())
                .findFirst();
    }
}
