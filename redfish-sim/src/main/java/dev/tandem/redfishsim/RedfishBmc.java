package dev.tandem.redfishsim;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import dev.tandem.core.Failure;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.ResetType;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.LeafProfile;
import dev.tandem.host.pki.Tls;
import dev.tandem.host.pki.TlsIdentity;
import dev.tandem.redfishsim.BmcBehaviour.Reachability;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.cert.CertificateParsingException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;

/**
 * A Redfish service over HTTPS in front of one machine.
 *
 * <p>It is told apart from a real one by nothing but its vendor name: DMTF's resources, basic and
 * session authentication, roles, and whatever faults {@link BmcBehaviour} gives it.
 */
public final class RedfishBmc implements AutoCloseable {
    /**
     * A client that is met with silence is let go after this long, so that connections do not pile
     * up.
     */
    private static final Duration SILENCE_LIMIT = Duration.ofMinutes(5);

    /** No BMC has so many clients; a connection that is forgotten is cut, and opened again. */
    private static final int CONNECTIONS = 1024;

    private static final Duration STRANGER = Duration.ofDays(30);

    private final BmcSettings settings;
    private final SimulatedMachine machine;
    private final InstantSource clock;
    private final HttpsServer server;
    private final PowerControl power;
    private final PowerControl strangersPower;
    private final Accounts accounts;
    private final Resources resources;
    private final RedfishApi api;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private volatile BmcBehaviour behaviour;
    private final Certified own;

    /** Who answers in place of it; from the first time on that this is a fault. */
    private final AtomicReference<Certified> stranger;

    /** What the client of a connection was shown; the last ones. */
    private final Map<InetSocketAddress, Certified> shown =
            Collections.synchronizedMap(
                    new LinkedHashMap<>() {
                        private static final long serialVersionUID = 1L;

                        @Override
                        protected boolean removeEldestEntry(
                                Map.Entry<InetSocketAddress, Certified> eldest) {
                            return size() > CONNECTIONS;
                        }
                    });

    /** A certificate, and a context of its own. */
    private record Certified(TlsIdentity identity, SSLContext tls) {
        static Certified by(TlsIdentity identity) {
            return new Certified(identity, Tls.server(identity));
        }
    }

    /** Guards what follows, and the moment in which the behaviour changes. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private boolean plugPulled;
    private boolean closed;

    private RedfishBmc(
            BmcSettings settings,
            SimulatedMachine machine,
            HttpsServer server,
            InstantSource clock) {
        this.settings = settings;
        this.machine = machine;
        this.clock = clock;
        this.server = server;
        this.own = Certified.by(settings.tls());
        this.stranger =
                new AtomicReference<>(
                        settings.behaviour().foreignCertificate()
                                ? strangerTo(settings.tls())
                                : own);
        this.behaviour = settings.behaviour();
        this.power = new PowerControl(machine, this::behaviour, this::tell);
        this.resources = new Resources(machine.identity(), settings.systemId());
        AnotherMachine stranger = AnotherMachine.than(machine.identity());
        this.strangersPower =
                new PowerControl(
                        stranger,
                        this::behaviour,
                        (kind, by, detail) -> tell(AnotherMachine.kind(kind), by, detail));
        this.accounts =
                new Accounts(settings.accounts(), resources, this::behaviour, this::tell, clock);
        this.api =
                new RedfishApi(
                        settings.systemId(),
                        new RedfishApi.Front(machine.identity(), resources, power),
                        new RedfishApi.Front(
                                stranger.identity(),
                                new Resources(stranger.identity(), settings.systemId()),
                                strangersPower),
                        accounts,
                        this::behaviour,
                        this::tell,
                        clock);
    }

    /**
     * Opens the listening socket on the calling thread, hence in that thread's network namespace,
     * and starts no thread that opens sockets or starts others. Call {@link #serve} from a thread
     * that is in the namespace where the rest of the program lives: a new thread inherits the
     * namespace of the one that starts it, and the carriers of virtual threads, started from in
     * here, would take every later socket of the program into the BMC's namespace.
     */
    public static RedfishBmc bind(BmcSettings settings, SimulatedMachine machine) {
        return bind(settings, machine, InstantSource.system());
    }

    private static RedfishBmc bind(
            BmcSettings settings, SimulatedMachine machine, InstantSource clock) {
        try {
            HttpsServer server = HttpsServer.create(settings.address(), 64);
            return new RedfishBmc(settings, machine, server, clock);
        } catch (IOException e) {
            throw new Failure(
                    "cannot start the BMC of " + machine.identity().serial(),
                    settings.address() + ": " + e.getMessage(),
                    "see which process uses the address: ss -ltnp",
                    e);
        }
    }

    /** Binds and serves at once, for a caller that has not changed its network namespace. */
    public static RedfishBmc start(BmcSettings settings, SimulatedMachine machine) {
        return start(settings, machine, InstantSource.system());
    }

