package dev.tandem.host.health;

import dev.tandem.core.IpAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * The addresses of a host that a plan names. A question that has not ended is not asked again
 * meanwhile: each has a thread of its own.
 */
final class HostAddresses {
    /** A server of names that is there answers in milliseconds; the resolver waits for minutes. */
    private static final Duration LIMIT = Duration.ofSeconds(3);

    private final Function<String, List<IpAddress>> names;
    private final Duration limit;
    private final Map<String, CompletableFuture<List<IpAddress>>> asked = new ConcurrentHashMap<>();

    HostAddresses() {
        this(HostAddresses::answers, LIMIT);
    }

    /**
     * @param names answers when it likes
     */
    HostAddresses(Function<String, List<IpAddress>> names, Duration limit) {
        this.names = names;
        this.limit = limit;
    }

    /** Those of a name that nobody knows, or not soon, are none. */
    List<IpAddress> of(String host) {
        return IpAddress.parse(host).map(List::of).orElseGet(() -> resolved(host));
    }

    private List<IpAddress> resolved(String name) {
        try {
            return asked.computeIfAbsent(name, this::ask)
                    .get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return List.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }

    private CompletableFuture<List<IpAddress>> ask(String name) {
        CompletableFuture<List<IpAddress>> answer = new CompletableFuture<>();
        // The C library would hold up a thread that carries others.
        Thread.ofPlatform()
                .daemon()
                .name("resolver")
                .start(() -> {
                    try {
                        answer.complete(names.apply(name));
                    } finally {
                        asked.remove(name);
                    }
                });
        return answer;
    }

    private static List<IpAddress> answers(String name) {
        try {
            return Arrays.stream(InetAddress.getAllByName(name))
                    .flatMap(address -> IpAddress.parse(address.getHostAddress()).stream())
                    .toList();
        } catch (UnknownHostException e) {
            return List.of();
        }
    }
}
