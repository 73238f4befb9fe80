package dev.tandem.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BmcNameTest {
    @ParameterizedTest
    @CsvSource({
        "node-0, node-0, false, false",
        "node-0_second, node-0, true, false",
        "node-0_further1, node-0, false, true",
        "node-0_further2, node-0, false, true",
        // Such a node may be.
        "further1, further1, false, false",
        "node-0_further, node-0_further, false, false",
    })
    void aNameTellsTheNodeAndWhichOfItsBmcs(
            String name, String node, boolean second, boolean further) {
        assertThat(BmcName.nodeOf(name)).isEqualTo(node);
        assertThat(BmcName.isSecond(name)).isEqualTo(second);
        assertThat(BmcName.isFurther(name)).isEqualTo(further);
        assertThat(BmcName.isFurther(BmcName.further(node, 2))).isTrue();
    }
}
