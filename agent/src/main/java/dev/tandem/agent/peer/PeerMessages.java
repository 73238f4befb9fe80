package dev.tandem.agent.peer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.FenceDelay.Link;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.core.health.RecoveryReadiness;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.host.plan.PlanDigest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Writes and reads the messages of the two agents. Each message has the version that its writer
 * speaks.
 *
 * <p>The two nodes of a pair are upgraded one after the other, so a newer and an older agent have
 * to understand each other. No message is refused for its version; it is read as far as it is
 * understood:
 *
 * <ul>
 *   <li>An unknown field is ignored.
 *   <li>If it is missing or unknown what the peer's etcd does, that counts as {@link
 *       EtcdState#UNSEEN}; an offer counts as none, and so does what the peer released. Each of
 *       them makes this node wait, and proves nothing.
 *   <li>If it is missing or unknown whether the peer would recover from this node's failure, that
 *       is {@link RecoveryReadiness.NotTold}; a cause without a name here is a cause all the same.
 *   <li>If it is missing or unknown by which plan the peer runs, nothing is said about that.
 *   <li>If it is missing or unknown how long the peer would need to have this node off, the plan's
 *       figure stands.
 *   <li>If it is missing or unknown whether the peer is connected to the network of the API's
 *       address, this node is no worse a place for it.
 *   <li>Facts of which anything else is missing or unknown, and kinds of messages that are unknown,
 *       count as a greeting: the peer lives, in this boot, and nothing more.
 * </ul>
 *
 * <p>Therefore a field never changes its meaning: a new meaning gets a new name, and the version
 * rises. A new field gets a default here that makes nothing look better than it may be.
 */
public final class PeerMessages {
    /** Of the messages that this program writes. */
    public static final int VERSION = 1;

    private static final String VERSION_FIELD = "version";
    private static final String FACTS = "facts";
    private static final String SERVER = "server";
    private static final String OFFER = "offer";
    private static final String RELEASED = "released";
    private static final String BOOT = "boot";

    /**
     * Beside the facts, which are what the decisions are made from: this is for the status alone.
     */
    private static final String RECOVERY = "recovery";

    /** For the status alone, too: by which plan this node runs. */
    private static final String PLAN = "plan";

    /** For the delays of a split: how long this node would need to have the peer off. */
    private static final String FENCE = "fenceMillis";

    /** For the place of the API's address: whether this node is connected to its network. */
    private static final String API_LINK = "apiLink";

    private static final String FORM = "form";
    private static final String DIGEST = "digest";
    private static final String AUTOMATIC = "automatic";
    private static final String CAUSES = "causes";

    /** A line of the journal is for people. */
    private static final int LONGEST = 200;

    /** Nothing is guessed: a number is no enum value, and a text no number. */
    private static final ObjectMapper EXACT =
            AgentJson.MAPPER
                    .rebuild()
                    .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                    .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                    .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                    .build();

    private PeerMessages() {}

    /**
     * What is sent: a message, and what is told beside it.
     *
     * @param recovery whether this node would recover from the peer's failure
     * @param plan by which this node runs; empty where that is not told
     * @param fence how long this node would need to have the peer off; empty where that is not told
     * @param apiLink of this node to the network of the API's address; only what is known is told
     */
    public record Envelope(
            PeerMessage message,
            RecoveryReadiness recovery,
            Optional<PlanDigest> plan,
            Optional<Duration> fence,
            Link apiLink) {}

    /** What of a message may be unknown to this release. */
    public enum Part {
        SERVER,
        OFFER,
        RELEASED,
        RECOVERY,
        PLAN,
        FENCE,
        API_LINK,
        /** Anything else: the message then is a sign of life and no more. */
        MESSAGE
    }

    /**
     * What of a message was not understood, and counts as not said.
     *
     * @param words for people: what was written there
     */
    public record NotUnderstood(Part part, String words) {
        public NotUnderstood {
            words = words.length() <= LONGEST ? words : words.substring(0, LONGEST) + "...";
        }
    }

