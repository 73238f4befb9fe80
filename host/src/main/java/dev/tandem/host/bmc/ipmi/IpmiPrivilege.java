package dev.tandem.host.bmc.ipmi;

/** The privilege levels of IPMI that matter here. */
enum IpmiPrivilege {
    USER(2),
    /** The least that may switch power. */
    OPERATOR(3);

    private final int level;

    IpmiPrivilege(int level) {
        this.level = level;
    }

    int level() {
        return level;
    }
}
