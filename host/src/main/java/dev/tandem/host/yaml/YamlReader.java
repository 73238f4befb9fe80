package dev.tandem.host.yaml;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceStartEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Reads one YAML document as plain data: no type tags, and hard bounds on everything that could
 * grow. What it refuses it refuses with a position, never with a piece of the file: the library's
 * own messages quote lines, and a line may hold a password.
 */
public final class YamlReader {
    /** Room for a large bundle of certificates; the files that people write have kilobytes. */
    public static final int MAX_BYTES = 512 * 1024;

    static final int MAX_DEPTH = 32;
    static final int MAX_VALUES = 20_000;
    static final int MAX_ALIASES = 50;

    private final YamlSubject subject;
    private final Iterator<Event> events;
    private final Map<Anchor, YamlNode> anchors = new HashMap<>();
    private int aliases;
    private int values;

    private YamlReader(YamlSubject subject, Iterator<Event> events) {
        this.subject = subject;
        this.events = events;
    }

    /** What became of the bytes. */
    public sealed interface Outcome {
        record Read(YamlNode.Mapping root) implements Outcome {}

        record Refused(YamlFault fault) implements Outcome {}
    }

    /** Ends the reading at the first thing that makes the rest meaningless. */
    private static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient YamlFault fault;

        Refusal(YamlFault fault) {
            super(fault.what(), null, false, false);
            this.fault = fault;
        }
    }

    public static Outcome read(byte[] bytes, YamlSubject subject) {
        Optional<String> text = text(bytes);
        if (text.isEmpty()) {
            return new Outcome.Refused(
                    bytes.length > MAX_BYTES ? subject.tooLong() : subject.notText());
        }
        LoadSettings settings =
                LoadSettings.builder()
                        .setUseMarks(true)
                        .setCodePointLimit(MAX_BYTES + 1)
                        .setParseComments(false)
                        .setLabel("")
                        .build();
        try {
            return new YamlReader(subject, new Parse(settings).parseString(text.get()).iterator())
                    .document();
        } catch (Refusal refusal) {
            return new Outcome.Refused(refusal.fault);
        } catch (MarkedYamlEngineException e) {
            return new Outcome.Refused(malformed(subject, text.get(), e.getProblemMark()));
        } catch (ReaderException e) {
            return new Outcome.Refused(forbidden(subject, text.get(), e.getPosition()));
        } catch (YamlEngineException | StackOverflowError e) {
            return new Outcome.Refused(malformed(subject, text.get(), Optional.empty()));
        }
    }

    /** The text of a file small enough to read, or nothing where it is too large or no UTF-8. */
    public static Optional<String> text(byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            return Optional.empty();
        }
        try {
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return Optional.of(text.startsWith("\uFEFF") ? text.substring(1) : text);
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    /** A tab looks like the spaces that are missing: whoever is not told of it does not find it. */
    private static YamlFault malformed(YamlSubject subject, String text, Optional<Mark> mark) {
        if (mark.isPresent()) {
            int number = mark.get().getLine();
            String line = text.lines().skip(number).findFirst().orElse("");
            int end = Math.min(mark.get().getColumn() + 1, line.length());
            int tab = line.indexOf('\t');
            if (tab >= 0 && (line.substring(0, tab).isBlank() || tab == end - 1)) {
                return subject.tab(number + 1, tab + 1);
            }
        }
        return subject.malformed(
                mark.map(m -> m.getLine() + 1).orElse(0),
                mark.map(m -> m.getColumn() + 1).orElse(0));
    }

    private static YamlFault forbidden(YamlSubject subject, String text, int position) {
        int end = Math.min(Math.max(position, 0), text.length());
        String before = text.substring(0, end);
        int line = (int) before.chars().filter(c -> c == '\n').count() + 1;
        return subject.forbiddenCharacter(line, end - before.lastIndexOf('\n'));
    }

    private Outcome document() {
        next(); // stream start
        Event start = next();
        if (start.getEventId() == Event.ID.StreamEnd) {
            throw new Refusal(subject.empty());
        }
        Event first = next();
        YamlNode root = value(first, 1);
        next(); // document end
        Event after = next();
        if (after.getEventId() != Event.ID.StreamEnd) {
            throw refusal(subject::notOneMapping, after);
        }
        if (!(root instanceof YamlNode.Mapping mapping)) {
            throw refusal(subject::notOneMapping, first);
        }
        return new Outcome.Read(mapping);
    }

    private Event next() {
        return events.next();
    }

    private YamlNode value(Event event, int depth) {
        if (++values > MAX_VALUES) {
            throw refusal(subject::tooManyValues, event);
        }
        if (depth > MAX_DEPTH) {
            throw refusal(subject::tooDeep, event);
        }
        if (event instanceof AliasEvent alias) {
            return aliased(alias);
        }
        NodeEvent node = (NodeEvent) event;
        YamlNode located =
                switch (event) {
                    case ScalarEvent scalar -> scalar(scalar);
                    case SequenceStartEvent sequence -> sequence(sequence, depth);
                    case MappingStartEvent mapping -> mapping(mapping, depth);
                    default -> throw refusal(subject::notOneMapping, event);
                };
        node.getAnchor().ifPresent(anchor -> anchors.put(anchor, located));
        return located;
    }

    private YamlNode aliased(AliasEvent alias) {
        YamlNode target = anchors.get(alias.getAlias());
        if (target == null) {
            throw refusal(subject::aliasOfNothing, alias);
        }
        values += target.weight();
        if (++aliases > MAX_ALIASES || values > MAX_VALUES) {
            throw refusal(subject::tooManyValues, alias);
        }
        return target;
    }

    private YamlNode.Scalar scalar(ScalarEvent event) {
        refuseTag(event, event.getTag());
        return new YamlNode.Scalar(
                event.getValue(),
                event.getScalarStyle() == ScalarStyle.PLAIN,
                line(event),
                column(event));
    }

    private YamlNode sequence(SequenceStartEvent start, int depth) {
        refuseTag(start, start.getTag());
        List<YamlNode> items = new ArrayList<>();
        int weight = 1;
        for (Event event = next(); event.getEventId() != Event.ID.SequenceEnd; event = next()) {
            YamlNode item = value(event, depth + 1);
            items.add(item);
            weight += item.weight();
        }
        return new YamlNode.Sequence(items, line(start), column(start), weight);
    }

    private YamlNode mapping(MappingStartEvent start, int depth) {
        refuseTag(start, start.getTag());
        List<YamlNode.Entry> entries = new ArrayList<>();
        Set<String> keys = new HashSet<>();
        int weight = 1;
        for (Event event = next(); event.getEventId() != Event.ID.MappingEnd; event = next()) {
            if (!(event instanceof ScalarEvent keyEvent)) {
                throw refusal(subject::keyNotText, event);
            }
            String key = scalar(keyEvent).text();
            if (!keys.add(key)) {
                throw refusal(subject::duplicateKey, event);
            }
            YamlNode value = value(next(), depth + 1);
            entries.add(new YamlNode.Entry(key, line(event), column(event), value));
            weight += value.weight();
        }
        return new YamlNode.Mapping(entries, line(start), column(start), weight);
    }

    /** The tag that only says "text" does no harm, but nothing needs it either. */
    private void refuseTag(Event event, Optional<String> tag) {
        if (tag.isPresent()) {
            throw refusal(subject::typeTag, event);
        }
    }

    /** Makes the fault of a place. */
    private interface FaultAt {
        YamlFault at(int line, int column);
    }

    private static Refusal refusal(FaultAt fault, Event event) {
        return new Refusal(fault.at(line(event), column(event)));
    }

    private static int line(Event event) {
        return event.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
    }

    private static int column(Event event) {
        return event.getStartMark().map(mark -> mark.getColumn() + 1).orElse(0);
    }
}
