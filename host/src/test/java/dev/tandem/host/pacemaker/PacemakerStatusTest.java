package dev.tandem.host.pacemaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.Commands;
import dev.tandem.host.pacemaker.PacemakerStatus.FailedAction;
import dev.tandem.host.pacemaker.PacemakerStatus.Known;
import dev.tandem.host.pacemaker.PacemakerStatus.Unknown;
import org.junit.jupiter.api.Test;

class PacemakerStatusTest {

    private static Known known(String situation) {
        PacemakerStatus status = PacemakerStatus.parse(Recording.read(situation + "/crm_mon.xml"));
        assertThat(status).isInstanceOf(Known.class);
        return (Known) status;
    }

    @Test
    void aPeerThatVanishedIsUncleanUntilItIsFenced() {
        Known status = known("peer-unclean");

        assertThat(status.quorate()).isTrue();
        assertThat(status.dc()).contains("node-0");
        assertThat(status.node("node-0").orElseThrow().online()).isTrue();
        assertThat(status.node("node-1").orElseThrow().online()).isFalse();
        assertThat(status.node("node-1").orElseThrow().unclean()).isTrue();
    }

    /** As crm_mon of Pacemaker 3.0 writes it. */
    @Test
    void whatKeepsAResourceFromANodeIsABan() {
        String xml =
                """
                <pacemaker-result>
                  <summary/><nodes/>
                  <bans>
                    <ban id="not-there" resource="ip" node="node-1" weight="-1000000" promoted-only="false" master_only="false"/>
                  </bans>
                </pacemaker-result>
                """;

        assertThat(PacemakerStatus.parse(xml))
                .isInstanceOfSatisfying(
                        Known.class,
                        known ->
                                assertThat(known.bans())
                                        .containsExactly(
                                                new PacemakerStatus.Ban(
                                                        "not-there",
                                                        "ip",
                                                        "node-1",
                                                        -PacemakerStatus.INFINITY)));
        assertThat(known("peer-unclean").bans()).isEmpty();
    }

    @Test
    void failedActionsCarryTheirReason() {
        Known status = known("starts-fail");

        assertThat(status.failures())
                .filteredOn(failure -> failure.resource().equals("etcd"))
                .singleElement()
                .satisfies(failure -> {
                    assertThat(failure.task()).isEqualTo("start");
                    assertThat(failure.node()).isEqualTo("node-0");
                    assertThat(failure.reason()).startsWith("tandem-agent does not answer");
                    assertThat(failure.at()).isPresent();
                });
        assertThat(status.failures())
                .extracting(FailedAction::resource)
                .contains("fence-node-1", "etcd");
    }

    @Test
    void everyInstanceOfACloneIsFoundByTheIdOfItsPrimitive() {
        Known status = known("starts-fail");

        assertThat(status.resource("etcd")).hasSize(2);
        assertThat(status.resource("etcd"))
                .flatExtracting(PacemakerStatus.ResourceState::runsOn)
                .containsExactly("node-0");
        assertThat(status.resource("f1"))
                .singleElement()
                .satisfies(device -> {
                    assertThat(device.started()).isTrue();
                    assertThat(device.runsOn()).containsExactly("node-0");
                });
    }

    @Test
    void whatAPersonSwitchedOffIsSeen() {
        Known usual = known("starts-fail");
        assertThat(usual.fencing()).isTrue();
        assertThat(usual.symmetric()).isTrue();
        assertThat(usual.stopsAll()).isFalse();
        assertThat(usual.resources()).noneMatch(PacemakerStatus.ResourceState::disabled);

        Known changed =
                changed(
                        "stonith-enabled=\"true\"",
                        "stonith-enabled=\"false\"",
                        "symmetric-cluster=\"true\"",
                        "symmetric-cluster=\"false\"",
                        "stop-all-resources=\"false\"",
                        "stop-all-resources=\"true\"",
                        "id=\"f1\" resource_agent=\"stonith:fence_adhoc\" role=\"Started\"",
                        "id=\"f1\" resource_agent=\"stonith:fence_adhoc\" role=\"Stopped\""
                                + " target_role=\"Stopped\"",
                        "managed=\"true\" disabled=\"false\"",
                        "managed=\"true\" disabled=\"true\"");
        assertThat(changed.fencing()).isFalse();
        assertThat(changed.symmetric()).isFalse();
        assertThat(changed.stopsAll()).isTrue();
        assertThat(changed.resources())
                .filteredOn(PacemakerStatus.ResourceState::disabled)
                .extracting(PacemakerStatus.ResourceState::id)
                .containsExactly("f1", "etcd", "etcd");
    }

    private static Known changed(String... pairs) {
        String xml = Recording.read("starts-fail/crm_mon.xml");
        for (int i = 0; i < pairs.length; i += 2) {
            assertThat(xml).contains(pairs[i]);
            xml = xml.replace(pairs[i], pairs[i + 1]);
        }
        return (Known) PacemakerStatus.parse(xml);
    }

    @Test
    void aClusterThatDoesNotAnswerIsUnknown() {
        Commands silent =
                new RecordedCommands()
                        .answer("env TZ=UTC crm_mon", Commands.Output.TIMED_OUT, "", "too late");

        assertThat(new Pacemaker(silent).status()).isEqualTo(new Unknown("too late"));
    }

    @Test
    void aStoppedPacemakerIsUnknownInItsOwnWords() {
        String answer =
                """
                <pacemaker-result api-version="2.38" request="crm_mon -1 --output-as=xml">
                  <status code="102" message="Not connected"/>
                </pacemaker-result>
                """;

        assertThat(PacemakerStatus.parse(answer))
                .isEqualTo(new Unknown("Pacemaker answers: Not connected"));
        assertThat(PacemakerStatus.parse("<summary>")).isInstanceOf(Unknown.class);
    }
}
