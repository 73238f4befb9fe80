package dev.tandem.lab.image;

import dev.tandem.core.Failure;
import dev.tandem.lab.linux.Programs;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The system that every node boots: Debian 13 with the cluster stack, built once and kept under a
 * name made from its recipe. Settings and Tandem's own package are thin layers above it, named
 * after their content, so that a new Tandem costs seconds and not minutes.
 *
 * <p>An image is built beside its place and moved there when it is complete: what stands under an
 * image's name is whole, whenever the builder was interrupted.
 */
public final class NodeImage {
    static final String SUITE = "trixie";

    /** What debootstrap needs to make a system in which apt works. */
    private static final List<String> BASE =
            List.of("systemd", "systemd-sysv", "dbus", "iproute2", "ca-certificates");

    private static final List<String> PACKAGES =
            List.of(
                    "corosync",
                    "pacemaker",
                    "pcs",
                    "pacemaker-cli-utils",
                    "resource-agents",
                    "fence-agents-redfish",
                    "fence-agents-ipmilan",
                    // A clock can be set back for some programs of a node only by lying to them.
                    "libfaketime",
                    "etcd-server",
                    "etcd-client",
                    "openssh-server",
                    "openjdk-25-jre-headless",
                    "curl",
                    "jq",
                    "nftables",
                    "iputils-ping",
                    "procps",
                    "less");

    private static final String SCRIPT_DIRECTORY = "usr/lib/tandem-lab";

    /** Nothing starts while packages are installed: there is no init to start it. */
    private static final Part NO_SERVICES = new Part("policy-rc.d", "usr/sbin/policy-rc.d", true);

    /** What turns a Debian with the right packages into a lab node. */
    private static final List<Part> SETTINGS =
            List.of(
                    new Part("setup.sh", SCRIPT_DIRECTORY + "/setup.sh", true),
                    new Part("show-dmi", SCRIPT_DIRECTORY + "/show-dmi", true),
                    new Part(
                            "tandem-lab-dmi.service",
                            "etc/systemd/system/tandem-lab-dmi.service",
                            false));

    /** The finished image takes 1.2 GB, and its packages as much again while it is built. */
    private static final long ROOM_BYTES = 3L << 30;

    private final Path directory;
    private final Programs programs;
    private final Supplier<Set<Path>> layersInUse;

    /**
     * @param layersInUse what running labs stand on and nobody may remove
     */
    public NodeImage(Path directory, Programs programs, Supplier<Set<Path>> layersInUse) {
        this.directory = directory;
        this.programs = programs;
        this.layersInUse = layersInUse;
    }

