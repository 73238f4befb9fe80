package dev.tandem.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopologyTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    control planes | arbiters | workers | control plane topology | infrastructure topology
                    1 | 0 | 0 | SingleReplica          | SingleReplica
                    1 | 0 | 1 | SingleReplica          | SingleReplica
                    1 | 0 | 2 | SingleReplica          | HighlyAvailable
                    1 | 1 | 0 | SingleReplica          | SingleReplica
                    2 | 0 | 0 | DualReplica            | HighlyAvailable
                    2 | 0 | 1 | DualReplica            | SingleReplica
                    2 | 0 | 3 | DualReplica            | HighlyAvailable
                    2 | 1 | 0 | HighlyAvailableArbiter | HighlyAvailable
                    2 | 1 | 1 | HighlyAvailableArbiter | SingleReplica
                    2 | 2 | 2 | HighlyAvailableArbiter | HighlyAvailable
                    3 | 2 | 0 | HighlyAvailableArbiter | HighlyAvailable
                    3 | 0 | 0 | HighlyAvailable        | HighlyAvailable
                    3 | 0 | 1 | HighlyAvailable        | SingleReplica
                    3 | 0 | 3 | HighlyAvailable        | HighlyAvailable
                    5 | 0 | 0 | HighlyAvailable        | HighlyAvailable
                    """)
    void countsGiveTheTopology(
            int controlPlanes, int arbiters, int workers, String topology, String infrastructure) {
        Shape shape = new Shape(controlPlanes, arbiters, workers);

        assertThat(shape.controlPlaneTopology().apiValue()).isEqualTo(topology);
        assertThat(shape.infrastructureTopology().apiValue()).isEqualTo(infrastructure);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    shape | members | api servers | guards | pools                 | routers | consoles | schedulable | defrag | fencing
                    1+0+0 | 1       | 1           | 0      | master worker         | 1       | 1        | true        | false  | false
                    2+0+0 | 2       | 2           | 1      | master worker         | 2       | 2        | true        | true   | true
                    2+0+1 | 2       | 2           | 1      | master worker         | 1       | 2        | false       | true   | true
                    2+1+0 | 3       | 2           | 2      | master arbiter worker | 2       | 2        | true        | true   | false
                    2+1+2 | 3       | 2           | 2      | master arbiter worker | 2       | 2        | false       | true   | false
                    3+2+0 | 5       | 2           | 4      | master arbiter worker | 2       | 2        | true        | true   | false
                    3+0+0 | 3       | 3           | 2      | master worker         | 2       | 2        | true        | true   | false
                    5+0+3 | 5       | 3           | 4      | master worker         | 2       | 2        | false       | true   | false
                    """)
    void theTopologyImpliesHowManyOfEverything(
            String shape,
            int members,
            int apiServers,
            int guards,
            String pools,
            int routers,
            int consoles,
            boolean schedulable,
            boolean defragmentation,
            boolean fencing) {
        String[] counts = shape.split("\\+", -1);
        Implications implied =
                Implications.of(
                        new Shape(
                                Integer.parseInt(counts[0]),
                                Integer.parseInt(counts[1]),
                                Integer.parseInt(counts[2])));

        assertThat(implied.etcdMembers()).isEqualTo(members);
        assertThat(implied.minimumApiServers()).isEqualTo(apiServers);
        assertThat(implied.guardMinAvailable()).isEqualTo(guards);
        assertThat(implied.pools()).containsExactly(pools.split(" "));
        assertThat(implied.poolMaxUnavailable()).isEqualTo(1);
        assertThat(implied.routers()).isEqualTo(routers);
        assertThat(implied.consoles()).isEqualTo(consoles);
        assertThat(implied.mastersSchedulable()).isEqualTo(schedulable);
        assertThat(implied.defragmentation()).isEqualTo(defragmentation);
        assertThat(implied.fencing()).isEqualTo(fencing);
    }

    @Test
    void everyTopologyHasItsLoginMinimum() {
        assertThat(Implications.minimumApiServers(ControlPlaneTopology.EXTERNAL)).isEqualTo(3);
        assertThat(Implications.minimumApiServers(ControlPlaneTopology.HIGHLY_AVAILABLE))
                .isEqualTo(3);
    }

    @Test
    void apiValuesReadBack() {
        for (ControlPlaneTopology topology : ControlPlaneTopology.values()) {
            assertThat(ControlPlaneTopology.ofApiValue(topology.apiValue())).contains(topology);
        }
        assertThat(ControlPlaneTopology.ofApiValue("TripleReplica")).isEmpty();
    }

    @Test
    void aNegativeNumberOfMachinesIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Shape(2, -1, 0));
    }

    /** Topologies by their API value; a dash is an absent field. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    status                 | spec before   | spec asked             | allowed
                    SingleReplica          | -             | -                      | true
                    SingleReplica          | -             | SingleReplica          | true
                    SingleReplica          | -             | HighlyAvailable        | true
                    SingleReplica          | -             | DualReplica            | false
                    SingleReplica          | -             | HighlyAvailableArbiter | false
                    SingleReplica          | -             | External               | false
                    HighlyAvailable        | -             | SingleReplica          | false
                    HighlyAvailable        | -             | HighlyAvailable        | true
                    HighlyAvailable        | SingleReplica | SingleReplica          | true
                    HighlyAvailable        | SingleReplica | -                      | true
                    DualReplica            | -             | -                      | true
                    DualReplica            | -             | HighlyAvailable        | false
                    DualReplica            | -             | SingleReplica          | false
                    DualReplica            | -             | DualReplica            | false
                    HighlyAvailableArbiter | -             | HighlyAvailable        | false
                    """)
    void aTwoNodeTopologyIsForLife(String status, String before, String asked, boolean allowed) {
        assertThat(
                        TopologyChange.objection(
                                topology(status).orElseThrow(), topology(before), topology(asked)))
                .matches(objection -> objection.isEmpty() == allowed);
    }

    private static Optional<ControlPlaneTopology> topology(String text) {
        return text.equals("-")
                ? Optional.empty()
                : Optional.of(ControlPlaneTopology.ofApiValue(text).orElseThrow());
    }
}
