package dev.tandem.agent.bmc;

import static dev.tandem.agent.bmc.Identities.identity;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agent.bmc.MachineCheck.Names;
import dev.tandem.agent.bmc.MachineCheck.Told;
import dev.tandem.agent.bmc.MachineCheck.Verified;
import dev.tandem.core.decision.Proofs.Machine;
import dev.tandem.host.bmc.HardwareIdentity;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose machine an answer of a BMC is about. */
class MachineCheckTest {

    /**
     * Kept reads "told > machine"; named is the plan's word, if there is one, and the node's own.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    told      | named            | kept                 | machine
                    # what the node says of itself
                    A/-/-     | A/S1/m1          | -                    | THE_PEER
                    -/S1/-    | A/S1/m1          | -                    | THE_PEER
                    ami/oem/m1| ami/oem/m1       | -                    | THE_PEER
                    B/-/-     | A/S1/m1          | -                    | ANOTHER
                    B/S2/m2   | A/S1/m1          | A/S1/- > A/S1/m1     | ANOTHER
                    -/-/-     | A/S1/m1          | -                    | NOT_TOLD
                    # boards of one make that tell nothing of their own
                    ami/oem/- | ami/oem/m1       | -                    | NOT_TOLD
                    ami/oem/- | ami/oem/m1       | ami/oem/- > ami/oem/m1 | NOT_TOLD
                    ami/oem/m2| ami/oem/m1       | ami/oem/- > ami/oem/m1 | ANOTHER
                    # recognised by a MAC once: off, it lists none, and the rest is as it was
                    B/-/-     | A/-/m1           | B/-/- > A/-/m1       | THE_PEER
                    B/-/m2    | A/-/m1           | B/-/- > A/-/m1       | ANOTHER
                    C/-/-     | A/-/m1           | B/-/- > A/-/m1       | ANOTHER
                    -/S9/-    | ami/-/m1         | -/S9/- > ami/-/m1    | THE_PEER
                    -/S8/-    | ami/-/m1         | -/S9/- > ami/-/m1    | ANOTHER
                    # a BMC that could be told from others, and now cannot
                    -/-/-     | ami/-/m1         | -/S9/- > ami/-/m1    | ANOTHER
                    # some tell less of a machine that is off
                    -/S9/-    | A/-/m1           | B/S9/- > A/-/m1      | THE_PEER
                    B/S8/-    | A/-/m1           | B/S9/- > A/-/m1      | ANOTHER
                    # the node moved to another machine, its BMC's address did not
                    A/S1/-    | B/S2/m2          | A/S1/- > A/S1/m1     | ANOTHER
                    -/S9/-    | ami/-/m2         | -/S9/- > ami/-/m1    | NOT_TOLD
                    C/-/-     | B/-/m2           | C/-/- > A/-/m1       | ANOTHER
                    # nothing else is known of the node
                    A/-/-     |                  | A/-/- > A/-/m1       | THE_PEER
                    B/-/-     |                  | A/-/- > A/-/m1       | ANOTHER
                    A/-/-     |                  | -                    | NOT_TOLD
                    # the plan counts first, where it can be compared
                    C/-/-     | C/-/-  A/S1/m1   | -                    | THE_PEER
                    A/-/-     | C/-/-  A/S1/m1   | -                    | ANOTHER
                    -/S1/-    | C/-/-  A/S1/m1   | -                    | THE_PEER
                    """)
    void decides(String told, String named, String kept, Machine machine) {
        List<HardwareIdentity> names =
                named == null
                        ? List.of()
                        : Arrays.stream(named.split(" +", -1)).map(Identities::identity).toList();
        Optional<Verified> verified =
                kept.equals("-")
                        ? Optional.empty()
                        : Optional.of(
                                new Verified(
                                        identity(kept.split(" > ", -1)[0]),
                                        identity(kept.split(" > ", -1)[1])));

        assertThat(MachineCheck.decide(all(identity(told)), alone(names), verified).machine())
                .isEqualTo(machine);
        MachineCheck.atOnce(identity(told), alone(names))
                .ifPresent(verdict -> assertThat(verdict.machine()).isEqualTo(machine));
    }

    @ParameterizedTest
    @CsvSource({
        "A/-/-,     A/-/-,     true",
        "A/S1/-,    A/-/-,     true",
        "A/S1/-,    A/S2/-,    false",
        "A/S1/-,    B/S1/-,    false",
        "-/S1/-,    -/S1/-,    true",
        "A/-/-,     -/S1/-,    false",
        "-/-/-,     -/-/-,     false",
        "zero/-/-,  zero/-/-,  false",
        "ami/oem/-, ami/oem/-, false",
        "ami/S1/-,  ami/S1/-,  true",
        "ami/S1/-,  ami/S2/-,  false",
        "ami/-/m1,  ami/-/m1,  true",
        "ami/-/m1,  ami/-/m2,  false",
        // A card that was moved is no machine.
        "A/-/m1,    B/-/m1,    false",
    })
    void agreement(String one, String other, boolean agree) {
        assertThat(MachineCheck.agree(identity(one), identity(other))).isEqualTo(agree);
        assertThat(MachineCheck.agree(identity(other), identity(one))).isEqualTo(agree);
    }

    /** A BMC that was asked for everything and answered. */
    private static Told all(HardwareIdentity machine) {
        return new Told(machine, true);
    }

