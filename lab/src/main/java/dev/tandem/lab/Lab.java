package dev.tandem.lab;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.cli.Interruption;
import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.Deadline;
import dev.tandem.host.SystemCommands;
import dev.tandem.lab.daemon.LabNode;
import dev.tandem.lab.image.Steps;
import dev.tandem.lab.image.TandemPackage;
import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.spec.Fault;
import dev.tandem.lab.spec.Json;
import dev.tandem.lab.spec.LabFiles;
import dev.tandem.lab.spec.LabPaths;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.LabSpec;
import dev.tandem.lab.spec.LabStatus;
import dev.tandem.lab.spec.Site;
import dev.tandem.lab.spec.Timeline;
import dev.tandem.redfishsim.BmcBehaviour;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * A lab as a test uses it: start it, break things, wait for named things, and close it. Closing
 * mends all faults, runs the audits, and leaves a clean machine. Whatever fails leaves journals,
 * configuration and timeline in one directory, whose name is printed last.
 */
public final class Lab implements AutoCloseable {
    /** Names the directory for what is collected after a failure. */
    public static final String ARTEFACTS_PROPERTY = "tandem.lab.artefacts";

    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration COLLECT_LIMIT = Duration.ofSeconds(30);
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private final Site site;
    private final LabClient client;
    private final LabStarter starter;
    private final Commands commands = new SystemCommands();
    private Optional<Thread> atTheEnd = Optional.empty();

    private Lab(Site site, LabClient client, LabStarter starter) {
        this.site = site;
        this.client = client;
        this.starter = starter;
    }

    /** Starts a lab with the package of this build, if it was built. */
    public static Lab start(LabSpec spec) throws IOException, InterruptedException {
        return start(spec, TandemPackage.find(null));
    }

    /** Starts a lab with a package of Tandem, or without any. */
    public static Lab start(LabSpec spec, Optional<Path> tandemPackage)
            throws IOException, InterruptedException {
        LabStarter starter = new LabStarter(LabPaths.ofHost(), Programs.ofHost());
        var _ = starter.up(spec, tandemPackage, Steps.SILENT);
        Lab lab = new Lab(Site.of(spec), new LabClient(starter.files(spec.name())), starter);
        // Whoever started it this way means it for as long as it runs itself, also when it is
        // interrupted.
        Thread atTheEnd = new Thread(lab::downInterrupted, "end-lab-" + spec.name());
        lab.atTheEnd = Optional.of(atTheEnd);
        Runtime.getRuntime().addShutdownHook(atTheEnd);
        return lab;
    }

    /** The name, or the first of NAME-2, NAME-3 and so on that no lab here has. */
    public static String freeName(String name) {
        LabStarter starter = new LabStarter(LabPaths.ofHost(), Programs.ofHost());
        String free = name;
        for (int i = 2; starter.files(free).exists(); i++) {
            free = name + "-" + i;
        }
        return free;
    }

    /** A lab that somebody else started; closing it ends it all the same. */
    public static Lab attach(String name) throws IOException {
        LabStarter starter = new LabStarter(LabPaths.ofHost(), Programs.ofHost());
        LabFiles files = starter.files(name);
        LabSpec spec =
                files.ledger()
                        .map(LabFiles.Ledger::spec)
                        .orElseThrow(() ->
                                new Failure(
                                        "no lab " + name,
                                        "none of that name runs here",
                                        "start it: tandem lab up --name " + name));
        return new Lab(Site.of(spec), new LabClient(files), starter);
    }

    public String name() {
        return site.spec().name();
    }

    /** Who is where. */
    public Site site() {
        return site;
    }

    public LabStatus status() {
        return client.status();
    }

    public Node node(String name) {
        return new Node(site.node(name));
    }

    public List<Node> nodes() {
        return site.nodes().stream().map(Node::new).toList();
    }

    /** The certificate of the authority that the BMCs' certificates are from, as PEM. */
    public String authorityPem() throws IOException {
        return Files.readString(client.files().authority());
    }

    /** A directory for the keys of a site in this lab: they live and end with it. */
    public Path keys() {
        return client.files().keys();
    }

