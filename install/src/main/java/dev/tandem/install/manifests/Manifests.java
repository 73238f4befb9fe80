package dev.tandem.install.manifests;

import static dev.tandem.install.manifests.ManifestObjects.map;
import static dev.tandem.install.manifests.ManifestObjects.named;
import static dev.tandem.install.manifests.ManifestObjects.namespace;
import static dev.tandem.install.manifests.ManifestObjects.object;
import static dev.tandem.install.manifests.ManifestObjects.opaqueSecret;
import static dev.tandem.install.manifests.ManifestObjects.rule;

import dev.tandem.api.ShippedManifests;
import dev.tandem.core.IpAddress;
import dev.tandem.core.topology.Implications;
import dev.tandem.core.topology.Shape;
import dev.tandem.install.config.FencingCredential;
import dev.tandem.install.config.InstallConfig;
import dev.tandem.install.config.InstallConfig.Host;
import dev.tandem.install.config.InstallMethod;
import dev.tandem.install.config.Release;
import dev.tandem.install.rules.GeneralRules;
import dev.tandem.install.rules.MachineRules;
import dev.tandem.install.yaml.Place;
import dev.tandem.install.yaml.Value;
import dev.tandem.install.yaml.YamlNode;
import dev.tandem.install.yaml.YamlView;
import dev.tandem.install.yaml.YamlWriter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Turns a valid install-config into everything that the cluster is told at birth. The same file
 * gives the same bytes on every machine: nothing here asks a clock, a random number or the network.
 */
public final class Manifests {
    private static final String ETCD = "openshift-etcd";
    private static final String MACHINE_API = "openshift-machine-api";
    private static final String TANDEM = "tandem-system";
    private static final String RBAC = "rbac.authorization.k8s.io";
    private static final String MACHINE_PREFIX = "openshift/99_openshift-cluster-api_";
    private static final String MACHINE_CONFIG_PREFIX = "openshift/99_openshift-machineconfig_";

    private final InstallConfig config;
    private final InstallMethod method;
    private final Optional<Release> release;
    private final Optional<String> rootCa;
    private final Shape shape;
    private final String platform;
    private final String infraId;
    private final List<Manifest> files = new ArrayList<>();

    private Manifests(
            InstallConfig config,
            InstallMethod method,
            Optional<Release> release,
            Optional<String> rootCa) {
        this.config = config;
        this.method = method;
        this.release = release;
        this.rootCa = rootCa;
        this.shape = config.shape();
        this.platform = config.platform().kind();
        this.infraId = infraId(config);
    }

    /**
     * All files of a config that passed its check, ordered by name.
     *
     * @param rootCa the authority behind the machine config server's certificate, in PEM; without
     *     it no user data is written, because a machine could not verify its configuration
     */
    public static List<Manifest> of(
            InstallConfig config,
            InstallMethod method,
            Optional<Release> release,
            Optional<String> rootCa) {
        Manifests manifests = new Manifests(config, method, release, rootCa);
        manifests.cluster();
        manifests.namespaces();
        manifests.identities();
        manifests.pools();
        manifests.nodeContent();
        if (manifests.shape.isFencedPair()) {
            manifests.definitions();
            manifests.fencingSecrets();
        }
        manifests.userData();
        manifests.bareMetal();
        manifests.files.addAll(
                AdmissionPolicies.of(manifests.shape, manifests.hostsAwaitProvisioning()));
        if (method == InstallMethod.AGENT) {
            manifests.agentFiles();
        }
        return manifests.files.stream().sorted(Comparator.comparing(Manifest::path)).toList();
    }

    /**
     * The prefix of everything that belongs to the cluster. The installer draws it by lot; here it
     * follows from the name, so that the output can be compared.
     */
    static String infraId(InstallConfig config) {
        String name = config.name().value().replaceAll("[^a-z0-9-]", "-");
        String head = name.substring(0, Math.min(name.length(), 21)).replaceAll("-+$", "");
        String letters = "bcdfghjklmnpqrstvwxz2456789";
        StringBuilder tail = new StringBuilder();
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(config.clusterDomain().getBytes(StandardCharsets.UTF_8));
            for (int i = 0; i < 5; i++) {
                tail.append(letters.charAt((digest[i] & 0xff) % letters.length()));
            }
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
        return head + "-" + tail;
    }

