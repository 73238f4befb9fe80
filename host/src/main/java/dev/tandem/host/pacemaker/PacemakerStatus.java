package dev.tandem.host.pacemaker;

import dev.tandem.host.pacemaker.XmlElement.MalformedXml;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The cluster as Pacemaker on this node sees it, or that it could not be asked. */
public sealed interface PacemakerStatus {
    /** As Pacemaker counts scores. */
    int INFINITY = 1_000_000;

    /** Pacemaker did not answer, or not in words we know; nothing follows about any node. */
    record Unknown(String why) implements PacemakerStatus {}

    /**
     * Pacemaker's answer.
     *
     * @param dc the node that decides; absent during an election
     * @param quorate whether this partition may act; a lone node after a cold start may not
     * @param maintenance the whole cluster is in maintenance: Pacemaker watches nothing
     * @param fencing whether it may fence at all; without, a silent node is never confirmed off
     * @param symmetric whether a resource may run where no constraint lets it
     * @param stopsAll it stops every resource and starts none
     */
    record Known(
            Optional<String> dc,
            boolean quorate,
            boolean maintenance,
            boolean fencing,
            boolean symmetric,
            boolean stopsAll,
            List<NodeState> nodes,
            List<ResourceState> resources,
            List<Ban> bans,
            List<FailedAction> failures)
            implements PacemakerStatus {

        public Known {
            nodes = List.copyOf(nodes);
            resources = List.copyOf(resources);
            bans = List.copyOf(bans);
            failures = List.copyOf(failures);
        }

        public Optional<NodeState> node(String name) {
            return nodes.stream().filter(node -> node.name().equals(name)).findFirst();
        }

        /**
         * Whether a fence of this node for the sake of a resource is wanted at all: fencing is on,
         * nothing is in maintenance, and nobody has taken the resource from Pacemaker.
         */
        public boolean mayFence(String name, String resource) {
            return fencing
                    && !maintenance
                    && node(name).filter(NodeState::maintenance).isEmpty()
                    && resource(resource).stream().allMatch(ResourceState::managed);
        }

        /** All instances of a resource, clones included, by the primitive's id. */
        public List<ResourceState> resource(String id) {
            return resources.stream().filter(resource -> resource.id().equals(id)).toList();
        }
    }

    /**
     * One node.
     *
     * @param unclean Pacemaker does not know what runs there, and will fence it
     * @param pending in the membership, but not yet taking part
     * @param expectedUp a graceful leave, and a fence, make this false
     */
    record NodeState(
            String name,
            String id,
            boolean online,
            boolean unclean,
            boolean pending,
            boolean standby,
            boolean maintenance,
            boolean shuttingDown,
            boolean expectedUp,
            boolean dc) {}

    /**
     * One instance of a resource.
     *
     * @param id of the primitive, without an instance number
     * @param cloneId the id of the clone it belongs to
     * @param agent such as {@code ocf:tandem:etcd}
     * @param role Started, Stopped, Starting, Stopping
     * @param managed false in maintenance too, of the cluster, the node or the resource
     * @param disabled a person wants it stopped, it or the clone around it
     * @param failed false for a failure that its operation says to ignore
     * @param runsOn the nodes where it is active; none for a stopped instance
     */
    record ResourceState(
            String id,
            Optional<String> cloneId,
            String agent,
            String role,
            boolean active,
            boolean managed,
            boolean disabled,
            boolean failed,
            boolean blocked,
            List<String> runsOn) {

        public ResourceState {
            runsOn = List.copyOf(runsOn);
        }

        public boolean started() {
            return active && role.equals("Started");
        }
    }

    /**
     * A location constraint that keeps a resource from a node.
     *
     * @param id of the constraint
     * @param score below zero
     */
    record Ban(String id, String resource, String node, int score) {}

    /** An action that failed and was not cleaned up since. */
    record FailedAction(
            String resource,
            String task,
            String node,
            int exitCode,
            String reason,
            String status,
            Optional<Instant> at) {}

