package dev.tandem.host.pacemaker.cib;

import dev.tandem.host.pacemaker.XmlElement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * One thing of the configuration that carries an id: a resource, a constraint, a fencing level, an
 * alert. Ids inside are formed as pcs forms them, so that what was made by pcs and is set alike
 * compares alike.
 */
public sealed interface CibObject {

    String id();

    /** The section of the configuration it stands in. */
    Section section();

    /** What a person calls things of its kind. */
    String noun();

    /** What a person calls it. */
    default String title() {
        return noun() + " " + id();
    }

    /** It in a few words, for telling that it is new. */
    String gist();

    /** All that can be set about it, flat, for comparing and for telling. */
    default Map<String, String> settings() {
        return Map.of("", gist());
    }

    XmlElement toXml();

    /** Sections of the configuration, in the order the schema wants. */
    enum Section {
        RESOURCES("resources"),
        CONSTRAINTS("constraints"),
        FENCING_TOPOLOGY("fencing-topology"),
        ALERTS("alerts");

        private final String element;

        Section(String element) {
            this.element = element;
        }

        String element() {
            return element;
        }
    }

    /**
     * A resource agent.
     *
     * @param provider only for {@code ocf}
     */
    record Agent(String standard, Optional<String> provider, String type) {
        public static Agent ocf(String provider, String type) {
            return new Agent("ocf", Optional.of(provider), type);
        }

        public static Agent systemd(String unit) {
            return new Agent("systemd", Optional.empty(), unit);
        }

        public static Agent stonith(String type) {
            return new Agent("stonith", Optional.empty(), type);
        }

        @Override
        public String toString() {
            return standard + ":" + provider.map(name -> name + ":").orElse("") + type;
        }
    }

    /** When and how long an action runs; {@code options} are such as timeout and on-fail. */
    record Operation(String name, String interval, Map<String, String> options) {
        public Operation {
            options = ordered(options);
        }
    }

    /** Parameters of stock fence agents that hold one; we never set them. */
    Set<String> SECRETS = Set.of("password", "passwd", "snmp_priv_passwd");

    /** What Pacemaker starts, stops and watches. */
    sealed interface Resource extends CibObject {
        @Override
        default Section section() {
            return Section.RESOURCES;
        }
    }

    /** Where and in which order resources may run. */
    sealed interface Constraint extends CibObject {
        @Override
        default Section section() {
            return Section.CONSTRAINTS;
        }
    }

    /** A resource that runs in one place. */
    record Primitive(
            String id,
            Agent agent,
            Map<String, String> attributes,
            Map<String, String> meta,
            List<Operation> operations)
            implements Resource {

        public Primitive {
            attributes = ordered(attributes);
            meta = ordered(meta);
            operations = List.copyOf(operations);
        }

        @Override
        public String noun() {
            return agent.standard().equals("stonith") ? "fence device" : "resource";
        }

        @Override
        public String gist() {
            return agent.toString();
        }

        @Override
        public Map<String, String> settings() {
            Map<String, String> settings = new TreeMap<>();
            settings.put("agent", agent.toString());
            // Settings are shown to people; that there is a secret is worth telling, not which.
            attributes.forEach((name, value) ->
                    settings.put("parameter " + name, SECRETS.contains(name) ? "a secret" : value));
            putMeta(settings, meta);
            for (Operation operation : operations) {
                String prefix = "op " + operation.name() + " " + operation.interval();
                settings.put(prefix, "");
                operation.options().forEach((name, v) -> settings.put(prefix + " " + name, v));
            }
            return settings;
        }

        @Override
        public XmlElement toXml() {
            XmlElement element = XmlElement.of("primitive", "id", id, "class", agent.standard());
            if (agent.provider().isPresent()) {
                element = element.with("provider", agent.provider().get());
            }
            element = element.with("type", agent.type());
            element = withSet(element, "instance_attributes", id, attributes);
            element = withSet(element, "meta_attributes", id, meta);
            List<XmlElement> ops = new ArrayList<>();
            for (Operation operation : operations) {
                XmlElement op =
                        XmlElement.of(
                                "op",
                                "id",
                                id + "-" + operation.name() + "-interval-" + operation.interval(),
                                "name",
                                operation.name(),
                                "interval",
                                operation.interval());
                for (var option : operation.options().entrySet()) {
                    op = op.with(option.getKey(), option.getValue());
                }
                ops.add(op);
            }
            return ops.isEmpty() ? element : element.with(XmlElement.of("operations").with(ops));
        }

        static Primitive parse(XmlElement element) {
            return new Primitive(
                    element.id(),
                    new Agent(
                            element.attribute("class", ""),
                            element.attribute("provider"),
                            element.attribute("type", "")),
                    sets(element, "instance_attributes"),
                    sets(element, "meta_attributes"),
                    element.section("operations").stream()
                            .filter(op -> op.name().equals("op"))
                            .map(op ->
                                    new Operation(
                                            op.attribute("name", ""),
                                            op.attribute("interval", "0s"),
                                            options(op)))
                            .toList());
        }

        private static Map<String, String> options(XmlElement op) {
            Map<String, String> options = new LinkedHashMap<>(op.attributes());
            options.keySet().removeAll(Set.of("id", "name", "interval"));
            return options;
        }
    }