    private void add(String path, Map<String, Object> object) {
        files.add(Manifest.of(path, object));
    }

    private void cluster() {
        add(
                "manifests/cluster-config.yaml",
                object(
                        "v1",
                        "ConfigMap",
                        named("kube-system", "cluster-config-v1"),
                        "data",
                        map("install-config", YamlWriter.write(PublicConfig.of(config)))));
        add("manifests/cluster-infrastructure-02-config.yml", infrastructure());
        add(
                "manifests/cluster-scheduler-02-config.yml",
                object(
                        "config.openshift.io/v1",
                        "Scheduler",
                        named("cluster"),
                        "spec",
                        map(
                                "mastersSchedulable",
                                Implications.of(shape).mastersSchedulable(),
                                "policy",
                                named(""))));
        add("openshift/99_feature-gate.yaml", featureGate());
    }

    private Map<String, Object> infrastructure() {
        String domain = config.clusterDomain();
        String type =
                switch (platform) {
                    case "baremetal" -> "BareMetal";
                    case "external" -> "External";
                    default -> "None";
                };
        Map<String, Object> platformSpec = map("type", type);
        Map<String, Object> platformStatus = map("type", type);
        if (platform.equals("baremetal")) {
            List<String> api = canonical(config.platform().baremetal().apiVips());
            List<String> ingress = canonical(config.platform().baremetal().ingressVips());
            List<String> machine =
                    config.networking().machine().stream().map(Value::value).toList();
            platformSpec.put(
                    "baremetal",
                    map(
                            "apiServerInternalIPs",
                            api,
                            "ingressIPs",
                            ingress,
                            "machineNetworks",
                            machine));
            platformStatus.put(
                    "baremetal",
                    map(
                            "apiServerInternalIP",
                            api.getFirst(),
                            "apiServerInternalIPs",
                            api,
                            "ingressIP",
                            ingress.getFirst(),
                            "ingressIPs",
                            ingress,
                            "machineNetworks",
                            machine));
        } else if (platform.equals("external")) {
            platformSpec.put(
                    "external", map("platformName", externalSetting("platformName", "Unknown")));
            platformStatus.put(
                    "external",
                    map(
                            "cloudControllerManager",
                            map("state", externalSetting("cloudControllerManager", ""))));
        }
        return object(
                "config.openshift.io/v1",
                "Infrastructure",
                named("cluster"),
                "spec",
                map("cloudConfig", named(""), "platformSpec", platformSpec),
                "status",
                map(
                        "apiServerInternalURI",
                        "https://api-int." + domain + ":6443",
                        "apiServerURL",
                        "https://api." + domain + ":6443",
                        "controlPlaneTopology",
                        shape.controlPlaneTopology().apiValue(),
                        "cpuPartitioning",
                        config.extras().cpuPartitioningMode().value(),
                        "etcdDiscoveryDomain",
                        "",
                        "infrastructureName",
                        infraId,
                        "infrastructureTopology",
                        shape.infrastructureTopology().apiValue(),
                        "platform",
                        type,
                        "platformStatus",
                        platformStatus));
    }

    private String externalSetting(String key, String absent) {
        return YamlView.of(config.extras().file(), Place.FILE)
                .at("platform")
                .at("external")
                .at(key)
                .text(absent)
                .value();
    }

    private static List<String> canonical(List<Value<String>> addresses) {
        return addresses.stream()
                .flatMap(text -> IpAddress.parse(text.value()).stream())
                .map(Object::toString)
                .toList();
    }

