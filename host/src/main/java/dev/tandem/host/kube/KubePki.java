package dev.tandem.host.kube;

import dev.tandem.core.Failure;
import dev.tandem.core.IpAddress;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.IoErrors;
import dev.tandem.host.NodePaths;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.FileSet;
import dev.tandem.host.pki.LeafCheck;
import dev.tandem.host.pki.LeafProfile;
import dev.tandem.host.pki.LeafProfile.Usage;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.pki.TlsIdentity;
import dev.tandem.host.plan.ClusterPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The keys of a Kubernetes control plane by file. Its authority is not the site's: who may talk to
 * etcd is nobody in Kubernetes, and an identity in Kubernetes opens no etcd. The keys of the
 * authorities never lie on a node.
 */
public final class KubePki {
    /** Where they lie on a node. */
    public static final Path INSTALLED = NodePaths.KUBERNETES_PKI;

    /** The directory beside the site's own files, at the authority and in each node's. */
    public static final String DIRECTORY = "kubernetes";

    /** The administrator's certificate and key, beside the authority. */
    public static final String ADMIN = "admin";

    /** The authority; its certificate lies beside the leaves too. */
    public static final String CA = "ca";

    /** The administrator's kubeconfig, beside the authority. */
    public static final String ADMIN_KUBECONFIG = "admin.conf";

    static final String FRONT_PROXY_CA = "front-proxy-ca";
    static final String SERVICE_ACCOUNT = "service-account";
    static final String ENCRYPTION = "encryption.yaml";

    static final String FRONT_PROXY_CLIENT = "front-proxy-client";
    private static final Duration CA_VALIDITY = Duration.ofDays(10 * 365);

    /** Long, for as long as people have to renew by hand. */
    private static final Duration LEAF_VALIDITY = Duration.ofDays(3 * 365);

    /** Whoever holds it can do everything and cannot be locked out before it expires. */
    private static final Duration ADMIN_VALIDITY = Duration.ofDays(365);

    /** Clients of the API on a node, and who they are there; files are named for them. */
    public enum Client {
        CONTROLLER_MANAGER("controller-manager", "system:kube-controller-manager", ""),
        SCHEDULER("scheduler", "system:kube-scheduler", ""),
        KUBELET("kubelet", "system:node:%s", "system:nodes"),
        /** The API server towards kubelets. */
        API_SERVER("apiserver-kubelet", "kube-apiserver-kubelet-client", ""),
        /** What it may do is the agent's to say, in the role of that name. */
        AGENT("tandem-agent", "tandem-agent", "");

        private final String file;
        private final String user;
        private final String group;

        Client(String file, String user, String group) {
            this.file = file;
            this.user = user;
            this.group = group;
        }

        /** The name of its files. */
        public String file() {
            return file;
        }

        String user(String node) {
            return user.formatted(node);
        }

        private LeafProfile profile(String node) {
            return client(user(node), group, LEAF_VALIDITY);
        }
    }

    private KubePki() {}

    public static Path certificate(Path directory, String name) {
        return directory.resolve(name + ".pem");
    }

    public static Path key(Path directory, String name) {
        return directory.resolve(name + ".key");
    }

    /** Makes authorities and shared keys; what is there already stays, and this fails. */
    public static void create(Path directory, String site, InstantSource clock) {
        requireNone(directory);
        // Beside, and renamed as a whole: half a set would be neither usable nor replaceable.
        Path draft = directory.resolveSibling("." + directory.getFileName() + ".new");
        FileSet.dropDraft(draft);
        write(draft, site, clock);
        try {
            DurableFiles.rename(draft, directory);
        } catch (IOException e) {
            throw new Failure(
                    "no certificate authorities were created in " + directory,
                    IoErrors.words(e),
                    "check the permissions of the directory above, then run this again",
                    e);
        }
    }

