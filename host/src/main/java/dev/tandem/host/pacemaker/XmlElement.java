package dev.tandem.host.pacemaker;

import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * XML as Pacemaker writes it: elements with attributes, and comments between them. Text does not
 * occur in what we read; the little that status elements carry is dropped. A value, so that an
 * edited configuration never shares anything with the one that was read.
 */
public record XmlElement(String name, Map<String, String> attributes, List<XmlElement> children) {
    /** Somebody's comment in the CIB; its words are the one attribute. */
    private static final String COMMENT = "#comment";

    /** A CIB of two nodes is tens of kilobytes; what is far larger is not one. */
    private static final int MAX_LENGTH = 10 * 1024 * 1024;

    public XmlElement {
        attributes = Collections.unmodifiableMap(new LinkedHashMap<>(attributes));
        children = List.copyOf(children);
    }

    public static XmlElement of(String name, String... attributePairs) {
        return new XmlElement(name, pairs(attributePairs), List.of());
    }

    private static Map<String, String> pairs(String... attributePairs) {
        Map<String, String> attributes = new LinkedHashMap<>();
        for (int i = 0; i < attributePairs.length; i += 2) {
            attributes.put(attributePairs[i], attributePairs[i + 1]);
        }
        return attributes;
    }

    /**
     * Reads a text as one element.
     *
     * @throws MalformedXml when the text is not well-formed, or longer than anything we ask for
     */
    public static XmlElement parse(String text) throws MalformedXml {
        if (text.length() > MAX_LENGTH) {
            throw new MalformedXml("it is " + text.length() + " characters long");
        }
        XMLInputFactory factory = XMLInputFactory.newFactory();
        // Nothing outside the text is ever read for it.
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        try {
            XMLStreamReader reader = factory.createXMLStreamReader(new StringReader(text));
            try {
                return read(reader);
            } finally {
                reader.close();
            }
        } catch (XMLStreamException e) {
            throw new MalformedXml(String.valueOf(e.getMessage()).replaceAll("\\s+", " "));
        }
    }

    private static XmlElement read(XMLStreamReader reader) throws XMLStreamException, MalformedXml {
        Deque<Open> open = new ArrayDeque<>();
        @Nullable XmlElement root = null;
        while (reader.hasNext()) {
            switch (reader.next()) {
                case XMLStreamConstants.START_ELEMENT -> {
                    Map<String, String> attributes = new LinkedHashMap<>();
                    for (int i = 0; i < reader.getAttributeCount(); i++) {
                        attributes.put(
                                reader.getAttributeLocalName(i), reader.getAttributeValue(i));
                    }
                    open.push(new Open(reader.getLocalName(), attributes, new ArrayList<>()));
                }
                case XMLStreamConstants.END_ELEMENT -> {
                    Open done = open.pop();
                    XmlElement element = new XmlElement(done.name, done.attributes, done.children);
                    Open parent = open.peek();
                    if (parent == null) {
                        root = element;
                    } else {
                        parent.children.add(element);
                    }
                }
                case XMLStreamConstants.COMMENT -> {
                    Open parent = open.peek();
                    if (parent != null) {
                        parent.children.add(of(COMMENT, "text", reader.getText()));
                    }
                }
                default -> {}
            }
        }
        if (root == null) {
            throw new MalformedXml("it is empty");
        }
        return root;
    }

    private record Open(String name, Map<String, String> attributes, List<XmlElement> children) {}

    public Optional<String> attribute(String name) {
        return Optional.ofNullable(attributes.get(name));
    }

    public String attribute(String name, String otherwise) {
        return attributes.getOrDefault(name, otherwise);
    }

    public boolean isTrue(String name) {
        return "true".equals(attributes.get(name));
    }

    /** Said to be false; not the same as left unsaid. */
    public boolean isFalse(String name) {
        return "false".equals(attributes.get(name));
    }

    public String id() {
        return attribute("id", "");
    }

    public Stream<XmlElement> children(String name) {
        return children.stream().filter(child -> child.name.equals(name));
    }

    public Optional<XmlElement> child(String name) {
        return children(name).findFirst();
    }

    /** The children of the first child of that name; none when it is missing. */
    public List<XmlElement> section(String name) {
        return child(name).map(XmlElement::children).orElse(List.of());
    }

    Stream<XmlElement> descendants() {
        return Stream.concat(Stream.of(this), children.stream().flatMap(XmlElement::descendants));
    }

    public XmlElement with(String attribute, String value) {
        Map<String, String> changed = new LinkedHashMap<>(attributes);
        changed.put(attribute, value);
        return new XmlElement(name, changed, children);
    }

    public XmlElement with(List<XmlElement> changed) {
        return new XmlElement(name, attributes, changed);
    }

    public XmlElement with(XmlElement... added) {
        return with(Stream.concat(children.stream(), Stream.of(added)).toList());
    }

    /** Changes the first child of that name, which is appended when there is none. */
    public XmlElement change(String child, UnaryOperator<XmlElement> change) {
        List<XmlElement> changed = new ArrayList<>();
        boolean found = false;
        for (XmlElement element : children) {
            boolean hit = !found && element.name.equals(child);
            changed.add(hit ? change.apply(element) : element);
            found |= hit;
        }
        if (!found) {
            changed.add(change.apply(of(child)));
        }
        return with(changed);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        write(text, 0);
        return text.toString();
    }

    private void write(StringBuilder text, int depth) {
        text.append("  ".repeat(depth));
        if (name.equals(COMMENT)) {
            text.append("<!--").append(attribute("text", "")).append("-->\n");
            return;
        }
        text.append('<').append(name);
        attributes.forEach((key, value) ->
                text.append(' ').append(key).append("=\"").append(escape(value)).append('"'));
        if (children.isEmpty()) {
            text.append("/>\n");
            return;
        }
        text.append(">\n");
        children.forEach(child -> child.write(text, depth + 1));
        text.append("  ".repeat(depth)).append("</").append(name).append(">\n");
    }

    private static String escape(String value) {
        StringBuilder escaped = new StringBuilder(value.length());
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                // Unescaped, a parser turns these into blanks.
                case '\n', '\r', '\t' -> escaped.append("&#").append((int) c).append(';');
                default -> escaped.append(c);
            }
        }
        return escaped.toString();
    }

    /** The text is not XML. */
    public static final class MalformedXml extends Exception {
        private static final long serialVersionUID = 1L;

        public MalformedXml(String why) {
            super(why);
        }
    }
}