    /**
     * A message as far as it was understood.
     *
     * @param recovery whether the peer would recover from this node's failure, by its own word
     * @param plan by which the peer runs; empty where its release does not tell
     * @param fence how long the peer would need to have this node off; empty where it does not tell
     * @param apiLink of the peer to the network of the API's address; unknown where it does not
     *     tell
     * @param speaker whom it is about, where it says so
     * @param version of the program that wrote it
     */
    public record Received(
            PeerMessage message,
            RecoveryReadiness recovery,
            Optional<PlanDigest> plan,
            Optional<Duration> fence,
            Link apiLink,
            Optional<NodeName> speaker,
            int version,
            List<NotUnderstood> notUnderstood) {
        public Received {
            notUnderstood = List.copyOf(notUnderstood);
        }

        static Received of(Envelope sent) {
            return new Received(
                    sent.message(),
                    sent.recovery(),
                    sent.plan(),
                    sent.fence(),
                    sent.apiLink(),
                    speakerOf(sent.message()),
                    VERSION,
                    List.of());
        }

        Envelope envelope() {
            return new Envelope(message, recovery, plan, fence, apiLink);
        }

        private static Optional<NodeName> speakerOf(PeerMessage message) {
            return message instanceof PeerMessage.Facts(NodeFacts facts, BootId _)
                    ? Optional.of(facts.node())
                    : Optional.empty();
        }

        /** Of what was said, only that the peer lives was understood. */
        boolean isOnlyASignOfLife() {
            return message instanceof PeerMessage.Hello
                    && notUnderstood.stream().anyMatch(each -> each.part() == Part.MESSAGE);
        }

        /** Whether a message that came from the peer is about the peer. */
        boolean isOf(NodeName peer) {
            return speaker.filter(name -> !name.equals(peer)).isEmpty();
        }
    }

    static ObjectNode json(Envelope sent) {
        ObjectNode json = AgentJson.MAPPER.createObjectNode().put(VERSION_FIELD, VERSION);
        json.setAll(AgentJson.MAPPER.<ObjectNode>valueToTree(sent.message()));
        switch (sent.recovery()) {
            case RecoveryReadiness.NotTold() -> {}
            case RecoveryReadiness.Automatic() -> json.putObject(RECOVERY).put(AUTOMATIC, true);
            case RecoveryReadiness.Impeded(List<Cause> causes) -> {
                ArrayNode names = json.putObject(RECOVERY).put(AUTOMATIC, false).putArray(CAUSES);
                causes.forEach(cause -> names.add(cause.name()));
            }
        }
        sent.plan()
                .ifPresent(plan ->
                        json.putObject(PLAN).put(FORM, plan.form()).put(DIGEST, plan.digest()));
        sent.fence().ifPresent(time -> json.put(FENCE, time.toMillis()));
        if (sent.apiLink() != Link.UNKNOWN) {
            json.put(API_LINK, sent.apiLink().name());
        }
        return json;
    }

    /** Empty where it does not even say which boot of which node speaks. */
    static Optional<Received> read(byte[] text) {
        try {
            return read(EXACT.readTree(text));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new IllegalStateException("bytes in memory could not be read", e);
        }
    }

    static Optional<Received> read(JsonNode json) {
        int version = json.path(VERSION_FIELD).asInt(VERSION);
        List<NotUnderstood> notUnderstood = new ArrayList<>();
        JsonNode rest = withDefaults(json, notUnderstood);
        RecoveryReadiness recovery = recovery(json.path(RECOVERY), notUnderstood);
        Optional<PlanDigest> plan = plan(json.path(PLAN), notUnderstood);
        Optional<Duration> fence = fence(json.path(FENCE), notUnderstood);
        Link apiLink = apiLink(json.path(API_LINK), notUnderstood);
        try {
            PeerMessage message = EXACT.treeToValue(rest, PeerMessage.class);
            if (message != null) {
                return Optional.of(
                        new Received(
                                message,
                                recovery,
                                plan,
                                fence,
                                apiLink,
                                Received.speakerOf(message),
                                version,
                                notUnderstood));
            }
        } catch (JsonProcessingException e) {
            notUnderstood.add(new NotUnderstood(Part.MESSAGE, e.getOriginalMessage()));
        }
        return greeting(rest)
                .map(heard ->
                        new Received(
                                new PeerMessage.Hello(heard.boot()),
                                recovery,
                                plan,
                                fence,
                                apiLink,
                                heard.node(),
                                version,
                                notUnderstood));
    }

