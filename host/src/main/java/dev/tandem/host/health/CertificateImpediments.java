package dev.tandem.host.health;

import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.host.health.NodeCertificate.Need;
import dev.tandem.host.health.NodeCertificate.Reading;
import dev.tandem.host.health.NodeCertificate.Renewal;
import dev.tandem.host.pki.SitePki;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Which certificates of this node would fail a recovery, or will soon.
 *
 * <p>They are judged by the time of day, as their peers judge them. That may be wrong, and a report
 * is all that comes of it: no decision about etcd reads this.
 */
public final class CertificateImpediments {
    /** People renew by hand, at a desk that has the authority, and one node after the other. */
    static final Duration SOON = Duration.ofDays(30);

    private static final String RESTART_AGENT = "systemctl restart tandem-agent";

    private final Instant now;
    private final String self;
    private final String peer;

    private CertificateImpediments(Instant now, String self, String peer) {
        this.now = now;
        this.self = self;
        this.peer = peer;
    }

    /** How a certificate stands. */
    private enum State {
        VALID,
        ENDS_SOON,
        NOT_YET_VALID,
        EXPIRED,
        UNREADABLE
    }

    /**
     * Finds them.
     *
     * @param now by the time of day
     */
    public static Impediments of(
            List<NodeCertificate> certificates, Instant now, String self, String peer) {
        return new CertificateImpediments(now, self, peer).search(certificates);
    }

    private Impediments search(List<NodeCertificate> all) {
        List<Impediment> impediments = new ArrayList<>();
        List<Impediment> warnings = new ArrayList<>();
        Predicate<NodeCertificate> ofEtcd =
                each -> each.need() == Need.ETCD || each.need() == Need.AGENTS;
        Predicate<NodeCertificate> ofApi = each -> each.need() == Need.API;
        Predicate<NodeCertificate> invalid = this::isInvalid;
        Predicate<NodeCertificate> unreadable = each -> state(each) == State.UNREADABLE;
        found(all, ofEtcd.and(invalid), Cause.CERTIFICATE_INVALID).ifPresent(impediments::add);
        found(all, ofEtcd.and(unreadable), Cause.CERTIFICATE_UNREADABLE)
                .ifPresent(impediments::add);
        found(all, ofApi.and(invalid), Cause.API_CERTIFICATE_INVALID).ifPresent(impediments::add);
        found(all, ofApi.and(unreadable), Cause.API_CERTIFICATE_UNREADABLE)
                .ifPresent(impediments::add);
        found(
                        all,
                        each ->
                                each.need() == Need.KUBERNETES
                                        && (isInvalid(each) || unreadable.test(each)),
                        Cause.KUBERNETES_CERTIFICATE_INVALID)
                .ifPresent(warnings::add);
        found(all, each -> state(each) == State.ENDS_SOON, Cause.CERTIFICATE_ENDS_SOON)
                .ifPresent(warnings::add);
        return new Impediments(impediments, warnings);
    }

    private State state(NodeCertificate certificate) {
        return switch (certificate.reading()) {
            case Reading.Unreadable _ -> State.UNREADABLE;
            case Reading.Term(Instant from, Instant until) ->
                    now.isAfter(until)
                            ? State.EXPIRED
                            : now.isBefore(from)
                                    ? State.NOT_YET_VALID
                                    : until.isAfter(now.plus(SOON)) ? State.VALID : State.ENDS_SOON;
        };
    }

    private boolean isInvalid(NodeCertificate certificate) {
        State state = state(certificate);
        return state == State.EXPIRED || state == State.NOT_YET_VALID;
    }

    /** All of a kind in one: those of a node are mostly issued together, and end together. */
    private Optional<Impediment> found(
            List<NodeCertificate> all, Predicate<NodeCertificate> which, Cause cause) {
        List<NodeCertificate> those = all.stream().filter(which).toList();
        return those.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Impediment(
                                cause,
                                self,
                                failureOf(cause, those),
                                sentence(cause, those),
                                remedy(those),
                                since(those)));
    }

    /**
     * This node takes over when its peer fails. Where the agents do not hear each other, neither
     * node learns of a boot of the other that it could have fenced.
     */
    private Optional<String> failureOf(Cause cause, List<NodeCertificate> those) {
        return switch (cause) {
            case CERTIFICATE_ENDS_SOON, KUBERNETES_CERTIFICATE_INVALID -> Optional.empty();
            default ->
                    those.stream().anyMatch(each -> each.need() == Need.AGENTS)
                            ? Optional.empty()
                            : Optional.of(peer);
        };
    }

    private String sentence(Cause cause, List<NodeCertificate> those) {
        String which = those.size() == 1 ? "a certificate of " : "certificates of ";
        boolean one = those.size() == 1;
        String state =
                switch (cause) {
                    case CERTIFICATE_ENDS_SOON -> one ? "expires soon" : "expire soon";
                    case CERTIFICATE_UNREADABLE, API_CERTIFICATE_UNREADABLE -> "cannot be used";
                    default -> one ? "is not valid" : "are not valid";
                };
        return which
                + self
                + " "
                + state
                + ": "
                + those.stream().map(this::words).collect(Collectors.joining("; "));
    }

    private String words(NodeCertificate certificate) {
        return switch (certificate.reading()) {
            case Reading.Unreadable(String why) -> why;
            case Reading.Term(Instant from, Instant until) ->
                    name(certificate)
                            + switch (state(certificate)) {
                                case EXPIRED -> " expired on " + until;
                                case NOT_YET_VALID -> " is not valid before " + from;
                                default -> " " + left(until);
                            };
        };
    }

    private static String name(NodeCertificate certificate) {
        return certificate.renewal() == Renewal.AGENT_RESTART
                ? "%s (the copy that tandem-agent loaded when it started)"
                        .formatted(certificate.file())
                : certificate.file().toString();
    }

    private String left(Instant until) {
        long days = Duration.between(now, until).toDays();
        return days == 0
                ? "in less than a day"
                : days == 1 ? "in 1 day" : "in %d days".formatted(days);
    }

    private String remedy(List<NodeCertificate> those) {
        if (those.stream()
                .anyMatch(each ->
                        each.renewal() == Renewal.NONE && state(each) != State.UNREADABLE)) {
            return "a CA cannot be renewed, and no certificate is valid for longer than its CA: set"
                    + " up a new pair with a new CA before this one expires; to begin, at your"
                    + " desk: tandem certs create --dir NEWSITE";
        }
        if (those.stream().allMatch(each -> each.renewal() == Renewal.AGENT_RESTART)) {
            return RESTART_AGENT;
        }
        String renew = SitePki.howToGetThem(self) + "; " + RESTART_AGENT;
        return those.stream().allMatch(each -> state(each) == State.NOT_YET_VALID)
                ? "see whether the clock of %s is right: timedatectl; if it is, ".formatted(self)
                        + renew
                : renew;
    }

    /** Since the first of them expired, or was to end soon. */
    private Optional<Duration> since(List<NodeCertificate> those) {
        return those.stream()
                .flatMap(each -> begin(each).stream())
                .min(Comparator.naturalOrder())
                .map(begin -> Duration.between(begin, now));
    }

    private Optional<Instant> begin(NodeCertificate certificate) {
        return certificate.reading() instanceof Reading.Term(Instant _, Instant until)
                ? switch (state(certificate)) {
                    case EXPIRED -> Optional.of(until);
                    case ENDS_SOON -> Optional.of(until.minus(SOON));
                    default -> Optional.empty();
                }
                : Optional.empty();
    }
}