    /** Breaks something in the network. */
    public void inject(Fault fault) {
        client.ask(new LabRequest.Inject(fault));
    }

    /** Cuts a network between all its nodes, both ways. */
    public void split(String network) {
        inject(new Fault.Cut(network, Fault.ANYBODY, Fault.ANYBODY, true, List.of()));
    }

    /** Mends everything. */
    public void heal() {
        client.ask(new LabRequest.Heal(""));
    }

    /** Mends one network. */
    public void heal(String network) {
        client.ask(new LabRequest.Heal(network));
    }

    /** Writes something into the timeline, such as the beginning of a load. */
    public void note(String event, String subject, Map<String, String> detail) {
        client.ask(new LabRequest.Note(event, subject, detail));
    }

    public List<Timeline.Entry> timeline() {
        try {
            return Timeline.read(client.files().timeline());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** When an event last happened to a subject. */
    public Optional<Instant> lastly(String event, String subject) {
        return timeline().stream()
                .filter(entry -> entry.event().equals(event) && entry.subject().equals(subject))
                .reduce((first, second) -> second)
                .map(Timeline.Entry::instant);
    }

    /** Waits until something holds, and fails by its name when it does not within the limit. */
    public void await(String what, Duration limit, Callable<Boolean> condition) {
        Deadline deadline = Deadline.in(limit);
        Optional<Exception> last = Optional.empty();
        try {
            while (true) {
                try {
                    if (condition.call()) {
                        return;
                    }
                    last = Optional.empty();
                } catch (InterruptedException | Unmet e) {
                    // An expectation within the condition is not a thing that may come later.
                    throw e;
                } catch (Exception e) {
                    // What cannot be asked yet may be asked later: the limit decides.
                    last = Optional.of(e);
                }
                if (deadline.passed()) {
                    Unmet error =
                            new Unmet(
                                    "not within " + limit.toSeconds() + " s: " + what,
                                    last.orElse(null));
                    collect();
                    throw error;
                }
                deadline.pause(POLL);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting until " + what, e);
        }
    }

    /** Opens a way from the host's loopback to a port of a node and returns the host's port. */
    public int relay(String node, int port) {
        return client.relay(node, port).hostPort();
    }

    /** One node of the lab. */
    public final class Node {
        private final Site.NodePlan plan;

        private Node(Site.NodePlan plan) {
            this.plan = plan;
        }

        public String name() {
            return plan.name();
        }

        public Site.NodePlan plan() {
            return plan;
        }

        public LabStatus.Node status() {
            return client.status().nodes().stream()
                    .filter(one -> one.name().equals(name()))
                    .findFirst()
                    .orElseThrow();
        }

        public boolean isUp() {
            return status().state() == LabStatus.State.UP;
        }

        /** Programs that run inside the node, for whatever takes {@link Commands}. */
        public Commands commands() {
            return (limit, command, stdin) -> {
                Optional<Long> leader = leader();
                return leader.isEmpty()
                        ? new Commands.Output(
                                Commands.Output.NOT_STARTED, "", name() + " is switched off")
                        : Lab.this.commands.run(limit, LabNode.enter(leader.get(), command), stdin);
            };
        }

        private Optional<Long> leader() {
            return Optional.ofNullable(status().leader());
        }

        /** Runs a program in the node, whatever comes out. */
        public Commands.Output run(Duration limit, String... command) {
            return commands().run(limit, List.of(command));
        }

        /** Runs a program in the node that has to succeed, and returns what it printed. */
        public String must(Duration limit, String... command) {
            return must(limit, List.of(command), "");
        }

        public String must(Duration limit, List<String> command, String stdin) {
            Commands.Output output = commands().run(limit, command, stdin);
            if (!output.ok()) {
                collect();
                throw new Unmet(
                        "%s on %s ended with %d: %s%s"
                                .formatted(
                                        String.join(" ", command),
                                        name(),
                                        output.exitCode(),
                                        output.out(),
                                        output.err()));
            }
            return output.out();
        }

        /** Writes a file in the node, with the directories above it. */
        public void write(String path, String mode, String content) {
            must(Duration.ofSeconds(10), replace(path, mode), content);
        }

        /** Copies a file of the host into the node, with the directories above it. */
        public void copy(Path file, String path, String mode)
                throws IOException, InterruptedException {
            List<String> command =
                    LabNode.enter(leader().orElseThrow(() -> switchedOff()), replace(path, mode));
            Process process =
                    new ProcessBuilder(command)
                            .redirectInput(file.toFile())
                            .redirectErrorStream(true)
                            .start();
            String said = new String(process.getInputStream().readAllBytes(), UTF_8);
            if (process.waitFor() != 0) {
                throw new IOException(
                        "cannot copy " + file + " to " + path + " on " + name() + ": " + said);
            }
        }

        /**
         * Puts standard input in the place of a file, whole: programs of the node may read it any
         * time. Hidden until then, so that nobody who looks through the directory takes it up.
         */
        private static List<String> replace(String path, String mode) {
            Path place = Path.of(path);
            String partial = place.resolveSibling("." + place.getFileName() + ".new").toString();
            return List.of(
                    "sh",
                    "-ec",
                    "install -D -m \"$1\" /dev/stdin \"$2\"; mv -fT \"$2\" \"$3\"",
                    "sh",
                    mode,
                    partial,
                    path);
        }

        private Failure switchedOff() {
            return new Failure(
                    "cannot enter " + name(),
                    "it is switched off",
                    client.files().named("switch it on: tandem lab power " + name() + " on"));
        }

        /**
         * What this node's disk has beyond the image, as a directory of the host; there also while
         * the node is off. For reading only. etcd's disk is another one.
         */
        public Path disk() {
            return client.files().disks().resolve(name()).resolve("upper");
        }

        public String read(String path) {
            return must(Duration.ofSeconds(10), "cat", path);
        }

        /** The power fails for a moment: all is gone at once, and the node stays off. */
        public void cutPower() {
            crash(LabRequest.CrashKind.POWER);
        }

        public void crash(LabRequest.CrashKind how) {
            client.ask(new LabRequest.Crash(name(), how));
        }

        public void power(LabRequest.PowerAction action) {
            client.ask(new LabRequest.Power(name(), action));
        }

        public void freeze() {
            client.ask(new LabRequest.Freeze(name(), true));
        }

        public void thaw() {
            client.ask(new LabRequest.Freeze(name(), false));
        }

        /** Signals the processes of a name and returns how many there were. */
        public int kill(String process, String signal) {
            return client.ask(new LabRequest.Kill(name(), process, signal)).path("count").asInt();
        }

        /**
         * Has the kernel hold the processes of a name until the lab is healed or the power goes: no
         * signal ends them. Returns how many there were.
         */
        public int hold(String process) {
            return client.ask(new LabRequest.Hold(name(), process)).path("count").asInt();
        }

        public void fillDisk(int leaveMib) {
            client.ask(new LabRequest.FillDisk(name(), leaveMib));
        }

        /** Flips bytes of a file; doing it twice leaves the file as it was. */
        public void corrupt(String file, long offset, int length) {
            client.ask(new LabRequest.Corrupt(name(), file, offset, length));
        }

        /** Flips bytes in the middle of a file. */
        public void corrupt(String file, int length) {
            client.ask(new LabRequest.Corrupt(name(), file, -1, length));
        }

        /** Gives the node's BMC these habits and no others. */
        public void bmcBehaves(BmcBehaviour behaviour) {
            ObjectNode habits = Json.MAPPER.valueToTree(behaviour);
            Map<String, JsonNode> all = new HashMap<>();
            habits.properties().forEach(habit -> all.put(habit.getKey(), habit.getValue()));
            client.ask(new LabRequest.Bmc(name(), all));
        }
    }

    /**
     * Keeps everything that tells what happened, prints where, and returns it. Never fails: it is
     * called when something else has.
     */
    public Path collect() {
        Path directory =
                Path.of(System.getProperty(ARTEFACTS_PROPERTY, "target/lab-failures"))
                        .toAbsolutePath()
                        .resolve(name() + "-" + STAMP.format(Instant.now()));
        if (Interruption.underWay()) {
            // What fails now fails because the lab is being taken away.
            return directory;
        }
        try {
            Files.createDirectories(directory);
            LabFiles files = client.files();
            copy(files.timeline(), directory);
            copy(files.daemonLog(), directory);
            copy(files.run().resolve("ledger.json"), directory);
            Files.writeString(directory.resolve("status.json"), Json.line(client.status()));
            for (Node node : nodes()) {
                collect(node, Files.createDirectories(directory.resolve(node.name())));
            }
        } catch (IOException | RuntimeException e) {
            System.err.println("lab " + name() + ": not everything could be collected: " + e);
        }
        System.err.println("lab " + name() + ": all about it is in " + directory);
        return directory;
    }

    private void collect(Node node, Path into) throws IOException {
        LabFiles files = client.files();
        copy(files.console(node.name()), into);
        Path disk = node.disk();
        if (node.leader().isEmpty() || node.status().state() == LabStatus.State.FROZEN) {
            // Nobody is in there to ask; the files of the journal can be read with --directory.
            copyTree(disk.resolve("var/log/journal"), into);
        } else {
            for (Map.Entry<String, List<String>> entry : COLLECTED.entrySet()) {
                Commands.Output output = node.commands().run(COLLECT_LIMIT, entry.getValue());
                Files.writeString(into.resolve(entry.getKey()), output.out() + output.err());
            }
        }
        for (String journal : List.of("journal.jsonl", "journal.jsonl.1")) {
            copy(disk.resolve("var/lib/tandem").resolve(journal), into);
        }
        copyTree(disk.resolve("var/log/pacemaker"), into);
        copyTree(disk.resolve("var/log/cluster"), into);
        copyTree(disk.resolve("var/log/tandem"), into);
        copyTree(disk.resolve("etc/corosync"), into);
    }

    private static final Map<String, List<String>> COLLECTED =
            Map.of(
                    "journal.txt",
                    List.of("journalctl", "--no-pager", "--output=short-iso-precise"),
                    "etcd.txt",
                    List.of(
                            "journalctl",
                            "--no-pager",
                            "--output=short-iso-precise",
                            "-u",
                            "tandem-etcd"),
                    "cib.xml",
                    List.of("cibadmin", "--query", "--local"),
                    "pcs-status.txt",
                    List.of("pcs", "status", "--full"),
                    "stonith-history.txt",
                    List.of("stonith_admin", "--history", "*", "--verbose"),
                    "quorum.txt",
                    List.of("corosync-quorumtool", "-s"),
                    "links.txt",
                    List.of("ip", "address"),
                    "processes.txt",
                    List.of("ps", "-eo", "pid,ppid,stat,etime,args"));

    private static void copy(Path file, Path into) throws IOException {
        if (Files.exists(file)) {
            Files.copy(file, into.resolve(file.getFileName()));
        }
    }

    private void copyTree(Path tree, Path into) {
        if (Files.isDirectory(tree)) {
            var _ =
                    commands.run(
                            COLLECT_LIMIT,
                            List.of("cp", "--recursive", tree.toString(), into.toString()));
        }
    }

    private void downInterrupted() {
        System.err.println("interrupted: ending lab " + name());
        try {
            boolean _ = starter.down(name(), Steps.SILENT);
        } catch (IOException | InterruptedException | Failure e) {
            System.err.println("could not end lab " + name() + ": " + e.getMessage());
        }
    }

    private void down() throws IOException {
        try {
            boolean _ = starter.down(name(), Steps.SILENT);
            if (atTheEnd.isPresent()) {
                boolean _ = Runtime.getRuntime().removeShutdownHook(atTheEnd.get());
            }
        } catch (IllegalStateException e) {
            // The process is ending, and the other thread is doing the same.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while ending lab " + name(), e);
        }
    }

    /** Mends and ends the lab. */
    @Override
    public void close() throws IOException {
        try {
            heal();
        } finally {
            down();
        }
    }
}
