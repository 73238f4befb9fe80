package dev.tandem.host.kube;

import dev.tandem.core.Failure;
import dev.tandem.host.NodePaths;
import dev.tandem.host.kube.KubePki.Client;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.plan.ClusterPlan;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The control plane of one node: every part of it talks to the parts of the same node, and the API
 * server to this node's etcd alone. Whether the node may serve is decided for etcd and kubelet, and
 * all else follows them.
 *
 * @param programs the directory of kube-apiserver, kube-controller-manager and kube-scheduler
 */
public record ControlPlane(ClusterPlan plan, ClusterPlan.Node node, Path programs) {
    public static final int PORT = 6443;

    static final String API_SERVER = "apiserver";

    private static final Path LOGS = Path.of("/var/log/kubernetes");
    private static final String LOCAL = "https://127.0.0.1:";

    public static ControlPlane of(ClusterPlan plan, String node, Path programs) {
        return new ControlPlane(
                plan,
                plan.node(node)
                        .orElseThrow(() ->
                                new Failure(
                                        "cannot set up a control plane for " + node,
                                        "the plan names " + String.join(" and ", plan.nodeNames()),
                                        "run this on a node of the plan")),
                programs);
    }

    /** What the parts need to be allowed beyond what Kubernetes brings, as a manifest. */
    public static String roles() {
        try (InputStream in = ControlPlane.class.getResourceAsStream("roles.yaml")) {
            if (in == null) {
                throw new IllegalStateException("resource roles.yaml is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The units, in the order in which they start. */
    public List<ControlPlaneUnit> units() {
        return List.of(
                new ControlPlaneUnit(
                        "kube-apiserver",
                        "API server of Kubernetes",
                        // It tells systemd when it is ready, so that the others start then.
                        "notify",
                        List.of(),
                        programs,
                        apiServer()),
                new ControlPlaneUnit(
                        "kube-controller-manager",
                        "Controllers of Kubernetes",
                        "exec",
                        List.of("kube-apiserver.service"),
                        programs,
                        controllerManager()),
                new ControlPlaneUnit(
                        "kube-scheduler",
                        "Scheduler of Kubernetes",
                        "exec",
                        List.of("kube-apiserver.service"),
                        programs,
                        scheduler()));
    }

    /** All files but the keys. */
    public List<NodeFile> files() {
        List<NodeFile> files = new ArrayList<>();
        for (Client client :
                List.of(
                        Client.CONTROLLER_MANAGER,
                        Client.SCHEDULER,
                        Client.KUBELET,
                        Client.AGENT)) {
            files.add(NodeFile.secret(kubeconfig(client), kubeconfigText(client)));
        }
        files.add(
                NodeFile.open(NodePaths.KUBERNETES.resolve("authentication.yaml"), AUTHENTICATION));
        files.add(NodeFile.open(NodePaths.KUBERNETES.resolve("audit-policy.yaml"), AUDIT_POLICY));
        files.add(
                NodeFile.open(
                        NodePaths.UNITS.resolve(ControlPlaneUnit.TARGET),
                        ControlPlaneUnit.TARGET_TEXT));
        for (ControlPlaneUnit unit : units()) {
            files.add(NodeFile.open(NodePaths.UNITS.resolve(unit.file()), unit.text()));
        }
        return files;
    }

    private static Path kubeconfig(Client client) {
        return NodePaths.KUBERNETES.resolve(client.file() + ".conf");
    }

    private static String kubeconfigText(Client client) {
        return Kubeconfig.text(
                LOCAL + PORT,
                KubePki.certificate(KubePki.INSTALLED, KubePki.CA),
                client.file(),
                KubePki.certificate(KubePki.INSTALLED, client.file()),
                KubePki.key(KubePki.INSTALLED, client.file()));
    }

    private List<String> apiServer() {
        return List.of(
                "--bind-address=" + (node.address().isV6() ? "::" : "0.0.0.0"),
                "--secure-port=" + PORT,
                "--advertise-address=" + node.address(),
                "--tls-cert-file=" + certificate(API_SERVER),
                "--tls-private-key-file=" + key(API_SERVER),
                "--tls-min-version=VersionTLS12",
                // This node's etcd and no other: through the peer's it would serve what this node
                // may not know to be true.
                "--etcd-servers=" + LOCAL + plan.etcd().clientPort(),
                "--etcd-cafile=" + SitePki.INSTALLED.resolve(SitePki.CA_CERTIFICATE),
                "--etcd-certfile=" + SitePki.Purpose.API_SERVER.certificate(SitePki.INSTALLED),
                "--etcd-keyfile=" + SitePki.Purpose.API_SERVER.key(SitePki.INSTALLED),
                // How long readiness may hang on a silent etcd, for whoever balances by it.
                "--etcd-readycheck-timeout=1s",
                "--encryption-provider-config=" + KubePki.INSTALLED.resolve(KubePki.ENCRYPTION),
                "--client-ca-file=" + certificate(KubePki.CA),
                "--authentication-config=" + NodePaths.KUBERNETES.resolve("authentication.yaml"),
                "--authorization-mode=Node,RBAC",
                "--enable-admission-plugins=NodeRestriction",
                "--requestheader-client-ca-file=" + certificate(KubePki.FRONT_PROXY_CA),
                "--requestheader-allowed-names=" + KubePki.FRONT_PROXY_CLIENT,
                "--requestheader-username-headers=X-Remote-User",
                "--requestheader-group-headers=X-Remote-Group",
                "--requestheader-extra-headers-prefix=X-Remote-Extra-",
                "--proxy-client-cert-file=" + certificate(KubePki.FRONT_PROXY_CLIENT),
                "--proxy-client-key-file=" + key(KubePki.FRONT_PROXY_CLIENT),
                "--kubelet-client-certificate=" + certificate(Client.API_SERVER.file()),
                "--kubelet-client-key=" + key(Client.API_SERVER.file()),
                "--kubelet-preferred-address-types=InternalIP,Hostname",
                "--service-cluster-ip-range=" + ServiceRange.of(node.address()).range(),
                "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
                "--service-account-key-file=" + certificate(KubePki.SERVICE_ACCOUNT),
                "--service-account-signing-key-file=" + key(KubePki.SERVICE_ACCOUNT),
                "--allow-privileged=true",
                "--audit-policy-file=" + NodePaths.KUBERNETES.resolve("audit-policy.yaml"),
                "--audit-log-path=" + LOGS.resolve("audit.log"),
                "--audit-log-maxsize=50",
                "--audit-log-maxbackup=4",
                "--profiling=false");
    }

    private List<String> controllerManager() {
        Path kubeconfig = kubeconfig(Client.CONTROLLER_MANAGER);
        return List.of(
                "--kubeconfig=" + kubeconfig,
                "--authentication-kubeconfig=" + kubeconfig,
                "--authorization-kubeconfig=" + kubeconfig,
                "--bind-address=127.0.0.1",
                "--leader-elect=true",
                "--use-service-account-credentials=true",
                "--root-ca-file=" + certificate(KubePki.CA),
                "--service-account-private-key-file=" + key(KubePki.SERVICE_ACCOUNT),
                "--profiling=false");
    }

    private List<String> scheduler() {
        Path kubeconfig = kubeconfig(Client.SCHEDULER);
        return List.of(
                "--kubeconfig=" + kubeconfig,
                "--authentication-kubeconfig=" + kubeconfig,
                "--authorization-kubeconfig=" + kubeconfig,
                "--bind-address=127.0.0.1",
                "--leader-elect=true",
                "--profiling=false");
    }

    private static Path certificate(String name) {
        return KubePki.certificate(KubePki.INSTALLED, name);
    }

    private static Path key(String name) {
        return KubePki.key(KubePki.INSTALLED, name);
    }

    /** Nobody without a certificate or a token learns more than whether the server is well. */
    private static final String AUTHENTICATION =
            """
            apiVersion: apiserver.config.k8s.io/v1
            kind: AuthenticationConfiguration
            anonymous:
              enabled: true
              conditions:
                - path: /livez
                - path: /readyz
                - path: /healthz
            """;

    /**
     * Who changed what and when, never with what content: secrets must not lie in a log. The
     * chatter of leases and events would push everything else out of it.
     */
    private static final String AUDIT_POLICY =
            """
            apiVersion: audit.k8s.io/v1
            kind: Policy
            omitStages: [RequestReceived]
            rules:
              - level: None
                verbs: [get, list, watch]
              - level: None
                resources:
                  - group: coordination.k8s.io
                    resources: [leases]
                  - group: ""
                    resources: [events, nodes/status]
                  - group: events.k8s.io
                    resources: [events]
              - level: Metadata
            """;
}
