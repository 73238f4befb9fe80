package dev.tandem.lab.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class LabFilesTest {

    @Test
    void aRemedyNamesItsLab() {
        LabFiles files = files("two");
        assertThat(files.named("switch it on: tandem lab power node-1 on"))
                .isEqualTo("switch it on: tandem lab power --name two node-1 on");
        assertThat(files.named("see: tandem lab shell node-0 -- ps"))
                .as("before the command that runs in the node")
                .isEqualTo("see: tandem lab shell --name two node-0 -- ps");
        assertThat(files.named("end it with tandem lab down --name two"))
                .isEqualTo("end it with tandem lab down --name two");
        assertThat(files.named("clean up after it: tandem lab gc"))
                .isEqualTo("clean up after it: tandem lab gc");
    }

    @Test
    void theUsualLabNeedsNoName() {
        assertThat(files(LabSpec.DEFAULT_NAME).named("tandem lab power node-1 on"))
                .isEqualTo("tandem lab power node-1 on");
    }

    private static LabFiles files(String name) {
        Path nowhere = Path.of("/nowhere");
        return new LabFiles(new LabPaths(nowhere, nowhere, nowhere, nowhere), name);
    }
}
