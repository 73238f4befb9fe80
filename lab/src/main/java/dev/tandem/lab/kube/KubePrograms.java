package dev.tandem.lab.kube;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.SystemCommands;
import dev.tandem.lab.image.BuildLock;
import dev.tandem.lab.image.ProgressListener;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Kubernetes' own programs: out of a directory that somebody names, or compiled once from the
 * published source and kept under a name made from version and recipe.
 *
 * <p>What stands under such a name is whole: it is made beside its place and moved there at the
 * end. A build that was interrupted goes on where it stopped.
 */
public final class KubePrograms {
    /** Wants Go 1.24, the one in Debian 13; the next minor version wants more. */
    public static final String VERSION = "1.34.4";

    /** Older API servers do not read the settings of who may ask what without a name. */
    private static final String OLDEST_MINOR = "1.34";

    private static final Pattern SAID = Pattern.compile("\\bv([0-9]{1,3})\\.([0-9]{1,3})\\.");

    /** They answer within a tenth of a second. */
    private static final Duration VERSION_LIMIT = Duration.ofSeconds(20);

    /** What the directory holds. */
    public static final List<String> NAMES =
            List.of(
                    "kube-apiserver",
                    "kube-controller-manager",
                    "kube-scheduler",
                    "kubectl",
                    "kubemark");

    /** The file that all names lead to. */
    private static final String COMBINED = "kube";

    private static final List<String> RECIPE = List.of("go.mod", "go.sum", "main.go");

    private final Path directory;
    private final GoTools go;

    public KubePrograms(Path directory, GoTools go) {
        this.directory = directory;
        this.go = go;
    }

    /** As the environment of this process has it: its caches, its Go. */
    public static KubePrograms ofHost() {
        Map<String, String> environment = System.getenv();
        String cache = environment.getOrDefault("XDG_CACHE_HOME", "");
        Path root =
                cache.isEmpty()
                        ? Path.of(environment.getOrDefault("HOME", "/root"), ".cache")
                        : Path.of(cache);
        return new KubePrograms(root.resolve("tandem").resolve("kube"), GoTools.of(environment));
    }

    /**
     * The directory with the programs, to be run from or bound into nodes: nothing in it leads
     * outside.
     *
     * @param given where the user keeps them; nothing else is looked at then
     */
    public Path ensure(Optional<Path> given, ProgressListener steps)
            throws IOException, InterruptedException {
        if (given.isPresent()) {
            return complete(given.get());
        }
        Path place = directory.resolve(key());
        Path bin = place.resolve("bin");
        if (Files.isDirectory(bin)) {
            return bin;
        }
        Files.createDirectories(directory);
        try (BuildLock _ = BuildLock.take(directory, "Kubernetes", steps)) {
            if (!Files.isDirectory(bin)) {
                build(place, steps);
            }
        }
        return bin;
    }

    /** Somebody else's programs: whole, all of one version, and none too old for our settings. */
    private static Path complete(Path given) {
        Path bin = given.toAbsolutePath().normalize();
        if (!Files.isDirectory(bin)) {
            throw new Failure(
                    "cannot take Kubernetes from " + bin,
                    "it is not a directory",
                    "check the name, or leave the option out to have them built");
        }
        List<String> missing =
                NAMES.stream().filter(name -> !Files.isExecutable(bin.resolve(name))).toList();
        if (!missing.isEmpty()) {
            throw new Failure(
                    "cannot take Kubernetes from " + bin,
                    "it lacks " + String.join(", ", missing),
                    "put all of "
                            + String.join(", ", NAMES)
                            + " there, or leave the option out to have them built");
        }
        Map<String, String> odd = new TreeMap<>();
        for (String name : NAMES) {
            String version = versionOf(bin, name);
            if (!runsHere(version)) {
                odd.put(name, version);
            }
        }
        if (!odd.isEmpty()) {
            throw new Failure(
                    "cannot take Kubernetes from " + bin,
                    odd.entrySet().stream()
                            .map(each -> each.getKey() + " says " + each.getValue())
                            .collect(Collectors.joining(", ")),
                    "put programs of version "
                            + OLDEST_MINOR
                            + " or later there, or leave the option out to have them built");
        }
        return bin;
    }

    /** What a program says of itself, on one line. */
    private static String versionOf(Path bin, String name) {
        Commands.Output said =
                new SystemCommands()
                        .run(
                                VERSION_LIMIT,
                                name.equals("kubectl")
                                        ? List.of(
                                                bin.resolve(name).toString(), "version", "--client")
                                        : List.of(bin.resolve(name).toString(), "--version"));
        String text = said.out().isBlank() ? said.err() : said.out();
        return text.lines().findFirst().map(String::strip).orElse("nothing");
    }

    static boolean runsHere(String said) {
        Matcher version = SAID.matcher(said);
        return version.find()
                && Integer.parseInt(version.group(1)) == 1
                && Integer.parseInt(version.group(2))
                        >= Integer.parseInt(OLDEST_MINOR.substring("1.".length()));
    }

    /** The lock is held, so what an earlier build left unfinished is nobody's. */
    private void build(Path place, ProgressListener steps)
            throws IOException, InterruptedException {
        Path unfinished = directory.resolve(place.getFileName() + ".unfinished");
        removeTree(unfinished);
        Path source = Files.createDirectories(unfinished.resolve("source"));
        for (String part : RECIPE) {
            Files.write(source.resolve(part), recipe(part));
        }
        Path bin = Files.createDirectories(unfinished.resolve("bin"));
        Path work = directory.resolve("work");
        new KubeBuild(go, source, work, directory.resolve("build.log"), VERSION)
                .run(bin.resolve(COMBINED), steps);
        for (String name : NAMES) {
            // Relative: in a node the directory has another place.
            Files.createSymbolicLink(bin.resolve(name), Path.of(COMBINED));
        }
        removeTree(source);
        Files.move(unfinished, place, StandardCopyOption.ATOMIC_MOVE);
        removeTree(work);
    }

    /** Version, machine and recipe: another of these is another build. */
    public static String key() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (String part : RECIPE) {
                digest.update(recipe(part));
            }
            KubeBuild.arguments(VERSION, Path.of(COMBINED))
                    .forEach(argument -> digest.update(argument.getBytes(StandardCharsets.UTF_8)));
            return "v%s-%s-%s"
                    .formatted(
                            VERSION,
                            System.getProperty("os.arch"),
                            HexFormat.of().formatHex(digest.digest(), 0, 6));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    static byte[] recipe(String part) {
        try (InputStream in = KubePrograms.class.getResourceAsStream("programs/" + part)) {
            if (in == null) {
                throw new IllegalStateException("resource programs/" + part + " is missing");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void removeTree(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(root)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
