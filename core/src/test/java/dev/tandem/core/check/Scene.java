package dev.tandem.core.check;

import java.util.EnumMap;
import java.util.Map;

/**
 * Where a search begins, and what may go wrong in it.
 *
 * @param writes how many writes clients make
 * @param startAlone the policy of a BMC-proven lone start
 * @param slowDisk other things may happen while an agent stores something
 * @param excuses what the named assumptions exclude is not counted as a violation
 * @param rights check also that at most one node has the right to go on alone, long before harm is
 *     done
 * @param healthy nothing goes wrong in etcd or between the servers, so no server may be ended
 */
// Ordinals are the model's own encoding; they live no longer than a run.
@SuppressWarnings("EnumOrdinal")
record Scene(
        String name,
        Beginning beginning,
        Map<Fault, Integer> faults,
        int writes,
        boolean startAlone,
        boolean slowDisk,
        boolean excuses,
        boolean rights,
        boolean healthy) {

    static Scene of(String name, Beginning beginning, int writes, Object... faultsAndCounts) {
        Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
        for (int i = 0; i < faultsAndCounts.length; i += 2) {
            faults.put((Fault) faultsAndCounts[i], (Integer) faultsAndCounts[i + 1]);
        }
        return new Scene(name, beginning, faults, writes, false, false, true, true, false);
    }

    Scene startingAlone() {
        return new Scene(name, beginning, faults, writes, true, slowDisk, excuses, rights, healthy);
    }

    Scene withSlowDisk() {
        return new Scene(
                name, beginning, faults, writes, startAlone, true, excuses, rights, healthy);
    }

    Scene withHealthyServers() {
        return new Scene(
                name, beginning, faults, writes, startAlone, slowDisk, excuses, rights, true);
    }

    /** Shows the harm itself, and excuses nothing. */
    Scene plain() {
        return new Scene(
                name, beginning, faults, writes, startAlone, slowDisk, false, false, healthy);
    }

    boolean has(Fault fault) {
        return faults.getOrDefault(fault, 0) > 0;
    }

    MemoizedSupervisors nodes() {
        return new MemoizedSupervisors(startAlone, slowDisk);
    }

    World start(MemoizedSupervisors nodes) {
        World world = beginning.world(nodes, this);
        faults.forEach((fault, count) -> world.budget[fault.ordinal()] = count);
        return world;
    }

    /** Whether such a step can be possible in this scene at all. */
    boolean allows(Step.Kind kind, int variant) {
        return switch (kind) {
            case POWER_CUT ->
                    has(Fault.POWER_CUT)
                            && switch (variant) {
                                case 0 -> true;
                                case 1 -> slowDisk;
                                default -> has(Fault.STOP) || beginning.stops();
                            };
            case AGENT_DIES -> has(Fault.AGENT_DIES) && (variant == 0 || slowDisk);
            case STATE_LOST -> has(Fault.STATE_LOST);
            case RING_CUT, RING_HEALS -> has(Fault.RING_CUT) || beginning.ringIsCut();
            case WAY_CUT, WAY_HEALS, WRITE_LETTER, READ_LETTER -> has(Fault.ONE_WAY);
            case COROSYNC_CUT, COROSYNC_HEALS ->
                    has(Fault.COROSYNC_CUT) || beginning.corosyncIsCut();
            case PORTS_CUT, PORTS_HEAL -> has(Fault.PORTS_CUT);
            case ASK -> variant == 0 || has(Fault.SLOW);
            case DELIVER, LOOK_BEGINS, LOOK_ENDS, REPORT, FENCE_ANSWER, SYNC -> has(Fault.SLOW);
            case BLIND, SEES_AGAIN -> has(Fault.BLIND);
            case STORE -> slowDisk && (variant == 0 || has(Fault.STORE_FAILS));
            case ORDER ->
                    switch (variant) {
                        case 0 -> true;
                        case 1 -> has(Fault.SLOW);
                        default -> has(Fault.ORDER_FAILS);
                    };
            case LEAD, HAND_OVER -> variant == 0 || has(Fault.ORDER_FAILS);
            case MARK -> variant == 0 || has(Fault.STORE_FAILS);
            case STOP -> has(Fault.STOP) && (variant == 0 || has(Fault.AGENT_DIES));
            case STOP_REPORTED -> has(Fault.STOP) || beginning.stops();
            case FENCE_ORDER -> has(variant == 0 ? Fault.FENCE : Fault.FENCE_BY_HAND);
            case FENCE_OFF ->
                    (has(Fault.FENCE) || has(Fault.FENCE_BY_HAND))
                            && (variant == 0 || has(Fault.SLOW));
            case FENCE_RENEW, FENCE_TIMEOUT, FENCE_LATE ->
                    has(Fault.FENCE) || has(Fault.FENCE_BY_HAND);
            case FENCE_LIE ->
                    has(Fault.BMC_LIES)
                            && (has(Fault.FENCE) || has(Fault.FENCE_BY_HAND))
                            && (variant < 2 || has(Fault.SLOW));
            case STOCK_ORDER -> has(Fault.STOCK_FENCE);
            case STOCK_OFF ->
                    has(Fault.STOCK_FENCE)
                            && (variant < 5 || has(Fault.SECOND_BMC))
                            && (variant == 0 || variant == 5 || has(Fault.BMC_LIES));
            case FIND_RECORD -> has(Fault.STOCK_FENCE) && (variant == 0 || has(Fault.BMC_LIES));
            case READ_SECOND -> has(Fault.SECOND_BMC) && (variant == 0 || has(Fault.BMC_LIES));
            case READ_BMC ->
                    variant == 0
                            ? startAlone
                                    || has(Fault.STATEMENT)
                                    || has(Fault.FALSE_STATEMENT)
                                    || has(Fault.BMC_LIES)
                            : has(Fault.BMC_LIES);
            case BMC_BREAKS -> has(Fault.BMC_BREAKS);
            case BMC_SWAPPED, BMC_MENDED -> has(Fault.WRONG_MACHINE);
            case STATE -> variant > 0 && (has(Fault.STATEMENT) || has(Fault.FALSE_STATEMENT));
            case WRITE -> writes > 0;
            case KILL -> has(Fault.KILL);
            case DISK -> has(variant == 2 ? Fault.ROLLED_BACK : Fault.DISK_LOST);
            case TIME -> has(Fault.TIME);
            case POWER_ON,
                    AGENT_STARTS,
                    NOTICE,
                    READ_MEMBERSHIP,
                    HEAR,
                    GIVE_UP,
                    LOOK,
                    START,
                    SERVES,
                    ELECT,
                    REPLICATE,
                    COMMIT,
                    LEARN_COMMIT,
                    TAKE_EFFECT ->
                    true;
        };
    }

    @Override
    public String toString() {
        return name;
    }
}
