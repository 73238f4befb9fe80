package dev.tandem.host.net;

import dev.tandem.core.decision.FenceDelay.Link;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Whether interfaces of this node have a carrier, as the kernel tells it. */
final class Carriers {
    static final Path SYS = Path.of("/sys/class/net");

    /** Before the name of an interface on which another one is set. */
    private static final String LOWER = "lower_";

    private final Path sys;

    Carriers(Path sys) {
        this.sys = sys;
    }

    /**
     * A bridge has a carrier while any of its ports has, and that of a virtual machine always has.
     * So where interfaces with a cable are known through which this one sends, it is as good as
     * those. Of Open vSwitch the kernel tells nothing of the kind.
     */
    Link of(String name) {
        Link own = ofItself(name);
        if (own == Link.DOWN) {
            return own;
        }
        List<Link> cables = cables(name).stream().map(this::ofItself).toList();
        if (cables.isEmpty() || cables.contains(Link.UP)) {
            return own;
        }
        return cables.contains(Link.UNKNOWN) ? Link.UNKNOWN : Link.DOWN;
    }

    /** The interfaces with hardware of their own below this one, through bonds and VLANs too. */
    private Set<String> cables(String name) {
        Set<String> seen = new HashSet<>();
        Set<String> cables = new HashSet<>();
        Deque<String> left = new ArrayDeque<>(List.of(name));
        while (!left.isEmpty()) {
            String one = left.remove();
            if (!seen.add(one)) {
                continue;
            }
            if (Files.exists(sys.resolve(one).resolve("device"))) {
                cables.add(one);
            } else {
                left.addAll(below(one));
            }
        }
        return cables;
    }

    private List<String> below(String name) {
        Path directory = sys.resolve(name);
        return Stream.concat(
                        names(directory).stream()
                                .filter(entry -> entry.startsWith(LOWER))
                                .map(entry -> entry.substring(LOWER.length())),
                        names(directory.resolve("brif")).stream())
                .toList();
    }

    private static List<String> names(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).toList();
        } catch (IOException | UncheckedIOException e) {
            // It has none, or went away just now.
            return List.of();
        }
    }

    private Link ofItself(String name) {
        Path directory = sys.resolve(name);
        Optional<String> state = text(directory.resolve("operstate"));
        if (state.filter(word -> word.equals("down") || word.equals("lowerlayerdown"))
                .isPresent()) {
            // Of an interface that somebody has set down the kernel tells no carrier.
            return Link.DOWN;
        }
        return text(directory.resolve("carrier"))
                .map(carrier -> carrier.equals("0") ? Link.DOWN : Link.UP)
                .orElse(Link.UNKNOWN);
    }

    private static Optional<String> text(Path file) {
        try {
            return Optional.of(Files.readString(file).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
