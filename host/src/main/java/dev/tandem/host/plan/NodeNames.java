package dev.tandem.host.plan;

import java.util.regex.Pattern;

/** Names of nodes, as they may stand in commands, file names, ids of the CIB and certificates. */
public final class NodeNames {
    static final Pattern VALID =
            Pattern.compile(
                    "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*");

    private NodeNames() {}

    /** A DNS name in lower case, as Kubernetes wants it too. */
    public static boolean isValid(String name) {
        return name.length() <= 253 && VALID.matcher(name).matches();
    }

    /** The name itself; a name that is none could pass for an option or a path. */
    public static String checked(String name) {
        if (!isValid(name)) {
            throw new IllegalArgumentException("not the name of a node: " + name);
        }
        return name;
    }
}