    /** However many causes have no name here, one of them is told. */
    private static RecoveryReadiness recovery(JsonNode told, List<NotUnderstood> notUnderstood) {
        if (told.isMissingNode()) {
            return new RecoveryReadiness.NotTold();
        }
        if (!told.path(AUTOMATIC).isBoolean()) {
            notUnderstood.add(new NotUnderstood(Part.RECOVERY, RECOVERY + " " + told));
            return new RecoveryReadiness.NotTold();
        }
        if (told.path(AUTOMATIC).asBoolean() && told.path(CAUSES).isEmpty()) {
            return new RecoveryReadiness.Automatic();
        }
        Set<Cause> known = EnumSet.noneOf(Cause.class);
        Optional<JsonNode> unknown = Optional.empty();
        for (JsonNode cause : told.path(CAUSES)) {
            Optional<Cause> named = value(cause, Cause.class);
            named.ifPresent(known::add);
            unknown = named.isEmpty() && unknown.isEmpty() ? Optional.of(cause) : unknown;
        }
        unknown.ifPresent(
                cause -> notUnderstood.add(new NotUnderstood(Part.RECOVERY, "cause " + cause)));
        return new RecoveryReadiness.Impeded(List.copyOf(known));
    }

    private static Optional<PlanDigest> plan(JsonNode told, List<NotUnderstood> notUnderstood) {
        if (told.isMissingNode()) {
            return Optional.empty();
        }
        if (!told.path(FORM).isInt() || !told.path(DIGEST).isTextual()) {
            notUnderstood.add(new NotUnderstood(Part.PLAN, PLAN + " " + told));
            return Optional.empty();
        }
        return Optional.of(new PlanDigest(told.path(FORM).asInt(), told.path(DIGEST).asText()));
    }

    private static Optional<Duration> fence(JsonNode told, List<NotUnderstood> notUnderstood) {
        if (told.isMissingNode()) {
            return Optional.empty();
        }
        if (!told.isIntegralNumber() || !told.canConvertToInt() || told.asInt() < 0) {
            notUnderstood.add(new NotUnderstood(Part.FENCE, FENCE + " " + told));
            return Optional.empty();
        }
        return Optional.of(Duration.ofMillis(told.asInt()));
    }

    private static Link apiLink(JsonNode told, List<NotUnderstood> notUnderstood) {
        Optional<Link> link = value(told, Link.class);
        if (link.isEmpty() && !told.isMissingNode()) {
            notUnderstood.add(new NotUnderstood(Part.API_LINK, API_LINK + " " + told));
        }
        return link.orElse(Link.UNKNOWN);
    }

    private static JsonNode withDefaults(JsonNode json, List<NotUnderstood> notUnderstood) {
        JsonNode copy = json.deepCopy();
        if (copy.path(FACTS) instanceof ObjectNode facts) {
            orElse(facts, Part.SERVER, SERVER, EtcdState.class, EtcdState.UNSEEN, notUnderstood);
            orElse(facts, Part.OFFER, OFFER, Offer.class, Offer.none(), notUnderstood);
            orElse(facts, Part.RELEASED, RELEASED, Long.class, 0L, notUnderstood);
        }
        return copy;
    }

    private static <T> void orElse(
            ObjectNode facts,
            Part part,
            String field,
            Class<T> kind,
            T safe,
            List<NotUnderstood> notUnderstood) {
        JsonNode told = facts.path(field);
        if (value(told, kind).isEmpty()) {
            notUnderstood.add(
                    new NotUnderstood(
                            part, told.isMissingNode() ? "no " + field : field + " " + told));
            facts.set(field, EXACT.<JsonNode>valueToTree(safe));
        }
    }

    private record Speaker(BootId boot, Optional<NodeName> node) {}

    private static Optional<Speaker> greeting(JsonNode json) {
        if (!(json.path(FACTS) instanceof ObjectNode facts)) {
            return value(json.path(BOOT), BootId.class)
                    .map(boot -> new Speaker(boot, Optional.empty()));
        }
        return value(facts.path("node"), NodeName.class)
                .flatMap(node ->
                        value(facts.path(BOOT), BootId.class)
                                .map(boot -> new Speaker(boot, Optional.of(node))));
    }

    private static <T> Optional<T> value(JsonNode json, Class<T> kind) {
        if (json.isMissingNode()) {
            return Optional.empty();
        }
        try {
            return Optional.ofNullable(EXACT.treeToValue(json, kind));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }
}