    /** A primitive that runs on every node. */
    record Clone(String id, Map<String, String> meta, Primitive primitive) implements Resource {
        public Clone {
            meta = ordered(meta);
        }

        @Override
        public String noun() {
            return "clone";
        }

        @Override
        public String gist() {
            return primitive.agent().toString();
        }

        @Override
        public Map<String, String> settings() {
            Map<String, String> settings = new TreeMap<>();
            putMeta(settings, meta);
            primitive
                    .settings()
                    .forEach((name, value) -> settings.put(primitive.id() + " " + name, value));
            return settings;
        }

        @Override
        public XmlElement toXml() {
            // The schema lets the set stand on either side of the primitive; pcs writes it after.
            return withSet(
                    XmlElement.of("clone", "id", id).with(primitive.toXml()),
                    "meta_attributes",
                    id,
                    meta);
        }
    }

    /** First, then; {@code kind} is Mandatory or Optional. */
    record Order(String id, String first, String then, String kind) implements Constraint {
        @Override
        public String noun() {
            return "order";
        }

        @Override
        public String gist() {
            return first + " then " + then + " (" + kind + ")";
        }

        @Override
        public XmlElement toXml() {
            return XmlElement.of("rsc_order", "id", id, "first", first, "then", then, "kind", kind);
        }
    }

    /** A resource that may only run where another one may. */
    record Colocation(String id, String resource, String with, String score) implements Constraint {
        @Override
        public String noun() {
            return "colocation";
        }

        @Override
        public String gist() {
            return resource + " with " + with + " (" + score + ")";
        }

        @Override
        public XmlElement toXml() {
            return XmlElement.of(
                    "rsc_colocation", "id", id, "rsc", resource, "with-rsc", with, "score", score);
        }
    }

    /** How much a resource likes a node. */
    record Location(String id, String resource, String node, String score) implements Constraint {
        @Override
        public String noun() {
            return "location";
        }

        @Override
        public String gist() {
            return resource + " on " + node + " (" + score + ")";
        }

        @Override
        public XmlElement toXml() {
            return XmlElement.of(
                    "rsc_location", "id", id, "rsc", resource, "node", node, "score", score);
        }
    }

    /** How much a resource likes every node on which an attribute has that value. */
    record AttributeLocation(
            String id, String resource, String attribute, String value, String score)
            implements Constraint {
        @Override
        public String noun() {
            return "location";
        }

        @Override
        public String gist() {
            return "%s where %s is %s (%s)".formatted(resource, attribute, value, score);
        }

        @Override
        public XmlElement toXml() {
            String rule = id + "-rule";
            return XmlElement.of("rsc_location", "id", id, "rsc", resource)
                    .with(
                            XmlElement.of("rule", "id", rule, "score", score)
                                    .with(
                                            XmlElement.of(
                                                    "expression",
                                                    "id",
                                                    rule + "-expr",
                                                    "attribute",
                                                    attribute,
                                                    "operation",
                                                    "eq",
                                                    "value",
                                                    value)));
        }

        /** Empty for a rule of any other shape: it is not one that we make. */
        static Optional<CibObject> parse(XmlElement element) {
            List<XmlElement> rules = element.children("rule").toList();
            List<XmlElement> all = rules.stream().flatMap(AttributeLocation::conditions).toList();
            if (rules.size() != 1
                    || all.size() != 1
                    || !all.getFirst().name().equals("expression")
                    || !all.getFirst().attribute("operation", "").equals("eq")) {
                return Optional.empty();
            }
            return Optional.of(
                    new AttributeLocation(
                            element.id(),
                            element.attribute("rsc", ""),
                            all.getFirst().attribute("attribute", ""),
                            all.getFirst().attribute("value", ""),
                            rules.getFirst().attribute("score", "")));
        }

        private static Stream<XmlElement> conditions(XmlElement rule) {
            return rule.children().stream();
        }
    }