    /** The same with a clock by which sessions end and accounts are unlocked. */
    public static RedfishBmc start(
            BmcSettings settings, SimulatedMachine machine, InstantSource clock) {
        RedfishBmc bmc = bind(settings, machine, clock);
        bmc.serve();
        return bmc;
    }

    /** Begins to answer. */
    public void serve() {
        server.setHttpsConfigurator(
                new HttpsConfigurator(SwitchedTls.context(() -> shownNow().tls())) {
                    @Override
                    public void configure(HttpsParameters parameters) {
                        shown.put(parameters.getClientAddress(), shownNow());
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

    /** Whoever connects now is shown this. */
    private Certified shownNow() {
        return behaviour.foreignCertificate() ? stranger.get() : own;
    }

    /** For the same names, and signed by nobody whom anybody knows. */
    private static Certified strangerTo(TlsIdentity own) {
        try {
            List<String> names =
                    Optional.ofNullable(own.certificate().getSubjectAlternativeNames()).stream()
                            .flatMap(Collection::stream)
                            .map(name -> String.valueOf(name.get(1)))
                            .toList();
            return Certified.by(
                    CertificateAuthority.create("stranger", STRANGER, InstantSource.system())
                            .issue(LeafProfile.server("bmc", names, STRANGER)));
        } catch (CertificateParsingException e) {
            throw new IllegalStateException("a certificate of ours has no names", e);
        }
    }

    /** Where it listens, with the port it was given. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    public BmcBehaviour behaviour() {
        return behaviour;
    }

    /** From the next request on it behaves like this. */
    public void behave(BmcBehaviour next) {
        boolean passwordChanges;
        boolean locksDifferently;
        if (next.foreignCertificate() && stranger.get().equals(own)) {
            // Not for each BMC of each test: it takes a key.
            stranger.set(strangerTo(settings.tls()));
        }
        lock.lock();
        try {
            passwordChanges = !behaviour.newPassword().equals(next.newPassword());
            locksDifferently = behaviour.lockAfter() != next.lockAfter();
            behaviour = next;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        api.behaviourChanged();
        if (next.credentialsRotated() || passwordChanges) {
            accounts.logOutAll();
        }
        if (locksDifferently) {
            accounts.unlockAll();
        }
        tell(kind(next), BmcEvent.OWNER, next.toString());
    }

    private static BmcEvent.Kind kind(BmcBehaviour next) {
        BmcBehaviour faultless = BmcBehaviour.FAULTLESS;
        if (next.equals(faultless)) {
            return BmcEvent.Kind.BEHAVIOUR_RESTORED;
        }
        return next.withOnLatency(faultless.onLatency()).equals(faultless)
                ? BmcEvent.Kind.BOOT_DELAYED
                : BmcEvent.Kind.BEHAVIOUR_CHANGED;
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
    public boolean reset(ResetType type) {
        return reset(type, BmcEvent.OWNER);
    }

    /** The same for another way to the machine's power, such as IPMI. */
    public boolean reset(ResetType type, String by) {
        return power.request(type, by, _ -> {}) == PowerControl.Outcome.ACCEPTED;
    }

    /**
     * Pulls the machine's plug; returns once all its processes are gone. A BMC that loses power
     * with its host is silent from now on, until {@link #replug}; any other one reads Off.
     */
    public void pullPlug() throws IOException {
        setPlugPulled(true);
        tell(BmcEvent.Kind.FEED_CUT, BmcEvent.OWNER, "plug pulled");
        power.cutNow(BmcEvent.OWNER);
        if (behaviour.losesPowerWithHost()) {
            accounts.logOutAll();
        }
    }

    /** The plug is back; the machine stays off until it is switched on. */
    public void replug() {
        setPlugPulled(false);
        tell(BmcEvent.Kind.FEED_RESTORED, BmcEvent.OWNER, "plug back");
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
        strangersPower.close();
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
            if (!admitted() || !showsItsCertificate(exchange)) {
                return;
            }
            Request request = Request.read(exchange);
            if (behaviour.foreignCertificate()) {
                tell(BmcEvent.Kind.STRANGER_ASKED, request.from(), request.path());
            }
            Reply reply = api.answer(request);
            // What became unreachable while it worked has done its work, and nobody hears of it.
            if (pause(behaviour.answerLatency()) && admitted()) {
                send(exchange, request, reply);
            }
        }
    }

    /** Whoever answered on a connection from before is not at this address any more. */
    private boolean showsItsCertificate(HttpExchange exchange) {
        return shownNow().equals(shown.get(exchange.getRemoteAddress()));
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
        if (reply.body().isEmpty()) {
            exchange.sendResponseHeaders(reply.status(), -1);
            return;
        }
        headers.set("Content-Type", "application/json; charset=utf-8");
        if (reply.status() == 200) {
            String etag = reply.etag();
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
        byte[] bytes = reply.bytes();
        exchange.sendResponseHeaders(reply.status(), bytes.length);
        exchange.getResponseBody().write(bytes);
    }
}
