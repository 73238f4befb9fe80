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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The node image as a mere directory, for tests that need one program of a node and no node. */
public final class NodeRoot {
    private final Path root;

    private NodeRoot(Path root) {
        this.root = root;
    }

    /** Builds the image if there is none yet, as {@code lab up} does. */
    public static NodeRoot ofImage() throws IOException, InterruptedException {
        HostPackages.requireRoot();
        Programs programs = Programs.ofHost();
        new HostPackages(programs).ensure(LabSpec.twoNodes("test"), ProgressListener.SILENT);
        LabPaths paths = LabPaths.ofHost();
        NodeImage image =
                new NodeImage(paths.images(), programs, () -> LabFiles.layersInUse(paths));
        return new NodeRoot(image.ensure(Optional.empty(), ProgressListener.SILENT).getLast());
    }

    /**
     * The command as it is run on this host: below the image's root, on this host's network, with
     * {@code shown} visible at /mnt. The image stays as it is.
     */
    public List<String> command(Path shown, List<String> inside) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "unshare",
                                "--mount",
                                "sh",
                                "-c",
                                "mount --bind \"$1\" \"$2/mnt\" && cd / && root=$2 && shift 2 &&"
                                        + " exec chroot \"$root\" \"$@\"",
                                "sh",
                                shown.toString(),
                                root.toString()));
        command.addAll(inside);
        return command;
    }
}