    /** Devices that are tried when those of the level before have failed. */
    record FencingLevel(String id, String target, int index, List<String> devices)
            implements CibObject {
        public FencingLevel {
            devices = List.copyOf(devices);
        }

        @Override
        public Section section() {
            return Section.FENCING_TOPOLOGY;
        }

        @Override
        public String noun() {
            return "fencing level";
        }

        @Override
        public String gist() {
            return target + " " + index + ": " + String.join(" and ", devices);
        }

        @Override
        public XmlElement toXml() {
            return XmlElement.of(
                    "fencing-level",
                    "id",
                    id,
                    "target",
                    target,
                    "index",
                    String.valueOf(index),
                    "devices",
                    String.join(",", devices));
        }
    }

    /**
     * A program that Pacemaker runs when something happens.
     *
     * @param select kinds of events: fencing, nodes, resources, attributes
     */
    record Alert(String id, String path, Map<String, String> meta, List<String> select)
            implements CibObject {
        public Alert {
            meta = ordered(meta);
            select = select.stream().sorted().toList();
        }

        @Override
        public Section section() {
            return Section.ALERTS;
        }

        @Override
        public String noun() {
            return "alert";
        }

        @Override
        public String gist() {
            return path;
        }

        @Override
        public Map<String, String> settings() {
            Map<String, String> settings = new TreeMap<>();
            settings.put("path", path);
            settings.put("select", String.join(" ", select));
            putMeta(settings, meta);
            return settings;
        }

        @Override
        public XmlElement toXml() {
            return withSet(
                            XmlElement.of("alert", "id", id, "path", path),
                            "meta_attributes",
                            id,
                            meta)
                    .with(
                            XmlElement.of("select")
                                    .with(
                                            select.stream()
                                                    .map(kind -> XmlElement.of("select_" + kind))
                                                    .toList()));
        }
    }

    /** Reads an object; empty for kinds that we neither make nor change, such as groups. */
    static Optional<CibObject> parse(XmlElement element) {
        return switch (element.name()) {
            case "primitive" -> Optional.of(Primitive.parse(element));
            case "clone" ->
                    element.child("primitive")
                            .map(primitive ->
                                    new Clone(
                                            element.id(),
                                            sets(element, "meta_attributes"),
                                            Primitive.parse(primitive)));
            case "rsc_order" ->
                    Optional.of(
                            new Order(
                                    element.id(),
                                    element.attribute("first", ""),
                                    element.attribute("then", ""),
                                    element.attribute("kind", "Mandatory")));
            case "rsc_colocation" ->
                    Optional.of(
                            new Colocation(
                                    element.id(),
                                    element.attribute("rsc", ""),
                                    element.attribute("with-rsc", ""),
                                    element.attribute("score", "INFINITY")));
            case "rsc_location" ->
                    AttributeLocation.parse(element)
                            .or(() ->
                                    Optional.of(
                                            new Location(
                                                    element.id(),
                                                    element.attribute("rsc", ""),
                                                    element.attribute("node", ""),
                                                    element.attribute("score", ""))));
            case "fencing-level" ->
                    Optional.of(
                            new FencingLevel(
                                    element.id(),
                                    element.attribute("target", ""),
                                    Integer.parseInt(element.attribute("index", "0")),
                                    List.of(element.attribute("devices", "").split(","))));
            case "alert" ->
                    Optional.of(
                            new Alert(
                                    element.id(),
                                    element.attribute("path", ""),
                                    sets(element, "meta_attributes"),
                                    element.section("select").stream()
                                            .map(kind -> kind.name().replaceFirst("^select_", ""))
                                            .toList()));
            default -> Optional.empty();
        };
    }

    private static void putMeta(Map<String, String> settings, Map<String, String> meta) {
        meta.forEach((name, value) -> settings.put("meta " + name, value));
    }

    private static Map<String, String> sets(XmlElement element, String kind) {
        Map<String, String> values = new LinkedHashMap<>();
        element.children(kind)
                .flatMap(set -> set.children("nvpair"))
                .forEach(pair ->
                        values.putIfAbsent(
                                pair.attribute("name", ""), pair.attribute("value", "")));
        return values;
    }

    private static XmlElement withSet(
            XmlElement element, String kind, String owner, Map<String, String> values) {
        if (values.isEmpty()) {
            return element;
        }
        String id = owner + "-" + kind;
        Stream<XmlElement> pairs =
                values.entrySet().stream()
                        .map(value ->
                                XmlElement.of(
                                        "nvpair",
                                        "id",
                                        id + "-" + value.getKey(),
                                        "name",
                                        value.getKey(),
                                        "value",
                                        value.getValue()));
        return element.with(XmlElement.of(kind, "id", id).with(pairs.toList()));
    }

    private static Map<String, String> ordered(Map<String, String> map) {
        return Collections.unmodifiableMap(new TreeMap<>(map));
    }
}
