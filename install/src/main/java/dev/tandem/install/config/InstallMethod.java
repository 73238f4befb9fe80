package dev.tandem.install.config;

import java.util.Locale;

/** Who carries the installation out; each has rules of its own. */
public enum InstallMethod {
    /** The installer provisions the machines, from a bootstrap machine of its own. */
    INSTALLER,
    /** The machines boot an image and one of them bootstraps the others. */
    AGENT,
    /** As AGENT, driven by the assisted service. */
    ASSISTED;

    /** Whether one of the nodes is the bootstrap machine first. */
    public boolean delaysBootstrap() {
        return this != INSTALLER;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