    private static void write(Path directory, String site, InstantSource clock) {
        save(CertificateAuthority.create(site + " Kubernetes", CA_VALIDITY, clock), directory, CA);
        save(
                CertificateAuthority.create(site + " front proxy", CA_VALIDITY, clock),
                directory,
                FRONT_PROXY_CA);
        // Both nodes sign and know tokens with this key; the certificate only carries its public
        // half and is never looked at.
        save(
                CertificateAuthority.create(site + " service accounts", CA_VALIDITY, clock),
                directory,
                SERVICE_ACCOUNT);
        NodeFile.secret(directory.resolve(ENCRYPTION), encryption()).write();
    }

    /** Fails where authorities, or a part of them, lie already. */
    public static void requireNone(Path directory) {
        List<String> missing = missingOfAuthorities(directory);
        if (Files.exists(directory) && !missing.isEmpty()) {
            throw new Failure(
                    "no certificate authorities were created in " + directory,
                    "the directory is there already, and lacks " + String.join(", ", missing),
                    ("if certificates were issued from it, restore what is missing from its backup;"
                                    + " if none were, delete it and run this again: rm -r %s")
                            .formatted(directory));
        }
        if (Files.exists(directory)) {
            throw new Failure(
                    "no certificate authorities were created in " + directory,
                    "the directory is there already, and nodes may depend on what it holds",
                    "use that one, or choose another directory with --dir");
        }
    }

    private static List<String> missingOfAuthorities(Path directory) {
        return Stream.concat(
                        Stream.of(CA, FRONT_PROXY_CA, SERVICE_ACCOUNT)
                                .flatMap(name ->
                                        Stream.of(
                                                certificate(directory, name),
                                                key(directory, name))),
                        Stream.of(directory.resolve(ENCRYPTION)))
                .filter(Files::notExists)
                .map(file -> String.valueOf(file.getFileName()))
                .toList();
    }

    private static void save(CertificateAuthority authority, Path directory, String name) {
        authority.save(certificate(directory, name), key(directory, name));
    }

    /** Secrets are sealed with a key that both nodes have; all else is stored as it is. */
    private static String encryption() {
        byte[] key = new byte[32];
        new SecureRandom().nextBytes(key);
        return """
        apiVersion: apiserver.config.k8s.io/v1
        kind: EncryptionConfiguration
        resources:
          - resources: [secrets]
            providers:
              - secretbox:
                  keys:
                    - name: first
                      secret: %s
              # Reads what was written before there was a key.
              - identity: {}
        """
                .formatted(Base64.getEncoder().encodeToString(key));
    }

    /** Fails where a part of them is missing, before anything is issued. */
    public static Authority load(Path directory, InstantSource clock) {
        List<String> missing = missingOfAuthorities(directory);
        if (!missing.isEmpty()) {
            throw new Failure(
                    "no certificates were issued",
                    "%s lacks %s".formatted(directory, String.join(", ", missing)),
                    ("if certificates were issued from it, restore what is missing from its backup;"
                                    + " if none were, delete it and create it again: rm -r %1$s;"
                                    + " tandem certs create --dir %2$s --kubernetes")
                            .formatted(directory, DurableFiles.parent(directory).normalize()));
        }
        return new Authority(
                directory,
                authority(directory, CA, clock),
                authority(directory, FRONT_PROXY_CA, clock));
    }

    private static CertificateAuthority authority(
            Path directory, String name, InstantSource clock) {
        return CertificateAuthority.load(certificate(directory, name), key(directory, name), clock);
    }

    private static LeafProfile client(String user, String group, Duration validity) {
        return new LeafProfile(
                user,
                group.isEmpty() ? List.of() : List.of(group),
                Set.of(Usage.CLIENT),
                List.of(),
                validity);
    }

    /** The authorities of a Kubernetes, which issue what nodes and people need. */
    public static final class Authority {
        private final Path directory;
        private final CertificateAuthority authority;
        private final CertificateAuthority frontProxy;

