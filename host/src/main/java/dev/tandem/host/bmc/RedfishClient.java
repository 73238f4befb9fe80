package dev.tandem.host.bmc;

import dev.tandem.host.Deadline;
import dev.tandem.host.bmc.BmcAnswer.Read;
import dev.tandem.host.bmc.BmcAnswer.Unknown;
import dev.tandem.host.bmc.login.LoginBackoff;
import dev.tandem.host.bmc.login.SessionStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Speaks Redfish with one BMC about one system.
 *
 * <p>It keeps a session open, so that switching off costs one request and one answer on a
 * connection that exists. Each {@link #read} keeps it warm: asked at least every 20 s, the
 * connection is never closed for idleness (both ends of the JDK give up after 30). Nothing here
 * throws for what a BMC does or does not do, and no answer is remembered: a power state is always
 * one that was asked for.
 */
public final class RedfishClient implements Bmc {
    private final RedfishEndpoint endpoint;
    private final BmcCredentials credentials;
    private final Duration requestLimit;
    private final RedfishHttp http;
    private final RedfishSession session;
    private final RedfishSystem system;
    private final PowerDrive power;
    private final RedfishInventory inventory;

    public RedfishClient(RedfishEndpoint endpoint, BmcCredentials credentials) {
        this(endpoint, credentials, REQUEST_LIMIT);
    }

    /** No single request takes longer than the limit, its connection and handshake included. */
    public RedfishClient(
            RedfishEndpoint endpoint, BmcCredentials credentials, Duration requestLimit) {
        this(endpoint, credentials, requestLimit, new LoginBackoff(), SessionStore.NONE);
    }

    /**
     * The same for a program that is there for long.
     *
     * @param backoff when these credentials may be tried
     * @param sessions where an open session outlives this program
     */
    public RedfishClient(
            RedfishEndpoint endpoint,
            BmcCredentials credentials,
            Duration requestLimit,
            LoginBackoff backoff,
            SessionStore sessions) {
        this.endpoint = endpoint;
        this.credentials = credentials;
        this.requestLimit = requestLimit;
        this.http = new RedfishHttp(endpoint, credentials, requestLimit);
        this.session = new RedfishSession(http, credentials, backoff, sessions);
        this.system = new RedfishSystem(session, endpoint.systemPath(), http::words);
        this.power = new PowerDrive(new Controls(system));
        this.inventory = new RedfishInventory(session, system, credentials.user());
    }

    private record Controls(RedfishSystem system) implements PowerDrive.Controls {
        @Override
        public BmcAnswer<?> order(PowerDrive.Wanted wanted, Deadline end) {
            return system.reset(
                    switch (wanted) {
                        case OFF -> List.of(ResetType.FORCE_OFF, ResetType.GRACEFUL_SHUTDOWN);
                        case ON -> List.of(ResetType.ON, ResetType.FORCE_ON);
                    },
                    end);
        }

        @Override
        public BmcAnswer<PowerReport> report(Deadline end) {
            return system.report(end, true);
        }
    }

    public RedfishEndpoint endpoint() {
        return endpoint;
    }

    @Override
    public Optional<Instant> certificateEnds() {
        return http.certificateEnds();
    }

    @Override
    public Optional<LatencyFigures> latency() {
        return http.latency();
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
        return report(requestLimit.multipliedBy(3));
    }

    @Override
    public BmcAnswer<PowerReport> report(Duration limit) {
        return system.report(Deadline.in(limit), false);
    }

    @Override
    public PowerOutcome off(Duration limit, Supplier<Optional<String>> lapsed) {
        return power.off(limit, lapsed);
    }

    @Override
    public PowerOutcome on(Duration limit) {
        return power.on(limit);
    }

    /** Which machine this BMC switches. */
    public BmcAnswer<HardwareIdentity> identity() {
        return identity(requestLimit.multipliedBy(10));
    }

    @Override
    public BmcAnswer<HardwareIdentity> identity(Duration limit) {
        return inventory.identity(Deadline.in(limit));
    }

    @Override
    public BmcAnswer<List<String>> systems() {
        return system.all(Deadline.in(requestLimit.multipliedBy(3)));
    }

    /** What the account of the agent may do. A BMC that does not say so lists no privileges. */
    public BmcAnswer<BmcPrivileges> privileges() {
        return privileges(requestLimit.multipliedBy(10));
    }

    @Override
    public BmcAnswer<BmcPrivileges> privileges(Duration limit) {
        return inventory.privileges(Deadline.in(limit));
    }

    @Override
    public BmcAnswer<Login> proveLogin(Duration limit) {
        return session.prove(Deadline.in(limit));
    }

    /**
     * Logs out: BMCs have few sessions. A caller that still asks gets no answer and no new session.
     */
    @Override
    public void close() {
        session.close();
        http.close();
    }

    @Override
    public String toString() {
        return "RedfishClient[" + endpoint.base() + ", " + credentials + "]";
    }
}
