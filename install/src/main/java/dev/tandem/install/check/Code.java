package dev.tandem.install.check;

import dev.tandem.host.yaml.YamlFault;

/**
 * Everything that can be found in an install-config. A code never changes its meaning: pipelines
 * and runbooks refer to it.
 */
public enum Code {
    Y1(Severity.ERROR, "the file is larger than any install-config needs to be", ""),
    Y2(Severity.ERROR, "the file is not UTF-8 text, or holds forbidden characters", ""),
    Y3(Severity.ERROR, "the YAML cannot be understood", ""),
    Y4(Severity.ERROR, "a type tag precedes a value", ""),
    Y5(Severity.ERROR, "values are nested too deep", ""),
    Y6(Severity.ERROR, "too many values or aliases, or an alias of nothing", ""),
    Y7(Severity.ERROR, "a key appears twice in the same mapping", ""),
    Y8(Severity.ERROR, "a key is not plain text", ""),
    Y9(Severity.ERROR, "the file is not one mapping", ""),
    K1(Severity.WARNING, "a key is not known", ""),
    K2(Severity.ERROR, "a value has the wrong type", ""),
    K3(Severity.NOTE, "a key is spelled with other capitals than usual", ""),
    K4(Severity.ERROR, "a key appears twice with different capitals", ""),
    K5(Severity.ERROR, "a required key is missing", ""),
    K6(Severity.ERROR, "apiVersion is not v1", ""),
    K7(Severity.ERROR, "baseDomain or the cluster's name is not a valid DNS name", ""),
    K8(Severity.ERROR, "there is not exactly one platform", ""),
    K9(Severity.NOTE, "the arbiter pool is spelled arbiterNode", ""),
    K10(Severity.ERROR, "both arbiter and arbiterNode are given", ""),
    K11(Severity.ERROR, "a placeholder was not filled in", ""),
    F1(Severity.ERROR, "a fencing credential has no address", ""),
    F2(Severity.ERROR, "a fencing credential has no username", ""),
    F3(Severity.ERROR, "a fencing credential has no password", ""),
    F4(Severity.ERROR, "two fencing credentials lead to the same system", ""),
    F5(Severity.ERROR, "two fencing credentials have the same hostName", ""),
    F6(Severity.ERROR, "two fencing credentials have the same macAddress", ""),
    F7(Severity.ERROR, "a fencing credential names no node", ""),
    F8(Severity.ERROR, "macAddress is not the address of a network card", ""),
    F9(Severity.ERROR, "certificateVerification is neither Enabled nor Disabled", ""),
    F10(Severity.ERROR, "a BMC address is not a URL", ""),
    F11(Severity.ERROR, "a BMC address does not speak Redfish", ""),
    F12(Severity.ERROR, "a BMC address has no port and no scheme that implies one", ""),
    F13(Severity.ERROR, "fencing on a platform that has none", ""),
    F14(
            Severity.ERROR,
            "two control-plane nodes without exactly two fencing credentials",
            "G4, S-6, S-7"),
    F15(
            Severity.ERROR,
            "fencing credentials for another number of control-plane nodes than two",
            ""),
    F16(Severity.WARNING, "fencing credentials beside an arbiter are not used", ""),
    F17(Severity.ERROR, "fencing under compute", ""),
    F18(Severity.ERROR, "fencing while the feature gate DualReplica is off", "G3"),
    F19(Severity.ERROR, "featureGates without featureSet CustomNoUpgrade, or malformed", ""),
    A1(Severity.ERROR, "an arbiter on a platform that has none", "A9"),
    A2(Severity.ERROR, "the arbiter pool has another name than arbiter", ""),
    A3(Severity.ERROR, "the arbiter pool has no machines", ""),
    A4(Severity.ERROR, "an arbiter beside fewer than two control-plane nodes", ""),
    A5(Severity.ERROR, "a pool has an impossible setting", ""),
    A6(Severity.ERROR, "there is no control-plane node", ""),
    A7(Severity.ERROR, "the bare-metal hosts are missing", ""),
    A8(Severity.ERROR, "there are fewer bare-metal hosts than machines", ""),
    G1(
            Severity.ERROR,
            "the agent-based installer does not know this number of control-plane nodes",
            ""),
    G2(Severity.ERROR, "two control-plane nodes with more than one arbiter", ""),
    G5(Severity.ERROR, "a single node with an arbiter", ""),
    G6(Severity.ERROR, "a host has an unknown role", ""),
    G7(Severity.ERROR, "more hosts of a role than machines", "S-8"),
    G8(Severity.ERROR, "the rendezvous address belongs to a worker", ""),
    G9(Severity.ERROR, "no host can be the rendezvous host", ""),
    G10(Severity.ERROR, "the platform is not supported", ""),
    G11(Severity.ERROR, "a host has no bootMACAddress", ""),
    S1(Severity.ERROR, "the release is too old for the topology", ""),
    S2(
            Severity.ERROR,
            "assisted installation does not know this number of control-plane nodes",
            ""),
    S3(Severity.ERROR, "assisted installation has no arbiter on this platform", "S-11"),
    S4(Severity.ERROR, "assisted installation has no fencing on this platform", "S-11"),
    S17(Severity.WARNING, "hostName matches no host of the agent configuration", ""),
    T1(Severity.ERROR, "a BMC address does not name the computer system, or says too much", ""),
    T2(Severity.ERROR, "a BMC address carries a user name or password", ""),
    T3(Severity.ERROR, "fencing under arbiter", ""),
    T4(Severity.ERROR, "hostName is not a valid node name", ""),
    T5(Severity.ERROR, "a username or password holds a character that no fence agent can take", ""),
    T6(Severity.WARNING, "the BMC's certificate is not verified", ""),
    T7(Severity.WARNING, "the BMC is spoken to without encryption", ""),
    T8(Severity.WARNING, "a fenced pair with workers", ""),
    T9(Severity.NOTE, "hosts of a fenced pair are given up by the bare-metal operator", ""),
    T10(Severity.WARNING, "hostName matches no bare-metal host", ""),
    T11(Severity.WARNING, "a short hostName where nodes usually get long ones", ""),
    T12(Severity.NOTE, "a credential names its node twice", ""),
    T13(Severity.ERROR, "two bare-metal hosts share a name, a network card or a BMC", ""),
    T14(Severity.ERROR, "a bare-metal host's BMC address, name or card cannot be used", ""),
    T15(Severity.WARNING, "a node has one BMC for fencing and another for provisioning", ""),
    T16(Severity.WARNING, "a feature gate has another name today", ""),
    T17(Severity.ERROR, "an address without encryption whose certificate is to be verified", ""),
    N1(Severity.ERROR, "the bare-metal platform has no virtual address for the API or ingress", ""),
    N2(Severity.ERROR, "a virtual address is not a usable IP address", ""),
    N3(Severity.ERROR, "a virtual address is outside the machine network", ""),
    N4(Severity.ERROR, "API and ingress have the same virtual address", ""),
    N5(Severity.ERROR, "virtual addresses are too many or of one family", ""),
    N6(Severity.ERROR, "a network is not in CIDR notation", ""),
    N7(Severity.ERROR, "two networks overlap", ""),
    N8(Severity.NOTE, "a virtual address is given in the old way", "");

    private final Severity severity;
    private final String title;
    private final String covers;

    Code(Severity severity, String title, String covers) {
        this.severity = severity;
        this.title = title;
        this.covers = covers;
    }

    /** What is told of a file that could not be read at all. */
    public static Code of(YamlFault.Kind kind) {
        return switch (kind) {
            case TOO_LONG -> Y1;
            case NOT_TEXT -> Y2;
            case MALFORMED -> Y3;
            case TYPE_TAG -> Y4;
            case TOO_DEEP -> Y5;
            case TOO_MANY_VALUES, ALIAS_OF_NOTHING -> Y6;
            case DUPLICATE_KEY -> Y7;
            case KEY_NOT_TEXT -> Y8;
            case NOT_ONE_MAPPING -> Y9;
        };
    }

    public Severity severity() {
        return severity;
    }

    public String title() {
        return title;
    }

    /** Rules of other installers that this one stands for too; a fault is told once. */
    public String covers() {
        return covers;
    }
}
