package dev.tandem.cli.install;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tandem.cli.install.CredentialCheck.Report;
import dev.tandem.core.BmcAddress;
import dev.tandem.core.MacAddress;
import dev.tandem.install.config.FencingCredential;
import dev.tandem.install.config.InstallConfig;
import dev.tandem.install.config.InstallMethod;
import dev.tandem.install.rules.InstallConfigCheck;
import dev.tandem.install.yaml.Secret;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The real client against small Redfish services on this machine. */
class CredentialCheckTest {
    private static final String PASSWORD = "right-Kelp-09";
    private static final String ONE = "6b2b1a7e-6f0b-4c3e-9d55-0a3f1c2d4e5f";
    private static final String TWO = "7c3c2b8f-7a1c-4d4f-8e66-1b4a2d3e5f60";

    private final List<HttpServer> servers = new ArrayList<>();
    private final CountDownLatch silent = new CountDownLatch(1);

    @AfterEach
    void endServers() {
        silent.countDown();
        servers.forEach(server -> server.stop(0));
    }

    @Test
    void twoBmcsOfTwoMachinesAreFine() throws IOException {
        List<Report> reports = ask(credential("node-0", bmc(ONE)), credential("node-1", bmc(TWO)));

        assertThat(reports).allMatch(Report::fine);
        assertThat(reports.getFirst().asText()).contains("power on").contains(ONE);
    }

    @Test
    void twoAddressesOfOneMachineAreTold() throws IOException {
        List<Report> reports = ask(credential("node-0", bmc(ONE)), credential("node-1", bmc(ONE)));

        assertThat(reports).extracting(Report::fine).containsExactly(true, false);
        assertThat(reports.getLast().what()).contains("same machine as the BMC of node-0");
    }

    @Test
    void aMachineWithoutTheNodesCardIsTold() throws IOException {
        FencingCredential swapped =
                new FencingCredential(
                        Optional.empty(),
                        MacAddress.parse("52:54:00:00:00:99"),
                        bmc(ONE),
                        "fence",
                        new Secret(PASSWORD),
                        false);

        assertThat(ask(swapped).getFirst().what()).contains("no network card 52:54:00:00:00:99");
    }

    /** The provisioning hosts of a file say which card a node has. */
    @Test
    void theCardOfTheBareMetalHostIsComparedToo() throws IOException {
        InstallConfig config =
                new InstallConfigCheck(InstallMethod.INSTALLER, Optional.empty())
                        .check(
                                Files.readAllBytes(
                                        Path.of("../examples/fenced-pair-baremetal.yaml")))
                        .config()
                        .orElseThrow();

        assertThat(CredentialCheck.Question.of(config))
                .hasSize(2)
                .allSatisfy(question -> assertThat(question.card()).isPresent())
                .extracting(CredentialCheck.Question::card)
                .doesNotHaveDuplicates();
    }

    @Test
    void aWrongPasswordIsToldWithoutTheWord() throws IOException {
        FencingCredential wrong =
                new FencingCredential(
                        Optional.of("node-0"),
                        Optional.empty(),
                        bmc(ONE),
                        "fence",
                        new Secret("wrong-Dune-14"),
                        false);

        Report report = ask(wrong).getFirst();

        assertThat(report.fine()).isFalse();
        assertThat(report.what()).contains("credentials");
        assertThat(report.toString() + report.asText()).doesNotContain("wrong-Dune-14");
    }

    @Test
    void aBmcThatIsSilentCostsNoMoreThanTheLimit() throws IOException {
        HttpServer server = server();
        server.createContext("/", exchange -> waitForTheEnd());
        long started = System.nanoTime();

        List<Report> reports =
                CredentialCheck.all(
                        List.of(
                                question(credential("node-0", address(server))),
                                question(credential("node-1", bmc(TWO)))),
                        Duration.ofSeconds(8));

        assertThat(reports).extracting(Report::fine).containsExactly(false, true);
        assertThat(Duration.ofNanos(System.nanoTime() - started))
                .isLessThan(Duration.ofSeconds(30));
    }

    private void waitForTheEnd() {
        try {
            silent.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<Report> ask(FencingCredential... credentials) {
        return CredentialCheck.all(
                Stream.of(credentials).map(CredentialCheckTest::question).toList(),
                CredentialCheck.LIMIT);
    }

    private static CredentialCheck.Question question(FencingCredential credential) {
        return new CredentialCheck.Question(credential, credential.macAddress());
    }

    private static FencingCredential credential(String node, BmcAddress address) {
        return new FencingCredential(
                Optional.of(node), Optional.empty(), address, "fence", new Secret(PASSWORD), false);
    }

    private HttpServer server() throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        servers.add(server);
        return server;
    }

    private static BmcAddress address(HttpServer server) {
        return BmcAddress.of(
                "redfish+http://127.0.0.1:%d/redfish/v1/Systems/1"
                        .formatted(server.getAddress().getPort()));
    }

    private BmcAddress bmc(String uuid) throws IOException {
        HttpServer server = server();
        server.createContext("/redfish/v1/SessionService/Sessions", CredentialCheckTest::login);
        server.createContext(
                "/redfish/v1/Systems/1/EthernetInterfaces",
                exchange ->
                        json(
                                exchange,
                                exchange.getRequestURI().getPath().endsWith("/eth0")
                                        ? "{\"MACAddress\":\"52:54:00:00:00:10\"}"
                                        : "{\"Members\":[{\"@odata.id\":\"/redfish/v1/Systems/1/EthernetInterfaces/eth0\"}]}"));
        server.createContext(
                "/redfish/v1/Systems/1",
                exchange ->
                        json(
                                exchange,
                                """
                                {"@odata.id":"/redfish/v1/Systems/1","PowerState":"On","UUID":"%s","SerialNumber":"S-%s",
                                 "EthernetInterfaces":{"@odata.id":"/redfish/v1/Systems/1/EthernetInterfaces"}}
                                """
                                        .formatted(uuid, uuid.substring(0, 4))));
        server.createContext("/redfish/v1/AccountService", exchange -> answer(exchange, 404, "{}"));
        server.createContext(
                "/redfish/v1",
                exchange ->
                        answer(
                                exchange,
                                200,
                                """
                                {"Links":{"Sessions":{"@odata.id":"/redfish/v1/SessionService/Sessions"}},
                                 "Systems":{"@odata.id":"/redfish/v1/Systems"}}
                                """));
        return address(server);
    }

    private static void login(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        boolean right = body.contains(PASSWORD) || !exchange.getRequestMethod().equals("POST");
        exchange.getResponseHeaders().add("X-Auth-Token", "token");
        exchange.getResponseHeaders().add("Location", "/redfish/v1/SessionService/Sessions/1");
        answer(exchange, right ? 201 : 401, "{}");
    }

    /** What needs a session: without the token it is refused, as a real one would. */
    private static void json(HttpExchange exchange, String body) throws IOException {
        boolean known = "token".equals(exchange.getRequestHeaders().getFirst("X-Auth-Token"));
        answer(exchange, known ? 200 : 401, known ? body : "{}");
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        try (exchange) {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }
}
