package dev.tandem.lab.kube;

import dev.tandem.api.ShippedManifests;
import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.NodePaths;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.kube.AgentRbac;
import dev.tandem.host.kube.ControlPlane;
import dev.tandem.host.kube.ControlPlaneInstall;
import dev.tandem.host.kube.KubePki;
import dev.tandem.host.kube.NodeFile;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.lab.Lab;
import dev.tandem.lab.NodeHandle;
import dev.tandem.lab.spec.LabSpec;
import dev.tandem.lab.spec.LabStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Kubernetes on the pair of a lab, put there by the code that puts it on real nodes. What the lab
 * adds is a kubelet that runs no containers.
 */
public final class LabKube {
    /** Where nodes see the programs. */
    private static final String PROGRAMS = LabSpec.KUBE_PROGRAMS;

    /** The relay that leads to the API's address. */
    private static final String RELAY = "api";

    /** Four seconds after etcd on an idle machine; ten times that beside two builds. */
    private static final Duration START = Duration.ofMinutes(2);

    private static final Duration SHORT = Duration.ofSeconds(20);

    /** No container runtime, no cgroups; its state ends with it, for it would leave it in /tmp. */
    private static final String HOLLOW_KUBELET =
            """
            [Unit]
            Description=Hollow kubelet of the lab
            StartLimitIntervalSec=0

            [Service]
            ExecStart=%s/kubemark --morph=kubelet --name=%%H \\
                --kubeconfig=/etc/kubernetes/kubelet.conf \\
                --node-labels=kubernetes.io/hostname=%%H \\
                --kubelet-read-only-port=0 --use-host-image-service=false
            PrivateTmp=yes
            Restart=always
            RestartSec=1s
            """
                    .formatted(PROGRAMS);

    private final Lab lab;
    private final Path programs;
    private final Path keys;

    private LabKube(Lab lab, Path programs) {
        this.lab = lab;
        this.programs = programs;
        this.keys = lab.keys().resolve(KubePki.DIRECTORY);
    }

    /** The lab with Kubernetes' programs in its nodes. */
    public static LabSpec with(LabSpec spec, Path programs) {
        List<LabSpec.Bind> binds = new ArrayList<>(spec.binds());
        binds.add(new LabSpec.Bind(programs.toString(), PROGRAMS));
        return spec.withBinds(binds);
    }

    /** Kubernetes of a lab whose nodes have the programs; empty where they do not. */
    public static Optional<LabKube> of(Lab lab) {
        return lab.layout().spec().binds().stream()
                .filter(bind -> bind.node().equals(PROGRAMS))
                .findFirst()
                .map(bind -> new LabKube(lab, Path.of(bind.host())));
    }

    /** What the plan of the pair says of Kubernetes. */
    public String planFields() {
        return """
        kubelet: true
        api:
          address: "%s"
        """
                .formatted(lab.layout().apiAddress().ip());
    }

    /** Makes keys and puts everything on the nodes; nothing starts before Pacemaker wants it. */
    public void install(ClusterPlan plan) throws IOException {
        KubePki.create(keys, lab.name(), InstantSource.system());
        KubePki.Authority authority = KubePki.load(keys, InstantSource.system());
        Path _ = authority.issueAdmin("https://127.0.0.1:" + port(RELAY));
        for (NodeHandle node : lab.nodes()) {
            ControlPlane controlPlane = ControlPlane.of(plan, node.name(), Path.of(PROGRAMS));
            Path issued = keys.resolve(node.name());
            authority.issue(plan, controlPlane.node(), issued);
            List<NodeFile> files = new ArrayList<>(controlPlane.files());
            files.add(
                    new NodeFile(
                            NodePaths.UNITS.resolve("kubelet.service"),
                            NodeFile.Access.EVERYBODY,
                            HOLLOW_KUBELET));
            try (Stream<Path> issuedFiles = Files.list(issued)) {
                for (Path file : issuedFiles.toList()) {
                    files.add(
                            new NodeFile(
                                    KubePki.INSTALLED.resolve(file.getFileName()),
                                    NodeFile.Access.OWNER,
                                    Files.readString(file)));
                }
            }
            node.must(SHORT, List.of("sh", "-es"), script(files));
            ControlPlaneInstall.enable(node.commands(), controlPlane);
        }
    }

    /** One visit for all files: entering a node costs more than writing one. */
    private static String script(List<NodeFile> files) {
        StringBuilder script = new StringBuilder();
        for (NodeFile file : files) {
            script.append("install -D -m ")
                    .append(file.access().mode())
                    .append(" /dev/stdin ")
                    .append(file.path())
                    .append(" <<'END OF THE FILE'\n")
                    .append(file.content())
                    .append(file.content().endsWith("\n") ? "" : "\n")
                    .append("END OF THE FILE\n");
        }
        return script.toString();
    }

