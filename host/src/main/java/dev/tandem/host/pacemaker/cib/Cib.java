package dev.tandem.host.pacemaker.cib;

import dev.tandem.core.Failure;
import dev.tandem.host.pacemaker.XmlElement;
import dev.tandem.host.pacemaker.XmlElement.MalformedXml;
import dev.tandem.host.pacemaker.cib.CibObject.Alert;
import dev.tandem.host.pacemaker.cib.CibObject.Clone;
import dev.tandem.host.pacemaker.cib.CibObject.Primitive;
import dev.tandem.host.pacemaker.cib.CibObject.Section;
import dev.tandem.host.plan.Change;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Pacemaker's whole configuration and status as it was at one version. A value: an edit makes
 * another one, and {@link CibStore} brings it to the cluster as one change, or not at all.
 */
public final class Cib {
    /** The set that Pacemaker and pcs write to; others may carry rules and stay as they are. */
    private static final String PROPERTY_SET = "cib-bootstrap-options";

    private final XmlElement root;

    private Cib(XmlElement root) {
        this.root = root;
    }

    /**
     * Orders configurations: a higher admin epoch wins, then a higher epoch; {@code numUpdates}
     * counts changes of the status within an epoch.
     */
    public record Version(int adminEpoch, int epoch, int numUpdates)
            implements Comparable<Version> {
        @Override
        public int compareTo(Version other) {
            int byAdmin = Integer.compare(adminEpoch, other.adminEpoch);
            int byEpoch = byAdmin != 0 ? byAdmin : Integer.compare(epoch, other.epoch);
            return byEpoch != 0 ? byEpoch : Integer.compare(numUpdates, other.numUpdates);
        }

        @Override
        public String toString() {
            return adminEpoch + "." + epoch + "." + numUpdates;
        }
    }

    /** Reads what {@code cibadmin --query} printed. */
    public static Cib parse(String xml) {
        try {
            XmlElement root = XmlElement.parse(xml);
            if (root.name().equals("cib") && root.child("configuration").isPresent()) {
                return new Cib(root);
            }
            throw new Failure(
                    "cannot read the cluster's configuration",
                    "the answer of cibadmin is <" + root.name() + ">, not a CIB",
                    "look at it: cibadmin --query");
        } catch (MalformedXml e) {
            throw new Failure(
                    "cannot read the cluster's configuration",
                    "the answer of cibadmin is not XML: " + e.getMessage(),
                    "look at it: cibadmin --query",
                    e);
        }
    }

    /** What a cluster that is not set up yet has. */
    public static Cib empty() {
        return new Cib(XmlElement.of("cib").with(XmlElement.of("configuration")));
    }

    public Version version() {
        return new Version(
                number(root, "admin_epoch"), number(root, "epoch"), number(root, "num_updates"));
    }

    private static int number(XmlElement element, String attribute) {
        try {
            return Integer.parseInt(element.attribute(attribute, "0"));
        } catch (NumberFormatException e) {
            throw new Failure(
                    "cannot read the cluster's configuration",
                    attribute + " is not a number",
                    "look at it: cibadmin --query",
                    e);
        }
    }

