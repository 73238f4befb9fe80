package dev.tandem.agentapi;

/**
 * The paths of the agent's local API. The shims and programs in shell name them too; a test holds
 * the two together.
 */
public final class AgentRoutes {
    /** Whether the agent listens at all. */
    public static final String ROOT = "/";

    public static final String STATUS = "/status";
    public static final String JOURNAL = "/journal";
    public static final String CONFIRM_PEER_OFF = "/confirm-peer-off";
    public static final String KEEP_HISTORY = "/keep-history";

    /** A person changes how a BMC is reached or logged in to. */
    public static final String CHANGE_FENCING = "/change-fencing";

    /** Answered once Corosync may start. */
    public static final String AWAIT_STABLE_LINK = "/await-stable-link";

    /** Pacemaker's alert: a reason to look now. */
    public static final String ALERT = "/alert";

    /**
     * Whether the second fencing level may be used. The body is the name of a node, with {@code
     * _second} after it for IPMI beside Redfish.
     */
    public static final String SECOND_LEVEL = "/second-level";

    /** Whether it may log in to a BMC to see whether it would work. */
    public static final String SECOND_LEVEL_LOOK = "/second-level/look";

    /** Followed by the action of the resource agent. */
    public static final String OCF_ETCD = "/ocf/etcd/";

    /** Followed by the action of the fence agent. */
    public static final String FENCE = "/fence/";

    private AgentRoutes() {}
}
