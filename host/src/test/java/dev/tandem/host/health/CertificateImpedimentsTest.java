package dev.tandem.host.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.core.testing.PrintedCommands;
import dev.tandem.host.health.NodeCertificate.Need;
import dev.tandem.host.health.NodeCertificate.Reading;
import dev.tandem.host.health.NodeCertificate.Renewal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What node-0 says of its own certificates. */
class CertificateImpedimentsTest {
    private static final Instant NOW = Instant.parse("2026-11-18T12:00:00Z");

    private static NodeCertificate until(String file, Need need, Instant until) {
        return new NodeCertificate(
                Path.of("/etc/tandem/pki", file),
                need,
                Renewal.ISSUED_AGAIN,
                new Reading.Term(NOW.minus(Duration.ofDays(1000)), until));
    }

    private static NodeCertificate expired(String file, Need need) {
        return until(file, need, NOW.minus(Duration.ofDays(3)));
    }

    private static NodeCertificate with(NodeCertificate certificate, Renewal renewal) {
        return new NodeCertificate(
                certificate.file(), certificate.need(), renewal, certificate.reading());
    }

    private static NodeCertificate unreadable(Need need) {
        return new NodeCertificate(
                Path.of("/etc/tandem/pki/etcd.pem"),
                need,
                Renewal.ISSUED_AGAIN,
                new Reading.Unreadable("cannot read /etc/tandem/pki/etcd.pem: no such file"));
    }

    private static NodeCertificate notYet() {
        return new NodeCertificate(
                Path.of("/etc/tandem/pki/etcd.pem"),
                Need.ETCD,
                Renewal.ISSUED_AGAIN,
                new Reading.Term(NOW.plus(Duration.ofHours(2)), NOW.plus(Duration.ofDays(1000))));
    }

    private static Impediments of(NodeCertificate... certificates) {
        return CertificateImpediments.of(List.of(certificates), NOW, "node-0", "node-1");
    }

    /** A second on either side of every border. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    from              | until              | found
                    -P1000D           | P1000D             | nothing
                    -P1000D           | P30DT1S            | nothing
                    -P1000D           | P30D               | soon
                    -P1000D           | PT1S               | soon
                    -P1000D           | PT0S               | soon
                    -P1000D           | -PT1S              | invalid
                    PT0S              | P1000D             | nothing
                    PT1S              | P1000D             | invalid
                    """)
    void isJudgedByTheTimeOfDay(Duration from, Duration until, String found) {
        Impediments result =
                of(
                        new NodeCertificate(
                                Path.of("/etc/tandem/pki/etcd.pem"),
                                Need.ETCD,
                                Renewal.ISSUED_AGAIN,
                                new Reading.Term(NOW.plus(from), NOW.plus(until))));

        assertThat(result.impediments())
                .extracting(Impediment::cause)
                .containsExactlyElementsOf(
                        found.equals("invalid") ? List.of(Cause.CERTIFICATE_INVALID) : List.of());
        assertThat(result.warnings())
                .extracting(Impediment::cause)
                .containsExactlyElementsOf(
                        found.equals("soon") ? List.of(Cause.CERTIFICATE_ENDS_SOON) : List.of());
    }

    @Test
    void whatEndsSoonIsAWarningWithItsDaysFileAndCommand() {
        Impediment warning =
                of(
                                until("etcd.pem", Need.ETCD, NOW.plus(Duration.ofHours(300))),
                                until("agent.pem", Need.AGENTS, NOW.plus(Duration.ofHours(25))),
                                until("ca.pem", Need.ETCD, NOW.plus(Duration.ofDays(31))))
                        .warnings()
                        .getFirst();

        assertThat(warning.sentence())
                .isEqualTo(
                        "certificates of node-0 expire soon: /etc/tandem/pki/etcd.pem in 12 days;"
                                + " /etc/tandem/pki/agent.pem in 1 day");
        assertThat(warning.remedy())
                .contains("tandem certs issue PLAN.yaml --dir SITE")
                .contains("tandem certs install /root/node-0")
                .endsWith("systemctl restart tandem-agent");
        assertThat(warning.failureOf()).as("it makes nobody's failure an outage").isEmpty();
        assertThat(warning.known())
                .as("since the first was 30 days from its end")
                .contains(Duration.ofDays(30).minusHours(25));
    }

    @Test
    void whatHasExpiredIsToldSinceItDid() {
        Impediment found = of(expired("etcd.pem", Need.ETCD)).impediments().getFirst();

        assertThat(found.sentence())
                .isEqualTo(
                        "a certificate of node-0 is not valid: /etc/tandem/pki/etcd.pem expired on"
                                + " 2026-11-15T12:00:00Z");
        assertThat(found.known()).contains(Duration.ofDays(3));
        assertThat(found.failureOf()).contains("node-1");
        assertThat(found.cause().sentenceTellsDuration()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void onlyWhatEtcdTheAgentsOrTheApiNeedStandsInTheWay(Need need) {
        Impediments invalid = of(expired("a.pem", need));
        Impediments unreadable = of(unreadable(need));

        switch (need) {
            case ETCD, AGENTS -> {
                assertThat(invalid.impediments())
                        .extracting(Impediment::cause)
                        .containsExactly(Cause.CERTIFICATE_INVALID);
                assertThat(unreadable.impediments())
                        .extracting(Impediment::cause)
                        .containsExactly(Cause.CERTIFICATE_UNREADABLE);
            }
            case API -> {
                assertThat(invalid.impediments())
                        .extracting(Impediment::cause)
                        .containsExactly(Cause.API_CERTIFICATE_INVALID);
                assertThat(unreadable.impediments())
                        .extracting(Impediment::cause)
                        .containsExactly(Cause.API_CERTIFICATE_UNREADABLE);
            }
            case KUBERNETES -> {
                assertThat(invalid.automatic()).isTrue();
                assertThat(unreadable.automatic()).isTrue();
                assertThat(Stream.of(invalid, unreadable).flatMap(each -> each.warnings().stream()))
                        .extracting(Impediment::cause)
                        .containsOnly(Cause.KUBERNETES_CERTIFICATE_INVALID);
            }
        }
    }

    /** Without their agents' words neither node knows which boot of the other it has fenced. */
    @Test
    void theAgentsCertificateConcernsAFailureOfEitherNode() {
        assertThat(
                        of(expired("etcd.pem", Need.ETCD), expired("agent.pem", Need.AGENTS))
                                .impediments())
                .singleElement()
                .satisfies(found -> {
                    assertThat(found.failureOf()).isEmpty();
                    assertThat(found.sentence()).startsWith("certificates of node-0 are not valid");
                });
    }

