package dev.tandem.host.plan;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Names of nodes, as they may stand in commands, file names, ids of the CIB and certificates. */
public final class NodeNames {
    static final Pattern VALID =
            Pattern.compile(
                    "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*");

    /** A name of a node is its host name, and Linux has no longer ones. */
    private static final int LONGEST = 64;

    /**
     * Each means something else where the names of nodes stand: the directory of the CAs of
     * Kubernetes beside those of the nodes, and every machine itself.
     */
    private static final Set<String> TAKEN = Set.of("kubernetes", "localhost");

    private NodeNames() {}

    /** A DNS name in lower case, as Kubernetes wants it too. */
    public static boolean isValid(String name) {
        return name.length() <= LONGEST && VALID.matcher(name).matches();
    }

    /** Why a node of a new plan cannot be called so. */
    static Optional<String> fault(String name) {
        if (name.length() > LONGEST) {
            return Optional.of("Linux has no host names longer than " + LONGEST + " characters");
        }
        if (!isValid(name)) {
            return Optional.of("a node's name is a DNS name in lower case");
        }
        return TAKEN.contains(name)
                ? Optional.of("no node can be called %s: that name is taken".formatted(name))
                : Optional.empty();
    }

    /** The name itself; a name that is none could pass for an option or a path. */
    public static String checked(String name) {
        if (!isValid(name)) {
            throw new IllegalArgumentException("not the name of a node: " + name);
        }
        return name;
    }
}
