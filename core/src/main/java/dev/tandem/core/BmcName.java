package dev.tandem.core;

import java.util.regex.Pattern;

/**
 * What a BMC is called in files, messages and Pacemaker's configuration: like its node, and with
 * {@link #SECOND} after that where it is the second of the node. A further fencing level, which has
 * no BMC, is called like its node with its number after {@link #FURTHER}. No name of a node has an
 * underscore in it, so an agent that knows of no second finds no node that is called so.
 */
public final class BmcName {
    public static final String SECOND = "_second";

    /** With a number, from 1 on. */
    public static final String FURTHER = "_further";

    private static final Pattern IS_FURTHER = Pattern.compile("(.*)" + FURTHER + "[1-9]");

    private BmcName() {}

    /** What a further level is called, by its number among them, from 1 on. */
    public static String further(String node, int number) {
        return node + FURTHER + number;
    }

    public static boolean isFurther(String bmc) {
        return IS_FURTHER.matcher(bmc).matches();
    }

    public static boolean isSecond(String bmc) {
        return bmc.endsWith(SECOND);
    }

    /** The node that it switches. */
    public static String nodeOf(String bmc) {
        return isSecond(bmc)
                ? bmc.substring(0, bmc.length() - SECOND.length())
                : IS_FURTHER.matcher(bmc).replaceFirst("$1");
    }

    /** What people call it. */
    public static String words(String bmc) {
        return (isSecond(bmc) ? "IPMI of " : "the BMC of ") + nodeOf(bmc);
    }

    /** How it is named to {@code tandem fencing set}. */
    public static String arguments(String bmc) {
        return nodeOf(bmc) + (isSecond(bmc) ? " --second" : "");
    }
}
