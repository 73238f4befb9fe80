package dev.tandem.lab.kube;

import dev.tandem.core.Failure;
import dev.tandem.lab.image.ProgressListener;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Compiles Kubernetes from the modules that its makers publish. Each is held to the checksum in
 * go.sum, whoever serves it.
 */
final class KubeBuild {
    /** Sources 0.8 GB, objects 1.6 GB, the program 0.2 GB; the first two go when it is done. */
    private static final long ROOM_BYTES = 4L << 30;

    /** Measured: 796 s of processor time for 2673 packages and the link step. */
    private static final Duration ONE_CORE = Duration.ofMinutes(14);

    private final GoTools go;
    private final Path source;
    private final Path work;
    private final Path log;
    private final String version;

    /**
     * @param source the directory with go.mod
     * @param work downloads and objects; what an interrupted build left there is used again
     */
    KubeBuild(GoTools go, Path source, Path work, Path log, String version) {
        this.go = go;
        this.source = source;
        this.work = work;
        this.log = log;
        this.version = version;
    }

    /** How go is called. Paths of this machine stay out of the program. */
    static List<String> arguments(String version, Path program) {
        List<String> settings = new ArrayList<>(List.of("-s", "-w"));
        String[] parts = version.split("\\.", -1);
        for (String holder :
                List.of("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")) {
            Map<String, String> values =
                    Map.of(
                            "gitVersion",
                            "v" + version,
                            "gitMajor",
                            parts[0],
                            "gitMinor",
                            parts[1],
                            "gitTreeState",
                            "clean",
                            "gitCommit",
                            "");
            values.entrySet().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .forEach(value ->
                            settings.addAll(
                                    List.of(
                                            "-X",
                                            "%s.%s=%s"
                                                    .formatted(
                                                            holder,
                                                            value.getKey(),
                                                            value.getValue()))));
        }
        return List.of(
                "build",
                "-v",
                "-mod=readonly",
                "-trimpath",
                "-buildvcs=false",
                "-ldflags=" + String.join(" ", settings),
                "-o",
                program.toString(),
                ".");
    }

    void run(Path program, ProgressListener steps) throws IOException, InterruptedException {
        Path tool = go.program(steps);
        requireRoom();
        Files.deleteIfExists(log);

        steps.step("Kubernetes " + version + ": source, about 140 MB");
        List<String> packages = new ArrayList<>();
        follow(
                List.of(tool.toString(), "list", "-mod=readonly", "-deps", "."),
                line -> {
                    if (line.startsWith("go: ")) {
                        steps.detail(line.substring("go: ".length()));
                    } else {
                        packages.add(line);
                    }
                },
                this::noSource);

        int cores = Runtime.getRuntime().availableProcessors();
        steps.step(
                "Kubernetes %s: compiling, once, about %d min with %d cores"
                        .formatted(version, Math.max(1, ONE_CORE.toMinutes() / cores), cores));
        List<String> command = new ArrayList<>(List.of("nice", "-n", "10", tool.toString()));
        command.addAll(arguments(version, program));
        int[] compiled = {0};
        follow(
                command,
                line -> steps.detail("%d of %d packages".formatted(++compiled[0], packages.size())),
                last ->
                        new Failure(
                                "cannot compile Kubernetes " + version,
                                "go says: " + last,
                                "see " + log + "; without Kubernetes: --no-kube"));
        Files.delete(log);
    }

    private Failure noSource(String last) {
        return new Failure(
                "cannot fetch the source of Kubernetes " + version,
                "go says: " + last,
                "check the network and, behind a firewall, GOPROXY (go help goproxy); or name a"
                        + " directory that has the programs, or go without Kubernetes: --no-kube");
    }

    private void requireRoom() throws IOException {
        Files.createDirectories(work);
        long free = Files.getFileStore(work).getUsableSpace();
        if (free < ROOM_BYTES) {
            throw new Failure(
                    "cannot compile Kubernetes " + version,
                    "%s has %d MB left, and compiling takes %d MB"
                            .formatted(work, free >> 20, ROOM_BYTES >> 20),
                    "free space there, or set XDG_CACHE_HOME to a larger disk; without Kubernetes:"
                            + " --no-kube");
        }
    }

    /**
     * Runs go without a limit: how long it takes is the line's and the machine's business, and
     * whoever waits sees it move.
     */
    private void follow(
            List<String> command, Consumer<String> line, Function<String, Failure> failed)
            throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(source.toFile()).redirectErrorStream(true);
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.putAll(go.environment());
        environment.put("CGO_ENABLED", "0");
        environment.put("GOTOOLCHAIN", "local");
        environment.put("GOWORK", "off");
        // Somebody's own flags would make another program under the same name. Modules are
        // writable so that they can be removed again.
        environment.put("GOFLAGS", "-modcacherw");
        // Those who keep caches of their own go on with them; for others nothing stays behind.
        environment.putIfAbsent("GOCACHE", work.resolve("objects").toString());
        environment.putIfAbsent("GOMODCACHE", work.resolve("modules").toString());
        Process process = builder.start();
        process.getOutputStream().close();
        String last = "nothing";
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
                BufferedWriter kept =
                        Files.newBufferedWriter(
                                log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String next = output.readLine(); next != null; next = output.readLine()) {
                kept.write(next);
                kept.newLine();
                line.accept(next);
                last = next.isBlank() ? last : next.strip();
            }
            if (process.waitFor() != 0) {
                throw failed.apply(last);
            }
        } finally {
            Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                    .forEach(ProcessHandle::destroyForcibly);
        }
    }
}
