package dev.tandem.host;

import java.nio.file.Path;

/**
 * Where things lie on a node. The agent's socket is not among them: it is part of what the agent
 * promises to its clients ({@code dev.tandem.agentapi.AgentClient}).
 */
public final class NodePaths {
    /** What a person or {@code tandem cluster prepare} has put there. */
    public static final Path CONFIGURATION = Path.of("/etc/tandem");

    public static final Path PLAN = CONFIGURATION.resolve("cluster.yaml");
    public static final Path PKI = CONFIGURATION.resolve("pki");

    /** What the agent remembers across boots. */
    public static final Path STATE = Path.of("/var/lib/tandem");

    /** There while the first etcd of a new pair may be created. */
    public static final Path INSTALLING = STATE.resolve("installing");

    /** What lasts until the next boot. */
    public static final Path RUN = Path.of("/run/tandem");

    public static final Path REPLICAS = Path.of("/var/lib/etcd");
    public static final Path ETCD_PROGRAM = Path.of("/usr/bin/etcd");

    public static final Path UNITS = Path.of("/etc/systemd/system");

    public static final Path KUBERNETES = Path.of("/etc/kubernetes");
    public static final Path KUBERNETES_PKI = KUBERNETES.resolve("pki");

    public static final Path COROSYNC_CONF = Path.of("/etc/corosync/corosync.conf");
    public static final Path PCSD_KNOWN_HOSTS = Path.of("/var/lib/pcsd/known-hosts");
    public static final Path CIB = Path.of("/var/lib/pacemaker/cib/cib.xml");

    private NodePaths() {}
}