        private Authority(
                Path directory, CertificateAuthority authority, CertificateAuthority frontProxy) {
            this.directory = directory;
            this.authority = authority;
            this.frontProxy = frontProxy;
        }

        /** Writes new keys and certificates of a node, and what both share, to the directory. */
        public void issue(ClusterPlan plan, ClusterPlan.Node node, Path into) {
            SitePki.requireNoAuthority(into);
            Pem.writeCertificates(certificate(into, CA), List.of(authority.certificate()));
            Pem.writeCertificates(
                    certificate(into, FRONT_PROXY_CA), List.of(frontProxy.certificate()));
            write(
                    into,
                    ControlPlane.API_SERVER,
                    authority.issue(
                            LeafProfile.server(
                                    "kube-apiserver", serverNames(plan, node), LEAF_VALIDITY)));
            write(
                    into,
                    FRONT_PROXY_CLIENT,
                    frontProxy.issue(LeafProfile.client(FRONT_PROXY_CLIENT, LEAF_VALIDITY)));
            for (Client client : Client.values()) {
                write(into, client.file, authority.issue(client.profile(node.name())));
            }
            Pem.writeIdentity(
                    certificate(into, SERVICE_ACCOUNT),
                    key(into, SERVICE_ACCOUNT),
                    Pem.readIdentity(
                            certificate(directory, SERVICE_ACCOUNT),
                            key(directory, SERVICE_ACCOUNT)));
            NodeFile.secret(into.resolve(ENCRYPTION), read(directory.resolve(ENCRYPTION))).write();
        }

        /**
         * A certificate for a person who may do everything, beside the authority.
         *
         * @return the kubeconfig that names it, for where the API is by the plan
         */
        public Path issueAdmin(ClusterPlan plan) {
            IpAddress address =
                    plan.api().map(ClusterPlan.Api::address).orElse(plan.preferred().address());
            return issueAdmin(
                    "https://%s:%d"
                            .formatted(
                                    address.isV6() ? "[" + address + "]" : address,
                                    ControlPlane.PORT));
        }

        /** The same for another way to the API. */
        public Path issueAdmin(String server) {
            write(
                    directory,
                    ADMIN,
                    authority.issue(client("kubernetes-admin", "system:masters", ADMIN_VALIDITY)));
            Path absolute = directory.toAbsolutePath().normalize();
            Path kubeconfig = directory.resolve(ADMIN_KUBECONFIG);
            NodeFile.secret(
                            kubeconfig,
                            Kubeconfig.text(
                                    server,
                                    certificate(absolute, CA),
                                    ADMIN,
                                    certificate(absolute, ADMIN),
                                    key(absolute, ADMIN)))
                    .write();
            return kubeconfig;
        }
    }

    private static void write(Path directory, String name, TlsIdentity identity) {
        Pem.writeIdentity(certificate(directory, name), key(directory, name), identity);
    }

    /** All names and addresses under which somebody may call the API server of this node. */
    static List<String> serverNames(ClusterPlan plan, ClusterPlan.Node node) {
        List<String> names = new ArrayList<>(List.of(node.name(), "localhost", "127.0.0.1", "::1"));
        node.addresses().forEach(address -> names.add(address.toString()));
        plan.api().ifPresent(api -> names.add(api.address().toString()));
        names.add(ServiceRange.of(node.address()).first());
        names.addAll(
                List.of(
                        "kubernetes",
                        "kubernetes.default",
                        "kubernetes.default.svc",
                        "kubernetes.default.svc.cluster.local"));
        return names;
    }

    /** The files of a node. */
    private static List<Path> filesIn(Path directory) {
        List<Path> files = new ArrayList<>();
        for (String name :
                Stream.concat(
                                Stream.of(
                                        ControlPlane.API_SERVER,
                                        FRONT_PROXY_CLIENT,
                                        SERVICE_ACCOUNT),
                                Stream.of(Client.values()).map(Client::file))
                        .toList()) {
            files.add(certificate(directory, name));
            files.add(key(directory, name));
        }
        files.add(certificate(directory, CA));
        files.add(certificate(directory, FRONT_PROXY_CA));
        files.add(directory.resolve(ENCRYPTION));
        return files;
    }