    /** The names of the nodes that the configuration knows. */
    public Set<String> nodes() {
        return configuration().section("nodes").stream()
                .filter(node -> node.name().equals("node"))
                .map(node -> node.attribute("uname", ""))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Cluster properties of the set that pcs and Pacemaker use. */
    public Map<String, String> properties() {
        Map<String, String> properties = new TreeMap<>();
        configuration().section("crm_config").stream()
                .filter(set -> set.id().equals(PROPERTY_SET))
                .flatMap(set -> set.children("nvpair"))
                .forEach(pair ->
                        properties.put(pair.attribute("name", ""), pair.attribute("value", "")));
        return Collections.unmodifiableMap(properties);
    }

    /** Every object of a kind we know, clones before the primitives in them. */
    public List<CibObject> objects() {
        List<CibObject> objects = new ArrayList<>();
        for (Section section : Section.values()) {
            configuration().section(section.element()).stream()
                    .map(CibObject::parse)
                    .flatMap(Optional::stream)
                    .forEach(objects::add);
        }
        return objects;
    }

    public Optional<CibObject> object(String id) {
        return objects().stream().filter(object -> object.id().equals(id)).findFirst();
    }

    /** What has to change here to be as desired. Things of others are not compared. */
    public List<Change> changesTo(CibPlan desired) {
        Map<String, String> properties = new LinkedHashMap<>(properties());
        properties.keySet().retainAll(desired.properties().keySet());
        List<Change> changes =
                new ArrayList<>(Change.between("property", properties, desired.properties()));
        for (CibObject wanted : desired.objects()) {
            Optional<CibObject> actual = object(wanted.id());
            if (actual.isEmpty()) {
                changes.add(
                        new Change(
                                wanted.title(), "", Optional.empty(), Optional.of(wanted.gist())));
            } else {
                changes.addAll(
                        Change.between(
                                wanted.title(),
                                actual.get().settings(),
                                keepingOf(actual, wanted).settings()));
            }
        }
        for (CibObject obsolete : obsolete(desired)) {
            changes.add(new Change(obsolete.title(), "", Optional.of(""), Optional.empty()));
        }
        return changes;
    }

    /** This configuration with all that is desired, and with everything of others as it was. */
    Cib edited(CibPlan desired) {
        Set<String> obsolete =
                obsolete(desired).stream().map(CibObject::id).collect(Collectors.toSet());
        XmlElement configuration =
                configuration().change("crm_config", config -> properties(config, desired));
        for (Section section : Section.values()) {
            Map<String, CibObject> wanted = new LinkedHashMap<>();
            desired.objects().stream()
                    .filter(object -> object.section() == section)
                    .forEach(object -> wanted.put(object.id(), object));
            boolean untouched =
                    wanted.isEmpty()
                            && configuration.section(section.element()).stream()
                                    .noneMatch(element -> obsolete.contains(element.id()));
            if (!untouched) {
                configuration =
                        configuration.change(
                                section.element(), element -> merged(element, wanted, obsolete));
            }
        }
        XmlElement changed = configuration;
        return new Cib(root.change("configuration", _ -> changed));
    }

    private XmlElement merged(
            XmlElement section, Map<String, CibObject> wanted, Set<String> obsolete) {
        Map<String, CibObject> missing = new LinkedHashMap<>(wanted);
        List<XmlElement> merged = new ArrayList<>();
        for (XmlElement element : section.children()) {
            CibObject object = missing.remove(element.id());
            if (object != null) {
                // Told by settings, not by elements: pcs may have written the same in another
                // order.
                Optional<CibObject> actual = CibObject.parse(element);
                CibObject kept = keepingOf(actual, object);
                boolean alike =
                        actual.isPresent() && actual.get().settings().equals(kept.settings());
                merged.add(alike ? element : kept.toXml());
            } else if (!obsolete.contains(element.id())) {
                merged.add(element);
            }
        }
        missing.values().forEach(object -> merged.add(object.toXml()));
        return section.with(merged);
    }

    private static XmlElement properties(XmlElement config, CibPlan desired) {
        List<XmlElement> sets = new ArrayList<>(config.children());
        int index = 0;
        while (index < sets.size() && !sets.get(index).id().equals(PROPERTY_SET)) {
            index++;
        }
        if (index == sets.size()) {
            sets.add(XmlElement.of("cluster_property_set", "id", PROPERTY_SET));
        }
        Map<String, String> missing = new LinkedHashMap<>(desired.properties());
        List<XmlElement> pairs = new ArrayList<>();
        for (XmlElement pair : sets.get(index).children()) {
            String value = missing.remove(pair.attribute("name", ""));
            pairs.add(value == null ? pair : pair.with("value", value));
        }
        missing.forEach((name, value) ->
                pairs.add(
                        XmlElement.of(
                                "nvpair",
                                "id",
                                PROPERTY_SET + "-" + name,
                                "name",
                                name,
                                "value",
                                value)));
        sets.set(index, sets.get(index).with(pairs));
        return config.with(sets);
    }

    /** Objects that Tandem made and no longer wants. */
    private List<CibObject> obsolete(CibPlan desired) {
        Set<String> wanted =
                desired.objects().stream().map(CibObject::id).collect(Collectors.toSet());
        return objects().stream()
                .filter(object -> CibPlan.owns(object.id()) && !wanted.contains(object.id()))
                .toList();
    }

    /**
     * The wanted object with the meta attributes that somebody set beside ours, such as
     * target-role: an administrator set those for the moment, and they stay. Parameters and
     * operations are ours alone: a password left in a fence device has to go.
     */
    private static CibObject keepingOf(Optional<CibObject> actual, CibObject wanted) {
        if (actual.isEmpty()) {
            return wanted;
        }
        return switch (wanted) {
            case Primitive mine when actual.get() instanceof Primitive theirs ->
                    keeping(theirs, mine);
            case Clone mine when actual.get() instanceof Clone theirs ->
                    new Clone(
                            mine.id(),
                            both(theirs.meta(), mine.meta()),
                            theirs.primitive().id().equals(mine.primitive().id())
                                    ? keeping(theirs.primitive(), mine.primitive())
                                    : mine.primitive());
            case Alert mine when actual.get() instanceof Alert theirs ->
                    new Alert(
                            mine.id(),
                            mine.path(),
                            both(theirs.meta(), mine.meta()),
                            mine.select());
            default -> wanted;
        };
    }

    private static Primitive keeping(Primitive theirs, Primitive mine) {
        return new Primitive(
                mine.id(),
                mine.agent(),
                mine.attributes(),
                both(theirs.meta(), mine.meta()),
                mine.operations());
    }

    private static Map<String, String> both(Map<String, String> theirs, Map<String, String> mine) {
        Map<String, String> both = new LinkedHashMap<>(theirs);
        both.putAll(mine);
        return both;
    }

    /**
     * The same content one configuration later: a patch must lead from a version to a newer one.
     */
    public Cib next() {
        return new Cib(
                root.with("epoch", String.valueOf(version().epoch() + 1)).with("num_updates", "0"));
    }

    /** The same content, above every configuration whose admin epoch nobody has raised. */
    Cib supreme() {
        return new Cib(root.with("admin_epoch", String.valueOf(version().adminEpoch() + 1)));
    }

    private XmlElement configuration() {
        return root.child("configuration").orElseThrow();
    }

    String toXml() {
        return root.toString();
    }
}
