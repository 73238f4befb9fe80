package dev.tandem.redfishsim;

import static dev.tandem.redfishsim.testing.LoopbackBmc.PASSWORD;
import static dev.tandem.redfishsim.testing.LoopbackBmc.RESET;
import static dev.tandem.redfishsim.testing.LoopbackBmc.SYSTEM;
import static dev.tandem.redfishsim.testing.LoopbackBmc.USER;
import static dev.tandem.redfishsim.testing.LoopbackBmc.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import dev.tandem.core.Failure;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.ResetType;
import dev.tandem.host.pki.Tls;
import dev.tandem.redfishsim.BmcBehaviour.HardOff;
import dev.tandem.redfishsim.BmcBehaviour.Reachability;
import dev.tandem.redfishsim.BmcBehaviour.WhenAlreadyThere;
import dev.tandem.redfishsim.testing.LoopbackBmc;
import dev.tandem.redfishsim.testing.SleepingMachine;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedfishBmcTest {
    private LoopbackBmc bench;

    @BeforeEach
    void start() throws IOException {
        bench = new LoopbackBmc();
    }

    @AfterEach
    void stop() throws IOException {
        bench.close();
    }

    @Test
    void aFalseOffIsReadBackWhileTheMachineRunsOn() throws Exception {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withFalseOffs(1));

        assertThat(bench.reset("ForceOff").statusCode()).isEqualTo(204);
        assertThat(shownPower()).isEqualTo("Off");
        assertThat(bench.machine.cuts).hasValue(0);
        assertThat(bench.reset("On").statusCode()).isEqualTo(204);
        assertThat(shownPower()).isEqualTo("On");
        assertThat(bench.machine.starts).hasValue(0);
        assertThat(bench.kinds())
                .contains(BmcEvent.Kind.OFF_FEIGNED)
                .doesNotContain(BmcEvent.Kind.POWERED_OFF, BmcEvent.Kind.POWERED_ON);

        assertThat(bench.reset("ForceOff").statusCode()).isEqualTo(204);
        bench.await(PowerState.OFF);
        assertThat(bench.machine.cuts).hasValue(1);
    }

    @Test
    void aFeignedOffEndsWithTheFault() throws Exception {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withFalseOffs(1));
        assertThat(bench.reset("ForceOff").statusCode()).isEqualTo(204);

        bench.bmc.behave(BmcBehaviour.FAULTLESS);

        assertThat(shownPower()).isEqualTo("On");
    }

    @Test
    void anotherMachineHasItsOwnNameAndItsOwnPower() throws Exception {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withAnotherMachine(true));

        JsonNode system = bench.json(SYSTEM);
        assertThat(system.path("UUID").asText())
                .isNotEqualTo(SleepingMachine.IDENTITY.uuid().toString());
        assertThat(system.path("SerialNumber").asText()).isEqualTo("ANOTHER-TND-0001");
        assertThat(system.path("PowerState").asText()).isEqualTo("On");

        assertThat(bench.reset("ForceOff").statusCode()).isEqualTo(204);
        awaitShown("Off");
        assertThat(bench.machine.isRunning()).isTrue();
        assertThat(bench.bmc.powerState()).isEqualTo(PowerState.ON);
        assertThat(bench.kinds())
                .contains(BmcEvent.Kind.ANOTHER_POWERED_OFF)
                .doesNotContain(BmcEvent.Kind.POWERED_OFF);

        bench.bmc.behave(BmcBehaviour.FAULTLESS);
        assertThat(bench.json(SYSTEM).path("SerialNumber").asText()).isEqualTo("TND-0001");
        assertThat(shownPower()).isEqualTo("On");
    }

    /** A client that verifies says nothing to it, not even over a connection from before. */
    @Test
    void aForeignCertificateIsShownToEveryConnection() throws Exception {
        assertThat(shownPower()).isEqualTo("On");

        bench.bmc.behave(BmcBehaviour.FAULTLESS.withForeignCertificate(true));

        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(this::shownPower).isInstanceOf(IOException.class);
        }
        assertThat(bench.kinds()).doesNotContain(BmcEvent.Kind.STRANGER_ASKED);

        bench.bmc.behave(BmcBehaviour.FAULTLESS);
        assertThat(shownPower()).isEqualTo("On");
        assertThat(shownPower()).isEqualTo("On");
    }

    @Test
    void whoeverBelievesAForeignCertificateIsFound() throws Exception {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withForeignCertificate(true));

        try (HttpClient client =
                HttpClient.newBuilder().sslContext(Tls.clientTrustingAnybody()).build()) {
            assertThat(
                            client.send(
                                            bench.asAdmin(SYSTEM).build(),
                                            HttpResponse.BodyHandlers.ofString())
                                    .statusCode())
                    .isEqualTo(200);
        }
        assertThat(bench.kinds()).contains(BmcEvent.Kind.STRANGER_ASKED);
    }

    private String shownPower() throws Exception {
        return bench.json(SYSTEM).path("PowerState").asText();
    }

    private void awaitShown(String power) throws Exception {
        long deadline = System.nanoTime() + LoopbackBmc.ENOUGH.toNanos();
        while (!shownPower().equals(power)) {
            assertThat(System.nanoTime()).as("waiting for %s", power).isLessThan(deadline);
            Thread.sleep(5);
        }
    }

    @Test
    void everyLinkLeadsToAResourceThatNamesItself() throws Exception {
        Deque<String> open = new ArrayDeque<>(Set.of("/redfish/v1"));
        Set<String> seen = new HashSet<>();
        while (!open.isEmpty()) {
            String path = open.pop();
            if (!seen.add(path)) {
                continue;
            }
            JsonNode resource = bench.json(path);
            assertThat(resource.path("@odata.id").asText()).isEqualTo(path);
            assertThat(resource.path("@odata.type").asText()).startsWith("#");
            assertThat(resource.path("Name").asText()).isNotEmpty();
            resource.findValuesAsText("@odata.id").forEach(open::push);
            resource.findValuesAsText("@Redfish.ActionInfo").forEach(open::push);
        }
        assertThat(seen)
                .contains(
                        SYSTEM,
                        SYSTEM + "/EthernetInterfaces/eth1",
                        SYSTEM + "/ResetActionInfo",
                        "/redfish/v1/Managers/1",
                        "/redfish/v1/Chassis/1",
                        "/redfish/v1/AccountService/Roles/Operator");
    }

    @Test
    void theSystemIsTheMachine() throws Exception {
        JsonNode system = bench.json(SYSTEM);

        assertThat(system.path("UUID").asText())
                .isEqualTo(SleepingMachine.IDENTITY.uuid().toString());
        assertThat(system.path("SerialNumber").asText()).isEqualTo("TND-0001");
        assertThat(bench.json(SYSTEM + "/EthernetInterfaces/eth0").path("MACAddress").asText())
                .isEqualTo("02:54:00:00:00:01");
    }

    @Test
    void onlyTheRootIsShownToStrangers() throws Exception {
        HttpResponse<String> root = bench.send(HttpRequest.newBuilder(bench.uri("/redfish/v1/")));
        HttpResponse<String> system = bench.send(HttpRequest.newBuilder(bench.uri(SYSTEM)));
        HttpResponse<String> hidden = bench.send(HttpRequest.newBuilder(bench.uri(SYSTEM + "/x")));

        assertThat(root.statusCode()).isEqualTo(200);
        assertThat(system.statusCode()).isEqualTo(401);
        assertThat(system.headers().firstValue("WWW-Authenticate")).isPresent();
        assertThat(hidden.statusCode()).isEqualTo(401);
        assertThat(bench.get(SYSTEM + "/x").statusCode()).isEqualTo(404);
        assertThat(bench.get("/redfish/v2").statusCode()).isEqualTo(404);
    }

    @Test
    void aSessionServesUntilItIsClosed() throws Exception {
        HttpResponse<String> login = bench.login(USER, PASSWORD);
        assertThat(login.statusCode()).isEqualTo(201);
        String token = login.headers().firstValue("X-Auth-Token").orElseThrow();
        String location = login.headers().firstValue("Location").orElseThrow();

        assertThat(bench.send(withToken(SYSTEM, token)).statusCode()).isEqualTo(200);
        assertThat(bench.send(withToken(location, token).DELETE()).statusCode()).isEqualTo(204);
        assertThat(bench.send(withToken(SYSTEM, token)).statusCode()).isEqualTo(401);
        assertThat(bench.login(USER, "wrong").statusCode()).isEqualTo(401);
        assertThat(bench.kinds())
                .containsExactly(
                        BmcEvent.Kind.SESSION_OPENED,
                        BmcEvent.Kind.SESSION_CLOSED,
                        BmcEvent.Kind.LOGIN_REFUSED);
    }

    @Test
    void forceOffEndsTheMachineAndOnStartsItAgain() throws Exception {
        assertThat(bench.reset("ForceOff").statusCode()).isEqualTo(204);
        bench.await(PowerState.OFF);
        assertThat(bench.machine.isRunning()).isFalse();
        assertThat(bench.json(SYSTEM).path("PowerState").asText()).isEqualTo("Off");

        assertThat(bench.reset("On").statusCode()).isEqualTo(204);
        bench.await(PowerState.ON);
        assertThat(bench.machine.isRunning()).isTrue();
        assertThat(bench.kinds())
                .containsExactly(
                        BmcEvent.Kind.RESET_REQUESTED,
                        BmcEvent.Kind.POWERED_OFF,
                        BmcEvent.Kind.RESET_REQUESTED,
                        BmcEvent.Kind.POWERED_ON);
    }

    @ParameterizedTest
    @CsvSource({
        "ForceRestart, 1",
        "PowerCycle, 1",
        "FullPowerCycle, 1",
        "GracefulRestart, 0",
    })
    void aRestartEndsTheMachineAndStartsItAgain(String type, int cuts) throws Exception {
        assertThat(bench.reset(type).statusCode()).isEqualTo(204);

        bench.await(PowerState.ON);
        assertThat(bench.machine.starts).hasValue(1);
        assertThat(bench.machine.cuts).hasValue(cuts);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GracefulShutdown", "PushPowerButton"})
    void anOrderlyShutdownCutsNothing(String type) throws Exception {
        assertThat(bench.reset(type).statusCode()).isEqualTo(204);

        bench.await(PowerState.OFF);
        assertThat(bench.machine.cuts).hasValue(0);
    }

    @Test
    void latencyIsSeenAsAnIntermediateState() throws Exception {
        bench.bmc.behave(
                BmcBehaviour.FAULTLESS
                        .withOffLatency(Duration.ofSeconds(2))
                        .withOnLatency(Duration.ofSeconds(2)));

        bench.reset("ForceOff");
        assertThat(bench.json(SYSTEM).path("PowerState").asText()).isEqualTo("PoweringOff");
        assertThat(bench.machine.isRunning()).isTrue();
        bench.await(PowerState.OFF);

        bench.reset("On");
        assertThat(bench.json(SYSTEM).path("PowerState").asText()).isEqualTo("PoweringOn");
        assertThat(bench.machine.isRunning()).isFalse();
        bench.await(PowerState.ON);
    }

    @Test
    void offOvertakesAnOnThatHasNotHappenedYet() throws Exception {
        bench.reset("ForceOff");
        bench.await(PowerState.OFF);
        Duration latency = Duration.ofSeconds(2);
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withOnLatency(latency));
        bench.reset("On");

        bench.reset("ForceOff");
        bench.await(PowerState.OFF);

        // Twice the latency later the machine would run, had the first request survived.
        Thread.sleep(latency.multipliedBy(2));
        assertThat(bench.machine.starts).hasValue(0);
    }

    @ParameterizedTest
    @CsvSource({"ACCEPTS, 204", "CONFLICT, 409", "BAD_REQUEST, 400"})
    void offWhenOffIsAnsweredInTheChosenDialect(WhenAlreadyThere dialect, int status)
            throws Exception {
        bench.reset("ForceOff");
        bench.await(PowerState.OFF);
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withWhenAlreadyThere(dialect));

        HttpResponse<String> again = bench.reset("ForceOff");

        assertThat(again.statusCode()).isEqualTo(status);
        if (status != 204) {
            assertThat(
                            LoopbackBmc.json(again)
                                    .at("/error/@Message.ExtendedInfo/0/MessageId")
                                    .asText())
                    .startsWith("Base.");
        }
        assertThat(bench.machine.cuts).hasValue(1);
    }

    @Test
    void aBusyServiceSaysWhenToComeBackAndThenAnswers() throws Exception {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withBusy(2, Duration.ofMillis(1500)));

        HttpResponse<String> busy = bench.get(SYSTEM);

        assertThat(busy.statusCode()).isEqualTo(503);
        assertThat(busy.headers().firstValue("Retry-After")).contains("2");
        assertThat(bench.get(SYSTEM).statusCode()).isEqualTo(503);
        assertThat(bench.get(SYSTEM).statusCode()).isEqualTo(200);
    }

    @Test
    void aServiceWithoutHardOffNeitherOffersNorTakesIt() throws Exception {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withHardOff(HardOff.REFUSED));

        assertThat(bench.json(SYSTEM).toString()).doesNotContain("ForceOff");
        assertThat(bench.reset("ForceOff").statusCode()).isEqualTo(400);
        assertThat(bench.machine.isRunning()).isTrue();
    }

    @Test
    void aServiceThatOnlyShutsDownTakesHardOffForIt() throws Exception {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withHardOff(HardOff.SHUTS_DOWN));

        assertThat(bench.reset("ForceOff").statusCode()).isEqualTo(204);

        bench.await(PowerState.OFF);
        assertThat(bench.machine.cuts).hasValue(0);
    }

    @Test
    void rotatedCredentialsEndSessionsToo() throws Exception {
        String token =
                bench.login(USER, PASSWORD).headers().firstValue("X-Auth-Token").orElseThrow();
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withCredentialsRotated(true));

        assertThat(bench.send(withToken(SYSTEM, token)).statusCode()).isEqualTo(401);
        assertThat(bench.get(SYSTEM).statusCode()).isEqualTo(401);
        assertThat(bench.login(USER, PASSWORD).statusCode()).isEqualTo(401);
    }

    @Test
    void aChangedPasswordReplacesTheOldOne() throws Exception {
        String account = "/redfish/v1/AccountService/Accounts/" + USER;

        assertThat(
                        bench.send(
                                        bench.asAdmin(account)
                                                .header("If-Match", "W/\"stale\"")
                                                .method("PATCH", text("{\"Password\": \"new\"}")))
                                .statusCode())
                .isEqualTo(412);
        String etag = bench.get(account).headers().firstValue("ETag").orElseThrow();
        assertThat(
                        bench.send(
                                        bench.asAdmin(account)
                                                .header("If-Match", etag)
                                                .method("PATCH", text("{\"Password\": \"new\"}")))
                                .statusCode())
                .isEqualTo(204);

        assertThat(bench.get(SYSTEM).statusCode()).isEqualTo(401);
        assertThat(bench.send(LoopbackBmc.basic(bench.uri(SYSTEM), USER, "new")).statusCode())
                .isEqualTo(200);
        assertThat(bench.events.toString()).doesNotContain(PASSWORD).doesNotContain("\"new\"");
    }

    @Test
    void whoMayOnlyReadCannotReset() throws Exception {
        HttpResponse<String> refused =
                bench.send(
                        LoopbackBmc.basic(bench.uri(RESET), "watch", "only")
                                .POST(text("{\"ResetType\": \"ForceOff\"}")));

        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(bench.machine.isRunning()).isTrue();
        assertThat(
                        bench.send(
                                        LoopbackBmc.basic(
                                                bench.uri(
                                                        "/redfish/v1/AccountService/Accounts/"
                                                                + USER),
                                                "watch",
                                                "only"))
                                .statusCode())
                .isEqualTo(404);
    }

    @Test
    void whoHangsUpAnswersNeitherOldNorNewConnections() throws Exception {
        assertThat(bench.get(SYSTEM).statusCode()).isEqualTo(200);
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withReachability(Reachability.HANGS_UP));

        assertThatThrownBy(() -> bench.get(SYSTEM)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> bench.get(SYSTEM)).isInstanceOf(IOException.class);

        bench.bmc.behave(BmcBehaviour.FAULTLESS);
        assertThat(bench.get(SYSTEM).statusCode()).isEqualTo(200);
    }

    @Test
    void whoIsSilentRunsItsClientsIntoTheirLimit() throws Exception {
        assertThat(bench.get(SYSTEM).statusCode()).isEqualTo(200);
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withReachability(Reachability.SILENT));

        assertSilent();
        assertSilent();

        bench.bmc.behave(BmcBehaviour.FAULTLESS);
        assertThat(bench.get(SYSTEM).statusCode()).isEqualTo(200);
    }

    @Test
    void aLiarAcceptsAndDoesNothing() throws Exception {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withLies(true));

        assertThat(bench.reset("ForceOff").statusCode()).isEqualTo(204);

        assertThat(bench.bmc.powerState()).isEqualTo(PowerState.ON);
        assertThat(bench.machine.cuts).hasValue(0);
    }

    @Test
    void aStaleStateIsThatOfTheMomentItWasFrozen() throws Exception {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withPowerStateAge(BmcBehaviour.FOREVER));

        bench.reset("ForceOff");
        bench.await(PowerState.OFF);

        assertThat(bench.json(SYSTEM).path("PowerState").asText()).isEqualTo("On");
    }

    @Test
    void aPulledPlugSilencesABmcThatLosesPowerWithItsHost() throws Exception {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withLosesPowerWithHost(true));

        bench.bmc.pullPlug();
        assertThat(bench.machine.isRunning()).isFalse();
        assertSilent();

        bench.bmc.replug();
        assertThat(bench.json(SYSTEM).path("PowerState").asText()).isEqualTo("Off");
    }

    @Test
    void aPulledPlugLeavesAnyOtherBmcReadingOff() throws Exception {
        bench.bmc.pullPlug();

        assertThat(bench.json(SYSTEM).path("PowerState").asText()).isEqualTo("Off");
    }

    /** Who judges a recovery by what the BMC did must tell a slow boot from a fault. */
    @Test
    void aSlowBootIsToldApartFromAFault() {
        BmcBehaviour slow = BmcBehaviour.FAULTLESS.withOnLatency(Duration.ofSeconds(8));

        bench.bmc.behave(slow);
        bench.bmc.behave(slow.withOffLatency(Duration.ofSeconds(1)));
        bench.bmc.behave(BmcBehaviour.FAULTLESS);

        assertThat(bench.kinds())
                .endsWith(
                        BmcEvent.Kind.BOOT_DELAYED,
                        BmcEvent.Kind.BEHAVIOUR_CHANGED,
                        BmcEvent.Kind.BEHAVIOUR_RESTORED);
    }

    @Test
    void wrongLoginsLockAnAccountForAWhile() throws Exception {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        try (LoopbackBmc strict = new LoopbackBmc(now::get)) {
            strict.bmc.behave(BmcBehaviour.FAULTLESS.withLockAfter(3));
            strict.login(USER, "wrong");
            strict.login(USER, "wrong");
            assertThat(strict.login(USER, PASSWORD).statusCode()).isEqualTo(201);
            strict.login(USER, "wrong");
            strict.login(USER, "wrong");
            now.set(now.get().plus(BmcBehaviour.LOCKED));
            strict.login(USER, "wrong");
            strict.login(USER, "wrong");
            assertThat(strict.kinds()).doesNotContain(BmcEvent.Kind.ACCOUNT_LOCKED);

            strict.login(USER, "wrong");

            assertThat(strict.kinds()).containsOnlyOnce(BmcEvent.Kind.ACCOUNT_LOCKED);
            assertThat(strict.login(USER, PASSWORD).statusCode()).isEqualTo(401);
            assertThat(strict.login("watch", "only").statusCode()).isEqualTo(201);
            now.set(now.get().plus(BmcBehaviour.LOCKED));
            assertThat(strict.login(USER, PASSWORD).statusCode()).isEqualTo(201);
        }
    }

    @Test
    void loginsBeyondTheLimitAreRefusedUntilOneLeaves() throws Exception {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withSessionLimit(1));
        String location =
                bench.login(USER, PASSWORD).headers().firstValue("Location").orElseThrow();

        HttpResponse<String> refused = bench.login(USER, PASSWORD);

        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("SessionLimitExceeded");
        assertThat(bench.send(bench.asAdmin(location).DELETE()).statusCode()).isEqualTo(204);
        assertThat(bench.login(USER, PASSWORD).statusCode()).isEqualTo(201);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"ResetType\": \"Explode\"} | ActionParameterValueNotInList",
                "{}                           | ActionParameterMissing",
                "[]                           | MalformedJSON",
                "{\"ResetType\"               | MalformedJSON",
            })
    void aWrongRequestIsToldWhatIsWrong(String body, String messageId) throws Exception {
        HttpResponse<String> response = bench.send(bench.asAdmin(RESET).POST(text(body)));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(LoopbackBmc.json(response).at("/error/code").asText()).endsWith("." + messageId);
    }

    @Test
    void aMethodThatDoesNotFitIsToldWhichOnesDo() throws Exception {
        HttpResponse<String> response = bench.send(bench.asAdmin(SYSTEM).DELETE());

        assertThat(response.statusCode()).isEqualTo(405);
        assertThat(response.headers().firstValue("Allow")).contains("GET, HEAD");
    }

    @Test
    void anUnchangedResourceIsNotSentAgain() throws Exception {
        String etag = bench.get(SYSTEM).headers().firstValue("ETag").orElseThrow();

        assertThat(bench.send(bench.asAdmin(SYSTEM).header("If-None-Match", etag)).statusCode())
                .isEqualTo(304);
        bench.reset("ForceOff");
        bench.await(PowerState.OFF);
        assertThat(bench.send(bench.asAdmin(SYSTEM).header("If-None-Match", etag)).statusCode())
                .isEqualTo(200);
    }

    @Test
    void anAddressInUseIsNamed() {
        BmcSettings settings =
                BmcSettings.of(
                        bench.bmc.address(),
                        LoopbackBmc.AUTHORITY.identity(),
                        "a",
                        "b",
                        event -> {});

        assertThatThrownBy(() -> RedfishBmc.start(settings, bench.machine))
                .isInstanceOf(Failure.class)
                .hasMessageContaining(String.valueOf(bench.bmc.address().getPort()));
    }

    @Test
    void theFrontPanelKnowsNoLies() throws Exception {
        bench.bmc.behave(
                BmcBehaviour.FAULTLESS
                        .withLies(true)
                        .withReachability(Reachability.SILENT)
                        .withCredentialsRotated(true));

        assertThat(bench.bmc.reset(ResetType.FORCE_OFF)).isTrue();

        bench.await(PowerState.OFF);
        assertThat(bench.bmc.reset(ResetType.FORCE_OFF)).isFalse();
    }

    @Test
    void aBehaviourSurvivesTheWayThroughJson() throws Exception {
        BmcBehaviour behaviour =
                BmcBehaviour.FAULTLESS
                        .withOffLatency(Duration.ofMillis(6500))
                        .withWhenAlreadyThere(WhenAlreadyThere.CONFLICT)
                        .withPowerStateAge(BmcBehaviour.FOREVER);
        ObjectMapper json = new ObjectMapper();

        String text = json.writeValueAsString(behaviour);

        assertThat(text).contains("\"offLatency\":\"PT6.5S\"");
        assertThat(json.readValue(text, BmcBehaviour.class)).isEqualTo(behaviour);
        assertThatThrownBy(() -> json.readValue(text.replace("PT6.5S", "6s"), BmcBehaviour.class))
                .isInstanceOf(InvalidFormatException.class)
                .hasMessageContaining("PT6S");
    }

    private void assertSilent() {
        assertThatThrownBy(() -> bench.send(bench.asAdmin(SYSTEM).timeout(Duration.ofMillis(300))))
                .isInstanceOf(HttpTimeoutException.class);
    }

    private HttpRequest.Builder withToken(String path, String token) {
        return HttpRequest.newBuilder(bench.uri(path))
                .timeout(LoopbackBmc.ENOUGH)
                .header("X-Auth-Token", token);
    }
}
