package dev.tandem.lab;

import dev.tandem.core.Failure;
import dev.tandem.host.Deadline;
import dev.tandem.host.IoErrors;
import dev.tandem.lab.daemon.LabDaemon;
import dev.tandem.lab.image.HostPackages;
import dev.tandem.lab.image.NodeImage;
import dev.tandem.lab.image.ProgressListener;
import dev.tandem.lab.linux.ProcessId;
import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.spec.LabFiles;
import dev.tandem.lab.spec.LabPaths;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.LabSpec;
import dev.tandem.lab.spec.LabStatus;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Brings a lab up: host packages, image, daemon, booted nodes; and takes it down again. */
public final class LabStarter {
    /** Nodes boot in four seconds; on a busy machine with two cores in thirty. */
    private static final Duration BOOT_LIMIT = Duration.ofMinutes(2);

    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);

    private final LabPaths paths;
    private final Programs programs;

    public LabStarter(LabPaths paths, Programs programs) {
        this.paths = paths;
        this.programs = programs;
    }

    public LabFiles files(String name) {
        return new LabFiles(paths, name);
    }

    /** Returns when all nodes have reached their multi-user target. */
    public LabStatus up(LabSpec spec, Optional<Path> tandemPackage, ProgressListener steps)
            throws IOException, InterruptedException {
        HostPackages.requireRoot();
        LabFiles files = files(spec.name());
        files.requireFree();
        new HostPackages(programs).ensure(spec, steps);
        List<Path> layers =
                new NodeImage(paths.images(), programs, () -> LabFiles.layersInUse(paths))
                        .ensure(tandemPackage, steps);
        files.claim(
                new LabFiles.Ledger(
                        spec,
                        ProcessId.ofThis(),
                        layers.stream().map(Path::toString).toList(),
                        files.cgroup().directory().toString()));
        try {
            return undoneByInterrupt(
                    spec.name(),
                    steps,
                    () -> {
                        steps.step("starting lab " + spec.name());
                        startDaemon(files);
                        return awaitBooted(files, steps);
                    });
        } catch (IOException | InterruptedException | RuntimeException e) {
            abandon(files);
            throw e;
        }
    }

    /** A part of bringing a lab up. */
    public interface Part<T> {
        T run() throws IOException, InterruptedException;
    }

    /**
     * Does a part of bringing a lab up; when the process is told to end meanwhile (Ctrl-C), the lab
     * goes too.
     */
    public <T> T undoneByInterrupt(String name, ProgressListener steps, Part<T> part)
            throws IOException, InterruptedException {
        LabFiles files = files(name);
        Thread hook =
                new Thread(
                        () -> {
                            steps.note("tandem: interrupted; removing lab " + name);
                            abandon(files);
                        },
                        "abandon");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            return part.run();
        } finally {
            if (!removed(hook)) {
                // What failed now failed because the hook is taking the lab away: nobody wants to
                // hear of it.
                hook.join();
            }
        }
    }

    /** False when the process is ending already: then the hook does the work. */
    private static boolean removed(Thread hook) {
        try {
            return Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return false;
        }
    }

    private void abandon(LabFiles files) {
        try {
            List<String> _ = new Leftovers(programs).remove(files);
        } catch (IOException e) {
            System.err.println(notEnded(files.name(), e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** In the three lines of every failure. */
    static String notEnded(String name, Exception e) {
        String cause =
                switch (e) {
                    case Failure known -> known.what() + ": " + known.why();
                    case IOException io -> IoErrors.words(io);
                    default -> "it was interrupted a second time";
                };
        return "tandem: could not end lab %1$s%ncause: %2$s%nfix: tandem lab down --name %1$s"
                .formatted(name, cause);
    }

    private void startDaemon(LabFiles files) throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                // A session of its own: Ctrl-C at the terminal is not for it.
                                "setsid",
                                "unshare",
                                "--mount",
                                "--propagation",
                                "private",
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-Xmx192m",
                                "-Xss512k",
                                "--enable-native-access=ALL-UNNAMED",
                                "-Djava.net.preferIPv4Stack=false",
                                "-cp",
                                classPath(),
                                LabDaemon.class.getName()));
        command.addAll(
                List.of(
                        paths.run().toString(),
                        paths.disks().toString(),
                        paths.images().toString(),
                        paths.timelines().toString(),
                        files.name()));
        File log = files.daemonLog().toFile();
        new ProcessBuilder(command)
                .directory(new File("/"))
                .redirectInput(new File("/dev/null"))
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                .redirectErrorStream(true)
                .start();
    }

    /** The daemon's directory is another. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private LabStatus awaitBooted(LabFiles files, ProgressListener steps)
            throws IOException, InterruptedException {
        LabClient client = new LabClient(files);
        Deadline answer = Deadline.in(ANSWER_LIMIT);
        while (!Files.exists(files.control())) {
            boolean died = files.daemon().map(daemon -> !daemon.alive()).orElse(false);
            if (died || answer.passed()) {
                throw new Failure(
                        "cannot start lab " + files.name(),
                        "its daemon " + (died ? "died: " : "does not answer: ") + lastWords(files),
                        "run it again with --debug; the disk or memory of the host may be full");
            }
            answer.pause(Duration.ofMillis(20));
        }
        steps.step("booting " + String.join(", ", files.ledger().orElseThrow().spec().nodeNames()));
        Deadline booted = Deadline.in(BOOT_LIMIT);
        while (true) {
            LabStatus status = client.status();
            if (status.ready()) {
                return status;
            }
            if (booted.passed()) {
                throw new Failure(
                        "lab " + files.name() + " is not up after " + BOOT_LIMIT.toSeconds() + " s",
                        status.nodes().stream()
                                .map(node -> node.name() + " is " + node.state())
                                .toList()
                                .toString(),
                        "check whether the host is overloaded, then try again");
            }
            booted.pause(Duration.ofMillis(100));
        }
    }

    private static String lastWords(LabFiles files) throws IOException {
        if (!Files.exists(files.daemonLog())) {
            return "it left no message";
        }
        List<String> lines = Files.readAllLines(files.daemonLog());
        return lines.isEmpty() ? "it left no message" : lines.getFirst();
    }

    /** Ends a lab. Returns false when there was none. */
    public boolean down(String name, ProgressListener steps)
            throws IOException, InterruptedException {
        HostPackages.requireRoot();
        LabFiles files = files(name);
        if (!files.exists()) {
            return false;
        }
        steps.step("ending lab " + name);
        List<ProcessId> processes = Leftovers.processesOf(files);
        if (files.alive() && Files.exists(files.control())) {
            // Orderly where possible; what the daemon does not manage is removed below.
            try {
                new LabClient(files).ask(new LabRequest.Down());
            } catch (Failure e) {
                steps.note(e.what() + ": " + e.why() + "; ending it without its help");
            }
        }
        List<String> _ = new Leftovers(programs).remove(files);
        Leftovers.awaitBuried(processes);
        return true;
    }
}