    /**
     * Waits until both nodes serve the API, the address leads to it, and both are Ready. On the way
     * the API server learns Tandem's kinds and policies.
     */
    public void awaitReady() throws IOException {
        for (NodeHandle node : lab.nodes()) {
            // It is being started already; systemd says when it is done.
            node.must(START, "systemctl", "start", "kube-apiserver.service");
        }
        LabKubeApi api = api();
        lab.await("the API is at its address", START, api::ready);
        teach();
        List<String> nodes = lab.nodes().stream().map(node -> "node/" + node.name()).toList();
        kubectlWait("create", nodes);
        kubectlWait("condition=Ready", nodes);
        for (NodeHandle node : lab.nodes()) {
            // A kubelet may not give itself this role.
            accepted(
                    "label " + node.name(),
                    api.patch(
                            "/api/v1/nodes/" + node.name(),
                            """
                            {"metadata":{"labels":{"node-role.kubernetes.io/control-plane":""}}}
                            """));
        }
        tellTopology(api);
    }

    /**
     * Tells the API server everything that Tandem wants it to know, at once: the definitions are in
     * force before the nodes are Ready. Kinds of others that policies guard are among them, for
     * nobody else brings them here.
     */
    private void teach() {
        List<String> nodes = lab.nodes().stream().map(NodeHandle::name).toList();
        List<String> all =
                new ArrayList<>(List.of(AgentRbac.manifest(nodes), ControlPlane.roles()));
        Stream.of(
                        ShippedManifests.own(),
                        ShippedManifests.openshift(),
                        ShippedManifests.foreign(),
                        ShippedManifests.policies())
                .flatMap(List::stream)
                .forEach(manifest -> all.add(manifest.yaml()));
        String _ =
                kubectl(
                        String.join("---\n", all),
                        "apply",
                        "--server-side",
                        // The server checks each; this is about fetching all schemas first.
                        "--validate=false",
                        "-f",
                        "-");
    }

    /** Says what this cluster is, as an installer would: most policies judge by it. */
    private void tellTopology(LabKubeApi api) throws IOException {
        String collection = "/apis/config.openshift.io/v1/infrastructures";
        lab.await("Infrastructure is served", START, () -> api.get(collection).accepted());
        accepted(
                "create Infrastructure",
                api.post(
                        collection,
                        """
                        {"apiVersion":"config.openshift.io/v1","kind":"Infrastructure",
                         "metadata":{"name":"cluster"},"spec":{"platformSpec":{"type":"None"}}}
                        """));
        accepted(
                "tell the topology",
                api.patch(
                        collection + "/cluster/status",
                        """
                        {"status":{"infrastructureName":"%s","platform":"None",
                         "platformStatus":{"type":"None"},"controlPlaneTopology":"DualReplica",
                         "infrastructureTopology":"HighlyAvailable"}}
                        """
                                .formatted(lab.name())));
    }

    private static void accepted(String what, LabKubeApi.Answer answer) throws IOException {
        if (!answer.accepted()) {
            throw new IOException("cannot " + what + ": " + answer);
        }
    }

    private void kubectlWait(String forWhat, List<String> nodes) {
        List<String> arguments = new ArrayList<>(List.of("wait", "--for=" + forWhat));
        arguments.addAll(nodes);
        arguments.add("--timeout=" + START.toSeconds() + "s");
        String _ = kubectl("", arguments.toArray(String[]::new));
    }

    /** The API at the address that follows the serving node. */
    public LabKubeApi api() {
        return LabKubeApi.at(port(RELAY), keys);
    }

    /** The API of one node, whether it serves or not. */
    public LabKubeApi apiOf(String node) {
        return LabKubeApi.at(port(RELAY + " of " + node), keys);
    }

    private int port(String what) {
        return lab.status().relays().stream()
                .filter(relay -> relay.what().equals(what))
                .findFirst()
                .map(LabStatus.Relayed::hostPort)
                .orElseThrow();
    }

    /** The administrator's, as the host uses it. */
    public Path kubeconfig() {
        return keys.resolve(KubePki.ADMIN_KUBECONFIG);
    }

    /** The command that runs kubectl on the host as the administrator. */
    public List<String> kubectlCommand(List<String> arguments) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                programs.resolve("kubectl").toString(),
                                "--kubeconfig=" + kubeconfig(),
                                "--cache-dir=" + keys.resolve("cache")));
        command.addAll(arguments);
        return command;
    }

    /** Runs kubectl to its end, which has to be a good one, and returns what it printed. */
    public String kubectl(String stdin, String... arguments) {
        Commands.Output output =
                new SystemCommands()
                        .run(START.plus(SHORT), kubectlCommand(Arrays.asList(arguments)), stdin);
        if (!output.ok()) {
            throw new Failure(
                    "kubectl " + String.join(" ", arguments) + " failed",
                    output.err().strip(),
                    "look: tandem lab status --name " + lab.name());
        }
        return output.out();
    }
}
