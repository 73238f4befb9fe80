package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.replica.Lineage;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PendingLineageTest {
    private static final NodeName NORTH = new NodeName("north");
    private static final BootId BOOT = new BootId("b1");
    private static final Lineage FOUNDED = Lineage.installed("c1", NORTH, BOOT);

    @TempDir private Path root;
    private ReplicaDirectory directory = DiskReplica.empty(Path.of("/"));
    private PendingLineage note = new PendingLineage(directory);

    @BeforeEach
    void place() {
        directory = DiskReplica.empty(root);
        directory.prepare();
        note = new PendingLineage(directory);
    }

    @Test
    void theNoteBecomesTheLineageOfTheNewCluster() {
        note.write(NORTH, BOOT);

        assertThat(note.becomeLineage("c1")).isTrue();

        assertThat(directory.inspect().lineage()).isEqualTo(new LineageFile.Known(FOUNDED));
        assertThat(note.becomeLineage("c1")).isFalse();
    }

    /** As a power cut does with a file whose deletion was not synced. */
    @Test
    void aNoteThatIsBackDoesNotTakeTheLineageBack() {
        Lineage later = FOUNDED.takenOver(NORTH, new BootId("b2"), 5);
        directory.writeLineage(later);
        note.write(NORTH, BOOT);

        assertThat(note.becomeLineage("c1")).isTrue();

        assertThat(directory.inspect().lineage()).isEqualTo(new LineageFile.Known(later));
        assertThat(note.becomeLineage("c1")).isFalse();
    }
}
