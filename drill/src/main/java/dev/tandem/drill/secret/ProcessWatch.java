package dev.tandem.drill.secret;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * Looks at every process while it is young, from the host: programs of a fence live for a moment,
 * and nobody who looks afterwards sees what stood in their arguments. What lives on is looked at
 * with the node ({@link SecretScan}).
 */
final class ProcessWatch implements AutoCloseable {
    private static final Path PROC = Path.of("/proc");

    /** ipmitool needs as long for one question. To list the processes takes a millisecond. */
    private static final Duration EVERY = Duration.ofMillis(50);

    /** A process has the arguments of its parent until it runs a program of its own. */
    private static final Duration YOUNG = Duration.ofSeconds(1);

    /** More than any program here is given. */
    private static final int MOST = 256 << 10;

    private static final Map<String, String> PARTS =
            Map.of("cmdline", "among its arguments", "environ", "in its environment");

    /** Tells whose process that is. */
    interface Owner {
        /** Of processes that are not to be looked at, or not yet known to be: empty. */
        Optional<String> nodeOf(long process) throws IOException;
    }

    private final KnownSecrets secrets;
    private final Owner owner;
    private final Set<String> leaks = new ConcurrentSkipListSet<>();
    private final Map<Long, Long> firstSeen = new HashMap<>();
    private final Set<Long> grown = new HashSet<>();
    private final Thread thread;
    private volatile boolean ends;

    ProcessWatch(KnownSecrets secrets, Owner owner) {
        this.secrets = secrets;
        this.owner = owner;
        this.thread = Thread.ofPlatform().name("watch processes").daemon().start(this::watch);
    }

    /** What processes showed since the watch began. */
    Set<String> leaks() {
        return Set.copyOf(leaks);
    }

    private void watch() {
        while (!ends) {
            try {
                look();
            } catch (RuntimeException e) {
                // Who sees nothing has found nothing, and that is not clean.
                leaks.add("the processes cannot be watched: " + e);
            }
            try {
                Thread.sleep(EVERY);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void look() {
        String[] names = PROC.toFile().list();
        if (names == null) {
            throw new IllegalStateException("processes cannot be listed");
        }
        long now = System.nanoTime();
        Set<Long> there = new HashSet<>();
        for (String name : names) {
            if (!Character.isDigit(name.charAt(0))) {
                continue;
            }
            long process = Long.parseLong(name);
            there.add(process);
            if (grown.contains(process)) {
                continue;
            }
            long since = firstSeen.computeIfAbsent(process, _ -> now);
            look(process);
            if (now - since > YOUNG.toNanos()) {
                firstSeen.remove(process);
                grown.add(process);
            }
        }
        firstSeen.keySet().retainAll(there);
        grown.retainAll(there);
    }

    private void look(long process) {
        Path directory = PROC.resolve(String.valueOf(process));
        try {
            Optional<String> node = owner.nodeOf(process);
            if (node.isEmpty()) {
                return;
            }
            for (Map.Entry<String, String> part : PARTS.entrySet()) {
                String text = read(directory.resolve(part.getKey()));
                for (Map.Entry<String, Secret> known : secrets.byForm().entrySet()) {
                    if (text.contains(new String(known.getKey().getBytes(UTF_8), ISO_8859_1))) {
                        leaks.add(
                                "%s: %s has %s %s"
                                        .formatted(
                                                node.get(),
                                                read(directory.resolve("comm")).strip(),
                                                known.getValue().what(),
                                                part.getValue()));
                    }
                }
            }
        } catch (IOException e) {
            // It has ended.
        }
    }

    private static String read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MOST), ISO_8859_1);
        }
    }

    @Override
    public void close() {
        ends = true;
        thread.interrupt();
    }
}
