package dev.tandem.lab.spec;

import java.nio.file.Path;
import java.util.Map;

/**
 * Where the lab keeps things.
 *
 * @param run sockets, ledger and timeline of running labs
 * @param disks what the nodes write; on a real file system, as overlayfs needs one below it
 * @param images the node images, kept between labs
 * @param timelines what happened in labs that have ended, the last one of each name
 */
public record LabPaths(Path run, Path disks, Path images, Path timelines) {

    public static LabPaths ofHost() {
        return of(System.getenv());
    }

    public static LabPaths of(Map<String, String> environment) {
        String home = environment.getOrDefault("HOME", "/root");
        String cache = environment.getOrDefault("XDG_CACHE_HOME", "");
        Path cacheRoot = cache.isEmpty() ? Path.of(home, ".cache") : Path.of(cache);
        Path tandem = cacheRoot.resolve("tandem");
        return new LabPaths(
                Path.of("/run/tandem-lab"),
                Path.of("/var/lib/tandem-lab"),
                tandem.resolve("images"),
                tandem.resolve("timelines"));
    }
}
