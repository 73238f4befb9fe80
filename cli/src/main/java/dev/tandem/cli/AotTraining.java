package dev.tandem.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Walks the paths that every start takes, while the JVM records them for its ahead-of-time cache:
 * once when a checkout is built, once when the package is installed.
 */
public final class AotTraining {
    private AotTraining() {}

    public static void main(String[] arguments) throws IOException {
        Path config = Files.createTempFile("tandem-training", ".yaml");
        try {
            // Far from complete: every rule is asked, and most have something to say.
            Files.writeString(config, "apiVersion: v1\nmetadata: {name: training}\n");
            walk(config.toString());
        } finally {
            Files.delete(config);
        }
    }

    private static void walk(String config) {
        String[][] walks = {
            {"--version"},
            {"help"},
            {"version"},
            {"version", "-o", "json"},
            {"version", "-o", "yaml"},
            {"install-config", "validate", config},
            {"nonsense"}
        };
        for (String[] walk : walks) {
            Terminal nowhere =
                    new Terminal(
                            InputStream.nullInputStream(),
                            OutputStream.nullOutputStream(),
                            OutputStream.nullOutputStream(),
                            false,
                            false,
                            false,
                            false,
                            false);
            Main.run(nowhere, walk);
        }
    }
}
