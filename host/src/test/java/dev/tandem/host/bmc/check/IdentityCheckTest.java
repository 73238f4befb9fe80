package dev.tandem.host.bmc.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.NodeHardware;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdentityCheckTest {
    private static final String A = "4c4c4544-0042-4a10-8058-b7c04f4c5931";
    private static final String SWAPPED_A = "44454c4c-4200-104a-8058-b7c04f4c5931";
    private static final String B = "4c4c4544-0042-4a10-8058-b7c04f4c5932";

    /** An identity reads "uuid/serial/mac", each part may be "-". */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    bmc            | node           | verdict
                    # the UUID decides
                    A/-/-          | A/-/-          | Same
                    A/S1/m1        | A/S2/m2        | Same
                    A/-/-          | B/-/-          | Different
                    # some BMCs show its first half in the other byte order
                    swapped/-/-    | A/-/-          | Same
                    # a MAC is as good
                    -/-/m1         | -/-/m1         | Same
                    A/-/g1         | B/-/g1         | Same
                    # but one that nobody assigned is in every board of a make
                    A/-/m1         | B/-/m1         | Different
                    zero/-/m1      | zero/-/m1      | Same
                    -/-/m1         | -/-/m2         | Different
                    # a serial number counts only where nothing better is known
                    -/S1/-         | -/S1/-         | Same
                    -/S1/-         | -/S2/-         | Different
                    A/S1/-         | B/S1/-         | Different
                    -/S1/m1        | -/S1/m2        | Different
                    A/S1/-         | -/S1/-         | Same
                    # what board makers leave in says nothing
                    zero/-/-       | zero/-/-       | Incomparable
                    ami/-/-        | ami/-/-        | Incomparable
                    -/default/-    | -/default/-    | Incomparable
                    zero/default/- | zero/default/- | Incomparable
                    # nothing to compare
                    -/-/-          | A/S1/m1        | Incomparable
                    A/-/-          | -/S1/m1        | Incomparable
                    """)
    void compares(String bmc, String node, String verdict) {
        assertThat(IdentityCheck.compare(identity(bmc), identity(node)).getClass().getSimpleName())
                .isEqualTo(verdict);
    }

    @Test
    void aRefusalShowsBothSides() {
        assertThat(IdentityCheck.compare(identity("A/S1/m1"), identity("B/S2/m2")).reason())
                .contains(A, B, "S1", "S2", "02:00:00:00:00:01", "02:00:00:00:00:02");
    }

    @Test
    void macsAreComparedWhateverTheirSpelling() {
        assertThat(
                        new HardwareIdentity(
                                        Optional.empty(),
                                        Optional.of("  "),
                                        Set.of("02-AB-00-00-00-01", "", "00:00:00:00:00:00"))
                                .macs())
                .containsExactly("02:ab:00:00:00:01");
    }

    private static HardwareIdentity identity(String text) {
        String[] parts = text.split("/", -1);
        String uuid =
                switch (parts[0]) {
                    case "A" -> A;
                    case "swapped" -> SWAPPED_A;
                    case "B" -> B;
                    case "zero" -> "00000000-0000-0000-0000-000000000000";
                    case "ami" -> "03000200-0400-0500-0006-000700080009";
                    default -> "";
                };
        return new HardwareIdentity(
                NodeHardware.uuid(uuid),
                Optional.of(parts[1].replace("-", "").replace("default", "Default string")),
                switch (parts[2].charAt(0)) {
                    case 'm' -> Set.of("02:00:00:00:00:0" + parts[2].charAt(1));
                    case 'g' -> Set.of("00:1b:21:00:00:0" + parts[2].charAt(1));
                    default -> Set.of();
                });
    }
}
