package dev.tandem.host.etcd;

import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.core.replica.Lineage;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.IoErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Beside etcd's own files while the first cluster of this site has no lineage yet: a lineage needs
 * the cluster's id, and etcd makes that up when it starts.
 */
final class PendingLineage {
    private static final String FILE = "founding";

    private final ReplicaDirectory directory;

    PendingLineage(ReplicaDirectory directory) {
        this.directory = directory;
    }

    void write(NodeName founder, BootId boot) {
        try {
            DurableFiles.write(file(), founder + "\n" + boot + "\n");
        } catch (IOException e) {
            throw new Failure(
                    "cannot create a cluster in " + directory.current(),
                    IoErrors.words(e),
                    "check free space and permissions of its directory",
                    e);
        }
    }

    /**
     * Gives the new cluster its lineage and ends with that. A note that a power cut has brought
     * back changes nothing: the cluster has its lineage, and may have gone on since. False if there
     * is no such note.
     */
    boolean becomeLineage(String clusterId) {
        try {
            if (!Files.exists(file())) {
                return false;
            }
            if (!isOf(clusterId, LineageFile.read(directory.current()))) {
                List<String> founder = Files.readAllLines(file());
                directory.writeLineage(
                        Lineage.installed(
                                clusterId,
                                new NodeName(founder.get(0)),
                                new BootId(founder.get(1))));
            }
            DurableFiles.delete(file());
            return true;
        } catch (IOException e) {
            throw new Failure(
                    "cannot give the new cluster its lineage",
                    IoErrors.words(e),
                    "check free space and permissions of " + directory.current(),
                    e);
        }
    }

    private static boolean isOf(String clusterId, LineageFile.Reading reading) {
        return reading instanceof LineageFile.Known(Lineage lineage)
                && lineage.clusterId().equals(clusterId);
    }

    private Path file() {
        return directory.current().resolve(FILE);
    }
}
