package dev.tandem.redfishsim;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;

/** Who may ask a BMC for something: its accounts, their roles and passwords, and their sessions. */
final class Accounts {
    private final Map<String, BmcAccount> accounts = new ConcurrentSkipListMap<>();
    private final Sessions sessions;
    private final Resources resources;
    private final Supplier<BmcBehaviour> behaviour;
    private final BmcEvent.Listener listener;
    private final LockOut lockOut;

    Accounts(
            List<BmcAccount> accounts,
            Resources resources,
            Supplier<BmcBehaviour> behaviour,
            BmcEvent.Listener listener,
            InstantSource clock) {
        accounts.forEach(account -> this.accounts.put(account.user(), account));
        this.sessions = new Sessions(clock);
        this.resources = resources;
        this.behaviour = behaviour;
        this.listener = listener;
        this.lockOut = new LockOut(clock);
    }

    /** Forgets who had the wrong password. */
    void unlockAll() {
        lockOut.forget();
    }

    /** Ends all sessions. */
    void logOutAll() {
        sessions.closeAll();
    }

    /** Whose request it is; empty where it carries no credentials that are right. */
    Optional<BmcAccount> authenticate(Request request) {
        String token = request.headers().getFirst("X-Auth-Token");
        if (token != null) {
            return sessions.byToken(token).flatMap(session -> account(session.user()));
        }
        String authorization = request.headers().getFirst("Authorization");
        if (authorization == null
                || !authorization.startsWith("Basic ")
                || behaviour.get().sessionsOnly()) {
            return Optional.empty();
        }
        try {
            String pair =
                    new String(
                            Base64.getDecoder().decode(authorization.substring(6).strip()),
                            StandardCharsets.UTF_8);
            int colon = pair.indexOf(':');
            return colon < 0
                    ? Optional.empty()
                    : verify(request, pair.substring(0, colon), pair.substring(colon + 1));
        } catch (IllegalArgumentException e) {
            // Not base64: credentials that are no credentials.
            return Optional.empty();
        }
    }

    private Optional<BmcAccount> verify(Request request, String user, String password) {
        int lockAfter = behaviour.get().lockAfter();
        Optional<BmcAccount> account =
                account(user)
                        .filter(_ -> lockAfter == 0 || !lockOut.isLocked(user))
                        .filter(known -> !behaviour.get().credentialsRotated())
                        .filter(known ->
                                MessageDigest.isEqual(
                                        passwordOf(known).getBytes(StandardCharsets.UTF_8),
                                        password.getBytes(StandardCharsets.UTF_8)));
        if (account.isEmpty()) {
            listener.happened(
                    BmcEvent.Kind.LOGIN_REFUSED, user + " from " + request.from(), request.path());
            if (lockAfter > 0 && lockOut.wrong(user, lockAfter)) {
                listener.happened(
                        BmcEvent.Kind.ACCOUNT_LOCKED,
                        user + " from " + request.from(),
                        "for %d s".formatted(BmcBehaviour.LOCKED.toSeconds()));
            }
        } else {
            lockOut.right(user);
        }
        return account;
    }

    private String passwordOf(BmcAccount account) {
        String changed = behaviour.get().newPassword();
        return changed.isEmpty() ? account.password() : changed;
    }

    private Optional<BmcAccount> account(String user) {
        return Optional.ofNullable(accounts.get(user));
    }

    Reply login(Request request) {
        Optional<JsonNode> body = request.json();
        if (body.isEmpty()) {
            return Reply.malformed();
        }
        String user = body.get().path("UserName").asText("");
        String password = body.get().path("Password").asText("");
        Optional<BmcAccount> account = verify(request, user, password);
        if (account.isEmpty()) {
            return Reply.unauthorized();
        }
        return sessions.open(user, request.from(), behaviour.get().sessionLimit())
                .map(session -> {
                    listener.happened(
                            BmcEvent.Kind.SESSION_OPENED,
                            user + " from " + request.from(),
                            "session " + session.id());
                    return Reply.created(
                                    Resources.SESSIONS + "/" + session.id(),
                                    resources.session(session))
                            .with("X-Auth-Token", session.token());
                })
                .orElseGet(() ->
                        Reply.error(
                                503,
                                "SessionLimitExceeded",
                                "There are as many sessions as this service keeps.",
                                "Log out elsewhere, or wait for idle sessions to end."));
    }

