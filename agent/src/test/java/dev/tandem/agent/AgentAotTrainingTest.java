package dev.tandem.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AgentAotTrainingTest {
    @Test
    void anAgentStartsAnswersAndEndsWithoutANode() throws IOException {
        List<Path> before = trainings();

        AgentAotTraining.main(new String[0]);

        assertThat(trainings()).isEqualTo(before);
    }

    private static List<Path> trainings() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().startsWith("tandem-training"))
                    .toList();
        }
    }
}
