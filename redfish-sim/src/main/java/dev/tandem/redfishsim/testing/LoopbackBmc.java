package dev.tandem.redfishsim.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.host.Deadline;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.LeafProfile;
import dev.tandem.host.pki.Tls;
import dev.tandem.host.pki.TlsIdentity;
import dev.tandem.redfishsim.BmcAccount;
import dev.tandem.redfishsim.BmcBehaviour;
import dev.tandem.redfishsim.BmcEvent;
import dev.tandem.redfishsim.BmcSettings;
import dev.tandem.redfishsim.MachineIdentity;
import dev.tandem.redfishsim.RedfishBmc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A BMC with its machine on loopback, and somebody who speaks plain HTTP to it. */
public final class LoopbackBmc implements AutoCloseable {
    public static final String USER = "admin";
    public static final String PASSWORD = "correct:horse";
    public static final String SYSTEM = "/redfish/v1/Systems/1";
    public static final String RESET = SYSTEM + "/Actions/ComputerSystem.Reset";
    public static final String SESSIONS = "/redfish/v1/SessionService/Sessions";
    public static final Duration ENOUGH = Duration.ofSeconds(60);

    public static final CertificateAuthority AUTHORITY =
            CertificateAuthority.create("lab", Duration.ofDays(2), InstantSource.system());

    private static final ObjectMapper JSON = new ObjectMapper();

    public final SleepingMachine machine;
    public final RedfishBmc bmc;
    public final List<BmcEvent> events = new CopyOnWriteArrayList<>();
    public final TlsIdentity tls;
    private final HttpClient http;

    public LoopbackBmc() throws IOException {
        this("127.0.0.1");
    }

    public LoopbackBmc(String address) throws IOException {
        this(address, SleepingMachine.IDENTITY, InstantSource.system());
    }

    /**
     * @param clock by which sessions end and accounts are unlocked
     */
    public LoopbackBmc(InstantSource clock) throws IOException {
        this(SleepingMachine.IDENTITY, clock);
    }

    /** With a machine that is told from the others. */
    public LoopbackBmc(MachineIdentity identity, InstantSource clock) throws IOException {
        this("127.0.0.1", identity, clock);
    }

    private LoopbackBmc(String address, MachineIdentity identity, InstantSource clock)
            throws IOException {
        machine = SleepingMachine.running(identity);
        InetAddress loopback = InetAddress.ofLiteral(address);
        tls = AUTHORITY.issue(LeafProfile.server("bmc", List.of(address), Duration.ofDays(1)));
        BmcSettings settings =
                new BmcSettings(
                        new InetSocketAddress(loopback, 0),
                        tls,
                        List.of(
                                new BmcAccount(USER, PASSWORD, BmcAccount.Role.ADMINISTRATOR),
                                new BmcAccount("watch", "only", BmcAccount.Role.READ_ONLY)),
                        "1",
                        BmcBehaviour.FAULTLESS,
                        events::add);
        bmc = RedfishBmc.start(settings, machine, clock);
        http =
                HttpClient.newBuilder()
                        .sslContext(Tls.client(List.of(AUTHORITY.certificate()), Optional.empty()))
                        .connectTimeout(ENOUGH)
                        .build();
    }

    public URI uri(String path) {
        InetSocketAddress address = bmc.address();
        String host = address.getAddress().getHostAddress();
        return URI.create(
                "https://%s:%d%s"
                        .formatted(
                                host.indexOf(':') < 0 ? host : "[" + host + "]",
                                address.getPort(),
                                path));
    }

    public static HttpRequest.Builder basic(URI uri, String user, String password) {
        byte[] pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
        return HttpRequest.newBuilder(uri)
                .timeout(ENOUGH)
                .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(pair));
    }

    public HttpRequest.Builder asAdmin(String path) {
        return basic(uri(path), USER, PASSWORD);
    }

    public HttpResponse<String> send(HttpRequest.Builder request)
            throws IOException, InterruptedException {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    public HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(asAdmin(path));
    }

    public JsonNode json(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = get(path);
        if (response.statusCode() != 200) {
            throw new IOException(path + " was answered with " + response.statusCode());
        }
        return JSON.readTree(response.body());
    }

    public static JsonNode json(HttpResponse<String> response) throws IOException {
        return JSON.readTree(response.body());
    }

    public static HttpRequest.BodyPublisher text(String body) {
        return HttpRequest.BodyPublishers.ofString(body);
    }

    public HttpResponse<String> reset(String type) throws IOException, InterruptedException {
        return send(
                asAdmin(RESET)
                        .header("Content-Type", "application/json")
                        .POST(text("{\"ResetType\": \"" + type + "\"}")));
    }

    public HttpResponse<String> login(String user, String password)
            throws IOException, InterruptedException {
        return send(
                HttpRequest.newBuilder(uri(SESSIONS))
                        .timeout(ENOUGH)
                        .header("Content-Type", "application/json")
                        .POST(
                                text(
                                        "{\"UserName\": \"%s\", \"Password\": \"%s\"}"
                                                .formatted(user, password))));
    }

    /** Waits for the true power state. */
    public void await(PowerState state) throws InterruptedException {
        Deadline deadline = Deadline.in(ENOUGH);
        while (bmc.powerState() != state) {
            if (deadline.passed()) {
                throw new IllegalStateException(
                        "timed out waiting for %s; it is %s".formatted(state, bmc.powerState()));
            }
            Thread.sleep(5);
        }
    }

    public void await(BmcEvent.Kind kind) throws InterruptedException {
        Deadline deadline = Deadline.in(ENOUGH);
        while (!kinds().contains(kind)) {
            if (deadline.passed()) {
                throw new IllegalStateException("timed out waiting for " + kind);
            }
            Thread.sleep(5);
        }
    }

    public List<BmcEvent.Kind> kinds() {
        return events.stream().map(BmcEvent::kind).toList();
    }

    @Override
    public void close() throws IOException {
        http.shutdownNow();
        bmc.close();
        machine.close();
    }
}
