package dev.tandem.agent.kube;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The way to the API server, rebuilt when the access changed: certificates are renewed and taken
 * away while the agent runs. For one thread.
 */
final class KubeConnection implements AutoCloseable {
    private final Path access;
    private final Duration connect;
    private @Nullable KubeApi api;
    private @Nullable FileTime read;

    KubeConnection(Path access) {
        this(access, KubeApi.CONNECT);
    }

    /**
     * @param connect for how long it may take until the server can be asked
     */
    KubeConnection(Path access, Duration connect) {
        this.access = access;
        this.connect = connect;
    }

    /** Empty where there is no access: the agent has no say in this Kubernetes. */
    Optional<KubeApi> open() throws IOException {
        FileTime now = Files.exists(access) ? Files.getLastModifiedTime(access) : null;
        if (now == null) {
            close();
            return Optional.empty();
        }
        KubeApi current = api;
        if (current == null || !now.equals(read)) {
            close();
            current =
                    KubeCredentials.read(access)
                            .map(credentials -> new KubeApi(credentials, connect))
                            .orElse(null);
            api = current;
            read = now;
        }
        return Optional.ofNullable(current);
    }

    @Override
    public void close() {
        if (api != null) {
            api.close();
            api = null;
        }
    }
}
