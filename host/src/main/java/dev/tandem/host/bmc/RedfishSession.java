package dev.tandem.host.bmc;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.tandem.host.Deadline;
import dev.tandem.host.bmc.BmcAnswer.Read;
import dev.tandem.host.bmc.BmcAnswer.Unknown;
import dev.tandem.host.bmc.RedfishHttp.Authorization;
import dev.tandem.host.bmc.RedfishHttp.Reply;
import dev.tandem.host.bmc.login.LoginBackoff;
import dev.tandem.host.bmc.login.LoginBackoff.Purpose;
import dev.tandem.host.bmc.login.SessionStore;
import dev.tandem.host.bmc.login.SessionStore.KeptSession;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Requests of a user who is logged in; opens the session, renews it and ends it. */
final class RedfishSession implements AutoCloseable {
    static final String ROOT = "/redfish/v1";

    private static final String TOKEN = "X-Auth-Token";
    private static final int UNAUTHORIZED = 401;

    /** Those that sign their tokens take some hundred; more is refused by servers as a header. */
    private static final int LONGEST_TOKEN = 4096;

    /** Most BMCs answer within it, and nobody waits longer for the end of a session. */
    private static final Duration LOG_OUT = Duration.ofSeconds(2);

    /** A BMC that is out of sessions is not asked for one at every request. */
    private static final Duration WITHOUT_SESSION = Duration.ofMinutes(1);

    private record Session(Authorization token, Optional<String> path) {
        static Session of(KeptSession kept) {
            return new Session(new Authorization(TOKEN, kept.token()), kept.path());
        }

        KeptSession kept() {
            return new KeptSession(token.value(), path);
        }
    }

    private final RedfishHttp http;
    private final BmcCredentials credentials;
    private final LoginBackoff backoff;
    private final SessionStore store;
    private final ReentrantLock login = new ReentrantLock();

    private volatile boolean closed;
    private volatile @Nullable Session session;
    private volatile @Nullable String sessionsPath;
    private volatile @Nullable Deadline withoutSession;

    /** The BMC took a login, or was out of sessions, and refused the same password in a request. */
    private volatile boolean basicIsOff;

    RedfishSession(
            RedfishHttp http,
            BmcCredentials credentials,
            LoginBackoff backoff,
            SessionStore store) {
        this.http = http;
        this.credentials = credentials;
        this.backoff = backoff;
        this.store = store;
        this.session = store.kept().map(Session::of).orElse(null);
    }

    BmcAnswer<Reply> get(String path, Deadline end) {
        return call("GET", path, Optional.empty(), end, false);
    }

    /**
     * One request with whatever proves who we are: the session if there is one, and otherwise, or
     * when it has ended, a new one, or the password itself. What is urgent does not log in first,
     * which would cost two requests more. A password that the BMC denied is tried again only when
     * that may be, and then once.
     */
    BmcAnswer<Reply> call(
            String method, String path, Optional<String> body, Deadline end, boolean urgent) {
        Session warm = session;
        if (warm != null) {
            BmcAnswer<Reply> answer = exchange(method, path, body, Optional.of(warm.token()), end);
            if (!isUnauthorized(answer)) {
                return http.judge(answer);
            }
            drop(warm);
        }
        Purpose purpose = urgent ? Purpose.ORDER : Purpose.LOOK;
        if ((urgent || sessionsRefusedLately()) && !basicIsOff && !backoff.denied()) {
            BmcAnswer<Reply> answer = withPassword(method, path, body, end, purpose);
            if (!isDenied(answer)) {
                return answer;
            }
            // Some BMCs have basic authentication switched off.
            if (logIn(end, purpose, true) instanceof Read<Session>(Session fresh, Duration _)) {
                basicIsOff = true;
                return http.judge(exchange(method, path, body, Optional.of(fresh.token()), end));
            }
            return answer;
        }
        return switch (logIn(end, purpose, false)) {
            case Read<Session>(Session fresh, Duration _) -> {
                if (!urgent && warm != null) {
                    end(warm, fresh, end);
                }
                yield http.judge(exchange(method, path, body, Optional.of(fresh.token()), end));
            }
            case Unknown<Session>(BmcFault.Busy full) -> {
                withoutSession = Deadline.in(WITHOUT_SESSION);
                if (basicIsOff) {
                    yield new Unknown<>(full);
                }
                BmcAnswer<Reply> answer =
                        exchange(method, path, body, Optional.of(http.password()), end);
                // It would have denied the login, not called itself full.
                basicIsOff = isUnauthorized(answer);
                yield basicIsOff ? new Unknown<>(full) : http.judge(answer);
            }
            case Unknown<Session>(BmcFault.Rejected _),
                    Unknown<Session>(BmcFault.Unintelligible _) -> {
                withoutSession = Deadline.in(WITHOUT_SESSION);
                yield withPassword(method, path, body, end, purpose);
            }
            case Unknown<Session>(BmcFault fault) -> new Unknown<>(fault);
        };
    }

    /** A BMC that does not answer may be restarting, and deny what is right when it is back. */
    private BmcAnswer<Reply> exchange(
            String method,
            String path,
            Optional<String> body,
            Optional<Authorization> authorization,
            Deadline end) {
        BmcAnswer<Reply> answer = http.exchange(method, path, body, authorization, end);
        if (answer instanceof Unknown<Reply>(BmcFault.Unreachable _)) {
            backoff.onSilent();
        }
        return answer;
    }

