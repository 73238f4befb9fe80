package dev.tandem.lab;

import dev.tandem.lab.image.HostPackages;
import dev.tandem.lab.image.NodeImage;
import dev.tandem.lab.image.ProgressListener;
import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.spec.LabFiles;
import dev.tandem.lab.spec.LabPaths;
import dev.tandem.lab.spec.LabSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The etcd that nodes run, for tests that need one without a node: taken from the node image. */
public final class ImageEtcd {
    private ImageEtcd() {}

    /** Another one can be named by the system property {@code etcd.program}. */
    public static Path program() throws IOException, InterruptedException {
        String given = System.getProperty("etcd.program", "");
        if (!given.isEmpty()) {
            return Path.of(given);
        }
        HostPackages.requireRoot();
        LabPaths paths = LabPaths.ofHost();
        Programs programs = Programs.ofHost();
        new HostPackages(programs).ensure(LabSpec.twoNodes("test"), ProgressListener.SILENT);
        return new NodeImage(paths.images(), programs, () -> LabFiles.layersInUse(paths))
                .ensure(Optional.empty(), ProgressListener.SILENT)
                .getLast()
                .resolve("usr/bin/etcd");
    }
}