    Reply sessionService(Request request, List<String> rest, BmcAccount account) {
        if (rest.isEmpty()) {
            return Reply.get(request, resources.sessionService());
        }
        if (!rest.getFirst().equals("Sessions") || rest.size() > 2) {
            return Reply.notFound(request.path());
        }
        List<Sessions.Session> visible =
                sessions.all().stream()
                        .filter(session ->
                                account.role().mayConfigureManager()
                                        || session.user().equals(account.user()))
                        .toList();
        if (rest.size() == 1) {
            return switch (request.method()) {
                case "GET", "HEAD" ->
                        Reply.ok(resources.sessions(visible)).with("Allow", "GET, HEAD, POST");
                default -> Reply.methodNotAllowed(request.method(), "GET, HEAD, POST");
            };
        }
        Optional<Sessions.Session> session =
                visible.stream().filter(known -> known.id().equals(rest.get(1))).findFirst();
        if (session.isEmpty()) {
            return Reply.notFound(request.path());
        }
        return switch (request.method()) {
            case "GET", "HEAD" ->
                    Reply.ok(resources.session(session.get())).with("Allow", "GET, HEAD, DELETE");
            case "DELETE" -> {
                sessions.close(session.get());
                listener.happened(
                        BmcEvent.Kind.SESSION_CLOSED,
                        request.by(account),
                        "session " + session.get().id());
                yield Reply.noContent();
            }
            default -> Reply.methodNotAllowed(request.method(), "GET, HEAD, DELETE");
        };
    }

    Reply accountService(Request request, List<String> rest, BmcAccount account) {
        switch (behaviour.get().accountService()) {
            case ANSWERS -> {}
            case UNAUTHORIZED -> {
                return Reply.unauthorized();
            }
            case FORBIDDEN -> {
                return Reply.forbidden();
            }
            case NOT_FOUND -> {
                return Reply.notFound(request.path());
            }
        }
        if (rest.isEmpty()) {
            return Reply.get(request, resources.accountService());
        }
        if (rest.size() > 2) {
            return Reply.notFound(request.path());
        }
        return switch (rest.getFirst()) {
            case "Accounts" -> accounts(request, rest.subList(1, rest.size()), account);
            case "Roles" ->
                    rest.size() == 1
                            ? Reply.get(request, resources.roles())
                            : Arrays.stream(BmcAccount.Role.values())
                                    .filter(role -> role.redfishName().equals(rest.get(1)))
                                    .findFirst()
                                    .map(role -> Reply.get(request, resources.role(role)))
                                    .orElseGet(() -> Reply.notFound(request.path()));
            default -> Reply.notFound(request.path());
        };
    }

    private Reply accounts(Request request, List<String> rest, BmcAccount account) {
        List<BmcAccount> visible =
                accounts.values().stream()
                        .filter(known ->
                                account.role().mayConfigureUsers()
                                        || known.user().equals(account.user()))
                        .toList();
        if (rest.isEmpty()) {
            return Reply.get(request, resources.accounts(visible));
        }
        Optional<BmcAccount> found =
                visible.stream().filter(known -> known.user().equals(rest.getFirst())).findFirst();
        if (found.isEmpty()) {
            return Reply.notFound(request.path());
        }
        return switch (request.method()) {
            case "GET", "HEAD" ->
                    Reply.ok(resources.account(found.get())).with("Allow", "GET, HEAD, PATCH");
            case "PATCH" -> changePassword(request, found.get(), account);
            default -> Reply.methodNotAllowed(request.method(), "GET, HEAD, PATCH");
        };
    }

    private Reply changePassword(Request request, BmcAccount changed, BmcAccount by) {
        Optional<JsonNode> body = request.json();
        if (body.isEmpty()) {
            return Reply.malformed();
        }
        String expected = request.headers().getFirst("If-Match");
        String actual = Reply.ok(resources.account(changed)).etag();
        if (expected != null && !expected.equals("*") && !expected.equals(actual)) {
            return Reply.error(
                    412,
                    "PreconditionFailed",
                    "The account is not as the request expects it.",
                    "Read it again.");
        }
        JsonNode password = body.get().path("Password");
        if (!password.isTextual() || password.asText().isEmpty() || body.get().size() != 1) {
            return Reply.error(
                    400,
                    "PropertyNotWritable",
                    "Of an account, the password can be changed, and nothing else.",
                    "Send the property Password alone.");
        }
        accounts.put(
                changed.user(), new BmcAccount(changed.user(), password.asText(), changed.role()));
        sessions.closeAllOf(changed.user());
        listener.happened(BmcEvent.Kind.PASSWORD_CHANGED, request.by(by), changed.user());
        return Reply.noContent();
    }
}
