package dev.tandem.lab.bmc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import dev.tandem.core.Failure;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.ResetType;
import dev.tandem.host.tls.Tls;
import dev.tandem.lab.bmc.BmcBehaviour.HardOff;
import dev.tandem.lab.bmc.BmcBehaviour.Reachability;
import dev.tandem.lab.bmc.BmcBehaviour.WhenAlreadyThere;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A Redfish service over HTTPS in front of one machine.
 *
 * <p>It is told apart from a real one by nothing but its vendor name: DMTF's resources, basic and
 * session authentication, roles, and whatever habits {@link BmcBehaviour} gives it.
 */
public final class RedfishBmc implements AutoCloseable {
    /** Nothing a client sends here is longer than a few hundred bytes. */
    private static final int BODY_LIMIT = 64 * 1024;

    /** Who is met with silence is let go after this long, so that connections do not pile up. */
    private static final Duration SILENCE_LIMIT = Duration.ofMinutes(5);

    private static final Set<ResetType> HARD =
            EnumSet.of(
                    ResetType.FORCE_OFF,
                    ResetType.FORCE_RESTART,
                    ResetType.POWER_CYCLE,
                    ResetType.FULL_POWER_CYCLE);

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A reading of the power state, and when it was taken. */
    private record Reading(PowerState state, long nanos) {}

    private record Request(
            String method,
            String path,
            List<String> parts,
            Headers headers,
            String body,
            String from) {}

    private final BmcSettings settings;
    private final Machine machine;
    private final InstantSource clock = InstantSource.system();
    private final HttpsServer server;
    private final PowerControl power;
    private final Sessions sessions;
    private final Resources resources;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /** Guards all that follows. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private final Map<String, BmcAccount> accounts = new LinkedHashMap<>();
    private volatile BmcBehaviour behaviour;
    private int busyAnswersLeft;
    private Reading reading;
    private boolean plugPulled;
    private boolean closed;

    private RedfishBmc(BmcSettings settings, Machine machine, HttpsServer server) {
        this.settings = settings;
        this.machine = machine;
        this.server = server;
        this.behaviour = settings.behaviour();
        this.busyAnswersLeft = behaviour.busyAnswers();
        this.power = new PowerControl(machine, () -> this.behaviour, this::tell);
        this.reading = new Reading(power.read(), System.nanoTime());
        this.sessions = new Sessions(clock);
        this.resources = new Resources(machine.identity(), settings.systemId());
        settings.accounts().forEach(account -> accounts.put(account.user(), account));
    }

    /**
     * Opens the listening socket on the calling thread, hence in that thread's network namespace,
     * and starts no thread that opens sockets or starts others. Call {@link #serve} from a thread
     * that is in the namespace where the rest of the program lives: a new thread inherits the
     * namespace of the one that starts it, and the carriers of virtual threads, started from in
     * here, would take every later socket of the program into the BMC's namespace.
     */
    public static RedfishBmc bind(BmcSettings settings, Machine machine) {
        try {
            HttpsServer server = HttpsServer.create(settings.address(), 64);
            return new RedfishBmc(settings, machine, server);
        } catch (IOException e) {
            throw new Failure(
                    "cannot start the BMC of " + machine.identity().serial(),
                    settings.address() + ": " + e.getMessage(),
                    "see who uses the address: ss -ltnp",
                    e);
        }
    }

    /** Binds and serves at once, for a caller that has not changed its network namespace. */
    public static RedfishBmc start(BmcSettings settings, Machine machine) {
        RedfishBmc bmc = bind(settings, machine);
        bmc.serve();
        return bmc;
    }

    /** Begins to answer. */
    public void serve() {
        server.setHttpsConfigurator(
                new HttpsConfigurator(Tls.server(settings.tls())) {
                    @Override
                    public void configure(HttpsParameters parameters) {
                        // Runs before the handshake, on the connection's own thread: the only place
                        // where a TLS connection can be met with silence.
                        if (!admitted()) {
                            throw new IllegalStateException("hanging up on purpose");
                        }
                        parameters.setSSLParameters(getSSLContext().getDefaultSSLParameters());
                    }
                });
        server.createContext("/", this::handle);
        server.setExecutor(threads);
        server.start();
    }

    /** Where it listens, with the port it was given. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    /** The path of its one system. */
    public String systemPath() {
        return resources.system();
    }

    public BmcBehaviour behaviour() {
        return behaviour;
    }

