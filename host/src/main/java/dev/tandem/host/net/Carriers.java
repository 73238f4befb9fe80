package dev.tandem.host.net;

import dev.tandem.core.decision.FenceDelay.Link;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Whether interfaces of this node have a carrier, as the kernel tells it. */
final class Carriers {
    static final Path SYS = Path.of("/sys/class/net");

    private final Path sys;

    Carriers(Path sys) {
        this.sys = sys;
    }

    Link of(String name) {
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