    /** Reads what {@code crm_mon --output-as=xml} printed. */
    static PacemakerStatus parse(String xml) {
        XmlElement root;
        try {
            root = XmlElement.parse(xml);
        } catch (MalformedXml e) {
            return new Unknown("crm_mon's answer is not XML: " + e.getMessage());
        }
        Optional<XmlElement> summary = root.child("summary");
        if (summary.isEmpty() || root.child("nodes").isEmpty()) {
            return new Unknown(
                    root.child("status")
                            .map(PacemakerStatus::message)
                            .orElse("crm_mon's answer has no summary"));
        }
        Optional<XmlElement> dc =
                summary.get().child("current_dc").filter(element -> element.isTrue("present"));
        XmlElement options =
                summary.get().child("cluster_options").orElse(XmlElement.of("cluster_options"));
        return new Known(
                dc.flatMap(element -> element.attribute("name")),
                dc.isPresent() && dc.get().isTrue("with_quorum"),
                options.isTrue("maintenance-mode"),
                // Later versions call it by the second name; both are on unless switched off.
                !options.isFalse("stonith-enabled") && !options.isFalse("fencing-enabled"),
                !options.isFalse("symmetric-cluster"),
                options.isTrue("stop-all-resources"),
                root.section("nodes").stream()
                        .filter(node -> node.name().equals("node"))
                        .map(PacemakerStatus::node)
                        .toList(),
                resources(root),
                root.section("bans").stream()
                        .filter(ban -> ban.name().equals("ban"))
                        .map(PacemakerStatus::ban)
                        .toList(),
                root.section("failures").stream()
                        .filter(failure -> failure.name().equals("failure"))
                        .map(PacemakerStatus::failure)
                        .toList());
    }

    private static String message(XmlElement status) {
        List<String> words = new ArrayList<>();
        status.attribute("message").ifPresent(words::add);
        return "Pacemaker answers: " + String.join("; ", words);
    }

    private static NodeState node(XmlElement node) {
        return new NodeState(
                node.attribute("name", ""),
                node.id(),
                node.isTrue("online"),
                node.isTrue("unclean"),
                node.isTrue("pending"),
                // A node that is joining reads as if it were in standby until it has joined.
                (node.isTrue("standby") || node.isTrue("standby_onfail"))
                        && !node.isTrue("pending"),
                node.isTrue("maintenance"),
                node.isTrue("shutdown"),
                node.isTrue("expected_up"),
                node.isTrue("is_dc"));
    }

    private static List<ResourceState> resources(XmlElement root) {
        List<ResourceState> resources = new ArrayList<>();
        for (XmlElement element : root.section("resources")) {
            collect(element, Optional.empty(), false, resources);
        }
        return resources;
    }

    private static void collect(
            XmlElement element,
            Optional<String> clone,
            boolean disabled,
            List<ResourceState> resources) {
        boolean off =
                disabled
                        || element.isTrue("disabled")
                        || element.attribute("target_role", "").equals("Stopped");
        switch (element.name()) {
            case "resource" -> resources.add(resource(element, clone, off));
            case "clone" ->
                    element.children()
                            .forEach(child ->
                                    collect(child, Optional.of(element.id()), off, resources));
            default -> element.children().forEach(child -> collect(child, clone, off, resources));
        }
    }

    private static ResourceState resource(
            XmlElement element, Optional<String> clone, boolean disabled) {
        String id = element.id();
        int instance = id.indexOf(':');
        return new ResourceState(
                instance < 0 ? id : id.substring(0, instance),
                clone,
                element.attribute("resource_agent", ""),
                element.attribute("role", ""),
                element.isTrue("active"),
                element.isTrue("managed"),
                disabled,
                element.isTrue("failed"),
                element.isTrue("blocked"),
                element.children("node").map(node -> node.attribute("name", "")).toList());
    }

    private static Ban ban(XmlElement ban) {
        return new Ban(
                ban.id(),
                ban.attribute("resource", ""),
                ban.attribute("node", ""),
                number(ban.attribute("weight", ""), -INFINITY));
    }

    private static FailedAction failure(XmlElement failure) {
        String task = failure.attribute("task", "");
        String key = failure.attribute("op_key", failure.id());
        // The key is resource_task_interval, and resource names may hold underscores themselves.
        int end = key.lastIndexOf("_" + task + "_");
        String resource = end < 0 ? key : key.substring(0, end);
        int instance = resource.indexOf(':');
        return new FailedAction(
                instance < 0 ? resource : resource.substring(0, instance),
                task,
                failure.attribute("node", ""),
                number(failure.attribute("exitcode", ""), 1),
                failure.attribute("exitreason", ""),
                failure.attribute("status", ""),
                failure.attribute("last-rc-change").flatMap(PacemakerTime::instant));
    }

    private static int number(String text, int otherwise) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }
}
