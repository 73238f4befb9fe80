package dev.tandem.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AgentAotTrainingTest {
    /** Another JVM may train at the same time: what it has made goes too, a moment later. */
    @Test
    void anAgentStartsAnswersAndEndsWithoutANode() throws IOException, InterruptedException {
        Set<Path> before = trainings();

        AgentAotTraining.main(new String[0]);

        Set<Path> made = new HashSet<>(trainings());
        made.removeAll(before);
        await("what was made is gone")
                .atMost(Duration.ofMinutes(1))
                .untilAsserted(
                        () -> assertThat(made).allSatisfy(tree -> assertThat(tree).doesNotExist()));
    }

    private static Set<Path> trainings() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().startsWith("tandem-training"))
                    .collect(Collectors.toSet());
        }
    }
}
