package dev.tandem.lab.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubeconfigsTest {
    private static final int READINGS = 20_000;

    @TempDir private Path directory;

    /** What a program that was just started does, while others are started after it. */
    @Test
    void whoReadsAKubeconfigWhileItIsAskedForAgainReadsAllOfIt()
            throws IOException, InterruptedException {
        Kubeconfigs configs = new Kubeconfigs(directory, "https://127.0.0.1:6443");
        Path config = configs.of("admin");
        String whole = Files.readString(config);
        Thread asking =
                Thread.ofPlatform()
                        .start(() -> {
                            while (!Thread.currentThread().isInterrupted()) {
                                assertThat(configs.of("admin")).isEqualTo(config);
                            }
                        });
        try {
            for (int i = 0; i < READINGS; i++) {
                assertThat(Files.readString(config)).as("reading %d", i).isEqualTo(whole);
            }
        } finally {
            asking.interrupt();
            asking.join();
        }
        assertThat(whole).contains("current-context: lab", directory + "/admin.key");
    }

    @Test
    void eachUserHasAFileOfItsOwn() throws IOException {
        Kubeconfigs configs = new Kubeconfigs(directory, "https://127.0.0.1:6443");

        assertThat(configs.of("one")).isNotEqualTo(configs.of("other"));
        assertThat(Files.readString(configs.of("one"))).doesNotContain("other");
    }
}
