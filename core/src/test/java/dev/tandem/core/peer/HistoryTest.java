package dev.tandem.core.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import org.junit.jupiter.api.Test;

class HistoryTest {
    private static final NodeName NORTH = new NodeName("north");
    private static final NodeName SOUTH = new NodeName("south");
    private static final Lineage FIRST = Lineage.installed("cafe", NORTH, new BootId("one"));

    private static Replica.Intact log(Lineage lineage) {
        return new Replica.Intact(lineage, 2, 9, 9, Replica.MemberRole.SOLE, true, 7);
    }

    /** What a person is told who has to choose between two histories. */
    @Test
    void twoHistoriesShareWhatWasThereBeforeTheFirstOfThemBegan() {
        Replica.Intact north = log(FIRST.takenOver(NORTH, new BootId("two"), 6));
        Replica.Intact south = log(FIRST.takenOver(SOUTH, new BootId("three"), 8));

        assertThat(History.sharedUpTo(north, south)).isEqualTo(6);
        assertThat(History.sharedUpTo(south, north)).isEqualTo(6);
        assertThat(History.sharedUpTo(log(FIRST), south)).isEqualTo(8);
    }

    @Test
    void whereNothingIsKnownToBeSharedNothingIsClaimed() {
        Replica.Intact other = log(Lineage.installed("feed", NORTH, new BootId("one")));

        assertThat(History.sharedUpTo(log(FIRST), other)).isZero();
        assertThat(History.sharedUpTo(log(FIRST), log(FIRST))).isZero();
    }
}
