package dev.tandem.lab.kube;

import dev.tandem.host.DurableFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A kubeconfig for each user of an API server. It is written once, and there in full from its first
 * moment: a program that was just started reads its own while the next one asks for the same.
 */
final class Kubeconfigs {
    private final Path directory;
    private final String server;
    private final Map<String, Path> written = new ConcurrentHashMap<>();

    /**
     * @param directory where certificates and keys lie, named after their user, beside {@code
     *     ca.crt}
     */
    Kubeconfigs(Path directory, String server) {
        this.directory = directory.toAbsolutePath();
        this.server = server;
    }

    Path of(String user) {
        return written.computeIfAbsent(user, this::write);
    }

    private Path write(String user) {
        Path config = directory.resolve(user + ".kubeconfig");
        try {
            // Whole paths: kubemark does not read others as seen from this file.
            DurableFiles.write(
                    config,
                    """
                    apiVersion: v1
                    kind: Config
                    clusters:
                    - {name: lab, cluster: {server: "%1$s", certificate-authority: "%2$s/ca.crt"}}
                    users:
                    - name: %3$s
                      user: {client-certificate: "%2$s/%3$s.crt", client-key: "%2$s/%3$s.key"}
                    contexts: [{name: lab, context: {cluster: lab, user: %3$s}}]
                    current-context: lab
                    """
                            .formatted(server, directory, user));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return config;
    }
}
