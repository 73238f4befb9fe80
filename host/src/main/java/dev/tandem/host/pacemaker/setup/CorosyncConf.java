package dev.tandem.host.pacemaker.setup;

import dev.tandem.core.Failure;
import dev.tandem.host.plan.Change;
import dev.tandem.host.plan.ClusterPlan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * corosync.conf: sections in braces with settings and further sections. What we do not set
 * ourselves (encryption, logging, identity of the cluster) is kept as it stands.
 */
public record CorosyncConf(Section root) {
    /**
     * After this many rounds without a message that it misses, Corosync forms a new ring: ADR 16.
     */
    private static final String FAIL_RECV_CONST = "5000";

    /** A section; the root has no name. */
    public record Section(String name, List<Setting> settings, List<Section> sections) {
        public Section {
            settings = List.copyOf(settings);
            sections = List.copyOf(sections);
        }

        Optional<String> get(String key) {
            // Of a repeated setting Corosync takes the last.
            return settings.stream()
                    .filter(setting -> setting.key().equals(key))
                    .reduce((_, last) -> last)
                    .map(Setting::value);
        }

        Stream<Section> all(String section) {
            return sections.stream().filter(child -> child.name().equals(section));
        }

        Section with(String key, String value) {
            List<Setting> changed = new ArrayList<>();
            boolean found = false;
            for (Setting setting : settings) {
                boolean hit = setting.key().equals(key);
                if (!hit) {
                    changed.add(setting);
                } else if (!found) {
                    changed.add(new Setting(key, value));
                }
                found |= hit;
            }
            if (!found) {
                changed.add(new Setting(key, value));
            }
            return new Section(name, changed, sections);
        }

        /** Changes the first section of that name, which is appended when there is none. */
        Section change(String section, UnaryOperator<Section> change) {
            List<Section> changed = new ArrayList<>();
            boolean found = false;
            for (Section child : sections) {
                boolean hit = !found && child.name().equals(section);
                changed.add(hit ? change.apply(child) : child);
                found |= hit;
            }
            if (!found) {
                changed.add(change.apply(new Section(section, List.of(), List.of())));
            }
            return new Section(name, settings, changed);
        }
    }

    public record Setting(String key, String value) {
        /** At run time Corosync shows every switch as a number. */
        String atRunTime() {
            return value.equals("yes") ? "1" : value;
        }
    }

    public static CorosyncConf parse(String text) {
        Reader reader = new Reader(text);
        return new CorosyncConf(reader.section("", 0));
    }