    @Test
    void anAgentThatHoldsTheOneBeforeHasToBeRestartedAndNoMore() {
        Impediment found =
                of(with(expired("agent.pem", Need.AGENTS), Renewal.AGENT_RESTART))
                        .impediments()
                        .getFirst();

        assertThat(found.sentence())
                .contains(
                        "/etc/tandem/pki/agent.pem (the copy that tandem-agent loaded when it"
                                + " started)")
                .contains("expired");
        assertThat(found.remedy()).isEqualTo("systemctl restart tandem-agent");
    }

    @Test
    void anAuthorityIsNotIssuedAgain() {
        Impediment warning =
                of(with(until("ca.pem", Need.ETCD, NOW.plus(Duration.ofDays(5))), Renewal.NONE))
                        .warnings()
                        .getFirst();

        assertThat(warning.remedy())
                .contains("cannot be renewed")
                .doesNotContain("tandem certs issue");
    }

    @Test
    void oneThatIsNotValidYetAsksForTheClock() {
        Impediment found = of(notYet()).impediments().getFirst();

        assertThat(found.sentence()).endsWith("etcd.pem is not valid before 2026-11-18T14:00:00Z");
        assertThat(found.remedy())
                .startsWith("see whether the clock of node-0 is right: timedatectl");
        assertThat(found.known()).isEmpty();
    }

    @Test
    void everythingSaidCanBePasted() {
        Impediments found =
                of(
                        expired("etcd.pem", Need.ETCD),
                        notYet(),
                        unreadable(Need.ETCD),
                        expired("apiserver.pem", Need.API),
                        unreadable(Need.API),
                        expired("scheduler.pem", Need.KUBERNETES),
                        until("agent.pem", Need.AGENTS, NOW.plus(Duration.ofHours(1))));

        assertThat(found.impediments()).hasSize(4);
        assertThat(found.warnings()).hasSize(2);
        assertThat(Stream.concat(found.impediments().stream(), found.warnings().stream()))
                .allSatisfy(each -> {
                    assertThat(each.sentence()).contains("node-0").doesNotEndWith(".");
                    assertThat(PrintedCommands.faults(each.sentence() + ".")).isEmpty();
                    assertThat(PrintedCommands.faults("Fix: " + each.remedy())).isEmpty();
                    assertThat(each.cause().runbook()).isNotNull();
                });
    }
}
