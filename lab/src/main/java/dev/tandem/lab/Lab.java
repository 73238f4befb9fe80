package dev.tandem.lab;

import dev.tandem.core.Failure;
import dev.tandem.host.Deadline;
import dev.tandem.lab.image.ProgressListener;
import dev.tandem.lab.image.TandemPackage;
import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.spec.LabFiles;
import dev.tandem.lab.spec.LabLayout;
import dev.tandem.lab.spec.LabPaths;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.LabSpec;
import dev.tandem.lab.spec.LabStatus;
import dev.tandem.lab.spec.NetworkFault;
import dev.tandem.lab.spec.Timeline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * A lab as commands, drills and tests use it: start it, break things, wait for named things, and
 * close it. Closing removes all faults and leaves a clean machine. Whatever fails leaves journals,
 * configuration and timeline in one directory, whose name is printed last.
 */
public final class Lab implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);

    private final LabLayout layout;
    private final LabClient client;
    private final LabStarter starter;
    private final Artefacts artefacts;
    private Optional<Thread> atTheEnd = Optional.empty();

    private Lab(LabLayout layout, LabClient client, LabStarter starter) {
        this.layout = layout;
        this.client = client;
        this.starter = starter;
        this.artefacts = new Artefacts(layout, client);
    }

    /** Starts a lab with the package of this build, if it was built. */
    public static Lab start(LabSpec spec) throws IOException, InterruptedException {
        return start(spec, TandemPackage.find(null));
    }

    /** Starts a lab with a package of Tandem, or without any. */
    public static Lab start(LabSpec spec, Optional<Path> tandemPackage)
            throws IOException, InterruptedException {
        LabStarter starter = new LabStarter(LabPaths.ofHost(), Programs.ofHost());
        var _ = starter.up(spec, tandemPackage, ProgressListener.SILENT);
        Lab lab = new Lab(LabLayout.of(spec), new LabClient(starter.files(spec.name())), starter);
        // A caller that started it this way wants it for as long as it runs itself, also when it is
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
        return new Lab(LabLayout.of(spec), new LabClient(files), starter);
    }

    public String name() {
        return layout.spec().name();
    }

    /** Who is where. */
    public LabLayout layout() {
        return layout;
    }

    public LabStatus status() {
        return client.status();
    }

    public NodeHandle node(String name) {
        return handle(layout.node(name));
    }

    public List<NodeHandle> nodes() {
        return layout.nodes().stream().map(this::handle).toList();
    }

    private NodeHandle handle(LabLayout.NodePlan node) {
        return new NodeHandle(node, client, artefacts);
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
    public void inject(NetworkFault fault) {
        client.ask(new LabRequest.Inject(fault));
    }

    /** Cuts a network between all its nodes, both ways. */
    public void split(String network) {
        inject(
                new NetworkFault.Cut(
                        network, NetworkFault.ANYBODY, NetworkFault.ANYBODY, true, List.of()));
    }

    /** Removes all faults. */
    public void heal() {
        client.ask(new LabRequest.Heal(""));
    }

    /** Removes the faults of one network. */
    public void heal(String network) {
        client.ask(new LabRequest.Heal(network));
    }

    /** Writes into the timeline that a scenario of a drill begins. */
    public void beginScenario(String name) {
        client.ask(new LabRequest.BeginScenario(name));
    }

    public List<Timeline.Entry> timeline() {
        try {
            return Timeline.read(client.files().timeline());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
                } catch (InterruptedException | ExpectationFailed e) {
                    // An expectation within the condition is not a thing that may come later.
                    throw e;
                } catch (Exception e) {
                    // What cannot be asked yet may be asked later: the limit decides.
                    last = Optional.of(e);
                }
                if (deadline.passed()) {
                    ExpectationFailed error =
                            new ExpectationFailed(
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

    /** Keeps everything that tells what happened, and prints where; for what failed elsewhere. */
    public void collect() {
        artefacts.collect();
    }

    private void downInterrupted() {
        System.err.println("tandem: interrupted; ending lab " + name());
        try {
            endOnce();
        } catch (IOException | InterruptedException | Failure e) {
            System.err.println(LabStarter.notEnded(name(), e));
        }
    }

    /**
     * One at a time: a command that is interrupted while it ends its lab would else be told that
     * the files are gone which its other thread has just removed.
     */
    private synchronized void endOnce() throws IOException, InterruptedException {
        boolean _ = starter.down(name(), ProgressListener.SILENT);
    }

    private void down() throws IOException {
        try {
            endOnce();
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

    /** Removes all faults and ends the lab. */
    @Override
    public void close() throws IOException {
        try {
            heal();
        } finally {
            down();
        }
    }
}