    /** The other node has nothing in common with this one. */
    private static Names alone(List<HardwareIdentity> node) {
        return Names.of(node, List.of());
    }

    private static Names alone(HardwareIdentity node) {
        return alone(List.of(node));
    }

    /** Boards with a maker's UUID in a chassis that has one serial number for all of them. */
    @Test
    void aNeighbourInTheChassisIsNotThePeer() {
        HardwareIdentity neighbour = identity("ami/S1/m2");
        Names peer = alone(identity("ami/S1/m1"));

        assertThat(MachineCheck.atOnce(neighbour, peer)).isEmpty();
        assertThat(MachineCheck.atOnce(neighbour.withoutMacs(), peer)).isEmpty();
        assertThat(MachineCheck.decide(all(neighbour), peer, Optional.empty()).machine())
                .isEqualTo(Machine.ANOTHER);
        assertThat(
                        MachineCheck.decide(
                                        new Told(neighbour.withoutMacs(), false),
                                        peer,
                                        decided("ami/S1/m1").verified())
                                .machine())
                .as("whether it has other MACs was asked, and not answered")
                .isEqualTo(Machine.NOT_TOLD);
    }

    /** As the card through which boards of one make talk to their BMCs. */
    @ParameterizedTest
    @CsvSource({
        "ami/oem/m1, ami/oem/m1, NOT_TOLD",
        "ami/S1/m1,  ami/S1/m1,  NOT_TOLD",
        "ami/S1/m2,  ami/S1/m1,  NOT_TOLD",
        "A/S1/m1,    A/S1/m1,    THE_PEER",
        "B/S1/m1,    A/S1/m1,    ANOTHER",
        // The other node's own BMC, by mistake.
        "C/S1/m1,    A/S1/m1,    ANOTHER",
    })
    void whatBothNodesHaveNamesNeither(String told, String node, Machine machine) {
        Names names = Names.of(List.of(identity(node)), List.of(identity("C/S1/m1")));

        assertThat(
                        MachineCheck.decide(all(identity(told)), names, decided(node).verified())
                                .machine())
                .isEqualTo(machine);
    }

    private static final List<HardwareIdentity> ALL = everyone();

    private static List<HardwareIdentity> everyone() {
        List<HardwareIdentity> all = new ArrayList<>();
        for (String uuid : List.of("-", "zero", "ami", "A", "B")) {
            for (String serial : List.of("-", "oem", "S1", "S2")) {
                for (String mac : List.of("-", "m1", "m2")) {
                    all.add(identity(uuid + "/" + serial + "/" + mac));
                }
            }
        }
        return all;
    }

    /** They may be of one make, and have nothing in common that a maker gave to one machine. */
    private static boolean differ(HardwareIdentity one, HardwareIdentity other) {
        HardwareIdentity mine = one.meaningful();
        HardwareIdentity theirs = other.meaningful();
        return (mine.uuid().isEmpty() || !mine.uuid().equals(theirs.uuid()))
                && (mine.serial().isEmpty() || !mine.serial().equals(theirs.serial()))
                && mine.macs().stream().noneMatch(theirs.macs()::contains);
    }

    @Test
    void noMachineIsTakenForOneWithWhichItSharesNothingWhateverWasKept() {
        for (HardwareIdentity peer : ALL) {
            Optional<Verified> kept =
                    MachineCheck.decide(all(peer), alone(peer), Optional.empty()).verified();
            for (HardwareIdentity other : ALL) {
                if (!differ(peer, other)) {
                    continue;
                }
                for (HardwareIdentity told : List.of(other, other.withoutMacs())) {
                    assertThat(MachineCheck.decide(all(told), alone(peer), kept).machine())
                            .as("%s tells %s, the peer is %s", other, told, peer)
                            .isNotEqualTo(Machine.THE_PEER);
                    assertThat(MachineCheck.atOnce(told, alone(peer))).isEmpty();
                }
                for (HardwareIdentity told : List.of(peer, peer.withoutMacs())) {
                    assertThat(MachineCheck.decide(all(told), alone(other), kept).machine())
                            .as("the node moved from %s to %s, its BMC tells %s", peer, other, told)
                            .isNotEqualTo(Machine.THE_PEER);
                }
            }
        }
    }

    @Test
    void aMachineThatTellsAnythingOfItsOwnIsKnown() {
        for (HardwareIdentity peer : ALL) {
            HardwareIdentity own = peer.meaningful();
            boolean tells =
                    own.uuid().isPresent() || own.serial().isPresent() || !own.macs().isEmpty();
            assertThat(MachineCheck.decide(all(peer), alone(peer), Optional.empty()).machine())
                    .as("%s", peer)
                    .isEqualTo(tells ? Machine.THE_PEER : Machine.NOT_TOLD);
        }
    }

    @Test
    void whatTellsNothingApartIsNotKept() {
        assertThat(decided("ami/oem/m1").verified()).isEmpty();
        assertThat(decided("A/oem/m1").verified())
                .contains(new Verified(identity("A/-/-"), identity("A/oem/m1")));
    }

    private static MachineCheck.Verdict decided(String told) {
        return MachineCheck.decide(all(identity(told)), alone(identity(told)), Optional.empty());
    }
}
