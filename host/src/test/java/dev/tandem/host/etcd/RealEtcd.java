package dev.tandem.host.etcd;

import dev.tandem.host.Commands;
import dev.tandem.host.SystemCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The etcd that the nodes run: the one of system property {@code etcd.program}, or on the PATH, or
 * else Debian 13's, unpacked into a cache without being installed. The archive is the one this
 * machine's own apt uses.
 */
final class RealEtcd {
    private static final String SUITE = "trixie";
    private static final Path KEYRING = Path.of("/usr/share/keyrings/debian-archive-keyring.gpg");
    private static final Commands COMMANDS = new SystemCommands();

    private RealEtcd() {}

    static Path program() {
        String given = System.getProperty("etcd.program", "");
        if (!given.isEmpty()) {
            return Path.of(given);
        }
        return Arrays.stream(System.getenv("PATH").split(":", -1))
                .map(directory -> Path.of(directory, "etcd"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseGet(RealEtcd::unpacked);
    }

    private static Path unpacked() {
        Path cache = Path.of(System.getProperty("user.home"), ".cache", "tandem", "etcd-" + SUITE);
        Path program = cache.resolve("usr/bin/etcd");
        try {
            Files.createDirectories(cache);
            try (FileChannel channel =
                            FileChannel.open(
                                    cache.resolve("lock"),
                                    StandardOpenOption.CREATE,
                                    StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                if (lock.isValid() && !Files.isExecutable(program)) {
                    unpack(cache);
                }
            }
            return program;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void unpack(Path cache) throws IOException {
        Path work = Files.createTempDirectory(cache, "apt");
        Files.createDirectories(work.resolve("lists/partial"));
        Files.createDirectories(work.resolve("archives/partial"));
        Path sources = work.resolve("sources.list");
        String signed = Files.exists(KEYRING) ? "[signed-by=" + KEYRING + "] " : "";
        Files.writeString(sources, "deb " + signed + archive() + " " + SUITE + " main\n");
        List<String> options =
                List.of(
                        "-o",
                        "Dir::Etc::sourcelist=" + sources,
                        "-o",
                        "Dir::Etc::sourceparts=-",
                        "-o",
                        "Dir::State::lists=" + work.resolve("lists"),
                        "-o",
                        "Dir::Cache=" + work,
                        "-o",
                        "APT::Sandbox::User=root",
                        "-o",
                        "Acquire::Languages=none");
        run("apt-get", options, "update");
        run(
                "apt-get",
                options,
                "--download-only",
                "--reinstall",
                "-y",
                "--no-install-recommends",
                "-o",
                "Debug::NoLocking=true",
                "-o",
                "Dir::State::status=/dev/null",
                "install",
                "etcd-server",
                "etcd-client");
        List<Path> packages = new ArrayList<>();
        try (Stream<Path> files = Files.list(work.resolve("archives"))) {
            files.filter(file -> file.getFileName().toString().startsWith("etcd-"))
                    .forEach(packages::add);
        }
        for (Path each : packages) {
            run("dpkg-deb", List.of(), "-x", each.toString(), cache.toString());
        }
        try (Stream<Path> leftovers = Files.walk(work)) {
            for (Path each : leftovers.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private static void run(String program, List<String> options, String... arguments) {
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(options);
        command.addAll(List.of(arguments));
        Commands.Output output = COMMANDS.run(Duration.ofMinutes(5), command);
        if (!output.ok()) {
            throw new IllegalStateException(command + ": " + output.err());
        }
    }

    /** The address of the Debian archive this machine itself installs from. */
    static String archive() throws IOException {
        String release = Files.readString(Path.of("/etc/os-release"));
        String codename =
                release.lines()
                        .filter(line -> line.startsWith("VERSION_CODENAME="))
                        .map(line -> line.substring(line.indexOf('=') + 1))
                        .findFirst()
                        .orElseThrow();
        List<Path> files = new ArrayList<>(List.of(Path.of("/etc/apt/sources.list")));
        try (Stream<Path> parts = Files.list(Path.of("/etc/apt/sources.list.d"))) {
            parts.sorted().forEach(files::add);
        }
        for (Path file : files) {
            if (Files.isReadable(file)) {
                Optional<String> found = archive(file.toString(), Files.readString(file), codename);
                if (found.isPresent()) {
                    return found.get();
                }
            }
        }
        throw new IllegalStateException("no apt source has the suite " + codename);
    }

    /** Both formats of apt: one line a source, or fields and stanzas. */
    static Optional<String> archive(String file, String text, String codename) {
        if (file.endsWith(".sources")) {
            for (String stanza : text.split("\n\\s*\n", -1)) {
                List<String> suites = field(stanza, "Suites");
                List<String> uris = field(stanza, "URIs");
                if (suites.contains(codename) && !uris.isEmpty()) {
                    return Optional.of(uris.getFirst());
                }
            }
            return Optional.empty();
        }
        return text.lines()
                .map(line -> line.strip().replaceFirst("\\[[^]]*]\\s*", "").split("\\s+", -1))
                .filter(words ->
                        words.length > 3 && words[0].equals("deb") && words[2].equals(codename))
                .map(words -> words[1])
                .findFirst();
    }

    private static List<String> field(String stanza, String name) {
        return stanza.lines()
                .filter(line -> !line.startsWith("#") && line.startsWith(name + ":"))
                .flatMap(line ->
                        Arrays.stream(line.substring(name.length() + 1).strip().split("\\s+", -1)))
                .toList();
    }
}
