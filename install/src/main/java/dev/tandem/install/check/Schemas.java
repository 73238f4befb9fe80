package dev.tandem.install.check;

import static dev.tandem.install.check.Schema.field;
import static dev.tandem.install.check.Schema.keys;
import static dev.tandem.install.check.Schema.listOf;
import static dev.tandem.install.check.Schema.oneOf;
import static dev.tandem.install.check.Schema.required;
import static dev.tandem.install.check.Schema.secret;
import static dev.tandem.install.check.Schema.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The files that an administrator writes. */
public final class Schemas {
    /** Platforms of the installer that Tandem does not install on, known so as to say so. */
    static final Set<String> OTHER_PLATFORMS =
            Set.of(
                    "aws",
                    "azure",
                    "gcp",
                    "ibmcloud",
                    "nutanix",
                    "openstack",
                    "ovirt",
                    "powervc",
                    "powervs",
                    "vsphere");

    public static final List<String> ARCHITECTURES = List.of("amd64", "arm64", "ppc64le", "s390x");
    public static final List<String> ROLES = List.of("master", "arbiter", "worker");

    private static final Schema ANYTHING = new Schema.Anything();
    private static final Schema ENABLED_DISABLED = oneOf("Enabled", "Disabled");

    private static final Schema.Keys CREDENTIAL =
            keys(
                    field(
                            "hostName",
                            text(),
                            "the node's name as the cluster will see it; this or macAddress"),
                    field("macAddress", text(), "the address of one of the node's network cards"),
                    required(
                            "address",
                            text(),
                            "the BMC, such as"
                                    + " redfish+https://192.0.2.10/redfish/v1/Systems/1"),
                    required("username", text(), "the BMC user that may switch the power"),
                    required("password", secret(), "the BMC user's password"),
                    field(
                            "certificateVerification",
                            ENABLED_DISABLED,
                            "whether the BMC's certificate is verified; Enabled when omitted"));

    private static final Schema FENCING =
            keys(
                    field(
                            "credentials",
                            listOf(CREDENTIAL),
                            "one entry for each of the two control-plane nodes"));

    private static final Schema.Keys POOL =
            keys(
                    field("name", text(), "the pool's name"),
                    field("replicas", new Schema.Whole(0), "how many machines"),
                    field("architecture", text(), "the machines' architecture"),
                    field("hyperthreading", ENABLED_DISABLED, "whether to use hyperthreading"),
                    field("platform", ANYTHING, "settings of the platform for this pool"),
                    field("fencing", FENCING, "how the nodes are switched off; control plane only"),
                    field("diskSetup", ANYTHING, "disks with a purpose of their own"),
                    field("management", text(), "who manages the machines"));

    private static final Schema HOST =
            keys(
                    required("name", text(), "the host's name"),
                    field("role", text(), "master, arbiter or worker"),
                    field(
                            "bmc",
                            keys(
                                    field("address", text(), "the host's BMC"),
                                    field("username", text(), "the BMC user"),
                                    field("password", secret(), "the BMC user's password"),
                                    field(
                                            "disableCertificateVerification",
                                            new Schema.Flag(),
                                            "do not verify the BMC's certificate")),
                            "how the host is switched on for provisioning"),
                    field("bootMACAddress", text(), "the network card the host boots from"),
                    field("hardwareProfile", text(), "a hardware profile's name"),
                    field("rootDeviceHints", ANYTHING, "which disk to install on"),
                    field("bootMode", text(), "UEFI, UEFISecureBoot or legacy"),
                    field("networkConfig", ANYTHING, "the host's network, in nmstate's format"));

    private static final Schema BAREMETAL =
            keys(
                    field("apiVIPs", listOf(text()), "addresses of the API, one per family"),
                    field("ingressVIPs", listOf(text()), "addresses of ingress, one per family"),
                    field("apiVIP", text(), "old spelling of apiVIPs"),
                    field("ingressVIP", text(), "old spelling of ingressVIPs"),
                    field("hosts", listOf(HOST), "the machines"),
                    field("additionalNTPServers", listOf(text()), "time servers"),
                    field("bootstrapExternalStaticDNS", text(), "name server while bootstrapping"),
                    field("bootstrapExternalStaticGateway", text(), "gateway while bootstrapping"),
                    field("bootstrapExternalStaticIP", text(), "address while bootstrapping"),
                    field("bootstrapOSImage", text(), "image of the bootstrap machine"),
                    field("bootstrapProvisioningIP", text(), "bootstrap provisioning address"),
                    field("clusterOSImage", text(), "image of the nodes"),
                    field("clusterProvisioningIP", text(), "address of the provisioning service"),
                    field("defaultMachinePlatform", ANYTHING, "settings of every pool"),
                    field("externalBridge", text(), "bridge of the bootstrap machine"),
                    field("externalMACAddress", text(), "card of the bootstrap machine"),
                    field("libvirtURI", text(), "where the bootstrap machine runs"),
                    field("loadBalancer", ANYTHING, "which load balancer serves the API"),
                    field("provisioningBridge", text(), "bridge of the provisioning network"),
                    field("provisioningDHCPExternal", new Schema.Flag(), "old; not used"),
                    field("provisioningDHCPRange", text(), "addresses for provisioning"),
                    field("provisioningHostIP", text(), "old spelling of clusterProvisioningIP"),
                    field("provisioningMACAddress", text(), "card for provisioning"),
                    field("provisioningNetwork", text(), "Managed, Unmanaged or Disabled"),
                    field("provisioningNetworkCIDR", text(), "the provisioning network"),
                    field("provisioningNetworkInterface", text(), "its card on the nodes"));

