package dev.tandem.cli;

import java.io.InputStream;
import java.io.OutputStream;

/**
 * Walks the paths that every start takes, while the JVM records them for its ahead-of-time cache:
 * once when a checkout is built, once when the package is installed.
 */
public final class AotTraining {
    private AotTraining() {}

    public static void main(String[] arguments) {
        String[][] walks = {
            {"--version"},
            {"help"},
            {"version"},
            {"version", "-o", "json"},
            {"version", "-o", "yaml"},
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
