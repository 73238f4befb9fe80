package dev.tandem.host.etcd;

import static org.awaitility.Awaitility.await;

import dev.tandem.host.SystemCommands;
import dev.tandem.host.etcd.EtcdConfig.Mode;
import dev.tandem.host.etcd.EtcdConfig.Timing;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.HttpEtcdApi;
import dev.tandem.host.testing.LoopbackPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A real etcd process on the loopback, configured by the code under test. */
public final class EtcdServer implements AutoCloseable {
    /** Of whatever is asked of it or waited for; a machine that runs tests may be slow. */
    public static final Duration LIMIT = Duration.ofSeconds(60);

    /** Of a question that is asked again: one that came too early may never be answered. */
    static final Duration GLANCE = Duration.ofSeconds(5);

    private static final Path PROGRAM = RealEtcd.program();

    private final EtcdConfig config;
    private final Path log;
    private final HttpEtcdApi api;
    private @Nullable Process process;

    public EtcdServer(EtcdConfig config, HttpEtcdApi api) {
        this.config = config;
        this.api = api;
        this.log = config.dataDirectory().resolveSibling(config.name() + ".log");
    }

    public static EtcdServer plain(
            Path data, String name, EtcdConfig.Ports ports, long snapshotCount) {
        EtcdConfig.Limits limits =
                new EtcdConfig.Limits(1L << 30, Duration.ofHours(1), snapshotCount, 4 << 20);
        EtcdConfig config =
                new EtcdConfig(
                        name,
                        List.of(InetAddress.ofLiteral("127.0.0.1")),
                        ports,
                        data,
                        Optional.empty(),
                        Optional.empty(),
                        limits);
        return new EtcdServer(config, HttpEtcdApi.plain(config.clientUrl()));
    }

    public static EtcdConfig.Ports freePorts() {
        return new EtcdConfig.Ports(
                LoopbackPorts.next(), LoopbackPorts.next(), LoopbackPorts.next());
    }

    public EtcdServer start(Mode mode, Timing timing) {
        try {
            List<String> problems = config.problems(mode, timing);
            if (!problems.isEmpty()) {
                throw new IllegalStateException(problems.toString());
            }
            Path file = config.dataDirectory().resolveSibling(config.name() + ".json");
            Files.writeString(file, config.render(mode, timing, _ -> true));
            process =
                    new ProcessBuilder(PROGRAM.toString(), "--config-file=" + file)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                            .start();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public EtcdServer awaitLeader() {
        await("a leader seen by " + config.name() + ", log " + log)
                .atMost(LIMIT)
                .pollInterval(Duration.ofMillis(20))
                .until(() ->
                        api.status(GLANCE)
                                .toOptional()
                                .filter(status -> !status.leader().isNone())
                                .isPresent());
        return this;
    }

    public EtcdApi api() {
        return api;
    }

    public EtcdConfig config() {
        return config;
    }

    public Path data() {
        return config.dataDirectory();
    }

    public EtcdApi.Status status() {
        return api.status(LIMIT).toOptional().orElseThrow();
    }

    public boolean running() {
        return process != null && process.isAlive();
    }

    public String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As a power cut does it, but for the page cache. */
    public void kill() {
        if (process != null) {
            process.destroyForcibly();
            awaitEnd(process);
        }
    }

    void stopGracefully() {
        if (process != null) {
            process.destroy();
            awaitEnd(process);
        }
    }

    public void freeze() {
        signal("-STOP");
    }

    public void thaw() {
        signal("-CONT");
    }

    private void signal(String name) {
        if (process != null) {
            new SystemCommands().run(LIMIT, List.of("kill", name, Long.toString(process.pid())));
        }
    }

    private static void awaitEnd(Process ending) {
        try {
            if (!ending.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("etcd did not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        thaw();
        kill();
        api.close();
    }
}
