package dev.tandem.host.health;

import dev.tandem.core.Failure;
import dev.tandem.host.health.NodeCertificate.Need;
import dev.tandem.host.health.NodeCertificate.Reading;
import dev.tandem.host.health.NodeCertificate.Renewal;
import dev.tandem.host.kube.KubePki;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.SitePki;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Reads every certificate of this node on which a recovery depends. Whether one has ended is not
 * asked here, but when somebody wants to know.
 */
public final class CertificateWatch {
    /** A person who has put a file in place, or deleted one, sees in time what that did. */
    public static final Duration INTERVAL = Duration.ofSeconds(10);

    private final Path site;
    private final Path kubernetes;
    private final BooleanSupplier servesApi;
    private final List<Held> held;
    private volatile List<NodeCertificate> certificates = List.of();

    /** What the agent has read when it started, and uses until it ends. */
    public record Held(Path file, Need need, X509Certificate certificate) {}

    /**
     * @param servesApi whether an API server on this node is a client of etcd; a plan may change it
     */
    public CertificateWatch(
            Path site, Path kubernetes, BooleanSupplier servesApi, List<Held> held) {
        this.site = site;
        this.kubernetes = kubernetes;
        this.servesApi = servesApi;
        this.held = List.copyOf(held);
    }

    public List<NodeCertificate> certificates() {
        return certificates;
    }

    public void look() {
        List<NodeCertificate> found = new ArrayList<>();
        Path authority = site.resolve(SitePki.CA_CERTIFICATE);
        found.add(authority(authority, Need.ETCD));
        for (SitePki.Purpose purpose : SitePki.Purpose.values()) {
            Path file = purpose.certificate(site);
            switch (purpose) {
                case ETCD, ETCD_CLIENT -> found.add(identity(purpose, Need.ETCD));
                case AGENT -> found.add(identity(purpose, Need.AGENTS));
                case API_SERVER -> {
                    if (servesApi.getAsBoolean()) {
                        found.add(leaf(file, Need.API));
                    }
                }
            }
        }
        held.forEach(each -> held(each, found));
        if (KubePki.isInstalledIn(kubernetes)) {
            found.add(authority(KubePki.certificate(kubernetes, KubePki.CA), Need.API));
            KubePki.certificatesOfTheApi(kubernetes)
                    .forEach(file -> found.add(leaf(file, Need.API)));
            found.add(authority(KubePki.frontProxyAuthority(kubernetes), Need.KUBERNETES));
            KubePki.certificatesBesideTheApi(kubernetes)
                    .forEach(file -> found.add(leaf(file, Need.KUBERNETES)));
        }
        certificates = List.copyOf(found);
    }

    /**
     * With its key, which etcd and the agent need as much. A set may be put in place at this very
     * moment: what is wrong counts if it still is when the set is there.
     */
    private NodeCertificate identity(SitePki.Purpose purpose, Need need) {
        Path file = purpose.certificate(site);
        Supplier<Reading> read =
                () ->
                        reading(() -> {
                            SitePki.completeInstallation(site);
                            return Pem.readIdentity(file, purpose.key(site)).certificate();
                        });
        Reading first = read.get();
        return new NodeCertificate(
                file,
                need,
                Renewal.ISSUED_AGAIN,
                first instanceof Reading.Unreadable ? read.get() : first);
    }

    private static NodeCertificate leaf(Path file, Need need) {
        return new NodeCertificate(
                file,
                need,
                Renewal.ISSUED_AGAIN,
                reading(() -> Pem.readCertificates(file).getFirst()));
    }

    /** Where there are several, as while one takes the place of another, the last one counts. */
    private static NodeCertificate authority(Path file, Need need) {
        return new NodeCertificate(
                file,
                need,
                Renewal.NONE,
                reading(() ->
                        Pem.readCertificates(file).stream()
                                .max(Comparator.comparing(X509Certificate::getNotAfter))
                                .orElseThrow()));
    }

    /** One that is still in its place says all that there is to say. */
    private static void held(Held held, List<NodeCertificate> found) {
        Reading reading = term(held.certificate());
        boolean same =
                found.stream()
                        .anyMatch(each ->
                                each.file().equals(held.file()) && each.reading().equals(reading));
        if (!same) {
            found.add(
                    new NodeCertificate(held.file(), held.need(), Renewal.AGENT_RESTART, reading));
        }
    }

    private static Reading reading(Supplier<X509Certificate> file) {
        try {
            return term(file.get());
        } catch (Failure e) {
            return new Reading.Unreadable("%s: %s".formatted(e.what(), e.why()));
        }
    }

    private static Reading term(X509Certificate certificate) {
        return new Reading.Term(
                certificate.getNotBefore().toInstant(), certificate.getNotAfter().toInstant());
    }
}
