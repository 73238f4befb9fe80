package dev.tandem.host.pacemaker;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.pacemaker.XmlElement.MalformedXml;
import dev.tandem.host.plan.NodeNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Attributes of nodes, replicated by the cluster. <em>Transient</em> ones live in the attribute
 * daemon and vanish with the node's membership; <em>permanent</em> ones stand in the configuration.
 *
 * <p>Both are read where they are written: transient ones from the attribute daemon, not from the
 * CIB, which the daemon updates later. Even so a write is known on this node when it returns, and
 * on the other one soon after; nothing here may carry a decision that needs both nodes to agree.
 */
public final class NodeAttributes {
    /** How long an attribute lives. */
    public enum Lifetime {
        TRANSIENT,
        /**
         * Transient, and never written into the CIB: nothing of it makes Pacemaker compute a new
         * transition.
         */
        PRIVATE,
        PERMANENT
    }

    /** What reading an attribute gave. */
    public sealed interface Reading {
        record Present(String value) implements Reading {}

        /** The cluster answered: there is no such attribute. */
        record Absent() implements Reading {}

        /** The cluster did not answer; nothing follows from that. */
        record Unknown(String why) implements Reading {}

        default Optional<String> known() {
            return this instanceof Present(String value) ? Optional.of(value) : Optional.empty();
        }
    }

    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** CRM_EX_NOSUCH: crm_attribute about a name it does not find (Pacemaker 2 and 3). */
    private static final int NO_SUCH_OBJECT = 105;

    /** CRM_EX_CONFIG: attrd_updater about a name it does not find (Pacemaker 3.0). */
    private static final int INVALID_CONFIGURATION = 78;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.#-]*");

    private final Commands commands;

    public NodeAttributes(Commands commands) {
        this.commands = commands;
    }

    public Reading read(Lifetime lifetime, String node, String name) {
        return switch (lifetime) {
            case TRANSIENT, PRIVATE -> {
                Commands.Output output =
                        commands.run(
                                LIMIT,
                                List.of(
                                        "attrd_updater",
                                        "--query",
                                        "--name",
                                        checked(name),
                                        "--node",
                                        NodeNames.checked(node),
                                        "--output-as=xml"));
                yield reading(output, node);
            }
            case PERMANENT -> {
                Commands.Output output =
                        commands.run(
                                LIMIT,
                                List.of(
                                        "crm_attribute",
                                        "--query",
                                        "--name",
                                        checked(name),
                                        "--node",
                                        NodeNames.checked(node),
                                        "--lifetime",
                                        "forever",
                                        "--output-as=xml"));
                yield reading(output, "");
            }
        };
    }

    /** The values of a transient attribute on all nodes that have one; empty when unknown. */
    public Optional<Map<String, String>> readAll(String name) {
        Commands.Output output =
                commands.run(
                        LIMIT,
                        List.of(
                                "attrd_updater",
                                "--query",
                                "--all",
                                "--name",
                                checked(name),
                                "--output-as=xml"));
        if (saysAbsent(output)) {
            return Optional.of(Map.of());
        }
        if (!output.ok()) {
            return Optional.empty();
        }
        try {
            Map<String, String> values = new LinkedHashMap<>();
            XmlElement.parse(output.out())
                    .children("attribute")
                    .forEach(element ->
                            values.put(
                                    element.attribute("host", ""), element.attribute("value", "")));
            return Optional.of(values);
        } catch (MalformedXml e) {
            return Optional.empty();
        }
    }

    public void write(Lifetime lifetime, String node, String name, String value) {
        List<String> command = new ArrayList<>(program(lifetime, node, name));
        command.add("--update");
        command.add(value);
        // Returns when this node knows the value, so that a read right after finds it.
        if (lifetime != Lifetime.PERMANENT) {
            command.add("--wait=local");
        }
        if (lifetime == Lifetime.PRIVATE) {
            command.add("--private");
        }
        check("set " + name + " of " + node, commands.run(LIMIT, command));
    }

    /** Deletes an attribute; one that is not there is deleted already. */
    public void delete(Lifetime lifetime, String node, String name) {
        List<String> command = new ArrayList<>(program(lifetime, node, name));
        command.add("--delete");
        Commands.Output output = commands.run(LIMIT, command);
        if (!saysAbsent(output)) {
            check("delete " + name + " of " + node, output);
        }
    }

    private static List<String> program(Lifetime lifetime, String node, String name) {
        return switch (lifetime) {
            case TRANSIENT, PRIVATE ->
                    List.of(
                            "attrd_updater",
                            "--name",
                            checked(name),
                            "--node",
                            NodeNames.checked(node));
            case PERMANENT ->
                    List.of(
                            "crm_attribute",
                            "--name",
                            checked(name),
                            "--node",
                            NodeNames.checked(node),
                            "--lifetime",
                            "forever");
        };
    }

    private static Reading reading(Commands.Output output, String host) {
        if (saysAbsent(output)) {
            return new Reading.Absent();
        }
        if (!output.ok()) {
            return new Reading.Unknown(Pacemaker.said(output));
        }
        try {
            return XmlElement.parse(output.out())
                    .children("attribute")
                    .filter(element -> host.isEmpty() || element.attribute("host", "").equals(host))
                    .findFirst()
                    .flatMap(element -> element.attribute("value"))
                    .<Reading>map(Reading.Present::new)
                    .orElseGet(Reading.Absent::new);
        } catch (MalformedXml e) {
            return new Reading.Unknown(e.getMessage() == null ? "no XML" : e.getMessage());
        }
    }

    /**
     * The exit code alone is not enough: 105 also says that the node is unknown, and 78 stands for
     * any unfit configuration.
     */
    private static boolean saysAbsent(Commands.Output output) {
        String words = output.out() + output.err();
        return (output.exitCode() == NO_SUCH_OBJECT && words.contains("No such device or address"))
                || (output.exitCode() == INVALID_CONFIGURATION
                        && words.contains("attribute does not exist"));
    }

    private static void check(String what, Commands.Output output) {
        if (!output.ok()) {
            throw new Failure(
                    "cannot " + what,
                    Pacemaker.said(output),
                    "check that Pacemaker runs here: systemctl status pacemaker");
        }
    }

    private static String checked(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("not the name of an attribute: " + name);
        }
        return name;
    }
}
