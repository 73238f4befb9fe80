package dev.tandem.install.check;

import dev.tandem.install.yaml.Place;
import dev.tandem.install.yaml.YamlNode;
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
    /** Room for a large bundle of certificates; an install-config itself has a few kilobytes. */
    public static final int MAX_BYTES = 512 * 1024;

    static final int MAX_DEPTH = 32;
    static final int MAX_VALUES = 20_000;
    static final int MAX_ALIASES = 50;

    private final Iterator<Event> events;
    private final Map<Anchor, YamlNode> anchors = new HashMap<>();
    private int aliases;
    private int values;

    private YamlReader(Iterator<Event> events) {
        this.events = events;
    }

    /** What became of the bytes. */
    public sealed interface Outcome {
        record Read(YamlNode.Mapping root) implements Outcome {}

        record Refused(Finding finding) implements Outcome {}
    }

    /** Ends the reading at the first thing that makes the rest meaningless. */
    private static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Finding finding;

        Refusal(Finding finding) {
            super(finding.what(), null, false, false);
            this.finding = finding;
        }
    }

    public static Outcome read(byte[] bytes) {
        Optional<String> text = text(bytes);
        if (text.isEmpty()) {
            return new Outcome.Refused(
                    bytes.length > MAX_BYTES
                            ? new Finding(
                                    Code.Y1,
                                    Place.FILE,
                                    "the file has %d bytes".formatted(bytes.length),
                                    "more than %d are not read, as no install-config needs them"
                                            .formatted(MAX_BYTES),
                                    "check that this is the right file")
                            : new Finding(
                                    Code.Y2,
                                    Place.FILE,
                                    "the file is not UTF-8 text",
                                    "YAML is text, and every tool downstream reads it as UTF-8",
                                    "save it as UTF-8, or check that this is the right file"));
        }
        LoadSettings settings =
                LoadSettings.builder()
                        .setUseMarks(true)
                        .setCodePointLimit(MAX_BYTES + 1)
                        .setParseComments(false)
                        .setLabel("")
                        .build();
        try {
            return new YamlReader(new Parse(settings).parseString(text.get()).iterator())
                    .document();
        } catch (Refusal refusal) {
            return new Outcome.Refused(refusal.finding);
        } catch (MarkedYamlEngineException e) {
            return new Outcome.Refused(malformed(e.getProblemMark()));
        } catch (ReaderException e) {
            return new Outcome.Refused(
                    new Finding(
                            Code.Y2,
                            lineOf(text.get(), e.getPosition()),
                            "the file contains a character that YAML forbids",
                            "control characters come from broken copies and confuse every reader",
                            "delete the character"));
        } catch (YamlEngineException | StackOverflowError e) {
            return new Outcome.Refused(malformed(Optional.empty()));
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

    private static Place lineOf(String text, int position) {
        int end = Math.min(Math.max(position, 0), text.length());
        String before = text.substring(0, end);
        int line = (int) before.chars().filter(c -> c == '\n').count() + 1;
        return new Place("", line, end - before.lastIndexOf('\n'));
    }

    private static Finding malformed(Optional<Mark> mark) {
        return new Finding(
                Code.Y3,
                mark.map(m -> new Place("", m.getLine() + 1, m.getColumn() + 1)).orElse(Place.FILE),
                "the YAML cannot be understood from here on",
                "usually a wrong indentation, a missing colon or space, or a quote left open",
                "compare this line and the one before it with an example: tandem install-config"
                        + " create");
    }

    private Outcome document() {
        next(); // stream start
        Event start = next();
        if (start.getEventId() == Event.ID.StreamEnd) {
            throw shape(start);
        }
        Event first = next();
        YamlNode root = value(first, 1);
        next(); // document end
        Event after = next();
        if (after.getEventId() != Event.ID.StreamEnd) {
            throw shape(after);
        }
        if (!(root instanceof YamlNode.Mapping mapping)) {
            throw shape(first);
        }
        return new Outcome.Read(mapping);
    }

    private static Refusal shape(Event event) {
        return refusal(
                Code.Y9,
                event,
                "the file is not one document of keys and values",
                "an install-config is a single YAML mapping",
                "remove further documents (after ---), and begin with apiVersion: v1");
    }

    private Event next() {
        return events.next();
    }

    private YamlNode value(Event event, int depth) {
        if (++values > MAX_VALUES) {
            throw tooMuch(event);
        }
        if (depth > MAX_DEPTH) {
            throw refusal(
                    Code.Y5,
                    event,
                    "values are nested deeper than %d levels here".formatted(MAX_DEPTH),
                    "no install-config is that deep, and reading it would cost without bound",
                    "remove the surplus brackets or indentation");
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
                    default -> throw shape(event);
                };
        node.getAnchor().ifPresent(anchor -> anchors.put(anchor, located));
        return located;
    }

    private YamlNode aliased(AliasEvent alias) {
        YamlNode target = anchors.get(alias.getAlias());
        if (target == null) {
            throw refusal(
                    Code.Y6,
                    alias,
                    "this alias has nothing to stand for",
                    "its anchor is missing, or the alias stands inside the very value it names",
                    "write the value out");
        }
        values += target.weight();
        if (++aliases > MAX_ALIASES || values > MAX_VALUES) {
            throw tooMuch(alias);
        }
        return target;
    }

    private static Refusal tooMuch(Event event) {
        return refusal(
                Code.Y6,
                event,
                "the file holds more than %d values or %d aliases"
                        .formatted(MAX_VALUES, MAX_ALIASES),
                "no install-config needs them, and reading on would cost without bound",
                "check that this is the right file, and write aliased values out");
    }

    private static YamlNode.Scalar scalar(ScalarEvent event) {
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
                throw refusal(
                        Code.Y8,
                        event,
                        "a key is not plain text",
                        "keys of an install-config are words",
                        "put the value in quotes if it begins with [, {, * or &");
            }
            String key = scalar(keyEvent).text();
            if (!keys.add(key)) {
                throw refusal(
                        Code.Y7,
                        event,
                        "this key stands in the same mapping twice",
                        "readers disagree about which of the two counts",
                        "delete one of them");
            }
            YamlNode value = value(next(), depth + 1);
            entries.add(new YamlNode.Entry(key, line(event), column(event), value));
            weight += value.weight();
        }
        return new YamlNode.Mapping(entries, line(start), column(start), weight);
    }

    /** The tag that only says "text" does no harm, but nothing needs it either. */
    private static void refuseTag(Event event, Optional<String> tag) {
        if (tag.isPresent()) {
            throw refusal(
                    Code.Y4,
                    event,
                    "a type tag (!) stands before this value",
                    "tags make readers build other things than the text says",
                    "remove the tag; put the value in quotes if it begins with !");
        }
    }

    private static Refusal refusal(Code code, Event at, String what, String why, String remedy) {
        return new Refusal(
                new Finding(code, new Place("", line(at), column(at)), what, why, remedy));
    }

    private static int line(Event event) {
        return event.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
    }

    private static int column(Event event) {
        return event.getStartMark().map(mark -> mark.getColumn() + 1).orElse(0);
    }
}
