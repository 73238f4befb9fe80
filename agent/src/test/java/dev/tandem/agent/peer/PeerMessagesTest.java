package dev.tandem.agent.peer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.FenceDelay.Link;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.core.health.RecoveryReadiness;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Replica;
import dev.tandem.host.plan.PlanDigest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The two nodes of a pair are upgraded one after the other. */
class PeerMessagesTest {
    private static final BootId BOOT = new BootId("7e5f4a3b-2c1d-4e6f-8a9b-0c1d2e3f4a5b");

    /**
     * Those of the first release, those that also say whether the peer would recover, those that
     * say by which plan it runs, those that say how long it would need to switch this node off, and
     * whether it has the network of the API, and those of a node that leaves the founding to it.
     */
    static List<String> golden() {
        return Stream.of(
                        "peer.jsonl",
                        "peer-recovery.jsonl",
                        "peer-plan.jsonl",
                        "peer-fence.jsonl",
                        "peer-founding.jsonl")
                .flatMap(file -> Golden.lines(1, file).stream())
                .toList();
    }

    static List<String> withoutVersion() {
        return Golden.lines(0, "peer.jsonl");
    }

    private static PeerMessages.Received read(String text) {
        return PeerMessages.read(text.getBytes(StandardCharsets.UTF_8)).orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("golden")
    void aMessageIsReadAndWrittenTheSame(String text) {
        PeerMessages.Received received = read(text);

        assertThat(received.notUnderstood()).isEmpty();
        assertThat(received.version()).isEqualTo(1);
        assertThat(PeerMessages.json(received.envelope())).hasToString(text);
    }

    @ParameterizedTest
    @MethodSource("withoutVersion")
    void aMessageFromBeforeTheVersionIsRead(String text) {
        PeerMessages.Received received = read(text);

        assertThat(received.notUnderstood()).isEmpty();
        assertThat(received.version()).isEqualTo(1);
        assertThat(AgentJson.line(received.message())).isEqualTo(text);
    }

    /** The way in which agents without a version read. */
    @ParameterizedTest
    @MethodSource("golden")
    void anOlderAgentReadsWhatThisOneWrites(String text) throws IOException {
        assertThat(AgentJson.MAPPER.readValue(text, PeerMessage.class))
                .isEqualTo(read(text).message());
    }

    @ParameterizedTest
    @MethodSource("golden")
    void aNewerAgentWithMoreToSayIsUnderstood(String text) throws IOException {
        JsonNode newer = AgentJson.MAPPER.readTree(text);
        everyObject(newer, object -> object.put("mood", "good").putObject("new").put("is", "so"));
        ((ObjectNode) newer).put("version", 2);

        PeerMessages.Received received = read(newer.toString());

        assertThat(received.message()).isEqualTo(read(text).message());
        assertThat(received.version()).isEqualTo(2);
        assertThat(received.notUnderstood()).isEmpty();
    }

    /** Whatever a peer leaves out, nothing is made of it that it did not say. */
    @ParameterizedTest
    @MethodSource("golden")
    void aFieldThatIsMissingProvesNothing(String text) throws IOException {
        JsonNode whole = AgentJson.MAPPER.readTree(text);
        for (String place : places(whole)) {
            JsonNode part = whole.deepCopy();
            parent(part, place).remove(name(place));

            Optional<PeerMessages.Received> received = onlyLess(part, read(text), place);
            if (!place.equals("/version") && !mayBeMissing(place)) {
                saysWhatWasNotUnderstood(received, place);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("golden")
    void aFieldOfAnotherFormProvesNothing(String text) throws IOException {
        JsonNode whole = AgentJson.MAPPER.readTree(text);
        for (String place : places(whole)) {
            JsonNode other = whole.deepCopy();
            JsonNode told = whole.at(place);
            if (told.isNumber()) {
                parent(other, place).put(name(place), told.asText());
            } else if (told.isBoolean()) {
                parent(other, place).put(name(place), 1);
            } else {
                parent(other, place).putObject(name(place));
            }

            Optional<PeerMessages.Received> received = onlyLess(other, read(text), place);
            if (!place.equals("/version") && !mayBeMissing(place)) {
                saysWhatWasNotUnderstood(received, place);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("golden")
    void aWordOfTomorrowProvesNothing(String text) throws IOException {
        JsonNode whole = AgentJson.MAPPER.readTree(text);
        for (String place : places(whole)) {
            if (List.of("is", "server", "role").contains(name(place))) {
                JsonNode newer = whole.deepCopy();
                parent(newer, place).put(name(place), "TOMORROW");
                ((ObjectNode) newer).put("version", 2);

                PeerMessages.Received received = onlyLess(newer, read(text), place).orElseThrow();
                assertThat(received.version()).isEqualTo(2);
                assertThat(received.notUnderstood()).as(place).isNotEmpty();
            }
        }
    }

    /** An older peer says nothing of it, and one that is impeded may name no cause. */
    private static boolean mayBeMissing(String place) {
        return List.of("/recovery", "/recovery/causes", "/plan", "/fenceMillis", "/apiLink")
                .contains(place);
    }

    private static void saysWhatWasNotUnderstood(
            Optional<PeerMessages.Received> received, String place) {
        received.ifPresent(read -> assertThat(read.notUnderstood()).as(place).isNotEmpty());
    }

    /** Nothing, a sign of life, or the same facts with less in what only makes this node wait. */
    private static Optional<PeerMessages.Received> onlyLess(
            JsonNode changed, PeerMessages.Received whole, String place) {
        Optional<PeerMessages.Received> read = PeerMessages.read(changed);
        read.ifPresent(received -> {
            assertThat(received.recovery())
                    .as(place)
                    .isIn(
                            whole.recovery(),
                            new RecoveryReadiness.NotTold(),
                            new RecoveryReadiness.Impeded(List.of()));
            assertThat(received.plan()).as(place).isIn(whole.plan(), Optional.empty());
            assertThat(received.fence()).as(place).isIn(whole.fence(), Optional.empty());
            assertThat(received.apiLink()).as(place).isIn(whole.apiLink(), Link.UNKNOWN);
            switch (received.message()) {
                case PeerMessage.Hello(BootId boot) -> assertThat(boot).isEqualTo(BOOT);
                case PeerMessage.Facts(NodeFacts less, BootId to) -> {
                    assertThat(whole.message()).as(place).isInstanceOf(PeerMessage.Facts.class);
                    PeerMessage.Facts said = (PeerMessage.Facts) whole.message();
                    assertThat(to).isEqualTo(said.to());
                    assertThat(less)
                            .as(place)
                            .usingRecursiveComparison()
                            .ignoringFields("server", "released", "offer")
                            .isEqualTo(said.facts());
                    assertThat(less.server()).isIn(EtcdState.UNSEEN, said.facts().server());
                    assertThat(less.released()).isIn(0L, said.facts().released());
                    assertThat(less.offer()).isIn(Offer.none(), said.facts().offer());
                }
            }
        });
        return read;
    }

    @Test
    void anUnknownStateOfEtcdIsNotKnownToServe() {
        PeerMessages.Received received =
                read(
                        golden().get(1)
                                .replace("FOLLOWING", "RESTING")
                                .replace("Confirmation", "Gift"));

        assertThat(received.message())
                .isInstanceOfSatisfying(
                        PeerMessage.Facts.class,
                        said -> {
                            assertThat(said.facts().server()).isEqualTo(EtcdState.UNSEEN);
                            assertThat(said.facts().offer()).isEqualTo(Offer.none());
                        });
        assertThat(received.notUnderstood())
                .anyMatch(each ->
                        each.part() == PeerMessages.Part.SERVER && each.words().contains("RESTING"))
                .anyMatch(each ->
                        each.part() == PeerMessages.Part.OFFER && each.words().contains("Gift"));
    }

    @Test
    void anUnknownAbdicationIsNoAbdicationAndNotNoneEither() {
        PeerMessages.Received received = read(golden().get(1).replace("Departure", "Retirement"));

        assertThat(received.message()).isEqualTo(new PeerMessage.Hello(BOOT));
        assertThat(received.isOnlyASignOfLife()).isTrue();
        assertThat(received.isOf(new NodeName("node-1"))).isTrue();
        assertThat(received.isOf(new NodeName("node-0"))).isFalse();
    }

    /** The message, what of it is known of a recovery, and what of it is not understood. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    -                                                    | not told         | -
                    {'automatic':true}                                   | automatic        | -
                    {'automatic':true,'mood':'good'}                     | automatic        | -
                    {'automatic':false,'causes':['BMC_UNREACHABLE']}     | BMC_UNREACHABLE  | -
                    {'automatic':true,'causes':['BMC_UNREACHABLE']}      | BMC_UNREACHABLE  | -
                    {'automatic':false}                                  | impeded          | -
                    {'automatic':false,'causes':['MOON']}                | impeded          | RECOVERY
                    {'automatic':false,'causes':['MOON','SUN','FENCING_OFF']} | FENCING_OFF | RECOVERY
                    {'automatic':false,'causes':[3]}                     | impeded          | RECOVERY
                    {'automatic':'yes'}                                  | not told         | RECOVERY
                    {}                                                   | not told         | RECOVERY
                    7                                                    | not told         | RECOVERY
                    null                                                 | not told         | RECOVERY
                    """)
    void whatThePeerSaysOfARecoveryIsReadAsFarAsItIsKnown(
            String recovery, String readiness, String part) {
        String message =
                recovery.equals("-")
                        ? "{'is':'Hello','boot':'b'}"
                        : "{'is':'Hello','boot':'b','recovery':%s}".formatted(recovery);
        PeerMessages.Received received = read(message.replace('\'', '"'));

        assertThat(received.recovery())
                .isEqualTo(
                        switch (readiness) {
                            case "not told" -> new RecoveryReadiness.NotTold();
                            case "automatic" -> new RecoveryReadiness.Automatic();
                            case "impeded" -> new RecoveryReadiness.Impeded(List.of());
                            default ->
                                    new RecoveryReadiness.Impeded(
                                            List.of(Cause.valueOf(readiness)));
                        });
        assertThat(received.notUnderstood().stream().map(each -> each.part().name()))
                .isEqualTo(part.equals("-") ? List.of() : List.of(part));
        assertThat(received.isOnlyASignOfLife()).as("a greeting is understood").isFalse();
    }

    @Test
    void thePlanOfThePeerIsReadAndAnUnknownFormOfItIsNotUnderstood() {
        String message = "{'is':'Hello','boot':'b','plan':%s}".replace('\'', '"');

        assertThat(read(message.formatted("{\"form\":1,\"digest\":\"ab\"}")).plan())
                .contains(new PlanDigest(1, "ab"));
        for (String other : List.of("{}", "7", "null", "{\"form\":\"1\",\"digest\":\"ab\"}")) {
            PeerMessages.Received received = read(message.formatted(other));
            assertThat(received.plan()).as(other).isEmpty();
            assertThat(received.notUnderstood())
                    .as(other)
                    .extracting(PeerMessages.NotUnderstood::part)
                    .containsExactly(PeerMessages.Part.PLAN);
        }
    }

    @Test
    void howLongThePeerNeedsIsATimeOrNotUnderstood() {
        String message = "{'is':'Hello','boot':'b','fenceMillis':%s}".replace('\'', '"');

        assertThat(read(message.formatted("11000")).fence()).contains(Duration.ofSeconds(11));
        for (String other : List.of("-1", "1.5", "null", "\"7\"", "99999999999", "{}")) {
            PeerMessages.Received received = read(message.formatted(other));
            assertThat(received.fence()).as(other).isEmpty();
            assertThat(received.notUnderstood())
                    .as(other)
                    .extracting(PeerMessages.NotUnderstood::part)
                    .containsExactly(PeerMessages.Part.FENCE);
        }
    }

    @Test
    void whatIsNoStateOfALinkIsUnknown() {
        String message = "{'is':'Hello','boot':'b','apiLink':%s}".replace('\'', '"');

        assertThat(read(message.formatted("\"UP\"")).apiLink()).isEqualTo(Link.UP);
        for (String other : List.of("\"up\"", "1", "null", "{}")) {
            PeerMessages.Received received = read(message.formatted(other));
            assertThat(received.apiLink()).as(other).isEqualTo(Link.UNKNOWN);
            assertThat(received.notUnderstood())
                    .as(other)
                    .extracting(PeerMessages.NotUnderstood::part)
                    .containsExactly(PeerMessages.Part.API_LINK);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "[]", "7", "{}", "{\"is\":\"Hello\"", "{\"boot\":\"\"}"})
    void whatIsNoMessageIsNotRead(String text) {
        assertThat(PeerMessages.read(text.getBytes(StandardCharsets.UTF_8))).isEmpty();
    }

    @Test
    void everyKindAndEveryWordIsInTheGoldenFile() {
        String all = String.join("\n", golden());

        assertThat(
                        kinds(
                                PeerMessage.class,
                                Replica.class,
                                Abdication.class,
                                Claim.class,
                                Offer.class))
                .allSatisfy(kind -> assertThat(all).contains("\"is\":\"" + kind + "\""));
        assertThat(
                        Stream.concat(
                                Arrays.stream(EtcdState.values()),
                                Arrays.stream(Replica.MemberRole.values())))
                .allSatisfy(word -> assertThat(all).contains("\"" + word + "\""));
    }

    private static List<String> kinds(Class<?>... alternatives) {
        return Arrays.stream(alternatives)
                .flatMap(each -> Arrays.stream(each.getPermittedSubclasses()))
                .map(Class::getSimpleName)
                .toList();
    }

    private static void everyObject(JsonNode json, Consumer<ObjectNode> change) {
        List<JsonNode> children = new ArrayList<>();
        json.forEach(children::add);
        children.forEach(child -> everyObject(child, change));
        if (json instanceof ObjectNode object) {
            change.accept(object);
        }
    }

    /** Where there is a field, as JSON pointers. */
    private static List<String> places(JsonNode json) {
        List<String> places = new ArrayList<>();
        for (Map.Entry<String, JsonNode> field : json.properties()) {
            places.add("/" + field.getKey());
            places(field.getValue()).forEach(below -> places.add("/" + field.getKey() + below));
        }
        if (json instanceof ArrayNode list) {
            for (int i = 0; i < list.size(); i++) {
                String element = "/" + i;
                places(list.get(i)).forEach(below -> places.add(element + below));
            }
        }
        return places;
    }

    private static ObjectNode parent(JsonNode json, String place) {
        return (ObjectNode) json.at(place.substring(0, place.lastIndexOf('/')));
    }

    private static String name(String place) {
        return place.substring(place.lastIndexOf('/') + 1);
    }
}
