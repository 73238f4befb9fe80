package dev.tandem.host.bmc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.tandem.host.bmc.BmcAnswer.Read;
import dev.tandem.host.bmc.BmcAnswer.Unknown;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Speaks Redfish with one BMC about one system.
 *
 * <p>It keeps a session open, so that switching off costs one request and one answer on a
 * connection that exists. Each {@link #read} keeps it warm: asked at least every 20 s, the
 * connection is never closed for idleness (both ends of the JDK give up after 30). Nothing here
 * throws for what a BMC does or does not do, and no answer is remembered: a power state is always
 * one that was asked for.
 */
public final class RedfishClient implements BmcPower, AutoCloseable {
    /** Real BMCs take up to 2 s for an answer, and more while their machine boots. */
    public static final Duration REQUEST_LIMIT = Duration.ofSeconds(6);

    // Redfish tells a change of the power state only to those who subscribe, by a connection from
    // the BMC that firewalls and firmware often do not let through. So the state is read again and
    // again: soon at first, because a virtual or quick BMC is off within milliseconds, then at a
    // rate that no firmware minds.
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(250);

    /** An accepted request that shows no effect is sent again: BMCs lose some while they boot. */
    private static final Duration REPEAT_ACCEPTED = Duration.ofSeconds(5);

    /** A refused one is repeated more quickly, but not at the rate of reading. */
    private static final Duration REPEAT_REFUSED = Duration.ofSeconds(1);

    /** However long a busy BMC wants to be left alone, it is asked once more before the limit. */
    private static final Duration LAST_TRY = Duration.ofMillis(500);

    /** Most BMCs answer within it, and nobody waits longer for the end of a session. */
    private static final Duration LOG_OUT = Duration.ofSeconds(2);

    /** With less time left nothing is asked: the answer would only be that time ran out. */
    private static final Duration ROOM_TO_ASK = Duration.ofMillis(20);

    /** A BMC that is out of sessions is not asked for one at every request. */
    private static final Duration WITHOUT_SESSION = Duration.ofMinutes(1);

    /** Where Retry-After is missing or unreadable. */
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    private static final int BODY_LIMIT = 1 << 20;
    private static final int WORDS_LIMIT = 200;

    /** BMCs have 16 accounts or so; more are not searched for the agent's own. */
    private static final int ACCOUNTS_LIMIT = 32;

    private static final BmcRights NOT_TOLD = new BmcRights(Optional.empty(), Set.of());

    private static final String ROOT = "/redfish/v1";
    private static final Pattern PATH = Pattern.compile("/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*");
    private static final ObjectMapper JSON = new ObjectMapper();

    private record Reply(int status, JsonNode body, HttpHeaders headers, Duration took) {
        boolean ok() {
            return status / 100 == 2;
        }
    }

    private record Session(String token, Optional<String> path) {
        @Override
        public String toString() {
            return "Session[" + path.orElse("") + "]";
        }
    }

    /** Where resets go, and which ones the system offers; empty when it does not tell. */
    private record ResetAction(String target, Set<ResetType> offered) {}

    private final RedfishEndpoint endpoint;
    private final BmcCredentials credentials;
    private final Duration requestLimit;
    private final HttpClient http;
    private final Latencies latencies = new Latencies();
    private final ReentrantLock login = new ReentrantLock();

    private volatile boolean closed;
    private volatile @Nullable Session session;
    private volatile @Nullable String sessionsPath;
    private volatile @Nullable String systemPath;
    private volatile @Nullable ResetAction resetAction;
    private volatile long sessionsRefusedAt;
    private volatile boolean sessionsRefused;

    public RedfishClient(RedfishEndpoint endpoint, BmcCredentials credentials) {
        this(endpoint, credentials, REQUEST_LIMIT);
    }

    /** No single request takes longer than the limit, its connection and handshake included. */
    public RedfishClient(
            RedfishEndpoint endpoint, BmcCredentials credentials, Duration requestLimit) {
        this.endpoint = endpoint;
        this.credentials = credentials;
        this.requestLimit = requestLimit;
        this.systemPath = endpoint.systemPath().orElse(null);
        // HTTP/2 would cost a negotiation that no BMC wins, and redirects could lead the
        // credentials elsewhere.
        this.http =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(requestLimit)
                        .sslContext(endpoint.trust().context())
                        .build();
    }

    public RedfishEndpoint endpoint() {
        return endpoint;
    }

    /** How long the last answers took; empty before the first. */
    public Optional<LatencyFigures> latency() {
        return latencies.figures();
    }

    @Override
    public BmcAnswer<PowerState> read() {
        return switch (report()) {
            case Read<PowerReport>(PowerReport report, Duration took) ->
                    new Read<>(report.state(), took);
            case Unknown<PowerReport>(BmcFault fault) -> new Unknown<>(fault);
        };
    }

    /** The power state as the BMC tells it now, and of which machine. */
    public BmcAnswer<PowerReport> report() {
        return report(deadline(requestLimit.multipliedBy(3)), false);
    }

    @Override
    public PowerOutcome off(Duration limit) {
        return drive(
                List.of(ResetType.FORCE_OFF, ResetType.GRACEFUL_SHUTDOWN),
                state -> state == PowerState.OFF,
                limit);
    }

    @Override
    public PowerOutcome on(Duration limit) {
        return drive(
                List.of(ResetType.ON, ResetType.FORCE_ON),
                state -> state == PowerState.ON || state == PowerState.POWERING_ON,
                limit);
    }

    /** Which machine this BMC switches. */
    public BmcAnswer<HardwareIdentity> identity() {
        long end = deadline(requestLimit.multipliedBy(10));
        return system(end, false)
                .then(system ->
                        macs(system.body(), end)
                                .then(macs ->
                                        new Read<>(identity(system.body(), macs), system.took())));
    }

    /** What the account of the agent may do. A BMC that does not say so lists no privileges. */
    public BmcAnswer<BmcRights> rights() {
        long end = deadline(requestLimit.multipliedBy(10));
        BmcAnswer<BmcRights> told =
                get(ROOT + "/AccountService", end)
                        .then(service -> ownAccount(link(service.body().path("Accounts")), end))
                        .then(account -> rights(account, end));
        // Some BMCs show accounts to administrators only, or not at all: that is not to be told,
        // while the login itself has worked.
        return switch (told) {
            case Unknown<BmcRights>(BmcFault.Rejected _),
                    Unknown<BmcRights>(BmcFault.Unintelligible _) ->
                    new Read<>(NOT_TOLD, Duration.ZERO);
            case Unknown<BmcRights>(BmcFault.Denied(int status, String _)) when status == 403 ->
                    new Read<>(NOT_TOLD, Duration.ZERO);
            case Unknown<BmcRights> unknown -> unknown;
            case Read<BmcRights> read -> read;
        };
    }

    /** Logs out: BMCs have few sessions. Whoever still asks gets no answer, and no new session. */
    @Override
    public void close() {
        closed = true;
        long end = deadline(LOG_OUT);
        // A login that is under way would leave the session behind that it opens.
        boolean alone = false;
        try {
            alone = login.tryLock(LOG_OUT.toNanos(), TimeUnit.NANOSECONDS);
            Session open = session;
            session = null;
            if (open != null && open.path().isPresent()) {
                exchange(
                        "DELETE",
                        open.path().get(),
                        Optional.empty(),
                        Optional.of(open),
                        false,
                        end);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (alone) {
                login.unlock();
            }
        }
        http.shutdownNow();
    }

    @Override
    public String toString() {
        return "RedfishClient[" + endpoint.base() + ", " + credentials + "]";
    }

    /**
     * Asks for a reset and reads until the goal is seen. The goal counts only when it is read by a
     * request sent after the reset was asked for. What the BMC answered to the reset decides
     * nothing: some say 204 and do nothing, some say 400 or 409 because it is done already.
     */
    private PowerOutcome drive(List<ResetType> ways, Predicate<PowerState> goal, Duration limit) {
        long begin = System.nanoTime();
        long end = begin + limit.toNanos();
        Optional<PowerState> lastRead = Optional.empty();
        Optional<BmcFault> lastFault = Optional.empty();
        Duration pause = FIRST_PAUSE;
        boolean accepted = false;
        long nextReset = begin;
        while (true) {
            if (System.nanoTime() - nextReset >= 0) {
                BmcAnswer<Reply> answer = reset(ways, end);
                switch (answer) {
                    case Read<Reply> _ -> {
                        accepted = true;
                        lastFault = Optional.empty();
                        nextReset = deadline(REPEAT_ACCEPTED);
                    }
                    case Unknown<Reply>(BmcFault fault) -> {
                        lastFault = Optional.of(telling(lastFault, fault, end));
                        nextReset =
                                fault instanceof BmcFault.Rejected
                                        ? deadline(REPEAT_REFUSED)
                                        : System.nanoTime();
                    }
                }
            }
            if (isHopeless(lastFault) || !hasRoom(end)) {
                return new PowerOutcome.NotObserved(lastRead, lastFault, since(begin));
            }
            switch (report(end, true)) {
                case Read<PowerReport>(PowerReport(PowerState state, var machine), Duration _) -> {
                    if (goal.test(state)) {
                        return new PowerOutcome.Observed(state, machine, accepted, since(begin));
                    }
                    lastRead = Optional.of(state);
                }
                case Unknown<PowerReport>(BmcFault fault) ->
                        lastFault = Optional.of(telling(lastFault, fault, end));
            }
            Duration left = Duration.ofNanos(end - System.nanoTime());
            if (isHopeless(lastFault)
                    || !pause(pauseAfter(lastFault, pause, left))
                    || !hasRoom(end)) {
                return new PowerOutcome.NotObserved(lastRead, lastFault, since(begin));
            }
            pause = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
        }
    }

    /**
     * Trying a wrong password again locks the account; a wrong certificate does not mend either.
     */
    private static boolean isHopeless(Optional<BmcFault> fault) {
        return fault.filter(f -> f instanceof BmcFault.Denied || f instanceof BmcFault.Untrusted)
                .isPresent();
    }

    private static Duration pauseAfter(Optional<BmcFault> fault, Duration pause, Duration left) {
        if (fault.isPresent() && fault.get() instanceof BmcFault.Busy(Duration wait, String _)) {
            return shorter(wait, longer(left.minus(LAST_TRY), shorter(pause, left)));
        }
        return shorter(pause, left);
    }

    /**
     * The fault worth telling. A request that our own limit has cut short looks like an unreachable
     * BMC, and must not hide what the BMC itself said before.
     */
    private static BmcFault telling(Optional<BmcFault> before, BmcFault now, long end) {
        return now instanceof BmcFault.Unreachable && !hasRoom(end) ? before.orElse(now) : now;
    }

    private static boolean hasRoom(long end) {
        return end - System.nanoTime() > ROOM_TO_ASK.toNanos();
    }

    /** False if the thread was told to stop. */
    private static boolean pause(Duration time) {
        try {
            if (time.isPositive()) {
                Thread.sleep(time);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private BmcAnswer<Reply> reset(List<ResetType> ways, long end) {
        return systemPath(end)
                .then(path -> {
                    ResetAction known = resetAction;
                    // Every service known puts the action here; its true place is learned
                    // with the first reading.
                    ResetAction action =
                            known != null
                                    ? known
                                    : new ResetAction(
                                            path + "/Actions/ComputerSystem.Reset", Set.of());
                    String body =
                            JsonNodeFactory.instance
                                    .objectNode()
                                    .put("ResetType", choose(ways, action).redfishName())
                                    .toString();
                    return call("POST", action.target(), Optional.of(body), end, true);
                });
    }

    /** The best way that is offered. A shutdown is a poor way to fence, but Off is Off. */
    private static ResetType choose(List<ResetType> ways, ResetAction action) {
        return ways.stream().filter(action.offered()::contains).findFirst().orElse(ways.getFirst());
    }

    private BmcAnswer<PowerReport> report(long end, boolean urgent) {
        return system(end, urgent)
                .then(reply -> {
                    String word = reply.body().path("PowerState").asText("");
                    return PowerState.parse(word)
                            .map(state -> new PowerReport(state, identity(reply.body(), Set.of())))
                            .<BmcAnswer<PowerReport>>map(report -> new Read<>(report, reply.took()))
                            .orElseGet(() ->
                                    unintelligible("the power state is '" + words(word) + "'"));
                });
    }

    private BmcAnswer<Reply> system(long end, boolean urgent) {
        BmcAnswer<Reply> answer =
                systemPath(end).then(path -> call("GET", path, Optional.empty(), end, urgent));
        if (answer instanceof Read<Reply>(Reply reply, Duration _)) {
            learnReset(reply.body());
        }
        return answer;
    }

    private void learnReset(JsonNode system) {
        JsonNode action = system.path("Actions").path("#ComputerSystem.Reset");
        String target = action.path("target").asText("");
        if (!isPath(target)) {
            return;
        }
        Set<ResetType> offered = EnumSet.noneOf(ResetType.class);
        action.path("ResetType@Redfish.AllowableValues")
                .forEach(value -> ResetType.parse(value.asText()).ifPresent(offered::add));
        resetAction = new ResetAction(target, offered);
    }

    private BmcAnswer<String> systemPath(long end) {
        String known = systemPath;
        if (known != null) {
            return new Read<>(known, Duration.ZERO);
        }
        return get(ROOT + "/Systems", end)
                .then(reply -> {
                    List<String> members = members(reply.body());
                    if (members.size() != 1) {
                        return unintelligible(
                                "it has "
                                        + members.size()
                                        + " systems, and none is named in the address");
                    }
                    systemPath = members.getFirst();
                    return new Read<>(members.getFirst(), reply.took());
                });
    }

    private static HardwareIdentity identity(JsonNode system, Set<String> macs) {
        return new HardwareIdentity(
                NodeHardware.uuid(system.path("UUID").asText("")),
                Optional.of(system.path("SerialNumber").asText("")),
                macs);
    }

    /** A BMC that lists no interfaces, as many do while the machine is off, has none to compare. */
    private BmcAnswer<Set<String>> macs(JsonNode system, long end) {
        String collection = link(system.path("EthernetInterfaces"));
        if (collection.isEmpty()) {
            return new Read<>(Set.of(), Duration.ZERO);
        }
        Set<String> macs = new TreeSet<>();
        switch (get(collection, end)) {
            case Unknown<Reply>(BmcFault.Rejected _) -> {
                return new Read<>(Set.of(), Duration.ZERO);
            }
            case Unknown<Reply>(BmcFault fault) -> {
                return new Unknown<>(fault);
            }
            case Read<Reply>(Reply list, Duration _) -> {
                for (String member : members(list.body())) {
                    switch (get(member, end)) {
                        case Read<Reply>(Reply nic, Duration _) -> {
                            macs.add(nic.body().path("MACAddress").asText(""));
                            macs.add(nic.body().path("PermanentMACAddress").asText(""));
                        }
                        case Unknown<Reply>(BmcFault fault) -> {
                            return new Unknown<>(fault);
                        }
                    }
                }
                return new Read<>(macs, list.took());
            }
        }
    }

    private BmcAnswer<Reply> ownAccount(String collection, long end) {
        if (collection.isEmpty()) {
            return unintelligible("it names no accounts");
        }
        return get(collection, end)
                .then(list -> {
                    List<String> members = members(list.body());
                    for (String member :
                            members.subList(0, Math.min(members.size(), ACCOUNTS_LIMIT))) {
                        BmcAnswer<Reply> account = get(member, end);
                        if (account instanceof Read<Reply>(Reply reply, Duration _)
                                && reply.body()
                                        .path("UserName")
                                        .asText("")
                                        .equals(credentials.user())) {
                            return account;
                        }
                    }
                    return unintelligible("it does not list the account");
                });
    }

    private BmcAnswer<BmcRights> rights(Reply account, long end) {
        Optional<String> role =
                Optional.of(account.body().path("RoleId").asText(""))
                        .filter(name -> !name.isEmpty());
        String place = link(account.body().path("Links").path("Role"));
        if (place.isEmpty()) {
            return new Read<>(new BmcRights(role, Set.of()), account.took());
        }
        return get(place, end)
                .then(reply -> {
                    Set<String> privileges = new TreeSet<>();
                    reply.body()
                            .path("AssignedPrivileges")
                            .forEach(name -> privileges.add(name.asText()));
                    return new Read<>(new BmcRights(role, privileges), reply.took());
                });
    }

    private BmcAnswer<Reply> get(String path, long end) {
        return call("GET", path, Optional.empty(), end, false);
    }

    /**
     * One request with whatever proves who we are: the session if there is one, and otherwise, or
     * when it has ended, a new one, or the password itself. What is urgent does not log in first,
     * which would cost two requests more.
     */
    private BmcAnswer<Reply> call(
            String method, String path, Optional<String> body, long end, boolean urgent) {
        Session warm = session;
        if (warm != null) {
            BmcAnswer<Reply> answer = exchange(method, path, body, Optional.of(warm), false, end);
            if (!isUnauthorized(answer)) {
                return judge(answer);
            }
            session = null;
        }
        if (urgent || sessionsRefusedLately()) {
            BmcAnswer<Reply> answer = exchange(method, path, body, Optional.empty(), true, end);
            if (!isUnauthorized(answer)) {
                return judge(answer);
            }
            // Some BMCs have basic authentication switched off.
            return logIn(end) instanceof Read<Session>(Session fresh, Duration _)
                    ? judge(exchange(method, path, body, Optional.of(fresh), false, end))
                    : judge(answer);
        }
        return switch (logIn(end)) {
            case Read<Session>(Session fresh, Duration _) ->
                    judge(exchange(method, path, body, Optional.of(fresh), false, end));
            case Unknown<Session>(BmcFault.Rejected _),
                    Unknown<Session>(BmcFault.Busy _),
                    Unknown<Session>(BmcFault.Unintelligible _) -> {
                sessionsRefusedAt = System.nanoTime();
                sessionsRefused = true;
                yield judge(exchange(method, path, body, Optional.empty(), true, end));
            }
            case Unknown<Session>(BmcFault fault) -> new Unknown<>(fault);
        };
    }

    private boolean sessionsRefusedLately() {
        return sessionsRefused && since(sessionsRefusedAt).compareTo(WITHOUT_SESSION) < 0;
    }

    private BmcAnswer<Session> logIn(long end) {
        login.lock();
        try {
            Session other = session;
            if (other != null) {
                return new Read<>(other, Duration.ZERO);
            }
            if (closed) {
                return unreachable("nobody asks any more");
            }
            String body =
                    JsonNodeFactory.instance
                            .objectNode()
                            .put("UserName", credentials.user())
                            .put("Password", credentials.password())
                            .toString();
            return sessionsPath(end)
                    .then(path ->
                            judge(
                                    exchange(
                                            "POST",
                                            path,
                                            Optional.of(body),
                                            Optional.empty(),
                                            false,
                                            end)))
                    .then(this::opened);
        } finally {
            login.unlock();
        }
    }

    private BmcAnswer<Session> opened(Reply reply) {
        Optional<String> token = reply.headers().firstValue("X-Auth-Token");
        if (token.isEmpty()) {
            return unintelligible("the login gave no token");
        }
        Session fresh =
                new Session(
                        token.get(),
                        reply.headers().firstValue("Location").flatMap(RedfishClient::pathOf));
        session = fresh;
        sessionsRefused = false;
        return new Read<>(fresh, reply.took());
    }

    private BmcAnswer<String> sessionsPath(long end) {
        String known = sessionsPath;
        if (known != null) {
            return new Read<>(known, Duration.ZERO);
        }
        return judge(exchange("GET", ROOT, Optional.empty(), Optional.empty(), false, end))
                .then(root -> {
                    String path = link(root.body().path("Links").path("Sessions"));
                    if (path.isEmpty()) {
                        return unintelligible("its root has no link to sessions");
                    }
                    sessionsPath = path;
                    return new Read<>(path, root.took());
                });
    }

    /** Unknown only where no answer came; any status is an answer here. */
    private BmcAnswer<Reply> exchange(
            String method,
            String path,
            Optional<String> body,
            Optional<Session> by,
            boolean withPassword,
            long end) {
        Duration left = Duration.ofNanos(end - System.nanoTime());
        if (!left.isPositive()) {
            return new Unknown<>(new BmcFault.Unreachable("no time was left to ask"));
        }
        Duration limit = shorter(left, requestLimit);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(endpoint.at(path))
                        .timeout(limit)
                        .header("Accept", "application/json")
                        .header("Cache-Control", "no-cache")
                        .header("OData-Version", "4.0");
        body.ifPresent(_ -> request.header("Content-Type", "application/json"));
        request.method(
                method,
                body.map(HttpRequest.BodyPublishers::ofString)
                        .orElseGet(HttpRequest.BodyPublishers::noBody));
        by.ifPresent(session -> request.header("X-Auth-Token", session.token()));
        if (withPassword) {
            request.header("Authorization", credentials.basicAuthorization());
        }
        long begin = System.nanoTime();
        try {
            HttpResponse<byte[]> response =
                    http.send(
                            request.build(),
                            HttpResponse.BodyHandlers.limiting(
                                    HttpResponse.BodyHandlers.ofByteArray(), BODY_LIMIT));
            Duration took = since(begin);
            latencies.add(took);
            Reply reply =
                    new Reply(
                            response.statusCode(), json(response.body()), response.headers(), took);
            return new Read<>(reply, took);
        } catch (HttpTimeoutException e) {
            return unreachable("no answer within %.1f s".formatted(limit.toMillis() / 1000.0));
        } catch (ConnectException e) {
            return unreachable("no connection to " + endpoint.base().getAuthority());
        } catch (SSLException e) {
            return certificateIsAtFault(e)
                    ? new Unknown<>(new BmcFault.Untrusted(words(String.valueOf(e.getMessage()))))
                    : unreachable("TLS: " + e.getMessage());
        } catch (IOException e) {
            return unreachable("the connection broke: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return unreachable("asking was interrupted");
        }
    }

    /**
     * A connection that is cut in the handshake is an SSLException as well, but no bad certificate.
     */
    private static boolean certificateIsAtFault(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof GeneralSecurityException) {
                return true;
            }
        }
        return false;
    }

    private BmcAnswer<Reply> judge(BmcAnswer<Reply> answer) {
        return answer.then(reply ->
                reply.ok() ? new Read<>(reply, reply.took()) : new Unknown<>(fault(reply)));
    }

    private BmcFault fault(Reply reply) {
        String why = reason(reply);
        return switch (reply.status()) {
            case 401, 403 -> new BmcFault.Denied(reply.status(), why);
            case 429, 503 -> new BmcFault.Busy(retryAfter(reply), why);
            default -> new BmcFault.Rejected(reply.status(), why);
        };
    }

    private static boolean isUnauthorized(BmcAnswer<Reply> answer) {
        return answer instanceof Read<Reply>(Reply reply, Duration _) && reply.status() == 401;
    }

    private static Duration retryAfter(Reply reply) {
        return reply.headers()
                .firstValue("Retry-After")
                .filter(text -> text.matches("[0-9]{1,6}"))
                .map(text -> Duration.ofSeconds(Long.parseLong(text)))
                .orElse(RETRY_AFTER);
    }

    private String reason(Reply reply) {
        JsonNode error = reply.body().path("error");
        JsonNode info = error.path("@Message.ExtendedInfo").path(0);
        List<String> parts = new ArrayList<>();
        for (String part :
                List.of(info.path("MessageId").asText(""), info.path("Message").asText(""))) {
            if (!part.isBlank()) {
                parts.add(part);
            }
        }
        String text =
                parts.isEmpty()
                        ? error.path("message").asText("status " + reply.status())
                        : String.join(", ", parts);
        return words(text);
    }

    /** Foreign words, fit for a line of a log: one line, not long, and without our password. */
    private String words(String text) {
        String line = text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
        // Shorter ones stand in ordinary words, and would mark themselves by their absence.
        if (credentials.password().length() >= 4) {
            line = line.replace(credentials.password(), "(password)");
        }
        return line.length() <= WORDS_LIMIT ? line : line.substring(0, WORDS_LIMIT) + "…";
    }

    private static JsonNode json(byte[] body) {
        if (body.length == 0) {
            return MissingNode.getInstance();
        }
        try {
            return JSON.readTree(body);
        } catch (JsonProcessingException e) {
            // A web page instead of JSON has none of the properties asked for later.
            return MissingNode.getInstance();
        } catch (IOException e) {
            throw new IllegalStateException("bytes in memory are always readable", e);
        }
    }

    private static String link(JsonNode node) {
        String path = node.path("@odata.id").asText("");
        return isPath(path) ? path : "";
    }

    private static boolean isPath(String text) {
        return PATH.matcher(text).matches();
    }

    private static List<String> members(JsonNode collection) {
        List<String> members = new ArrayList<>();
        collection
                .path("Members")
                .forEach(member -> {
                    String path = link(member);
                    if (!path.isEmpty()) {
                        members.add(path);
                    }
                });
        return members;
    }

    private static Optional<String> pathOf(String location) {
        try {
            return Optional.ofNullable(URI.create(location).getRawPath())
                    .filter(RedfishClient::isPath);
        } catch (IllegalArgumentException e) {
            // Then the session cannot be closed by us and ends by disuse.
            return Optional.empty();
        }
    }

    private static <T> BmcAnswer<T> unintelligible(String why) {
        return new Unknown<>(new BmcFault.Unintelligible(why));
    }

    private static <T> BmcAnswer<T> unreachable(String why) {
        return new Unknown<>(new BmcFault.Unreachable(why));
    }

    private static long deadline(Duration limit) {
        return System.nanoTime() + limit.toNanos();
    }

    private static Duration since(long begin) {
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
