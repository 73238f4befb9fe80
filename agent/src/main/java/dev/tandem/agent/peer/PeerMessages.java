package dev.tandem.agent.peer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
    private static final String CANNOT_STORE = "cannotStore";

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
     * A message as far as it was understood.
     *
     * @param speaker whom it is about, where it says so
     * @param version of the program that wrote it
     * @param notUnderstood what of it was not, and counts as not said
     * @param cannotStore its writer cannot store its state, and says so; nothing is decided by it
     */
    public record Received(
            PeerMessage message,
            Optional<NodeName> speaker,
            int version,
            List<String> notUnderstood,
            boolean cannotStore) {
        public Received {
            notUnderstood = List.copyOf(notUnderstood);
        }

        /** Of a peer that stores what it should, or does not say. */
        public Received(
                PeerMessage message,
                Optional<NodeName> speaker,
                int version,
                List<String> notUnderstood) {
            this(message, speaker, version, notUnderstood, false);
        }

        private Received withCannotStore(boolean cannot) {
            return new Received(message, speaker, version, notUnderstood, cannot);
        }

        static Received of(PeerMessage message) {
            return new Received(message, speakerOf(message), VERSION, List.of());
        }

        private static Optional<NodeName> speakerOf(PeerMessage message) {
            return message instanceof PeerMessage.Facts(NodeFacts facts, BootId _)
                    ? Optional.of(facts.node())
                    : Optional.empty();
        }

        /** Of what was said, only that the peer lives was understood. */
        boolean isOnlyASignOfLife() {
            return message instanceof PeerMessage.Hello && !notUnderstood.isEmpty();
        }

        /** Whether a message that came from the peer is about the peer. */
        boolean isOf(NodeName peer) {
            return speaker.filter(name -> !name.equals(peer)).isEmpty();
        }
    }

    /** With the word that this node's disk stores nothing, where that is so. */
    static ObjectNode json(PeerMessage message, boolean cannotStore) {
        ObjectNode json = json(message);
        return cannotStore ? json.put(CANNOT_STORE, true) : json;
    }

    static ObjectNode json(PeerMessage message) {
        ObjectNode json = AgentJson.MAPPER.createObjectNode().put(VERSION_FIELD, VERSION);
        json.setAll(AgentJson.MAPPER.<ObjectNode>valueToTree(message));
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
        boolean cannotStore = json.path(CANNOT_STORE).asBoolean(false);
        return message(json).map(received -> received.withCannotStore(cannotStore));
    }

    private static Optional<Received> message(JsonNode json) {
        int version = json.path(VERSION_FIELD).asInt(VERSION);
        List<String> notUnderstood = new ArrayList<>();
        JsonNode rest = withDefaults(json, notUnderstood);
        try {
            PeerMessage message = EXACT.treeToValue(rest, PeerMessage.class);
            if (message != null) {
                return Optional.of(
                        new Received(message, Received.speakerOf(message), version, notUnderstood));
            }
        } catch (JsonProcessingException e) {
            notUnderstood.add(shortened(e.getOriginalMessage()));
        }
        return greeting(rest, version, notUnderstood);
    }

    private static JsonNode withDefaults(JsonNode json, List<String> notUnderstood) {
        JsonNode copy = json.deepCopy();
        if (copy.path(FACTS) instanceof ObjectNode facts) {
            orElse(facts, SERVER, EtcdState.class, EtcdState.UNSEEN, notUnderstood);
            orElse(facts, OFFER, Offer.class, Offer.none(), notUnderstood);
            orElse(facts, RELEASED, Long.class, 0L, notUnderstood);
        }
        return copy;
    }

    private static <T> void orElse(
            ObjectNode facts, String field, Class<T> kind, T safe, List<String> notUnderstood) {
        JsonNode told = facts.path(field);
        if (value(told, kind).isEmpty()) {
            notUnderstood.add(shortened(told.isMissingNode() ? "no " + field : field + " " + told));
            facts.set(field, EXACT.<JsonNode>valueToTree(safe));
        }
    }

    private static Optional<Received> greeting(
            JsonNode json, int version, List<String> notUnderstood) {
        if (!(json.path(FACTS) instanceof ObjectNode facts)) {
            return value(json.path(BOOT), BootId.class)
                    .map(boot -> greeting(boot, Optional.empty(), version, notUnderstood));
        }
        return value(facts.path("node"), NodeName.class)
                .flatMap(node ->
                        value(facts.path(BOOT), BootId.class)
                                .map(boot ->
                                        greeting(boot, Optional.of(node), version, notUnderstood)));
    }

    private static Received greeting(
            BootId boot, Optional<NodeName> speaker, int version, List<String> notUnderstood) {
        return new Received(new PeerMessage.Hello(boot), speaker, version, notUnderstood);
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

    private static String shortened(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    }
}
