package dev.tandem.lab.spec;

import dev.tandem.core.Failure;
import dev.tandem.lab.linux.Cgroup;
import dev.tandem.lab.linux.ProcessId;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The files of one lab. The ledger in there is written before anything else is made, and names all
 * that the lab will ever make: cleaning up needs nothing else.
 */
public record LabFiles(LabPaths paths, String name) {

    /**
     * What a lab was started with.
     *
     * @param creator the process that claimed the name; until the daemon has taken over, the lab
     *     lives as long as it does
     * @param layers directories of the image that the nodes stand on
     */
    public record Ledger(LabSpec spec, ProcessId creator, List<String> layers, String cgroup) {
        public Ledger {
            layers = List.copyOf(layers);
        }
    }

    /** Those that are about one lab that runs. */
    private static final Pattern COMMAND =
            Pattern.compile("tandem lab (?!up\\b|list\\b|gc\\b|drill\\b|bench\\b)[a-z-]+");

    /**
     * A remedy as it has to be typed for this lab: the name of any but the usual one belongs to it.
     */
    public String named(String remedy) {
        return name.equals(LabSpec.DEFAULT_NAME) || remedy.contains("--name")
                ? remedy
                : COMMAND.matcher(remedy).replaceAll("$0 --name " + name);
    }

    public Path run() {
        return paths.run().resolve(name);
    }

    public Path disks() {
        return paths.disks().resolve(name);
    }

    /** Where the file systems of the nodes are mounted that have a power of their own to lose. */
    public Path mounts() {
        return disks().resolve("mounts");
    }

    public Path control() {
        return run().resolve("control");
    }

    public Path timeline() {
        return run().resolve("timeline.jsonl");
    }

    /** Where the timeline of the last lab of this name lies after its end. */
    public Path lastTimeline() {
        return paths.timelines().resolve(name + ".jsonl");
    }

    /** The certificate of the lab's authority, which signed those of the BMCs. */
    public Path authority() {
        return run().resolve("ca.pem");
    }

    /** The keys of the lab's pair. */
    public Path keys() {
        return run().resolve("keys");
    }

    public Path daemonLog() {
        return run().resolve("daemon.log");
    }

    public Path console(String node) {
        return run().resolve(node + ".console");
    }

    public Cgroup cgroup() {
        return Cgroup.ofLabs().child(name);
    }

    /** Fails early when the name is taken; {@link #claim} decides. */
    public void requireFree() throws IOException {
        if (exists()) {
            throw taken();
        }
    }

    private Failure taken() throws IOException {
        return alive()
                ? new Failure(
                        "lab " + name + " already runs",
                        "there can be only one lab of a name",
                        "use it (tandem lab status --name %s), end it (tandem lab down --name %s) or choose another --name"
                                .formatted(name, name))
                : new Failure(
                        "cannot start lab " + name,
                        "one of that name was left behind by a daemon that died",
                        "clean up after it: tandem lab gc");
    }

    /** Takes the name, or says who has it. */
    public void claim(Ledger ledger) throws IOException {
        Files.createDirectories(paths.run());
        try {
            Files.createDirectory(run());
        } catch (FileAlreadyExistsException e) {
            throw taken();
        }
        write(run().resolve("ledger.json"), ledger);
    }

    /** Empty when the lab is being claimed or removed right now. */
    public Optional<Ledger> ledger() throws IOException {
        return read(run().resolve("ledger.json"), Ledger.class);
    }

    public void daemonStarted(ProcessId daemon) throws IOException {
        write(run().resolve("daemon.json"), daemon);
    }

    public Optional<ProcessId> daemon() throws IOException {
        return read(run().resolve("daemon.json"), ProcessId.class);
    }

    public boolean exists() {
        return Files.isDirectory(run());
    }

    /** Whether somebody looks after this lab. */
    public boolean alive() throws IOException {
        Optional<ProcessId> daemon = daemon();
        if (daemon.isPresent()) {
            return daemon.get().alive();
        }
        return ledger().map(Ledger::creator).map(ProcessId::alive).orElse(false);
    }

    private static <T> Optional<T> read(Path file, Class<T> type) throws IOException {
        try {
            return Optional.of(Json.MAPPER.readValue(Files.readString(file), type));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Whole or not at all: a reader never sees half a file. */
    private static void write(Path file, Object value) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(fresh, Json.line(value));
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Every lab that left a trace on this host, by name. */
    public static List<LabFiles> all(LabPaths paths) throws IOException {
        return Stream.of(paths.run(), paths.disks())
                .filter(Files::isDirectory)
                .flatMap(LabFiles::directoriesIn)
                .map(path -> path.getFileName().toString())
                .distinct()
                .sorted()
                .map(name -> new LabFiles(paths, name))
                .toList();
    }

    private static Stream<Path> directoriesIn(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(Files::isDirectory).toList().stream();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** The image layers that labs stand on and nobody may remove. */
    public static Set<Path> layersInUse(LabPaths paths) {
        try {
            return all(paths).stream()
                    .flatMap(lab -> ledgerOf(lab).stream())
                    .flatMap(ledger -> ledger.layers().stream())
                    .map(Path::of)
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static Optional<Ledger> ledgerOf(LabFiles lab) {
        try {
            return lab.ledger();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
