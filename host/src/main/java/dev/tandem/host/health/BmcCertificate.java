package dev.tandem.host.health;

import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.host.plan.ClusterPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Whether the certificate that a BMC shows ends soon: on that day all levels over Redfish fail at
 * once. Judged by the time of day, as the handshake judges it; a report is all that comes of it.
 */
public final class BmcCertificate {
    private BmcCertificate() {}

    /**
     * A warning, where it ends soon. One that has ended already is not trusted, and that has a
     * cause of its own. One that is pinned, or not verified, is believed for longer than it says.
     *
     * @param ends when the one that was last seen expires
     */
    public static Impediments of(ClusterPlan.Node node, Optional<Instant> ends, Instant now) {
        boolean judged =
                switch (node.bmc().verification()) {
                    case ClusterPlan.Verification.SystemTrust(),
                            ClusterPlan.Verification.Authorities _ ->
                            true;
                    case ClusterPlan.Verification.Pinned _,
                            ClusterPlan.Verification.None(),
                            ClusterPlan.Verification.SharedPassword() ->
                            false;
                };
        return new Impediments(
                List.of(),
                ends
                        .filter(_ -> judged)
                        .filter(end -> !end.isAfter(now.plus(CertificateImpediments.SOON)))
                        .map(end -> warning(node.name(), end, now))
                        .stream()
                        .toList());
    }

    private static Impediment warning(String node, Instant end, Instant now) {
        Duration left = Duration.between(now, end);
        return new Impediment(
                Cause.BMC_CERTIFICATE_ENDS,
                node,
                Optional.of(node),
                "the certificate of the BMC of %s expires on %s (%s); from then on it is not trusted, and %s cannot be fenced over Redfish"
                        .formatted(
                                node,
                                end,
                                left.isPositive()
                                        ? "in %d days".formatted(left.toDays())
                                        : "it has expired",
                                node),
                "renew the certificate in the BMC of %s".formatted(node),
                Optional.of(Duration.between(end.minus(CertificateImpediments.SOON), now)));
    }
}
