package dev.tandem.host.health;

import dev.tandem.core.IpAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The addresses of a host that a plan names. */
final class HostAddresses {
    /** A server of names that is there answers in milliseconds; the resolver waits for minutes. */
    private static final Duration LIMIT = Duration.ofSeconds(3);

    private HostAddresses() {}

    /** Those of a name that nobody knows, or not soon, are none. */
    static List<IpAddress> of(String host) {
        return IpAddress.parse(host).map(List::of).orElseGet(() -> resolved(host));
    }

    private static List<IpAddress> resolved(String name) {
        CompletableFuture<List<IpAddress>> answer = new CompletableFuture<>();
        // The C library answers when it likes, and would hold up a thread that carries others.
        Thread.ofPlatform().daemon().name("resolver").start(() -> answer.complete(asked(name)));
        try {
            return answer.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return List.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }

    private static List<IpAddress> asked(String name) {
        try {
            return Arrays.stream(InetAddress.getAllByName(name))
                    .flatMap(address -> IpAddress.parse(address.getHostAddress()).stream())
                    .toList();
        } catch (UnknownHostException e) {
            return List.of();
        }
    }
}
