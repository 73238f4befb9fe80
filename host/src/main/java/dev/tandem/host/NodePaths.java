package dev.tandem.host;

import java.nio.file.Path;

/**
 * Where things lie on a node. The agent's socket is not among them: it is part of what the agent
 * promises to its clients ({@code dev.tandem.agentapi.client.AgentClient}).
 */
public final class NodePaths {
    /** What a person or {@code tandem cluster prepare} has put there. */
    public static final Path CONFIGURATION = Path.of("/etc/tandem");

    public static final Path PLAN = CONFIGURATION.resolve("cluster.yaml");
    public static final Path PKI = CONFIGURATION.resolve("pki");

    /** What the agent remembers across boots. */
    public static final Path STATE = Path.of("/var/lib/tandem");

    /** The durable state of the supervisor. */
    public static final Path AGENT_STATE = STATE.resolve("memory.json");

    /** There while the first etcd of a new pair may be created. */
    public static final Path INSTALLING = STATE.resolve("installing");

    /** What lasts until the next boot. */
    public static final Path RUN = Path.of("/run/tandem");

    /** Below it: where the agent listens for commands of root. */
    public static final String AGENT_SOCKET = "agent.sock";

    public static final Path REPLICAS = Path.of("/var/lib/etcd");
    public static final Path REPLICA = REPLICAS.resolve("current");
    public static final Path KEPT_REPLICAS = REPLICAS.resolve("kept");
    public static final Path ETCD_PROGRAM = Path.of("/usr/bin/etcd");

    public static final Path UNITS = Path.of("/etc/systemd/system");

    public static final Path KUBERNETES = Path.of("/etc/kubernetes");
    public static final Path KUBERNETES_PKI = KUBERNETES.resolve("pki");

    public static final Path COROSYNC_CONF = Path.of("/etc/corosync/corosync.conf");
    public static final Path PCSD_KNOWN_HOSTS = Path.of("/var/lib/pcsd/known-hosts");
    public static final Path CIB = Path.of("/var/lib/pacemaker/cib/cib.xml");

    /** Corosync and Pacemaker know a node by this name. */
    public static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    public static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /** The resource agent that moves an address; of the package resource-agents. */
    public static final Path ADDRESS_AGENT = Path.of("/usr/lib/ocf/resource.d/heartbeat/IPaddr2");

    private NodePaths() {}
}