    private synchronized void use(Session fresh) {
        session = fresh;
    }

    /** Unless another thread has a new one already. */
    private synchronized void drop(Session ended) {
        if (ended.equals(session)) {
            session = null;
        }
    }

    /** Some BMCs say 401 to what an account may not see, and the session is there still. */
    private void end(Session old, Session fresh, Deadline end) {
        if (old.path().isPresent() && !old.path().equals(fresh.path())) {
            exchange("DELETE", old.path().get(), Optional.empty(), Optional.of(fresh.token()), end);
        }
    }

    private BmcAnswer<Reply> withPassword(
            String method, String path, Optional<String> body, Deadline end, Purpose purpose) {
        BmcAnswer<Reply> answer = exchange(method, path, body, Optional.of(http.password()), end);
        if (answer instanceof Read<Reply>(Reply reply, Duration _) && reply.ok()) {
            backoff.onAccepted();
        }
        return isUnauthorized(answer) ? noted(http.judge(answer), purpose) : http.judge(answer);
    }

    /** A denial, with when it is tried again in its words. */
    private <T> BmcAnswer<T> noted(BmcAnswer<T> answer, Purpose purpose) {
        return answer instanceof Unknown<T>(BmcFault.Denied(int status, String why))
                ? new Unknown<>(denied(backoff.onDenied(purpose, status, why)))
                : answer;
    }

    private static BmcFault denied(LoginBackoff.Held held) {
        return new BmcFault.Denied(held.status(), held.why());
    }

    private static boolean isDenied(BmcAnswer<Reply> answer) {
        return answer instanceof Unknown<Reply>(BmcFault.Denied(int status, String _))
                && status == UNAUTHORIZED;
    }

    private static boolean isUnauthorized(BmcAnswer<Reply> answer) {
        return answer instanceof Read<Reply>(Reply reply, Duration _)
                && reply.status() == UNAUTHORIZED;
    }

    private boolean sessionsRefusedLately() {
        Deadline refused = withoutSession;
        return refused != null && !refused.passed();
    }

    /**
     * @param goesOn whether it belongs to a try that was admitted already
     */
    private BmcAnswer<Session> logIn(Deadline end, Purpose purpose, boolean goesOn) {
        login.lock();
        try {
            Session other = session;
            if (other != null) {
                return new Read<>(other, Duration.ZERO);
            }
            if (closed) {
                return RedfishHttp.unreachable("the client is closed");
            }
            Optional<LoginBackoff.Held> held = goesOn ? Optional.empty() : backoff.held(purpose);
            if (held.isPresent()) {
                return new Unknown<>(denied(held.get()));
            }
            return open(end, purpose)
                    .then(fresh -> {
                        store.keep(fresh.kept());
                        use(fresh);
                        withoutSession = null;
                        return new Read<>(fresh, Duration.ZERO);
                    });
        } finally {
            login.unlock();
        }
    }

    /** Opens a session with the password, for a caller that keeps it or ends it. */
    private BmcAnswer<Session> open(Deadline end, Purpose purpose) {
        String body =
                JsonNodeFactory.instance
                        .objectNode()
                        .put("UserName", credentials.user())
                        .put("Password", credentials.password())
                        .toString();
        return sessionsPath(end)
                .then(path ->
                        noted(
                                http.judge(
                                        exchange(
                                                "POST",
                                                path,
                                                Optional.of(body),
                                                Optional.empty(),
                                                end)),
                                purpose))
                .then(this::opened);
    }

    private BmcAnswer<Session> opened(Reply reply) {
        Optional<String> token = reply.headers().firstValue(TOKEN);
        if (token.filter(text -> !text.isBlank()).isEmpty()) {
            return RedfishHttp.unintelligible("the login gave no token");
        }
        if (token.get().length() > LONGEST_TOKEN) {
            return RedfishHttp.unintelligible(
                    "the login gave a token of %d characters".formatted(token.get().length()));
        }
        backoff.onAccepted();
        return new Read<>(
                new Session(
                        new Authorization(TOKEN, token.get()),
                        reply.headers().firstValue("Location").flatMap(RedfishSession::pathOf)),
                reply.took());
    }

    /** Logs in beside the session that is open, and ends what that opened. */
    BmcAnswer<Bmc.Login> prove(Deadline end) {
        Optional<LoginBackoff.Held> held = backoff.held(Purpose.LOOK);
        if (held.isPresent()) {
            return new Unknown<>(denied(held.get()));
        }
        if (closed) {
            return RedfishHttp.unreachable("the client is closed");
        }
        return open(end, Purpose.LOOK)
                .then(fresh -> {
                    if (fresh.path().isPresent()) {
                        exchange(
                                "DELETE",
                                fresh.path().get(),
                                Optional.empty(),
                                Optional.of(fresh.token()),
                                Deadline.in(LOG_OUT));
                    }
                    return new Read<>(Bmc.Login.ACCEPTED, Duration.ZERO);
                });
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
        return http.judge(exchange("GET", ROOT, Optional.empty(), Optional.empty(), end))
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
            if (open != null
                    && open.path().isPresent()
                    && exchange(
                                    "DELETE",
                                    open.path().get(),
                                    Optional.empty(),
                                    Optional.of(open.token()),
                                    end)
                            instanceof Read<Reply>) {
                store.forget(open.kept());
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