    private Map<String, Object> featureGate() {
        InstallConfig.Features features = config.features();
        Map<String, Object> spec = new LinkedHashMap<>();
        String set =
                features.featureSet().value().isEmpty()
                        ? impliedFeatureSet()
                        : features.featureSet().value();
        if (!set.isEmpty()) {
            spec.put("featureSet", set);
        }
        Map<String, Boolean> switched = GeneralRules.switchedGates(features);
        if (!switched.isEmpty()) {
            Map<String, Object> custom = new LinkedHashMap<>();
            custom.put("enabled", gates(switched, true));
            custom.put("disabled", gates(switched, false));
            spec.put("customNoUpgrade", custom);
        }
        return object("config.openshift.io/v1", "FeatureGate", named("cluster"), "spec", spec);
    }

    private static List<String> gates(Map<String, Boolean> switched, boolean wanted) {
        return switched.entrySet().stream()
                .filter(entry -> entry.getValue() == wanted)
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    /**
     * The assisted service asks for previews on its own where a release has the topology as one.
     */
    private String impliedFeatureSet() {
        boolean preview =
                method == InstallMethod.ASSISTED
                        && release.isPresent()
                        && ((shape.isFencedPair()
                                        && release.get().before(Release.FENCING_BY_DEFAULT))
                                || (shape.hasArbiter() && release.get().before(Release.FENCING)));
        return preview ? "TechPreviewNoUpgrade" : "";
    }

    private void namespaces() {
        Map<String, Object> delayed = new LinkedHashMap<>();
        if (method.delaysBootstrap()) {
            delayed.put("openshift.io/delayed-bootstrap", "");
        }
        Map<String, Object> etcd = namespace(ETCD, delayed);
        add("manifests/00_namespace-" + ETCD + ".yaml", etcd);
        add("manifests/00_namespace-" + TANDEM + ".yaml", namespace(TANDEM, Map.of()));
        if (hasMachineObjects()) {
            add(
                    "manifests/00_namespace-" + MACHINE_API + ".yaml",
                    namespace(MACHINE_API, Map.of()));
        }
    }

    /**
     * One identity per duty, so that none can do what another is for: only fencing reads the BMC
     * passwords, and of all Secrets only those; only node care changes nodes; only status writes
     * the cluster's health.
     */
    private void identities() {
        List<String> read = List.of("get", "list", "watch");
        identity(
                "tandem-operator",
                List.of(
                        rule(List.of(""), List.of("nodes"), "get", "list", "watch"),
                        rule(
                                List.of("config.openshift.io"),
                                List.of("infrastructures", "clusterversions", "featuregates"),
                                read.toArray(String[]::new)),
                        rule(
                                List.of("config.openshift.io"),
                                List.of("clusteroperators"),
                                "get",
                                "list",
                                "watch",
                                "create"),
                        rule(
                                List.of("config.openshift.io"),
                                List.of("clusteroperators/status"),
                                "get",
                                "update",
                                "patch"),
                        rule(
                                List.of("operator.openshift.io"),
                                List.of("etcds"),
                                "get",
                                "list",
                                "watch"),
                        rule(
                                List.of("operator.openshift.io"),
                                List.of("etcds/status"),
                                "get",
                                "update",
                                "patch"),
                        rule(
                                List.of("machineconfiguration.openshift.io"),
                                List.of("machineconfigpools"),
                                "get",
                                "list",
                                "watch"),
                        rule(
                                List.of("metal3.io"),
                                List.of("baremetalhosts"),
                                "get",
                                "list",
                                "watch",
                                "patch")));
        namespacedRole(
                "tandem-operator",
                TANDEM,
                List.of(
                        rule(
                                List.of("coordination.k8s.io"),
                                List.of("leases"),
                                "get",
                                "list",
                                "watch",
                                "create",
                                "update",
                                "patch"),
                        rule(List.of(""), List.of("events"), "create", "patch")));
        if (!shape.isFencedPair()) {
            return;
        }
        identity(
                "tandem-status",
                List.of(
                        rule(
                                List.of("etcd.openshift.io"),
                                List.of("pacemakerclusters"),
                                "get",
                                "list",
                                "watch",
                                "create"),
                        rule(
                                List.of("etcd.openshift.io"),
                                List.of("pacemakerclusters/status"),
                                "get",
                                "update",
                                "patch")));
        namespacedRole(
                "tandem-status",
                ETCD,
                List.of(rule(List.of(""), List.of("events"), "get", "create", "patch")));
        identity(
                "tandem-nodes",
                List.of(
                        rule(List.of(""), List.of("nodes"), "get", "list", "watch", "patch"),
                        rule(
                                List.of("storage.k8s.io"),
                                List.of("volumeattachments"),
                                "get",
                                "list",
                                "watch")));
        identity(
                "tandem-fencing",
                List.of(rule(List.of(""), List.of("nodes"), "get", "list", "watch")));
        Map<String, Object> ownSecrets = rule(List.of(""), List.of("secrets"), "get", "watch");
        ownSecrets.put(
                "resourceNames",
                FencingCredential.of(config).stream().map(FencingCredential::secretName).toList());
        namespacedRole("tandem-fencing", ETCD, List.of(ownSecrets));
    }

    private void identity(String name, List<Map<String, Object>> rules) {
        add(
                "manifests/01_serviceaccount-" + name + ".yaml",
                object("v1", "ServiceAccount", named(TANDEM, name)));
        add(
                "manifests/02_clusterrole-" + name + ".yaml",
                object(RBAC + "/v1", "ClusterRole", named(name), "rules", rules));
        add(
                "manifests/03_clusterrolebinding-" + name + ".yaml",
                object(
                        RBAC + "/v1",
                        "ClusterRoleBinding",
                        named(name),
                        "roleRef",
                        map("apiGroup", RBAC, "kind", "ClusterRole", "name", name),
                        "subjects",
                        List.of(account(name))));
    }

    private void namespacedRole(String name, String namespace, List<Map<String, Object>> rules) {
        add(
                "manifests/02_role-" + namespace + "-" + name + ".yaml",
                object(RBAC + "/v1", "Role", named(namespace, name), "rules", rules));
        add(
                "manifests/03_rolebinding-" + namespace + "-" + name + ".yaml",
                object(
                        RBAC + "/v1",
                        "RoleBinding",
                        named(namespace, name),
                        "roleRef",
                        map("apiGroup", RBAC, "kind", "Role", "name", name),
                        "subjects",
                        List.of(account(name))));
    }

    private static Map<String, Object> account(String name) {
        return map("kind", "ServiceAccount", "name", name, "namespace", TANDEM);
    }

    private void pools() {
        pool("master");
        if (shape.hasArbiter()) {
            pool("arbiter");
        }
    }

    /** One machine at a time: with one of a pair away there is none to spare. */
    private void pool(String role) {
        String built = "machineconfiguration.openshift.io/";
        Map<String, Object> metadata =
                map(
                        "name",
                        role,
                        "labels",
                        map(
                                built + "mco-built-in",
                                "",
                                "operator." + built + "required-for-upgrade",
                                "",
                                "pools.operator." + built + role,
                                ""));
        add(
                MACHINE_CONFIG_PREFIX + role + "-pool.yaml",
                object(
                        built + "v1",
                        "MachineConfigPool",
                        metadata,
                        "spec",
                        map(
                                "machineConfigSelector",
                                map("matchLabels", map(built + "role", role)),
                                "maxUnavailable",
                                Implications.of(shape).poolMaxUnavailable(),
                                "nodeSelector",
                                map("matchLabels", map("node-role.kubernetes.io/" + role, "")),
                                "paused",
                                false)));
    }

    private void nodeContent() {
        if (shape.isFencedPair()) {
            machineConfig("master", "99-master-two-node", NodeContent.fencedNode());
        }
        if (shape.hasArbiter()) {
            machineConfig("arbiter", "99-arbiter-role", NodeContent.arbiterNode(platform));
        }
        List<String> roles = new ArrayList<>(List.of("master"));
        if (shape.hasArbiter()) {
            roles.add("arbiter");
        }
        if (shape.workers() > 0) {
            roles.add("worker");
        }
        for (String role : roles) {
            if (!config.extras().sshKey().value().isBlank()) {
                machineConfig(
                        role,
                        "99-" + role + "-ssh",
                        NodeContent.sshKey(config.extras().sshKey().value()));
            }
            if (config.extras().fips().value()) {
                machineConfig(role, "99-" + role + "-fips", NodeContent.fips());
            }
            if (hyperthreadingDisabled(role)) {
                machineConfig(
                        role,
                        "99-" + role + "-disable-hyperthreading",
                        NodeContent.kernelArguments("nosmt", "smt-enabled=off"));
            }
            if (platform.equals("baremetal") && config.isDualStack()) {
                machineConfig(
                        role,
                        "99-dual-stack-" + role,
                        NodeContent.kernelArguments("ip=dhcp,dhcp6"));
            }
        }
    }

    private boolean hyperthreadingDisabled(String role) {
        List<InstallConfig.Pool> pools =
                switch (role) {
                    case "master" -> List.of(config.controlPlane());
                    case "arbiter" -> List.of(config.arbiter());
                    default -> config.compute();
                };
        return pools.stream().anyMatch(pool -> pool.hyperthreading().value().equals("Disabled"));
    }

    private void machineConfig(String role, String name, Map<String, Object> spec) {
        add(MACHINE_CONFIG_PREFIX + name + ".yaml", NodeContent.machineConfig(role, name, spec));
    }

    /**
     * Our own kinds. A policy whose parameter is of a kind that nobody has defined refuses
     * everything it guards, so they are there from the first moment.
     */
    private void definitions() {
        for (ShippedManifests.Manifest definition : ShippedManifests.own()) {
            files.add(
                    new Manifest(
                            "manifests/00_customresourcedefinition-" + definition.name() + ".yaml",
                            definition.yaml(),
                            false));
        }
    }

    private void fencingSecrets() {
        int index = 0;
        for (FencingCredential credential : FencingCredential.of(config)) {
            Map<String, Object> metadata = named(ETCD, credential.secretName());
            metadata.put(
                    "annotations",
                    map("openshift.io/fencing-credentials", credential.identifierKind()));
            Map<String, String> values = new LinkedHashMap<>();
            values.put("address", credential.address().toString());
            values.put("username", credential.username());
            values.put("password", credential.password().reveal());
            values.put(
                    "certificateVerification",
                    credential.verifyCertificate() ? "Enabled" : "Disabled");
            files.add(
                    Manifest.secret(
                            "openshift/99_openshift-etcd_fencing-credentials-secrets-%d.yaml"
                                    .formatted(index++),
                            opaqueSecret(metadata, values)));
        }
    }

    private void userData() {
        if (rootCa.isEmpty()) {
            return;
        }
        userData(
                "master",
                platform.equals("baremetal") ? "master-user-data-managed" : "master-user-data");
        if (shape.hasArbiter()) {
            userData("arbiter", "arbiter-user-data-managed");
            files.add(new Manifest("arbiter.ign", pointer("arbiter") + "\n", false));
        }
    }

    private String pointer(String role) {
        String host = "api-int." + config.clusterDomain();
        if (platform.equals("baremetal")) {
            String vip = canonical(config.platform().baremetal().apiVips()).getFirst();
            host = vip.contains(":") ? "[" + vip + "]" : vip;
        }
        return NodeContent.pointerIgnition(
                "https://%s:22623/config/%s".formatted(host, role), rootCa.orElseThrow());
    }

    private void userData(String role, String name) {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("disableTemplating", "true");
        values.put("userData", pointer(role));
        add(
                MACHINE_PREFIX + role + "-user-data-secret.yaml",
                opaqueSecret(named(MACHINE_API, name), values));
    }

    private boolean machineApi() {
        boolean baseline =
                !config.extras().baselineCapabilitySet().value().equals("None")
                        || config.extras().additionalCapabilities().stream()
                                .anyMatch(capability -> capability.value().equals("MachineAPI"));
        return platform.equals("baremetal") && baseline;
    }

    private boolean hasMachineObjects() {
        return rootCa.isPresent()
                || (platform.equals("baremetal")
                        && !config.platform().baremetal().hosts().isEmpty());
    }

    /** The bare-metal operator installs the machines, so it has to hold them until then. */
    private boolean hostsAwaitProvisioning() {
        return platform.equals("baremetal") && !method.delaysBootstrap();
    }

    private void bareMetal() {
        if (!platform.equals("baremetal")) {
            return;
        }
        List<Host> hosts = config.platform().baremetal().hosts();
        List<String> roles =
                MachineRules.roles(shape, hosts.stream().map(host -> host.role().value()).toList());
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (int i = 0; i < hosts.size(); i++) {
            String role = roles.get(i);
            int index = counts.merge(role, 1, Integer::sum) - 1;
            host(hosts.get(i), role, index);
        }
    }

    private void host(Host host, String role, int index) {
        boolean arbiter = role.equals("arbiter");
        boolean worker = role.equals("worker");
        String prefix = MACHINE_PREFIX + (arbiter ? "arbiter_" : worker ? "worker_" : "");
        String name = host.name().value();
        String machine = infraId + "-" + role + "-" + index;
        if (!host.bmcAddress().value().isEmpty()) {
            Map<String, String> login = new LinkedHashMap<>();
            login.put("username", host.bmcUsername().value());
            login.put("password", host.bmcPassword().value().reveal());
            files.add(
                    Manifest.secret(
                            prefix + "host-bmc-secrets-%d.yaml".formatted(index),
                            opaqueSecret(named(MACHINE_API, name + "-bmc-secret"), login)));
        }
        if (host.networkConfig().given()) {
            files.add(
                    Manifest.secret(
                            prefix + "host-network-config-secrets-%d.yaml".formatted(index),
                            opaqueSecret(
                                    named(MACHINE_API, name + "-network-config-secret"),
                                    Map.of("nmstate", yaml(host.networkConfig())))));
        }
        add(prefix + "hosts-%d.yaml".formatted(index), bareMetalHost(host, role, machine));
        if (!worker && machineApi()) {
            add(
                    MACHINE_PREFIX + role + "-machines-%d.yaml".formatted(index),
                    machine(machine, role));
        }
    }

    private static String yaml(YamlView view) {
        return view.located().map(YamlNode::data).orElse(Map.of()) instanceof Map<?, ?> data
                ? YamlWriter.write(texts(data))
                : "";
    }

    private static Map<String, Object> texts(Map<?, ?> data) {
        Map<String, Object> texts = new LinkedHashMap<>();
        data.forEach((key, value) -> texts.put(String.valueOf(key), value));
        return texts;
    }

    private Map<String, Object> bareMetalHost(Host host, String role, String machine) {
        String name = host.name().value();
        boolean worker = role.equals("worker");
        boolean installedByAgent = !hostsAwaitProvisioning();
        Map<String, Object> metadata = named(MACHINE_API, name);
        if (!worker) {
            metadata.put("labels", map("installer.openshift.io/role", "control-plane"));
        }
        // The bare-metal operator obeys this as soon as the host is merely available, so a host
        // that it still has to provision must not bear it yet: there it is put on afterwards.
        if (!worker && shape.isFencedPair() && installedByAgent) {
            metadata.put("annotations", map("baremetalhost.metal3.io/detached", ""));
        }
        Map<String, Object> spec = map("online", true);
        if (installedByAgent) {
            spec.put("externallyProvisioned", true);
        }
        if (!host.bmcAddress().value().isEmpty()) {
            spec.put(
                    "bmc",
                    map(
                            "address",
                            host.bmcAddress().value(),
                            "credentialsName",
                            name + "-bmc-secret",
                            "disableCertificateVerification",
                            host.disableCertificateVerification().value()));
        }
        if (!host.bootMacAddress().value().isEmpty()) {
            spec.put("bootMACAddress", host.bootMacAddress().value());
        }
        if (!host.bootMode().value().isEmpty()) {
            spec.put("bootMode", host.bootMode().value());
        }
        host.rootDeviceHints()
                .located()
                .ifPresent(hints -> spec.put("rootDeviceHints", hints.data()));
        if (host.networkConfig().given()) {
            spec.put("preprovisioningNetworkDataName", name + "-network-config-secret");
        }
        spec.put("customDeploy", map("method", "install_coreos"));
        if (!worker && machineApi()) {
            spec.put(
                    "consumerRef",
                    map(
                            "apiVersion",
                            "machine.openshift.io/v1beta1",
                            "kind",
                            "Machine",
                            "name",
                            machine,
                            "namespace",
                            MACHINE_API));
        }
        spec.put("userData", map("name", role + "-user-data-managed", "namespace", MACHINE_API));
        return object("metal3.io/v1alpha1", "BareMetalHost", metadata, "spec", spec);
    }

    private Map<String, Object> machine(String name, String role) {
        Map<String, Object> metadata = named(MACHINE_API, name);
        metadata.put(
                "labels",
                map(
                        "machine.openshift.io/cluster-api-cluster",
                        infraId,
                        "machine.openshift.io/cluster-api-machine-role",
                        role,
                        "machine.openshift.io/cluster-api-machine-type",
                        role));
        return object(
                "machine.openshift.io/v1beta1",
                "Machine",
                metadata,
                "spec",
                map(
                        "providerSpec",
                        map(
                                "value",
                                map(
                                        "apiVersion",
                                        "baremetal.cluster.k8s.io/v1alpha1",
                                        "kind",
                                        "BareMetalMachineProviderSpec",
                                        "customDeploy",
                                        map("method", "install_coreos"),
                                        "hostSelector",
                                        Map.of(),
                                        "image",
                                        map("checksum", "", "url", ""),
                                        "userData",
                                        named(role + "-user-data-managed")))));
    }

    /** What goes onto the image from which the machines boot. */
    private void agentFiles() {
        List<Object> byName = new ArrayList<>();
        int index = 0;
        if (shape.isFencedPair()) {
            for (FencingCredential credential : FencingCredential.of(config)) {
                if (credential.hostName().isPresent()) {
                    byName.add(agentCredential(credential));
                } else {
                    String directory = "agent/hostconfig/host-" + index++ + "/";
                    files.add(
                            new Manifest(
                                    directory + "mac_addresses",
                                    credential.macAddress().orElseThrow() + "\n",
                                    false));
                    files.add(
                            Manifest.secret(
                                    directory + "fencing-credentials.yaml",
                                    map("credentials", List.of(agentCredential(credential)))));
                }
            }
        }
        if (!byName.isEmpty()) {
            files.add(
                    Manifest.secret(
                            "agent/hostconfig/fencing-credentials.yaml",
                            map("credentials", byName)));
        }
        Map<String, Object> spec =
                map(
                        "provisionRequirements",
                        map(
                                "arbiterAgents",
                                shape.arbiters(),
                                "controlPlaneAgents",
                                shape.controlPlanes(),
                                "workerAgents",
                                shape.workers()));
        if (platform.equals("baremetal")) {
            spec.put("apiVIPs", canonical(config.platform().baremetal().apiVips()));
            spec.put("ingressVIPs", canonical(config.platform().baremetal().ingressVips()));
        }
        add(
                "agent/agent-cluster-install.yaml",
                object(
                        "extensions.hive.openshift.io/v1beta1",
                        "AgentClusterInstall",
                        named(config.name().value(), config.name().value()),
                        "spec",
                        spec));
    }

    private static Map<String, Object> agentCredential(FencingCredential credential) {
        Map<String, Object> entry = new LinkedHashMap<>();
        credential.hostName().ifPresent(name -> entry.put("hostname", name));
        credential.macAddress().ifPresent(mac -> entry.put("macaddress", mac.toString()));
        entry.put("address", credential.address().toString());
        entry.put("username", credential.username());
        entry.put("password", credential.password().reveal());
        entry.put(
                "certificateVerification", credential.verifyCertificate() ? "Enabled" : "Disabled");
        return entry;
    }
}