    /** From the next request on it behaves like this. */
    public void behave(BmcBehaviour next) {
        PowerState now = power.read();
        lock.lock();
        try {
            behaviour = next;
            busyAnswersLeft = next.busyAnswers();
            reading = new Reading(now, System.nanoTime());
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (next.credentialsRotated()) {
            sessions.closeAll();
        }
        tell(BmcEvent.Kind.BEHAVIOUR_CHANGED, "lab", next.toString());
    }

    /** The true power state, whatever the BMC tells its clients. */
    public PowerState powerState() {
        return power.read();
    }

    /**
     * A hand on the button of the machine's front: no login, no lies, but the same latencies.
     *
     * @return false if the machine was in that state already
     */
    public boolean reset(ResetType type, String by) {
        return power.request(type, by) == PowerControl.Outcome.ACCEPTED;
    }

    /**
     * Pulls the machine's plug; returns once all its processes are gone. A BMC that loses power
     * with its host is silent from now on, until {@link #replug}; any other one reads Off.
     */
    public void pullPlug(String by) throws IOException {
        setPlugPulled(true);
        tell(BmcEvent.Kind.FEED_CUT, by, "plug pulled");
        power.cutNow(by);
        if (behaviour.losesPowerWithHost()) {
            sessions.closeAll();
        }
    }

    /** The plug is back; the machine stays off until it is switched on. */
    public void replug(String by) {
        setPlugPulled(false);
        tell(BmcEvent.Kind.FEED_RESTORED, by, "plug back");
    }

    /** Answers nobody any more. The machine goes on as it is. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        power.close();
        server.stop(0);
        threads.shutdownNow();
        threads.close();
    }

    private void setPlugPulled(boolean pulled) {
        lock.lock();
        try {
            plugPulled = pulled;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void tell(BmcEvent.Kind kind, String by, String detail) {
        settings.events().accept(new BmcEvent(clock.instant(), kind, by, detail));
    }

    /** True if this connection is to be served; false after silence, or at once, to hang up. */
    private boolean admitted() {
        lock.lock();
        try {
            long left = SILENCE_LIMIT.toNanos();
            while (!closed && reachability() == Reachability.SILENT && left > 0) {
                left = changed.awaitNanos(left);
                if (closed || reachability() != Reachability.SILENT) {
                    // Its peer has waited through the silence: what it asked then is stale.
                    return false;
                }
            }
            return !closed && reachability() == Reachability.ANSWERS;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    private Reachability reachability() {
        return plugPulled && behaviour.losesPowerWithHost() && !machine.isRunning()
                ? Reachability.SILENT
                : behaviour.reachability();
    }

    private void handle(HttpExchange exchange) throws IOException {
        // Closing an exchange that has no answer closes its connection.
        try (exchange) {
            if (!admitted()) {
                return;
            }
            byte[] body = exchange.getRequestBody().readNBytes(BODY_LIMIT + 1);
            String path = exchange.getRequestURI().getPath();
            Request request =
                    new Request(
                            exchange.getRequestMethod(),
                            path,
                            Arrays.stream(path.split("/", -1))
                                    .filter(part -> !part.isEmpty())
                                    .toList(),
                            exchange.getRequestHeaders(),
                            new String(body, StandardCharsets.UTF_8),
                            exchange.getRemoteAddress().getAddress().getHostAddress());
            Reply reply = answer(request);
            // What became unreachable while it worked has done its work, and nobody hears of it.
            if (pause(behaviour.answerLatency()) && admitted()) {
                send(exchange, request, reply);
            }
        }
    }

    private boolean pause(Duration time) {
        if (time.isZero()) {
            return true;
        }
        lock.lock();
        try {
            long left = time.toNanos();
            while (!closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            return !closed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    private static void send(HttpExchange exchange, Request request, Reply reply)
            throws IOException {
        Headers headers = exchange.getResponseHeaders();
        headers.set("OData-Version", "4.0");
        headers.set("Cache-Control", "no-cache");
        headers.set("Server", "Tandem virtual BMC");
        reply.headers().forEach(headers::set);
        Optional<ObjectNode> body = reply.body();
        if (body.isEmpty()) {
            exchange.sendResponseHeaders(reply.status(), -1);
            return;
        }
        byte[] bytes = JSON.writeValueAsBytes(body.get());
        headers.set("Content-Type", "application/json; charset=utf-8");
        if (reply.status() == 200) {
            String etag = etag(bytes);
            headers.set("ETag", etag);
            if (etag.equals(request.headers().getFirst("If-None-Match"))) {
                exchange.sendResponseHeaders(304, -1);
                return;
            }
        }
        if (request.method().equals("HEAD")) {
            exchange.sendResponseHeaders(reply.status(), -1);
            return;
        }
        exchange.sendResponseHeaders(reply.status(), bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static String etag(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return "W/\"" + HexFormat.of().formatHex(digest, 0, 8) + "\"";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private Reply answer(Request request) {
        if (isBusy()) {
            return Reply.error(
                            503,
                            "ServiceTemporarilyUnavailable",
                            "The service is busy.",
                            "Ask again after the time that Retry-After names.",
                            String.valueOf(seconds(behaviour.retryAfter())))
                    .with("Retry-After", String.valueOf(seconds(behaviour.retryAfter())));
        }
        if (request.body().length() > BODY_LIMIT) {
            return Reply.error(413, "PayloadTooLarge", "The request is too long.", "Send less.");
        }
        String version = request.headers().getFirst("OData-Version");
        if (version != null && !version.equals("4.0")) {
            return Reply.error(
                    412,
                    "PreconditionFailed",
                    "OData version " + version + " is not spoken here.",
                    "Ask for version 4.0.");
        }
        List<String> parts = request.parts();
        if (parts.equals(List.of("redfish"))) {
            return get(request, Resources.versions());
        }
        if (parts.size() < 2 || !parts.getFirst().equals("redfish") || !parts.get(1).equals("v1")) {
            return Reply.notFound(request.path());
        }
        List<String> below = parts.subList(2, parts.size());
        if (below.isEmpty()) {
            return get(request, resources.serviceRoot());
        }
        if (below.equals(List.of("odata"))) {
            return get(request, resources.odata());
        }
        if (below.equals(List.of("SessionService", "Sessions"))
                && request.method().equals("POST")) {
            return login(request);
        }
        Optional<BmcAccount> account = authenticate(request);
        if (account.isEmpty()) {
            return Reply.unauthorized();
        }
        List<String> rest = below.subList(1, below.size());
        return switch (below.getFirst()) {
            case "Systems" -> systems(request, rest, account.get());
            case "Managers" -> managers(request, rest, account.get());
            case "Chassis" -> chassis(request, rest);
            case "SessionService" -> sessionService(request, rest, account.get());
            case "AccountService" -> accountService(request, rest, account.get());
            default -> Reply.notFound(request.path());
        };
    }

    private boolean isBusy() {
        lock.lock();
        try {
            if (busyAnswersLeft == 0) {
                return false;
            }
            if (busyAnswersLeft != BmcBehaviour.ALWAYS) {
                busyAnswersLeft--;
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Retry-After counts whole seconds. */
    private static long seconds(Duration duration) {
        return duration.plusMillis(999).toSeconds();
    }

    private static Reply get(Request request, ObjectNode body) {
        return switch (request.method()) {
            case "GET", "HEAD" -> Reply.ok(body).with("Allow", "GET, HEAD");
            default -> Reply.methodNotAllowed(request.method(), "GET, HEAD");
        };
    }

    private Optional<BmcAccount> authenticate(Request request) {
        String token = request.headers().getFirst("X-Auth-Token");
        if (token != null) {
            return sessions.byToken(token).flatMap(session -> account(session.user()));
        }
        String authorization = request.headers().getFirst("Authorization");
        if (authorization == null || !authorization.startsWith("Basic ")) {
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
        Optional<BmcAccount> account =
                account(user)
                        .filter(known -> !behaviour.credentialsRotated())
                        .filter(known ->
                                MessageDigest.isEqual(
                                        known.password().getBytes(StandardCharsets.UTF_8),
                                        password.getBytes(StandardCharsets.UTF_8)));
        if (account.isEmpty()) {
            tell(BmcEvent.Kind.LOGIN_REFUSED, user + " from " + request.from(), request.path());
        }
        return account;
    }

    private Optional<BmcAccount> account(String user) {
        lock.lock();
        try {
            return Optional.ofNullable(accounts.get(user));
        } finally {
            lock.unlock();
        }
    }

    private Reply login(Request request) {
        Optional<JsonNode> body = json(request);
        if (body.isEmpty()) {
            return malformed();
        }
        String user = body.get().path("UserName").asText("");
        String password = body.get().path("Password").asText("");
        Optional<BmcAccount> account = verify(request, user, password);
        if (account.isEmpty()) {
            return Reply.unauthorized();
        }
        return sessions.open(user, request.from(), behaviour.sessionLimit())
                .map(session -> {
                    tell(
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

    private Reply systems(Request request, List<String> rest, BmcAccount account) {
        if (rest.isEmpty()) {
            return get(request, resources.systems());
        }
        if (!rest.getFirst().equals(settings.systemId())) {
            return Reply.notFound(request.path());
        }
        List<String> below = rest.subList(1, rest.size());
        return switch (String.join("/", below)) {
            case "" ->
                    get(request, resources.system(shownPowerState(), power.lastReset(), offered()));
            case "ResetActionInfo" -> get(request, resources.resetActionInfo(offered()));
            case "Actions/ComputerSystem.Reset" -> reset(request, account);
            case "EthernetInterfaces" -> get(request, resources.ethernetInterfaces());
            default ->
                    machine.identity().nics().stream()
                            .filter(nic -> below.equals(List.of("EthernetInterfaces", nic.id())))
                            .findFirst()
                            .map(nic ->
                                    get(
                                            request,
                                            resources.ethernetInterface(nic, shownPowerState())))
                            .orElseGet(() -> Reply.notFound(request.path()));
        };
    }

    /** What the BMC tells: the truth, or what its cache holds. */
    private PowerState shownPowerState() {
        PowerState now = power.read();
        lock.lock();
        try {
            long age = System.nanoTime() - reading.nanos();
            if (age >= behaviour.powerStateAge().toNanos()) {
                reading = new Reading(now, System.nanoTime());
            }
            return reading.state();
        } finally {
            lock.unlock();
        }
    }

    private Set<ResetType> offered() {
        EnumSet<ResetType> types = EnumSet.allOf(ResetType.class);
        if (behaviour.hardOff() == HardOff.REFUSED) {
            types.removeAll(HARD);
        }
        return types;
    }

    private Reply reset(Request request, BmcAccount account) {
        if (!request.method().equals("POST")) {
            return Reply.methodNotAllowed(request.method(), "POST");
        }
        if (!account.role().mayReset()) {
            return told(request, account, "a reset", Reply.forbidden());
        }
        Optional<JsonNode> body = json(request);
        if (body.isEmpty()) {
            return malformed();
        }
        String name = body.get().path("ResetType").asText("");
        if (name.isEmpty()) {
            return Reply.error(
                    400,
                    "ActionParameterMissing",
                    "The action Reset needs the parameter ResetType.",
                    "Name one of the values that ResetActionInfo lists.",
                    "Reset",
                    "ResetType");
        }
        Optional<ResetType> type = ResetType.parse(name).filter(offered()::contains);
        if (type.isEmpty()) {
            return told(
                    request,
                    account,
                    name,
                    Reply.error(
                            400,
                            "ActionParameterValueNotInList",
                            "The action Reset does not take " + name + " for ResetType.",
                            "Name one of the values that ResetActionInfo lists.",
                            name,
                            "ResetType",
                            "Reset"));
        }
        return told(request, account, name, perform(type.get(), by(request, account)));
    }

    private Reply perform(ResetType type, String by) {
        if (behaviour.lies()) {
            return Reply.noContent();
        }
        return switch (power.request(type, by)) {
            case ACCEPTED -> Reply.noContent();
            case ALREADY_THERE ->
                    behaviour.whenAlreadyThere() == WhenAlreadyThere.ACCEPTS
                            ? Reply.noContent()
                            : Reply.error(
                                    behaviour.whenAlreadyThere().status(),
                                    "ActionNotSupported",
                                    "The power state of the system does not allow "
                                            + type.redfishName()
                                            + ".",
                                    "Read the power state first.",
                                    type.redfishName());
        };
    }

    private Reply told(Request request, BmcAccount account, String what, Reply reply) {
        tell(
                BmcEvent.Kind.RESET_REQUESTED,
                by(request, account),
                what + ": " + reply.status() + (behaviour.lies() ? ", and nothing done" : ""));
        return reply;
    }

    private static String by(Request request, BmcAccount account) {
        return account.user() + " from " + request.from();
    }

    private Reply managers(Request request, List<String> rest, BmcAccount account) {
        return switch (String.join("/", rest)) {
            case "" -> get(request, resources.managers());
            case "1" -> get(request, resources.manager(clock.instant()));
            case "1/ResetActionInfo" -> get(request, resources.managerResetActionInfo());
            case "1/Actions/Manager.Reset" -> {
                if (!request.method().equals("POST")) {
                    yield Reply.methodNotAllowed(request.method(), "POST");
                }
                if (!account.role().mayConfigureManager()) {
                    yield Reply.forbidden();
                }
                // A BMC that restarts forgets who was logged in; its machine does not notice.
                sessions.closeAll();
                yield told(request, account, "restart of the BMC", Reply.noContent());
            }
            default -> Reply.notFound(request.path());
        };
    }

    private Reply chassis(Request request, List<String> rest) {
        return switch (String.join("/", rest)) {
            case "" -> get(request, resources.chassisCollection());
            case "1" -> get(request, resources.chassis(shownPowerState()));
            default -> Reply.notFound(request.path());
        };
    }

    private Reply sessionService(Request request, List<String> rest, BmcAccount account) {
        if (rest.isEmpty()) {
            return get(request, resources.sessionService());
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
                tell(
                        BmcEvent.Kind.SESSION_CLOSED,
                        by(request, account),
                        "session " + session.get().id());
                yield Reply.noContent();
            }
            default -> Reply.methodNotAllowed(request.method(), "GET, HEAD, DELETE");
        };
    }

    private Reply accountService(Request request, List<String> rest, BmcAccount account) {
        if (rest.isEmpty()) {
            return get(request, resources.accountService());
        }
        if (rest.size() > 2) {
            return Reply.notFound(request.path());
        }
        return switch (rest.getFirst()) {
            case "Accounts" -> accounts(request, rest.subList(1, rest.size()), account);
            case "Roles" ->
                    rest.size() == 1
                            ? get(request, resources.roles())
                            : Arrays.stream(BmcAccount.Role.values())
                                    .filter(role -> role.redfishName().equals(rest.get(1)))
                                    .findFirst()
                                    .map(role -> get(request, resources.role(role)))
                                    .orElseGet(() -> Reply.notFound(request.path()));
            default -> Reply.notFound(request.path());
        };
    }

    private Reply accounts(Request request, List<String> rest, BmcAccount account) {
        List<BmcAccount> visible;
        lock.lock();
        try {
            visible =
                    accounts.values().stream()
                            .filter(known ->
                                    account.role().mayConfigureUsers()
                                            || known.user().equals(account.user()))
                            .toList();
        } finally {
            lock.unlock();
        }
        if (rest.isEmpty()) {
            return get(request, resources.accounts(visible));
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
        Optional<JsonNode> body = json(request);
        if (body.isEmpty()) {
            return malformed();
        }
        String expected = request.headers().getFirst("If-Match");
        try {
            String actual = etag(JSON.writeValueAsBytes(resources.account(changed)));
            if (expected != null && !expected.equals("*") && !expected.equals(actual)) {
                return Reply.error(
                        412,
                        "PreconditionFailed",
                        "The account is not as the request expects it.",
                        "Read it again.");
            }
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of texts is always JSON", e);
        }
        JsonNode password = body.get().path("Password");
        if (!password.isTextual() || password.asText().isEmpty() || body.get().size() != 1) {
            return Reply.error(
                    400,
                    "PropertyNotWritable",
                    "Of an account, the password can be changed, and nothing else.",
                    "Send the property Password alone.");
        }
        lock.lock();
        try {
            accounts.put(
                    changed.user(),
                    new BmcAccount(changed.user(), password.asText(), changed.role()));
        } finally {
            lock.unlock();
        }
        sessions.closeAllOf(changed.user());
        tell(BmcEvent.Kind.PASSWORD_CHANGED, by(request, by), changed.user());
        return Reply.noContent();
    }

    /** The body as an object, or nothing. */
    private static Optional<JsonNode> json(Request request) {
        try {
            JsonNode node = JSON.readTree(request.body());
            return node != null && node.isObject() ? Optional.of(node) : Optional.empty();
        } catch (JsonProcessingException e) {
            // The client is told that it is not JSON; there is nobody else to tell.
            return Optional.empty();
        }
    }

    private static Reply malformed() {
        return Reply.error(
                400, "MalformedJSON", "The body is not a JSON object.", "Send a JSON object.");
    }
}