    /** The files of a node that are not in the directory. */
    static List<String> missingIn(Path directory) {
        return filesIn(directory).stream()
                .filter(Files::notExists)
                .map(file -> String.valueOf(file.getFileName()))
                .toList();
    }

    /** Whether certificates of ours lie there; who installs Kubernetes otherwise has others. */
    public static boolean isInstalledIn(Path directory) {
        return Stream.of(CA, ControlPlane.API_SERVER, Client.AGENT.file)
                .anyMatch(name -> Files.exists(certificate(directory, name)));
    }

    /** Those of a node without which its API serves nobody, or its agent does not see that. */
    public static List<Path> certificatesOfTheApi(Path directory) {
        return Stream.of(ControlPlane.API_SERVER, Client.AGENT.file)
                .map(name -> certificate(directory, name))
                .toList();
    }

    /**
     * Those of a node that the API is recovered without: of its clients, and of what extends it.
     * That of service accounts is not among them: nobody looks at when it ends.
     */
    public static List<Path> certificatesBesideTheApi(Path directory) {
        return Stream.concat(
                        Stream.of(Client.values())
                                .filter(client -> client != Client.AGENT)
                                .map(Client::file),
                        Stream.of(FRONT_PROXY_CLIENT))
                .map(name -> certificate(directory, name))
                .toList();
    }

    /** The authority of the front proxy, which signs for what extends the API. */
    public static Path frontProxyAuthority(Path directory) {
        return certificate(directory, FRONT_PROXY_CA);
    }

    /** Puts a node's keys in place, all or, where one is unfit, none. */
    public static void install(Path from, String node, Path to, InstantSource clock) {
        Issued.read(from, node, clock).draft(to).install();
    }

    /** The files of a node by name, all of them fit to be used. */
    public static final class Issued {
        private final Map<String, String> files = new TreeMap<>();

        private Issued() {}

        /** Fails where one is missing or unfit. */
        public static Issued read(Path from, String node, InstantSource clock) {
            List<String> missing = missingIn(from);
            if (!missing.isEmpty()) {
                throw new Failure(
                        "no certificates were installed",
                        "%s lacks %s".formatted(from, String.join(", ", missing)),
                        SitePki.howToGetThem(node));
            }
            List<X509Certificate> authorities = Pem.readCertificates(certificate(from, CA));
            for (Client client : Client.values()) {
                check(from, client.file, client.user(node), authorities, clock);
            }
            check(from, ControlPlane.API_SERVER, "kube-apiserver", authorities, clock);
            check(
                    from,
                    FRONT_PROXY_CLIENT,
                    FRONT_PROXY_CLIENT,
                    Pem.readCertificates(certificate(from, FRONT_PROXY_CA)),
                    clock);
            TlsIdentity _ =
                    Pem.readIdentity(
                            certificate(from, SERVICE_ACCOUNT), key(from, SERVICE_ACCOUNT));
            Issued issued = new Issued();
            filesIn(from)
                    .forEach(file ->
                            issued.files.put(
                                    String.valueOf(file.getFileName()), KubePki.read(file)));
            return issued;
        }

        private static void check(
                Path from,
                String name,
                String subject,
                List<X509Certificate> authorities,
                InstantSource clock) {
            LeafCheck.require(
                    certificate(from, name),
                    Pem.readIdentity(certificate(from, name), key(from, name)),
                    subject,
                    authorities,
                    clock.instant());
        }

        public FileSet draft(Path to) {
            return FileSet.draft(
                    to,
                    draft ->
                            files.forEach((name, text) ->
                                    NodeFile.secret(draft.resolve(name), text).write()));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new Failure("cannot read " + file, IoErrors.words(e), "check its permissions", e);
        }
    }
}
