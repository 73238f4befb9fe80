package dev.tandem.core.topology;

import java.util.List;

/**
 * The counting rules of an installation in which the machines report themselves and one of them is
 * the bootstrap machine first.
 */
public final class AssistedInstall {
    private AssistedInstall() {}

    /** What a machine is to become. */
    public enum Role {
        MASTER,
        ARBITER,
        WORKER
    }

    /** A machine that has reported itself. */
    public record Host(Role role, boolean fencingCredentials) {}

    /** A fenced pair: two control-plane nodes, no arbiter, credentials for both. */
    public static boolean isFencedPair(int controlPlaneCount, List<Host> hosts) {
        List<Host> masters = hosts.stream().filter(host -> host.role() == Role.MASTER).toList();
        return controlPlaneCount == 2
                && count(hosts, Role.ARBITER) == 0
                && masters.size() == 2
                && masters.stream().allMatch(Host::fencingCredentials);
    }

    /**
     * Two control-plane nodes need an arbiter or fencing; any other count only the right number.
     */
    public static boolean sufficientMasters(int controlPlaneCount, List<Host> hosts) {
        if (count(hosts, Role.MASTER) != controlPlaneCount) {
            return false;
        }
        return controlPlaneCount != 2
                || count(hosts, Role.ARBITER) >= 1
                || isFencedPair(controlPlaneCount, hosts);
    }

    /** The role of the next machine that brought none of its own. */
    public static Role nextRole(int controlPlaneCount, List<Host> hosts, boolean arbiterHardware) {
        if (count(hosts, Role.MASTER) < controlPlaneCount) {
            return Role.MASTER;
        }
        boolean arbiterWanted = controlPlaneCount == 2 && count(hosts, Role.ARBITER) == 0;
        return arbiterWanted && arbiterHardware ? Role.ARBITER : Role.WORKER;
    }

    /** How many machines must all reach one another before the installation may begin. */
    public static int smallestConnectedGroup(int controlPlaneCount, List<Host> hosts) {
        return isFencedPair(controlPlaneCount, hosts) ? 2 : 3;
    }

    /** Whether enough machines are done for the installation to be called complete. */
    public static boolean canFinish(int controlPlaneCount, List<Host> wanted, List<Host> done) {
        if (isFencedPair(controlPlaneCount, wanted)) {
            return count(done, Role.MASTER) == 2;
        }
        boolean arbiterMissing = count(wanted, Role.ARBITER) > 0 && count(done, Role.ARBITER) == 0;
        return count(done, Role.MASTER) >= controlPlaneCount && !arbiterMissing;
    }

    /** Other control-plane nodes that must be Ready before the bootstrap machine turns into one. */
    public static int mastersBeforeBootstrapTurns(int controlPlaneCount) {
        return Math.max(0, Math.min(controlPlaneCount - 1, 2));
    }

    private static int count(List<Host> hosts, Role role) {
        return (int) hosts.stream().filter(host -> host.role() == role).count();
    }
}
