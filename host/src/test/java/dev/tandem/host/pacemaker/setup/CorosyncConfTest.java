package dev.tandem.host.pacemaker.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import dev.tandem.host.pacemaker.Recording;
import dev.tandem.host.plan.Change;
import dev.tandem.host.plan.TestPlans;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CorosyncConfTest {
    @TempDir Path directory;

    private final CorosyncConf asWrittenByPcs =
            CorosyncConf.parse(Recording.read("set-up/corosync.conf"));
    private CorosyncConf actual = asWrittenByPcs;

    @BeforeEach
    void complete() {
        actual = asWrittenByPcs.planned(TestPlans.read(directory, TestPlans.PAIR));
    }

    @Test
    void whatPcsWroteForThePlanLacksOnlyWhatPcsDoesNotKnow() {
        assertThat(asWrittenByPcs.changesTo(actual))
                .extracting(Change::toString)
                .containsExactly(
                        "+ corosync.conf totem.cancel_token_hold_on_retransmit = yes",
                        "+ corosync.conf totem.fail_recv_const = 5000");
    }

    @Test
    void whatIsAsPlannedStays() {
        CorosyncConf planned = actual.planned(TestPlans.read(directory, TestPlans.PAIR));

        assertThat(planned).isSameAs(actual);
        assertThat(actual.changesTo(planned)).isEmpty();
        assertThat(actual.nodes()).containsExactly("node-0", "node-1");
    }

    @Test
    void aChangedProfileChangesJustItsTimings() {
        CorosyncConf planned =
                actual.planned(
                        TestPlans.read(
                                directory,
                                TestPlans.PAIR.replace("profile: default", "profile: fast")));

        assertThat(actual.changesTo(planned))
                .extracting(Change::toString)
                .containsExactly(
                        "~ corosync.conf totem.consensus = 600 (was 1200)",
                        "~ corosync.conf totem.token = 500 (was 1000)");
        assertThat(planned.toString())
                .contains("config_version: 2", "crypto_cipher: aes256", "cluster_uuid: ");
    }

    @Test
    void aLinkThatGoesIsTakenFromEveryNode() {
        CorosyncConf planned =
                actual.planned(
                        TestPlans.read(
                                directory,
                                TestPlans.PAIR
                                        .replace(", 10.91.0.10", "")
                                        .replace(", 10.91.0.11", "")));

        assertThat(actual.changesTo(planned))
                .extracting(Change::toString)
                .containsExactly(
                        "- corosync.conf nodelist.node[node-0].ring1_addr (was 10.91.0.10)",
                        "- corosync.conf nodelist.node[node-1].ring1_addr (was 10.91.0.11)");
    }

    @Test
    void writingAndReadingGivesTheSame() {
        assertThat(CorosyncConf.parse(actual.toString())).isEqualTo(actual);
    }

    @Test
    void theExampleOfTheDistributionIsNobodysCluster() {
        CorosyncConf example =
                CorosyncConf.parse(
                        """
                        nodelist {
                            node {
                                name: node1
                                nodeid: 1
                                ring0_addr: 127.0.0.1
                            }
                        }
                        """);

        assertThat(example.isShippedExample()).isTrue();
        assertThat(actual.isShippedExample()).isFalse();
    }

    @Test
    void aBrokenFileIsToldWithItsLine() {
        assertThatThrownBy(() -> CorosyncConf.parse("totem {\n  token 1000\n}\n"))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("line 2: neither a setting nor a section");
        assertThatThrownBy(() -> CorosyncConf.parse("totem {\n  token: 1000\n"))
                .hasMessageContaining("totem does not end");
    }
}
