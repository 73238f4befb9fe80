package dev.tandem.lab.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BuildLockTest {
    @TempDir private Path directory;

    @Test
    void anotherThreadOfThisProcessWaitsLikeAnotherProcess() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Boolean> second;
        try (BuildLock _ = BuildLock.take(directory, "it", ProgressListener.SILENT)) {
            second =
                    CompletableFuture.supplyAsync(() -> {
                        begun.countDown();
                        try (BuildLock _ =
                                BuildLock.take(directory, "it", ProgressListener.SILENT)) {
                            return true;
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    });
            assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(second).isNotDone();
        }
        assertThat(second.get(10, TimeUnit.SECONDS)).isTrue();
    }
}
