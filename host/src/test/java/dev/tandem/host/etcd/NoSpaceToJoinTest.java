package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.Failure;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class NoSpaceToJoinTest {
    @Test
    void itSaysWhatIsNeededWhatIsFreeAndWhatToDo() {
        Failure failure =
                NoSpaceToJoin.of(
                        Path.of("/var/lib/tandem"), "https://10.0.0.2:2379", 612L << 20, 212 << 20);

        assertThat(failure)
                .hasMessage(
                        "not enough space in /var/lib/tandem: 612 MB are needed for the database"
                                + " and log of https://10.0.0.2:2379, and 212 MB are free");
        assertThat(failure.remedy()).contains("tandem replicas list");
        assertThat(NoSpaceToJoin.isTold(failure.what() + ": " + failure.why())).isTrue();
        assertThat(NoSpaceToJoin.isTold("etcd ended twice")).isFalse();
    }
}