    public Set<String> nodes() {
        return nodeSections()
                .map(node -> node.get("name").orElse(""))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** As the plan of the pair calls it. */
    Optional<String> clusterName() {
        return totem().flatMap(totem -> totem.get("cluster_name"));
    }

    /** Of a node, one a link. */
    List<String> addresses(String node) {
        return nodeSections()
                .filter(section -> section.get("name").filter(node::equals).isPresent())
                .flatMap(section ->
                        IntStream.range(0, ClusterPlan.MAX_LINKS)
                                .mapToObj(link -> section.get("ring" + link + "_addr"))
                                .flatMap(Optional::stream))
                .toList();
    }

    /**
     * Whether this is the example that Debian's package installs: one node called node1 on the
     * loopback address. It is nobody's cluster, and pcs refuses to work while it is there.
     */
    public boolean isShippedExample() {
        List<Section> nodes = nodeSections().toList();
        return nodes.size() == 1
                && nodes.getFirst().get("ring0_addr").filter("127.0.0.1"::equals).isPresent();
    }

    private Optional<Section> totem() {
        return root.all("totem").findFirst();
    }

    private Stream<Section> nodeSections() {
        return root.all("nodelist").flatMap(list -> list.all("node"));
    }

    /** This configuration as the plan wants it; the version is raised when that is a change. */
    public CorosyncConf planned(ClusterPlan plan) {
        Section changed =
                root.change("totem", totem -> totem(totem, plan))
                        .change("nodelist", list -> nodelist(list, plan))
                        // With two_node a survivor stays quorate. It implies wait_for_all, which
                        // stands there all the same: a reader of the file should see it.
                        .change(
                                "quorum",
                                quorum ->
                                        quorum.with("provider", "corosync_votequorum")
                                                .with(
                                                        "two_node",
                                                        plan.nodes().size() == 2 ? "1" : "0")
                                                .with("wait_for_all", "1"));
        if (changed.equals(root)) {
            return this;
        }
        // Nodes with different versions refuse to meet, and so never run different settings.
        long version =
                totem().flatMap(totem -> totem.get("config_version")).map(Long::valueOf).orElse(0L);
        return new CorosyncConf(
                changed.change(
                        "totem",
                        totem -> totem.with("config_version", String.valueOf(version + 1))));
    }

    private static Section totem(Section before, ClusterPlan plan) {
        Section totem = before.with("transport", "knet");
        for (Setting setting : totemSettings(plan)) {
            totem = totem.with(setting.key(), setting.value());
        }
        return totem;
    }

    /** By the names that Corosync also shows at run time. */
    static List<Setting> totemSettings(ClusterPlan plan) {
        return List.of(
                new Setting("token", millis(plan.timing().token())),
                new Setting("consensus", millis(plan.timing().consensus())),
                // Else a message that is lost while the ring is formed stalls it for minutes.
                new Setting("cancel_token_hold_on_retransmit", "yes"),
                new Setting("fail_recv_const", FAIL_RECV_CONST));
    }

    private static String millis(java.time.Duration duration) {
        return String.valueOf(duration.toMillis());
    }

    private static Section nodelist(Section list, ClusterPlan plan) {
        List<Section> nodes = new ArrayList<>();
        for (Section node : list.sections()) {
            Optional<ClusterPlan.Node> planned = node.get("name").flatMap(plan::node);
            nodes.add(planned.isEmpty() ? node : addressed(node, planned.get()));
        }
        return new Section(list.name(), list.settings(), nodes);
    }

    private static Section addressed(Section node, ClusterPlan.Node planned) {
        List<Setting> kept =
                node.settings().stream()
                        .filter(setting -> !setting.key().matches("ring[0-7]_addr"))
                        .toList();
        List<Setting> settings = new ArrayList<>();
        for (int link = 0; link < planned.addresses().size(); link++) {
            settings.add(
                    new Setting("ring" + link + "_addr", planned.addresses().get(link).toString()));
        }
        settings.addAll(kept);
        return new Section(node.name(), settings, node.sections());
    }

    /** In what the other differs from this one; the version only counts changes. */
    public List<Change> changesTo(CorosyncConf other) {
        return Change.between("corosync.conf", flat(), other.flat());
    }

    private Map<String, String> flat() {
        Map<String, String> flat = new TreeMap<>();
        flatten("", root, flat);
        flat.remove("totem.config_version");
        return flat;
    }

    private static void flatten(String prefix, Section section, Map<String, String> flat) {
        for (Setting setting : section.settings()) {
            flat.put(prefix + setting.key(), setting.value());
        }
        Map<String, Integer> seen = new LinkedHashMap<>();
        for (Section child : section.sections()) {
            int number = seen.merge(child.name(), 1, Integer::sum);
            String name = child.get("name").orElse(number == 1 ? "" : String.valueOf(number));
            flatten(
                    prefix + child.name() + (name.isEmpty() ? "" : "[" + name + "]") + ".",
                    child,
                    flat);
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        write(root, "", text);
        return text.toString();
    }

    private static void write(Section section, String indent, StringBuilder text) {
        for (Setting setting : section.settings()) {
            text.append(indent)
                    .append(setting.key())
                    .append(": ")
                    .append(setting.value())
                    .append('\n');
        }
        boolean first = section.settings().isEmpty();
        for (Section child : section.sections()) {
            text.append(first ? "" : "\n").append(indent).append(child.name()).append(" {\n");
            write(child, indent + "    ", text);
            text.append(indent).append("}\n");
            first = false;
        }
    }

    /** Lines are settings, openings and ends of sections, comments, or empty. */
    private static final class Reader {
        private final List<String> lines;
        private int at;

        Reader(String text) {
            this.lines = text.lines().map(String::strip).toList();
        }

        Section section(String name, int depth) {
            List<Setting> settings = new ArrayList<>();
            List<Section> sections = new ArrayList<>();
            while (at < lines.size()) {
                String line = lines.get(at++);
                if (line.isEmpty() || line.startsWith("#")) {
                    continue;
                }
                if (line.equals("}")) {
                    if (depth == 0) {
                        throw bad("a section ends that has not begun");
                    }
                    return new Section(name, settings, sections);
                }
                int colon = line.indexOf(':');
                if (line.endsWith("{")) {
                    sections.add(section(line.substring(0, line.length() - 1).strip(), depth + 1));
                } else if (colon > 0) {
                    settings.add(
                            new Setting(
                                    line.substring(0, colon).strip(),
                                    line.substring(colon + 1).strip()));
                } else {
                    throw bad("neither a setting nor a section: " + line);
                }
            }
            if (depth > 0) {
                throw bad("the section " + name + " does not end");
            }
            return new Section(name, settings, sections);
        }

        private Failure bad(String why) {
            return new Failure(
                    "cannot read corosync.conf",
                    "line " + at + ": " + why,
                    "compare it with the other node's, or restore it from there");
        }
    }
}
