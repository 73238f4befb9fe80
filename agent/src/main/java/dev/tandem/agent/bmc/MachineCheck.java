package dev.tandem.agent.bmc;

import dev.tandem.core.decision.Proofs;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.check.IdentityCheck;
import java.util.List;
import java.util.Optional;

/**
 * Decides which machine an answer of a BMC is about, by what the BMC tells of it.
 *
 * <p>What the node is called now stands above what was found earlier: disks that were moved into
 * another machine take the node with them, and its old BMC is then another machine's.
 */
final class MachineCheck {
    static final String SAME = "same";

    /**
     * A BMC was found to be the node's own.
     *
     * @param told what the BMC told then, without MACs: a machine that is off may list none
     * @param machine who the node was at that time
     */
    record Verified(HardwareIdentity told, HardwareIdentity machine) {
        Verified {
            told = told.meaningful().withoutMacs();
        }

        /** Boards that tell nothing of their own cannot be told from others of their make. */
        boolean tellsApart() {
            return told.uuid().isPresent() || told.serial().isPresent();
        }
    }

    /**
     * @param words the same for people
     * @param verified what is worth keeping of it
     */
    record Verdict(Proofs.Machine machine, String words, Optional<Verified> verified) {
        private Verdict(Proofs.Machine machine, String words) {
            this(machine, words, Optional.empty());
        }
    }

    private MachineCheck() {}

    /**
     * Whether what came with a power state shows already that it is the node's; empty if more has
     * to be asked. An earlier finding is not enough here: only MACs may have shown it, and another
     * board of the same make may tell the same.
     */
    static Optional<Verdict> atOnce(HardwareIdentity told, List<HardwareIdentity> named) {
        HardwareIdentity seen = told.withoutMacs();
        for (HardwareIdentity name : named) {
            switch (IdentityCheck.compare(seen, name)) {
                case IdentityCheck.Verdict.Same _ -> {
                    return Optional.of(same(seen, name));
                }
                case IdentityCheck.Verdict.Different _ -> {
                    return Optional.empty();
                }
                case IdentityCheck.Verdict.Incomparable _ -> {
                    // The next one may tell.
                }
            }
        }
        return Optional.empty();
    }

    /**
     * @param told all that the BMC tells, MACs included where it lists them
     * @param named who the node is: by the plan, by its own word; what comes first counts first
     * @param kept how the BMC was last found to be the node's own
     */
    static Verdict decide(
            HardwareIdentity told, List<HardwareIdentity> named, Optional<Verified> kept) {
        String incomparable = "the node has not said which machine it is";
        for (HardwareIdentity name : named) {
            switch (IdentityCheck.compare(told, name)) {
                case IdentityCheck.Verdict.Same _ -> {
                    return same(told, name);
                }
                case IdentityCheck.Verdict.Different(String why) -> {
                    return told.macs().isEmpty()
                                    && kept.filter(v -> vouches(v, told, name)).isPresent()
                            ? new Verdict(Proofs.Machine.THE_PEER, SAME)
                            : new Verdict(Proofs.Machine.ANOTHER, "different: " + why);
                }
                case IdentityCheck.Verdict.Incomparable(String why) -> incomparable = why;
            }
        }
        Optional<Verified> valid =
                kept.filter(Verified::tellsApart)
                        .filter(v ->
                                named.isEmpty()
                                        || named.stream().anyMatch(n -> agree(v.machine(), n)));
        if (valid.isEmpty()) {
            return new Verdict(Proofs.Machine.NOT_TOLD, "unknown: " + incomparable);
        }
        // A BMC that could be told from others, and now cannot, may be another one.
        return agree(valid.get().told(), told.withoutMacs())
                ? new Verdict(Proofs.Machine.THE_PEER, SAME)
                : new Verdict(
                        Proofs.Machine.ANOTHER,
                        "different: the BMC controls %s; it controlled %s when it was the node's"
                                .formatted(told, valid.get().told()));
    }

    private static Verdict same(HardwareIdentity told, HardwareIdentity name) {
        return new Verdict(
                Proofs.Machine.THE_PEER,
                SAME,
                Optional.of(new Verified(told, name)).filter(Verified::tellsApart));
    }

    private static boolean vouches(Verified kept, HardwareIdentity told, HardwareIdentity name) {
        return agree(kept.machine(), name) && agree(kept.told(), told.withoutMacs());
    }

    /**
     * Nothing of it differs, and something of it is the same; some BMCs tell less of a machine that
     * is off. MACs count where there is nothing else: cards move from one machine to another.
     */
    static boolean agree(HardwareIdentity one, HardwareIdentity other) {
        HardwareIdentity mine = one.meaningful();
        HardwareIdentity theirs = other.meaningful();
        boolean uuids = mine.uuid().isPresent() && theirs.uuid().isPresent();
        boolean serials = mine.serial().isPresent() && theirs.serial().isPresent();
        return (uuids || serials)
                ? (!uuids || mine.uuid().equals(theirs.uuid()))
                        && (!serials || mine.serial().equals(theirs.serial()))
                : mine.macs().stream().anyMatch(theirs.macs()::contains);
    }
}