    private record Part(String resource, String place, boolean executable) {
        String text() {
            try (InputStream in = NodeImage.class.getResourceAsStream(resource)) {
                if (in == null) {
                    throw new IllegalStateException("resource image/" + resource + " is missing");
                }
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The name of the packages' layer that today's recipe makes. */
    static String baseKey() {
        StringBuilder recipe = new StringBuilder(SUITE).append('\n');
        BASE.forEach(name -> recipe.append(name).append('\n'));
        PACKAGES.forEach(name -> recipe.append(name).append('\n'));
        return SUITE + "-" + hash(recipe.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static String settingsKey() {
        StringBuilder recipe = new StringBuilder();
        SETTINGS.forEach(part -> recipe.append(part.place()).append('\n').append(part.text()));
        return hash(recipe.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static String hash(byte[] content) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /**
     * The directories a node's root is laid over, uppermost first; built now if they are missing.
     */
    public List<Path> ensure(Optional<Path> tandemPackage, ProgressListener steps)
            throws IOException, InterruptedException {
        Files.createDirectories(directory);
        try (BuildLock _ = BuildLock.take(directory, "the node image", steps)) {
            removeUnfinished();
            Path base = directory.resolve(baseKey());
            if (!Files.isDirectory(base)) {
                buildBase(base, steps);
            }
            Path settings = directory.resolve(base.getFileName() + "-" + settingsKey());
            if (!Files.isDirectory(settings)) {
                steps.step("node image: settings");
                Path work = begin(settings);
                SETTINGS.forEach(part -> put(part, work.resolve("upper")));
                finish(
                        settings,
                        List.of(base),
                        List.of("/" + SCRIPT_DIRECTORY + "/setup.sh"),
                        steps);
            }
            if (tandemPackage.isEmpty()) {
                return List.of(settings, base);
            }
            Path deb = tandemPackage.get();
            Path tandem =
                    directory.resolve(settings.getFileName() + "-" + hash(Files.readAllBytes(deb)));
            if (!Files.isDirectory(tandem)) {
                steps.step("node image: " + deb.getFileName());
                Path inside = begin(tandem).resolve("upper/" + SCRIPT_DIRECTORY + "/tandem.deb");
                Files.createDirectories(inside.getParent());
                Files.copy(deb, inside);
                finish(
                        tandem,
                        List.of(settings, base),
                        List.of("dpkg", "--install", "/" + SCRIPT_DIRECTORY + "/tandem.deb"),
                        steps);
            }
            return List.of(tandem, settings, base);
        }
    }

    /** The lock is held, so the process that began these is gone. */
    private void removeUnfinished() throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            for (Path entry :
                    entries.filter(path -> path.getFileName().toString().endsWith(".unfinished"))
                            .toList()) {
                removeTree(entry);
            }
        }
    }

    private void removeTree(Path path) {
        programs.run(
                "remove " + path,
                Duration.ofMinutes(2),
                List.of("rm", "-rf", "--one-file-system", path.toString()),
                "");
    }

    private void buildBase(Path base, ProgressListener steps)
            throws IOException, InterruptedException {
        requireRoom();
        Path root = unfinished(base);
        Path log = directory.resolve(base.getFileName() + ".log");
        Files.deleteIfExists(log);
        AptSources sources = AptSources.read(Path.of("/etc/apt"), System.getenv());
        URI archive =
                firstThatHas(sources.archives(), SUITE)
                        .orElseThrow(() -> noArchive(sources.archives()));
        steps.step("node image: Debian " + SUITE + " from " + archive.getHost());
        Programs.follow(
                "make a Debian " + SUITE,
                inOwnMounts(
                        List.of(
                                "debootstrap",
                                "--variant=minbase",
                                "--include=" + String.join(",", BASE),
                                SUITE,
                                root.toString(),
                                archive.toString())),
                log,
                line -> detail(steps, line));

        put(NO_SERVICES, root);
        Files.writeString(root.resolve("etc/apt/sources.list"), sourcesList(sources, archive));

        steps.step("node image: cluster stack, etcd, Java");
        chroot("refresh the lists of the image", root, log, steps, List.of("apt-get", "update"));
        List<String> install =
                new ArrayList<>(List.of("apt-get", "install", "-y", "--no-install-recommends"));
        install.addAll(PACKAGES);
        chroot("install packages into the image", root, log, steps, install);
        chroot("drop downloads", root, log, steps, List.of("apt-get", "clean"));
        removeTree(root.resolve("var/lib/apt/lists"));
        Files.delete(root.resolve(NO_SERVICES.place()));
        Files.move(root, base, StandardCopyOption.ATOMIC_MOVE);
        Files.delete(log);
    }

    private void put(Part part, Path root) {
        Path place = root.resolve(part.place());
        try {
            Files.createDirectories(place.getParent());
            Files.writeString(place, part.text());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + place, e);
        }
        if (part.executable()) {
            programs.run("mark a script", "chmod", "755", place.toString());
        }
    }

    /** Where a layer is built; what is put below {@code upper} is part of it. */
    private Path begin(Path layer) throws IOException {
        Path work = unfinished(layer);
        for (String part : List.of("upper", "work", "root")) {
            Files.createDirectories(work.resolve(part));
        }
        put(NO_SERVICES, work.resolve("upper"));
        Files.writeString(
                work.resolve("in-overlay.sh"), new Part("in-overlay.sh", "", true).text());
        return work;
    }

    /** Runs a command in a throw-away overlay, keeps what it wrote and moves that into place. */
    private void finish(Path layer, List<Path> below, List<String> command, ProgressListener steps)
            throws IOException, InterruptedException {
        Path work = unfinished(layer);
        Path log = directory.resolve(layer.getFileName() + ".log");
        Files.deleteIfExists(log);
        List<String> whole =
                new ArrayList<>(
                        List.of(
                                "/bin/sh",
                                work.resolve("in-overlay.sh").toString(),
                                "lowerdir="
                                        + below.stream()
                                                .map(Path::toString)
                                                .collect(Collectors.joining(":"))
                                        + ",upperdir="
                                        + work.resolve("upper")
                                        + ",workdir="
                                        + work.resolve("work"),
                                work.resolve("root").toString()));
        whole.addAll(command);
        Programs.follow(
                "make the image layer " + layer.getFileName(),
                inOwnMounts(whole),
                log,
                line -> detail(steps, line));
        removeSiblings(layer);
        Files.move(work.resolve("upper"), layer, StandardCopyOption.ATOMIC_MOVE);
        removeTree(work);
        Files.delete(log);
    }

    private Path unfinished(Path layer) {
        return directory.resolve(layer.getFileName() + ".unfinished");
    }

    /** Layers of earlier builds are of no use, except to labs that still run on them. */
    private void removeSiblings(Path layer) throws IOException {
        Set<Path> inUse = layersInUse.get();
        String name = layer.getFileName().toString();
        String below = name.substring(0, name.lastIndexOf('-') + 1);
        try (Stream<Path> entries = Files.list(directory)) {
            for (Path entry :
                    entries.filter(Files::isDirectory)
                            .filter(path -> path.getFileName().toString().startsWith(below))
                            .filter(path -> !path.getFileName().toString().endsWith(".unfinished"))
                            .filter(path -> !inUse.contains(path))
                            .toList()) {
                removeTree(entry);
            }
        }
    }

    private void chroot(
            String what, Path root, Path log, ProgressListener steps, List<String> command)
            throws IOException, InterruptedException {
        List<String> whole =
                new ArrayList<>(
                        List.of(
                                "unshare",
                                "--mount",
                                "--pid",
                                "--fork",
                                "--kill-child",
                                // The JDK's package looks into /proc while it is configured.
                                "--mount-proc=" + root.resolve("proc"),
                                "chroot",
                                root.toString()));
        whole.addAll(command);
        Programs.follow(what, whole, log, line -> detail(steps, line));
    }

    /** Whatever is mounted on the way is gone with the last process, also after a kill -9. */
    private static List<String> inOwnMounts(List<String> command) {
        List<String> whole = new ArrayList<>(List.of("unshare", "--mount"));
        whole.addAll(command);
        return whole;
    }

    private static void detail(ProgressListener steps, String line) {
        String shown = line.replaceFirst("^I: ", "").strip();
        if (!shown.isEmpty() && !shown.startsWith("(")) {
            steps.detail(shown.length() > 60 ? shown.substring(0, 60) : shown);
        }
    }

    private void requireRoom() throws IOException {
        long free = Files.getFileStore(directory).getUsableSpace();
        if (free < ROOM_BYTES) {
            throw new Failure(
                    "cannot build the node image",
                    "%s has %d MB left and the image takes %d MB to build"
                            .formatted(directory, free >> 20, ROOM_BYTES >> 20),
                    "free space there, or set XDG_CACHE_HOME to a larger disk");
        }
    }

    private static String sourcesList(AptSources sources, URI archive) {
        StringBuilder list = new StringBuilder("deb %s %s main\n".formatted(archive, SUITE));
        String updates = SUITE + "-updates";
        if (has(archive, updates)) {
            list.append("deb %s %s main\n".formatted(archive, updates));
        }
        String security = SUITE + "-security";
        firstThatHas(sources.securityArchives(), security)
                .ifPresent(uri -> list.append("deb %s %s main\n".formatted(uri, security)));
        return list.toString();
    }

    private static Optional<URI> firstThatHas(List<URI> archives, String suite) {
        return archives.stream().filter(uri -> has(uri, suite)).findFirst();
    }

    private static boolean has(URI archive, String suite) {
        try {
            HttpURLConnection connection =
                    (HttpURLConnection)
                            URI.create(archive + "/dists/" + suite + "/InRelease")
                                    .toURL()
                                    .openConnection();
            connection.setRequestMethod("HEAD");
            connection.setConnectTimeout(5_000);
            connection.setReadTimeout(10_000);
            return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
        } catch (IOException e) {
            // An archive that does not answer does not have it, as far as this build goes.
            return false;
        }
    }

    private static Failure noArchive(List<URI> tried) {
        return new Failure(
                "cannot build the node image",
                "no archive with Debian " + SUITE + " answers; asked " + tried,
                "check the network and any proxy, or name a Debian mirror in " + AptSources.MIRROR);
    }
}
