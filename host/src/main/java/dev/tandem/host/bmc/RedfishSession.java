package dev.tandem.host.bmc;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.tandem.host.Deadline;
import dev.tandem.host.bmc.BmcAnswer.Read;
import dev.tandem.host.bmc.BmcAnswer.Unknown;
import dev.tandem.host.bmc.RedfishHttp.Authorization;
import dev.tandem.host.bmc.RedfishHttp.Reply;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Requests of a user who is logged in; opens the session, renews it and ends it. */
final class RedfishSession implements AutoCloseable {
    static final String ROOT = "/redfish/v1";

    /** Most BMCs answer within it, and nobody waits longer for the end of a session. */
    private static final Duration LOG_OUT = Duration.ofSeconds(2);

    /** A BMC that is out of sessions is not asked for one at every request. */
    private static final Duration WITHOUT_SESSION = Duration.ofMinutes(1);

    private record Session(Authorization token, Optional<String> path) {}

    private final RedfishHttp http;
    private final BmcCredentials credentials;
    private final ReentrantLock login = new ReentrantLock();

    private volatile boolean closed;
    private volatile @Nullable Session session;
    private volatile @Nullable String sessionsPath;
    private volatile @Nullable Deadline withoutSession;

    RedfishSession(RedfishHttp http, BmcCredentials credentials) {
        this.http = http;
        this.credentials = credentials;
    }

    BmcAnswer<Reply> get(String path, Deadline end) {
        return call("GET", path, Optional.empty(), end, false);
    }

    /**
     * One request with whatever proves who we are: the session if there is one, and otherwise, or
     * when it has ended, a new one, or the password itself. What is urgent does not log in first,
     * which would cost two requests more.
     */
    BmcAnswer<Reply> call(
            String method, String path, Optional<String> body, Deadline end, boolean urgent) {
        Session warm = session;
        if (warm != null) {
            BmcAnswer<Reply> answer =
                    http.exchange(method, path, body, Optional.of(warm.token()), end);
            if (!isUnauthorized(answer)) {
                return http.judge(answer);
            }
            session = null;
        }
        if (urgent || sessionsRefusedLately()) {
            BmcAnswer<Reply> answer =
                    http.exchange(method, path, body, Optional.of(http.password()), end);
            if (!isUnauthorized(answer)) {
                return http.judge(answer);
            }
            // Some BMCs have basic authentication switched off.
            return logIn(end) instanceof Read<Session>(Session fresh, Duration _)
                    ? http.judge(http.exchange(method, path, body, Optional.of(fresh.token()), end))
                    : http.judge(answer);
        }
        return switch (logIn(end)) {
            case Read<Session>(Session fresh, Duration _) ->
                    http.judge(http.exchange(method, path, body, Optional.of(fresh.token()), end));
            case Unknown<Session>(BmcFault.Rejected _),
                    Unknown<Session>(BmcFault.Busy _),
                    Unknown<Session>(BmcFault.Unintelligible _) -> {
                withoutSession = Deadline.in(WITHOUT_SESSION);
                yield http.judge(
                        http.exchange(method, path, body, Optional.of(http.password()), end));
            }
            case Unknown<Session>(BmcFault fault) -> new Unknown<>(fault);
        };
    }

    private static boolean isUnauthorized(BmcAnswer<Reply> answer) {
        return answer instanceof Read<Reply>(Reply reply, Duration _) && reply.status() == 401;
    }

    private boolean sessionsRefusedLately() {
        Deadline refused = withoutSession;
        return refused != null && !refused.passed();
    }

    private BmcAnswer<Session> logIn(Deadline end) {
        login.lock();
        try {
            Session other = session;
            if (other != null) {
                return new Read<>(other, Duration.ZERO);
            }
            if (closed) {
                return RedfishHttp.unreachable("the client is closed");
            }
            String body =
                    JsonNodeFactory.instance
                            .objectNode()
                            .put("UserName", credentials.user())
                            .put("Password", credentials.password())
                            .toString();
            return sessionsPath(end)
                    .then(path ->
                            http.judge(
                                    http.exchange(
                                            "POST",
                                            path,
                                            Optional.of(body),
                                            Optional.empty(),
                                            end)))
                    .then(this::opened);
        } finally {
            login.unlock();
        }
    }

    private BmcAnswer<Session> opened(Reply reply) {
        Optional<String> token = reply.headers().firstValue("X-Auth-Token");
        if (token.isEmpty()) {
            return RedfishHttp.unintelligible("the login gave no token");
        }
        Session fresh =
                new Session(
                        new Authorization("X-Auth-Token", token.get()),
                        reply.headers().firstValue("Location").flatMap(RedfishSession::pathOf));
        session = fresh;
        withoutSession = null;
        return new Read<>(fresh, reply.took());
    }

    private static Optional<String> pathOf(String location) {
        try {
            return Optional.ofNullable(URI.create(location).getRawPath())
                    .filter(RedfishHttp::isPath);
        } catch (IllegalArgumentException e) {
            // Then the session cannot be closed by us and ends by disuse.
            return Optional.empty();
        }
    }

    private BmcAnswer<String> sessionsPath(Deadline end) {
        String known = sessionsPath;
        if (known != null) {
            return new Read<>(known, Duration.ZERO);
        }
        return http.judge(http.exchange("GET", ROOT, Optional.empty(), Optional.empty(), end))
                .then(root -> {
                    String path = RedfishHttp.link(root.body().path("Links").path("Sessions"));
                    if (path.isEmpty()) {
                        return RedfishHttp.unintelligible("its root has no link to sessions");
                    }
                    sessionsPath = path;
                    return new Read<>(path, root.took());
                });
    }

    /**
     * Logs out: BMCs have few sessions. A caller that still asks gets no answer and no new session.
     */
    @Override
    public void close() {
        closed = true;
        Deadline end = Deadline.in(LOG_OUT);
        // A login that is under way would leave the session behind that it opens.
        boolean alone = false;
        try {
            alone = login.tryLock(LOG_OUT.toNanos(), TimeUnit.NANOSECONDS);
            Session open = session;
            session = null;
            if (open != null && open.path().isPresent()) {
                http.exchange(
                        "DELETE",
                        open.path().get(),
                        Optional.empty(),
                        Optional.of(open.token()),
                        end);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (alone) {
                login.unlock();
            }
        }
    }
}
