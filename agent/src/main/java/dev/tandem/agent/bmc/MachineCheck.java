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
     * @param weak a serial number alone showed it, because the BMC lists no MACs; or it tells what
     *     it told before, when more was known. A neighbour in the chassis may tell the same
     */
    record Verdict(
            Proofs.Machine machine, String words, Optional<Verified> verified, boolean weak) {
        private Verdict(Proofs.Machine machine, String words) {
            this(machine, words, Optional.empty(), false);
        }

        private static Verdict asBefore() {
            return new Verdict(Proofs.Machine.THE_PEER, SAME, Optional.empty(), true);
        }
    }

    /**
     * What a BMC tells of its machine.
     *
     * @param complete whether it was asked for all it knows, MACs included, and has answered
     */
    record Told(HardwareIdentity machine, boolean complete) {}

    /**
     * Who the two nodes are.
     *
     * @param node the one that the BMC is configured for: by the plan, by its own word; what comes
     *     first counts first. Only what the other node does not have as well
     * @param shared what both nodes have: such as the card through which boards of one make talk to
     *     their BMCs, or the serial number of a chassis
     */
    record Names(List<HardwareIdentity> node, List<HardwareIdentity> shared) {
        Names {
            node = List.copyOf(node);
            shared = List.copyOf(shared);
        }

        static Names of(List<HardwareIdentity> node, List<HardwareIdentity> other) {
            List<HardwareIdentity> shared =
                    node.stream()
                            .flatMap(one -> other.stream().map(one::sharedWith))
                            .filter(both -> !both.equals(HardwareIdentity.UNTOLD))
                            .distinct()
                            .toList();
            Names names = new Names(node, shared);
            return new Names(node.stream().map(names::own).toList(), shared);
        }

        /** Without what both nodes have. */
        HardwareIdentity own(HardwareIdentity machine) {
            HardwareIdentity rest = machine;
            for (HardwareIdentity both : shared) {
                rest = rest.without(both);
            }
            return rest;
        }
    }

    private MachineCheck() {}

    /**
     * Whether what came with a power state shows already that it is the node's; empty if more has
     * to be asked. An earlier finding is not enough here: only MACs may have shown it, and another
     * board of the same make may tell the same. Nor is a serial number: the machines of one chassis
     * may share it, and their MACs tell them apart.
     */
    static Optional<Verdict> atOnce(HardwareIdentity told, Names names) {
        HardwareIdentity seen = names.own(told.withoutMacs());
        for (HardwareIdentity name : names.node()) {
            switch (IdentityCheck.compare(seen, name)) {
                case IdentityCheck.Verdict.Same(IdentityCheck.Trait by, _) -> {
                    return by == IdentityCheck.Trait.UUID
                            ? Optional.of(same(by, seen, name))
                            : Optional.empty();
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
     * @param answer what the BMC tells
     * @param kept how the BMC was last found to be the node's own
     */
    static Verdict decide(Told answer, Names names, Optional<Verified> kept) {
        HardwareIdentity told = names.own(answer.machine());
        Optional<Verified> known =
                kept.map(v -> new Verified(names.own(v.told()), names.own(v.machine())));
        String incomparable = "the node has not said which machine it is";
        for (HardwareIdentity name : names.node()) {
            switch (IdentityCheck.compare(told, name)) {
                case IdentityCheck.Verdict.Same(IdentityCheck.Trait by, _) -> {
                    return by == IdentityCheck.Trait.SERIAL && !answer.complete()
                            ? new Verdict(
                                    Proofs.Machine.NOT_TOLD,
                                    "unknown: the BMC reported a serial number, but did not answer"
                                            + " the question about MACs")
                            : same(by, told, name);
                }
                case IdentityCheck.Verdict.Different(String why) -> {
                    return told.macs().isEmpty()
                                    && known.filter(v -> vouches(v, told, name)).isPresent()
                            ? Verdict.asBefore()
                            : new Verdict(Proofs.Machine.ANOTHER, "different: " + why);
                }
                case IdentityCheck.Verdict.Incomparable(String why) -> incomparable = why;
            }
        }
        Optional<Verified> valid =
                known.filter(Verified::tellsApart)
                        .filter(v ->
                                names.node().isEmpty()
                                        || names.node().stream()
                                                .anyMatch(n -> agree(v.machine(), n)));
        if (valid.isEmpty()) {
            return new Verdict(Proofs.Machine.NOT_TOLD, "unknown: " + incomparable);
        }
        // A BMC that could be told from others, and now cannot, may be another one.
        return agree(valid.get().told(), told.withoutMacs())
                ? Verdict.asBefore()
                : new Verdict(
                        Proofs.Machine.ANOTHER,
                        "different: the BMC controls %s; it controlled %s when it was the node's"
                                .formatted(told, valid.get().told()));
    }

    private static Verdict same(
            IdentityCheck.Trait by, HardwareIdentity told, HardwareIdentity name) {
        return new Verdict(
                Proofs.Machine.THE_PEER,
                SAME,
                Optional.of(new Verified(told, name)).filter(Verified::tellsApart),
                by == IdentityCheck.Trait.SERIAL);
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
