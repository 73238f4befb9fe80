package dev.tandem.agentapi;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.ContextualDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.type.TypeFactory;
import dev.tandem.core.BootId;
import dev.tandem.core.FormatVersion;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Intent;
import dev.tandem.core.decision.LeaderDecision;
import dev.tandem.core.decision.LevelTwoRecord;
import dev.tandem.core.decision.OwnLog;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerCommit;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replay.Recorded;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.EtcdOrder;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Moment;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The JSON form of what the core knows only as values: for the peer, the state file, the journal
 * and the command line. An alternative carries its name in the property {@code is}.
 *
 * <p>A property that is missing is an error, one that is unknown is not: the two nodes of a pair
 * are upgraded one after the other.
 */
public final class AgentJson {
    private static final List<Class<?>> ALTERNATIVES =
            List.of(
                    Action.class,
                    Action.Acknowledgement.class,
                    Claim.class,
                    Decision.class,
                    EtcdOrder.class,
                    Event.class,
                    Event.OrderResult.class,
                    Intent.class,
                    LeaderDecision.Listed.class,
                    LeaderDecision.Step.class,
                    LevelTwoRecord.SinceBoot.class,
                    Offer.class,
                    OwnLog.class,
                    PeerCommit.class,
                    PeerProof.class,
                    PeerView.class,
                    Recorded.class,
                    Replica.class,
                    PeerMessage.class,
                    Abdication.class);

    public static final JsonMapper MAPPER = mapper();

    private AgentJson() {}

    /** Put on the core's sealed interfaces, which must not know of JSON. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "is")
    private interface Named {}

    private static JsonMapper mapper() {
        SimpleModule words = new SimpleModule("words");
        word(words, NodeName.class, NodeName::new);
        word(words, BootId.class, BootId::new);
        word(words, Instant.class, Instant::parse);
        word(words, Duration.class, Duration::parse);
        words.addSerializer(Moment.class, new MomentWriter());
        words.addDeserializer(Moment.class, new MomentReader());
        words.addSerializer(new OptionalWriter());
        words.addDeserializer(Optional.class, new OptionalReader(TypeFactory.unknownType()));
        JsonMapper.Builder builder =
                JsonMapper.builder()
                        .addModule(words)
                        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                        .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                        .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                        .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES);
        for (Class<?> alternatives : ALTERNATIVES) {
            builder.addMixIn(alternatives, Named.class);
            for (Class<?> alternative : alternatives.getPermittedSubclasses()) {
                builder.registerSubtypes(new NamedType(alternative, alternative.getSimpleName()));
            }
        }
        return builder.build();
    }

    /**
     * The version that a file or message says it has.
     *
     * @param field its name there
     * @param untold the version of one that does not say
     */
    public static FormatVersion version(JsonNode json, String field, int untold) {
        int version = json.path(field).asInt(untold);
        return new FormatVersion(version, json.path(FormatVersion.READABLE_BY).asInt(version));
    }

    /** The beginning of a file or message of this version. */
    public static ObjectNode begin(String field, FormatVersion form) {
        ObjectNode json = MAPPER.createObjectNode();
        putVersion(json, field, form);
        return json;
    }

    public static void putVersion(ObjectNode json, String field, FormatVersion form) {
        json.put(field, form.version());
        if (form.isReadableByEarlier()) {
            json.put(FormatVersion.READABLE_BY, form.readableBy());
        }
    }

    public static String line(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a value of ours has no JSON form: " + value, e);
        }
    }

    private static <T> void word(SimpleModule module, Class<T> type, Function<String, T> read) {
        module.addSerializer(
                type,
                new StdSerializer<T>(type) {
                    private static final long serialVersionUID = 1L;

                    @Override
                    public void serialize(T value, JsonGenerator out, SerializerProvider provider)
                            throws IOException {
                        out.writeString(value.toString());
                    }
                });
        module.addDeserializer(type, new WordReader<>(type, read));
    }

    private static final class WordReader<T> extends StdDeserializer<T> {
        private static final long serialVersionUID = 1L;
        private final transient Function<String, T> read;

        WordReader(Class<T> type, Function<String, T> read) {
            super(type);
            this.read = read;
        }

        @Override
        public T deserialize(JsonParser in, DeserializationContext context) throws IOException {
            String text = in.getValueAsString();
            try {
                return read.apply(text == null ? "" : text);
            } catch (IllegalArgumentException | java.time.DateTimeException e) {
                throw context.weirdStringException(
                        String.valueOf(text), handledType(), String.valueOf(e.getMessage()));
            }
        }
    }

    /** A moment is its nanoseconds: there are dozens in a state. */
    private static final class MomentWriter extends StdSerializer<Moment> {
        private static final long serialVersionUID = 1L;

        MomentWriter() {
            super(Moment.class);
        }

        @Override
        public void serialize(Moment value, JsonGenerator out, SerializerProvider provider)
                throws IOException {
            out.writeNumber(value.nanos());
        }
    }

    private static final class MomentReader extends StdDeserializer<Moment> {
        private static final long serialVersionUID = 1L;

        MomentReader() {
            super(Moment.class);
        }

        @Override
        public Moment deserialize(JsonParser in, DeserializationContext context)
                throws IOException {
            return new Moment(in.getLongValue());
        }
    }

    /** What is not there is null. */
    private static final class OptionalWriter extends StdSerializer<Optional<?>> {
        private static final long serialVersionUID = 1L;

        OptionalWriter() {
            super(Optional.class, false);
        }

        @Override
        public void serialize(Optional<?> value, JsonGenerator out, SerializerProvider provider)
                throws IOException {
            if (value.isPresent()) {
                provider.defaultSerializeValue(value.get(), out);
            } else {
                out.writeNull();
            }
        }
    }

    private static final class OptionalReader extends StdDeserializer<Optional<?>>
            implements ContextualDeserializer {
        private static final long serialVersionUID = 1L;
        private final JavaType content;

        OptionalReader(JavaType content) {
            super(Optional.class);
            this.content = content;
        }

        @Override
        public JsonDeserializer<?> createContextual(
                DeserializationContext context, @Nullable BeanProperty property) {
            return new OptionalReader(context.getContextualType().containedTypeOrUnknown(0));
        }

        @Override
        public Optional<?> deserialize(JsonParser in, DeserializationContext context)
                throws IOException {
            return Optional.of(context.readValue(in, content));
        }

        @Override
        public Optional<?> getNullValue(DeserializationContext context) {
            return Optional.empty();
        }
    }
}