    private static final Schema NETWORKING =
            keys(
                    field("networkType", text(), "the network plugin"),
                    field(
                            "machineNetwork",
                            listOf(keys(required("cidr", text(), "a network"))),
                            "networks of the machines"),
                    field(
                            "clusterNetwork",
                            listOf(
                                    keys(
                                            required("cidr", text(), "a network"),
                                            field(
                                                    "hostPrefix",
                                                    new Schema.Whole(1),
                                                    "its size on a node"),
                                            field("hostSubnetLength", new Schema.Whole(1), "old"))),
                            "network of the pods"),
                    field("serviceNetwork", listOf(text()), "network of the services"),
                    field("machineCIDR", text(), "old spelling of machineNetwork"),
                    field("type", text(), "old spelling of networkType"),
                    field("serviceCIDR", text(), "old spelling of serviceNetwork"),
                    field("clusterNetworks", ANYTHING, "old spelling of clusterNetwork"),
                    field("clusterNetworkMTU", new Schema.Whole(0), "the pods' packet size"),
                    field("ovnKubernetesConfig", ANYTHING, "settings of the network plugin"));

    public static final Schema.Keys INSTALL_CONFIG =
            keys(
                    required("apiVersion", oneOf("v1"), "always v1"),
                    field("kind", text(), "not used"),
                    required("baseDomain", text(), "the domain below which the cluster is named"),
                    required(
                            "metadata",
                            keys(
                                    required("name", text(), "the cluster's name"),
                                    field("annotations", ANYTHING, "not used"),
                                    field("creationTimestamp", ANYTHING, "not used"),
                                    field("labels", ANYTHING, "not used"),
                                    field("namespace", text(), "not used")),
                            "what the cluster is called"),
                    required("controlPlane", POOL, "the control-plane nodes"),
                    field("arbiter", POOL, "the arbiter that completes the majority of a pair"),
                    field("arbiterNode", POOL, "older spelling of arbiter"),
                    field("compute", listOf(POOL), "the workers"),
                    required("platform", platform(), "what the machines are"),
                    field("networking", NETWORKING, "the networks"),
                    field("featureSet", text(), "which features are switched on"),
                    field("featureGates", listOf(text()), "name=true or name=false each"),
                    field("fips", new Schema.Flag(), "whether to use validated cryptography only"),
                    field("sshKey", text(), "who may log in to the nodes"),
                    field("pullSecret", secret(), "credentials of the image registries"),
                    field("additionalTrustBundle", text(), "further certificate authorities"),
                    field("additionalTrustBundlePolicy", text(), "when they are used"),
                    field("bootstrapInPlace", ANYTHING, "a single node that bootstraps itself"),
                    field(
                            "capabilities",
                            keys(
                                    field("baselineCapabilitySet", text(), "the set to begin with"),
                                    field(
                                            "additionalEnabledCapabilities",
                                            listOf(text()),
                                            "further capabilities")),
                            "which optional parts are installed"),
                    field(
                            "cpuPartitioningMode",
                            oneOf("None", "AllNodes"),
                            "workload partitioning"),
                    field("credentialsMode", text(), "how cloud credentials are handled"),
                    field("imageContentSources", ANYTHING, "old spelling of imageDigestSources"),
                    field("imageDigestSources", ANYTHING, "mirrors of image registries"),
                    field("operatorPublishingStrategy", ANYTHING, "how endpoints are published"),
                    field("osImageStream", text(), "which node image is used"),
                    field("proxy", ANYTHING, "HTTP and HTTPS proxy for outgoing connections"),
                    field("publish", text(), "whether endpoints are public"));

    public static final Schema.Keys AGENT_CONFIG =
            keys(
                    field("apiVersion", text(), "always v1beta1"),
                    field("kind", text(), "always AgentConfig"),
                    field("metadata", ANYTHING, "the cluster's name"),
                    field("rendezvousIP", text(), "the host that bootstraps the others"),
                    field("additionalNTPSources", listOf(text()), "time servers"),
                    field("bootArtifactsBaseURL", text(), "where boot files are served"),
                    field("minimalISO", new Schema.Flag(), "a small image"),
                    field(
                            "hosts",
                            listOf(
                                    keys(
                                            field("hostname", text(), "the host's name"),
                                            field("role", text(), "master, arbiter or worker"),
                                            field(
                                                    "interfaces",
                                                    listOf(
                                                            keys(
                                                                    field(
                                                                            "name",
                                                                            text(),
                                                                            "its name"),
                                                                    field(
                                                                            "macAddress",
                                                                            text(),
                                                                            "its address"))),
                                                    "network cards"),
                                            field("rootDeviceHints", ANYTHING, "the disk"),
                                            field("networkConfig", ANYTHING, "nmstate"),
                                            field("bmc", ANYTHING, "the BMC"))),
                            "the machines"));

    private Schemas() {}

    private static Schema platform() {
        List<Schema.Field> fields = new ArrayList<>();
        fields.add(field("none", keys(), "machines prepared by somebody else"));
        fields.add(field("baremetal", BAREMETAL, "machines with a BMC"));
        fields.add(
                field(
                        "external",
                        keys(
                                field("platformName", text(), "the provider's name"),
                                field("cloudControllerManager", text(), "External or empty")),
                        "machines of a provider unknown to the installer"));
        OTHER_PLATFORMS.stream()
                .sorted()
                .forEach(name -> fields.add(field(name, new Schema.Anything(), "not supported")));
        return new Schema.Keys(fields);
    }
}
