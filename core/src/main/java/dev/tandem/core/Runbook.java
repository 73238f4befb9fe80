package dev.tandem.core;

/** The pages that say what a person does; they lie in docs/runbooks and in the package. */
public enum Runbook {
    AGENT_SILENT("agent-silent.md"),
    API_NOT_RECOVERED("api-not-recovered.md"),
    BMC_CANNOT_FENCE("bmc-cannot-fence.md"),
    CERTIFICATE_ENDS("certificate-ends.md"),
    CLUSTER_SILENT("cluster-silent.md"),
    CONTRADICTED_STATEMENT("contradicted-statement.md"),
    DATABASE_FULL("database-full.md"),
    DATABASES_DIFFER("databases-differ.md"),
    DEPARTURE_UNANSWERED("departure-unanswered.md"),
    DISK_NEARLY_FULL("disk-nearly-full.md"),
    ETCD_CANNOT_BE_ENDED("etcd-cannot-be-ended.md"),
    FENCE_DEVICE_FAILED("fence-device-failed.md"),
    FENCING_LEVELS("fencing-levels.md"),
    FENCING_NETWORK("fencing-network.md"),
    FORKED_HISTORIES("forked-histories.md"),
    INSTALLATION_CLOSED("installation-closed.md"),
    LINK_DOWN("link-down.md"),
    LOG_LACKS_ENTRIES("log-lacks-entries.md"),
    NO_TWO_NODE("no-two-node.md"),
    PACEMAKER_SETTINGS("pacemaker-settings.md"),
    PASSWORD_SOURCE("password-source.md"),
    PEER_DOES_NOT_SERVE("peer-does-not-serve.md"),
    PEER_DOES_NOT_STAND_DOWN("peer-does-not-stand-down.md"),
    PEER_MAY_BE_NEWER("peer-may-be-newer.md"),
    PEER_NOT_BACK("peer-not-back.md"),
    PEER_NOT_CONFIRMED_OFF("peer-not-confirmed-off.md"),
    PLANS_DIFFER("plans-differ.md"),
    RESTORE_A_REPLICA("restore-a-replica.md"),
    REVISION_DOES_NOT_JUMP("revision-does-not-jump.md"),
    SYSTEMD_SILENT("systemd-silent.md");

    /** Where the package puts them. */
    static final String DIRECTORY = "/usr/share/doc/tandem/runbooks";

    private final String file;

    Runbook(String file) {
        this.file = file;
    }

    public String file() {
        return file;
    }

    /** Where it lies on a node. */
    public String path() {
        return DIRECTORY + "/" + file;
    }
}
