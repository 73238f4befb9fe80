package dev.tandem.host.pki;

import dev.tandem.core.Failure;
import dev.tandem.host.NodePaths;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The keys of a site by file: one authority, and for each node a certificate a purpose. Each says
 * what it is for, so that what leaks from one place does not open the others: see {@link
 * CertificateUse} and ADR 22. On a node they lie in {@link #INSTALLED}.
 */
public final class SitePki {
    public static final Path INSTALLED = NodePaths.PKI;

    /** The authority's certificate, beside the leaves too. */
    public static final String CA_CERTIFICATE = "ca.pem";

    private static final String CA_KEY = "ca.key";

    private static final Duration CA_VALIDITY = Duration.ofDays(10 * 365);

    /** Long, for as long as people have to renew by hand. */
    private static final Duration LEAF_VALIDITY = Duration.ofDays(3 * 365);

    /** What a node needs a key for; files are named for it, such as etcd-client.pem and .key. */
    public enum Purpose {
        /** etcd towards clients and towards its peer. */
        ETCD("etcd"),
        /** The agent as a client of etcd. */
        ETCD_CLIENT("etcd-client"),
        /** The API server of Kubernetes as a client of etcd. */
        API_SERVER("kube-apiserver-etcd"),
        /** The agents towards each other, and what they sign. */
        AGENT("agent");

        private final String file;

        Purpose(String file) {
            this.file = file;
        }

        /** A client of etcd has no names: by them etcd tells its members from its clients. */
        private LeafProfile profile(String node, List<String> names) {
            return switch (this) {
                case ETCD -> LeafProfile.serverAndClient(node, names, LEAF_VALIDITY);
                case ETCD_CLIENT, API_SERVER -> LeafProfile.client(node, LEAF_VALIDITY);
                case AGENT -> LeafProfile.agent(node, names, LEAF_VALIDITY);
            };
        }

        /**
         * Fails where a certificate is for something else. One for an agent is for nothing else;
         * one that is a server and a client may be an agent's of before that had a purpose.
         */
        private void require(Path directory, X509Certificate certificate) {
            CertificateUse use = CertificateUse.of(certificate);
            boolean fits =
                    switch (this) {
                        case AGENT -> use != CertificateUse.OTHER;
                        case ETCD -> use == CertificateUse.ANY_SERVER_AND_CLIENT;
                        case ETCD_CLIENT, API_SERVER -> use != CertificateUse.AGENT;
                    };
            if (!fits) {
                throw refused(
                        directory,
                        switch (use) {
                            case AGENT -> "it is for an agent and for nothing else";
                            case ANY_SERVER_AND_CLIENT -> "it is for a server and a client";
                            case OTHER -> "it is not for a server and a client";
                        });
            }
        }

        private Failure refused(Path directory, String why) {
            return new Failure(
                    "refusing " + certificate(directory),
                    why,
                    "take a directory as a whole, as it was issued");
        }

        public Path certificate(Path directory) {
            return directory.resolve(file + ".pem");
        }

        public Path key(Path directory) {
            return directory.resolve(file + ".key");
        }
    }

    private SitePki() {}

    /** Whether a site's authority lies there. */
    public static boolean isIn(Path directory) {
        return FileSet.isWhole(directory)
                || (Files.exists(directory.resolve(CA_CERTIFICATE))
                        && Files.exists(directory.resolve(CA_KEY)));
    }

    /** Makes the authority; one that is there already stays, and this fails. */
    public static void create(Path directory, String site, InstantSource clock) {
        requireNone(directory);
        CertificateAuthority authority = CertificateAuthority.create(site, CA_VALIDITY, clock);
        FileSet.draft(
                        directory,
                        draft ->
                                authority.save(
                                        draft.resolve(CA_CERTIFICATE), draft.resolve(CA_KEY)))
                .install();
    }

    /** Fails where an authority, or a part of one, lies already. */
    public static void requireNone(Path directory) {
        String what = "no certificate authority was created in " + directory;
        if (isIn(directory)) {
            throw new Failure(
                    what,
                    directory.resolve(CA_CERTIFICATE)
                            + " is there already, and nodes may depend on it",
                    "use that one, or choose another directory with --dir");
        }
        if (Files.exists(directory.resolve(CA_KEY))) {
            throw keyAlone(what, directory);
        }
        if (Files.exists(directory.resolve(CA_CERTIFICATE))) {
            throw new Failure(
                    what,
                    "the certificate of an authority is there already, without its key, and nodes"
                            + " may depend on it: "
                            + directory.resolve(CA_CERTIFICATE),
                    "use the one whose key is kept elsewhere, or choose another directory with"
                            + " --dir");
        }
    }

    private static Failure keyAlone(String what, Path directory) {
        return new Failure(
                what,
                "%s has the key of an authority, %s, but not its certificate, %s"
                        .formatted(directory, CA_KEY, CA_CERTIFICATE),
                ("if certificates were issued by it, copy %2$s back, from a backup or from any"
                                + " node's %4$s; if none were, delete the key and create the"
                                + " authority again: rm %1$s; tandem certs create --dir %3$s")
                        .formatted(
                                directory.resolve(CA_KEY),
                                CA_CERTIFICATE,
                                directory,
                                INSTALLED.resolve(CA_CERTIFICATE)));
    }

    /** A node's certificates would destroy an authority's, which are called alike. */
    public static void requireNoAuthority(Path directory) {
        if (Files.exists(directory.resolve(CA_KEY))) {
            throw new Failure(
                    "no certificates were issued in " + directory,
                    "the key of a certificate authority is there: " + directory.resolve(CA_KEY),
                    "give the node another name in the plan, or keep the authority elsewhere");
        }
    }

    /** The files of a node that are not in the directory. */
    public static List<String> missingIn(Path directory) {
        List<Path> files = new ArrayList<>(List.of(directory.resolve(CA_CERTIFICATE)));
        for (Purpose purpose : Purpose.values()) {
            files.add(purpose.certificate(directory));
            files.add(purpose.key(directory));
        }
        return files.stream()
                .filter(Files::notExists)
                .map(file -> String.valueOf(file.getFileName()))
                .toList();
    }

    /** How a node comes to its certificates, from the desk where the authority is. */
    public static String howToGetThem(String node) {
        return ("where the authority is: tandem certs issue PLAN.yaml --dir SITE; copy the result"
                        + " here: scp -rp SITE/%1$s root@%1$s: ; then here: tandem certs install"
                        + " /root/%1$s")
                .formatted(node);
    }

    public static Authority load(Path directory, InstantSource clock) {
        return load(directory, "", clock);
    }

    /**
     * The same.
     *
     * @param options with which the authority is to be created where there is none
     */
    public static Authority load(Path directory, String options, InstantSource clock) {
        FileSet.complete(directory);
        if (Files.exists(directory.resolve(CA_KEY))
                && Files.notExists(directory.resolve(CA_CERTIFICATE))) {
            throw keyAlone("no certificates were issued", directory);
        }
        if (Files.notExists(directory.resolve(CA_CERTIFICATE))) {
            throw new Failure(
                    "no certificates were issued",
                    "there is no authority in %s: %s is missing"
                            .formatted(directory, CA_CERTIFICATE),
                    "if this site has an authority already, name its directory with --dir; if not,"
                            + " create it once: tandem certs create --dir "
                            + directory
                            + options);
        }
        if (Files.notExists(directory.resolve(CA_KEY))) {
            throw new Failure(
                    "no certificates were issued",
                    "%s has %s but not its key, %s".formatted(directory, CA_CERTIFICATE, CA_KEY),
                    "run this where the key of the authority is kept, or restore the key from its"
                            + " backup");
        }
        return new Authority(
                CertificateAuthority.load(
                        directory.resolve(CA_CERTIFICATE), directory.resolve(CA_KEY), clock));
    }

    /** A site's authority, which issues what nodes need. */
    public static final class Authority {
        private final CertificateAuthority authority;

        private Authority(CertificateAuthority authority) {
            this.authority = authority;
        }

        /** Writes new keys and certificates of a node to the directory. */
        public void issue(String node, List<String> addresses, Path directory) {
            requireNoAuthority(directory);
            List<String> names = new ArrayList<>(List.of(node, "localhost", "127.0.0.1", "::1"));
            names.addAll(addresses);
            Pem.writeCertificates(
                    directory.resolve(CA_CERTIFICATE), List.of(authority.certificate()));
            for (Purpose purpose : Purpose.values()) {
                TlsIdentity leaf = authority.issue(purpose.profile(node, names));
                Pem.writeIdentity(purpose.certificate(directory), purpose.key(directory), leaf);
            }
        }
    }

    /**
     * Puts a node's keys in place, all or, where one is unfit or the power goes too early, none.
     */
    public static void install(Path from, String node, Path to, InstantSource clock) {
        Issued.read(from, node, clock).draft(to).install();
    }

    /** The keys of a node, all of them fit to be used. */
    public record Issued(List<X509Certificate> authorities, Map<Purpose, TlsIdentity> leaves) {
        public Issued {
            authorities = List.copyOf(authorities);
            leaves = Map.copyOf(leaves);
        }

        /** Fails where one is missing or unfit. */
        public static Issued read(Path from, String node, InstantSource clock) {
            List<String> missing = missingIn(from);
            if (!missing.isEmpty()) {
                throw new Failure(
                        "no certificates were installed",
                        Files.isDirectory(from)
                                ? "%s lacks %s".formatted(from, String.join(", ", missing))
                                : from + " is not a directory",
                        howToGetThem(node));
            }
            List<X509Certificate> authorities = Pem.readCertificates(from.resolve(CA_CERTIFICATE));
            Map<Purpose, TlsIdentity> leaves = new EnumMap<>(Purpose.class);
            for (Purpose purpose : Purpose.values()) {
                TlsIdentity leaf = Pem.readIdentity(purpose.certificate(from), purpose.key(from));
                LeafCheck.require(
                        purpose.certificate(from), leaf, node, authorities, clock.instant());
                purpose.require(from, leaf.certificate());
                leaves.put(purpose, leaf);
            }
            Issued issued = new Issued(authorities, leaves);
            // An agent's certificate of before it had a purpose looks like one of etcd.
            for (Purpose other : Purpose.values()) {
                if (other != Purpose.AGENT
                        && issued.leaf(other).equals(issued.leaf(Purpose.AGENT))) {
                    throw Purpose.AGENT.refused(
                            from, "it is the same certificate as " + other.certificate(from));
                }
            }
            return issued;
        }

        /**
         * Fails where what is installed is of another authority: the peer trusts that one.
         *
         * @param from where these were read
         */
        public void requireSameAuthority(Path from, Path installed) {
            Path file = installed.resolve(CA_CERTIFICATE);
            if (Files.notExists(file)) {
                return;
            }
            List<X509Certificate> trusted = Pem.readCertificates(file);
            if (authorities.stream().noneMatch(trusted::contains)) {
                throw new Failure(
                        "refusing " + from,
                        "its CA (%s) is not the one installed in %s; the peer would not trust it"
                                .formatted(
                                        authorities.getFirst().getSubjectX500Principal().getName(),
                                        installed),
                        "issue the certificates with the CA of this pair; for a new pair add"
                                + " --replace-ca");
            }
        }

        private X509Certificate leaf(Purpose purpose) {
            return Objects.requireNonNull(leaves.get(purpose)).certificate();
        }

        public FileSet draft(Path to) {
            return FileSet.draft(
                    to,
                    draft -> {
                        Pem.writeCertificates(draft.resolve(CA_CERTIFICATE), authorities);
                        leaves.forEach((purpose, leaf) ->
                                Pem.writeIdentity(
                                        purpose.certificate(draft), purpose.key(draft), leaf));
                    });
        }
    }

    /** See {@link FileSet#complete}. */
    public static void completeInstallation(Path directory) {
        FileSet.complete(directory);
    }
}
