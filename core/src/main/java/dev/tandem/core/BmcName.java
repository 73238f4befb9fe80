package dev.tandem.core;

/**
 * What a BMC is called in files, messages and Pacemaker's configuration: like its node, and with
 * {@link #SECOND} after that where it is the second of the node. No name of a node has an
 * underscore in it, so an agent that knows of no second finds no node that is called so.
 */
public final class BmcName {
    public static final String SECOND = "_second";

    private BmcName() {}

    public static boolean isSecond(String bmc) {
        return bmc.endsWith(SECOND);
    }

    /** The node that it switches. */
    public static String nodeOf(String bmc) {
        return isSecond(bmc) ? bmc.substring(0, bmc.length() - SECOND.length()) : bmc;
    }

    /** What people call it. */
    public static String words(String bmc) {
        return "the %sBMC of %s".formatted(isSecond(bmc) ? "second " : "", nodeOf(bmc));
    }

    /** How it is named to {@code tandem fencing set}. */
    public static String arguments(String bmc) {
        return nodeOf(bmc) + (isSecond(bmc) ? " --second" : "");
    }
}
