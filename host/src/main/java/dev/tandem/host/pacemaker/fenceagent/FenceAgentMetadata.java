package dev.tandem.host.pacemaker.fenceagent;

import dev.tandem.core.Nearest;
import dev.tandem.host.pacemaker.XmlElement;
import dev.tandem.host.plan.FurtherLevel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What a fence agent prints for {@code -o metadata}, and whether a level of a plan fits it.
 *
 * @param parameters by name, those too that it still takes under an old name
 * @param actions what it can be told to do
 * @param cutsOffOnly a node has to be let in by it before it joins: it cuts off from storage or
 *     from a network, and switches no power
 */
public record FenceAgentMetadata(
        Map<String, Parameter> parameters, Set<String> actions, boolean cutsOffOnly) {
    /** Off is read by the third of them; Pacemaker watches by the last. */
    private static final List<String> NEEDED = List.of("off", "on", "status", "monitor");

    /** The stock agents take these for yes and no (fence-agents 4.16, lib/fencing.py). */
    private static final Set<String> TRUTHS =
            Set.of("1", "yes", "on", "true", "0", "no", "off", "false");

    private static final Set<String> YES = Set.of("1", "yes", "on", "true");

    /** By the program that prints it; the stock agents have the second name from older times. */
    private static final List<String> PASSWORD_BY_PROGRAM =
            List.of("password_script", "passwd_script");

    private static final Set<String> PASSWORDS = Set.of("password", "passwd");

    /** Given to the agent by the shim, or by Pacemaker. */
    private static final Set<String> GIVEN = Set.of("action", "option", "nodename");

    /**
     * One parameter.
     *
     * @param replaces its old name, by which it may be given too
     * @param options what may be chosen; of any kind where none is named
     */
    public record Parameter(
            String type,
            boolean required,
            boolean deprecated,
            Optional<String> replaces,
            Optional<String> byDefault,
            List<String> options) {
        public Parameter {
            options = List.copyOf(options);
        }
    }

    public FenceAgentMetadata {
        parameters = Map.copyOf(parameters);
        actions = Set.copyOf(actions);
    }

    /**
     * Reads what an agent printed.
     *
     * @throws XmlElement.MalformedXml where that is no metadata of a fence agent
     */
    public static FenceAgentMetadata parse(String text) throws XmlElement.MalformedXml {
        XmlElement root = XmlElement.parse(text);
        if (!root.name().equals("resource-agent")) {
            throw new XmlElement.MalformedXml("it is no metadata but " + root.name());
        }
        Map<String, Parameter> parameters = new LinkedHashMap<>();
        for (XmlElement parameter : root.section("parameters")) {
            Optional<XmlElement> content = parameter.child("content");
            parameters.put(
                    parameter.attribute("name", ""),
                    new Parameter(
                            content.map(one -> one.attribute("type", "string")).orElse("string"),
                            isYes(parameter, "required"),
                            isYes(parameter, "deprecated"),
                            parameter.attribute("obsoletes"),
                            content.flatMap(one -> one.attribute("default")),
                            content.stream()
                                    .flatMap(one -> one.children("option"))
                                    .map(option -> option.attribute("value", ""))
                                    .toList()));
        }
        List<XmlElement> actions = root.section("actions");
        return new FenceAgentMetadata(
                parameters,
                actions.stream()
                        .map(action -> action.attribute("name", ""))
                        .collect(Collectors.toSet()),
                actions.stream()
                        .anyMatch(action ->
                                action.attribute("name", "").equals("on")
                                        && isYes(action, "automatic")));
    }

    private static boolean isYes(XmlElement element, String attribute) {
        return Set.of("1", "true").contains(element.attribute(attribute, ""));
    }

    /** Why the level cannot be used with this agent, a sentence each; empty where it can. */
    public List<String> faults(FurtherLevel level) {
        List<String> faults = new ArrayList<>();
        List<String> missing = NEEDED.stream().filter(action -> !actions.contains(action)).toList();
        if (!missing.isEmpty()) {
            faults.add(
                    "it has no action %s: a further level switches off and on, and Off is read by status"
                            .formatted(String.join(", ", missing)));
        }
        if (cutsOffOnly) {
            faults.add("it cuts a node off from storage or a network, and switches no power");
        }
        Parameter missingAsOff = parameters.get(FurtherLevel.MISSING_AS_OFF);
        if (missingAsOff != null
                && missingAsOff
                        .byDefault()
                        .filter(given -> YES.contains(given.toLowerCase(Locale.ROOT)))
                        .isPresent()) {
            faults.add("it calls a machine off that it cannot find, unless told otherwise");
        }
        level.parameters().forEach((name, value) -> fault(name, value).ifPresent(faults::add));
        if (level.passwordFile().isPresent()
                && PASSWORD_BY_PROGRAM.stream().noneMatch(parameters::containsKey)) {
            faults.add(
                    "passwordFile: it takes no password from a program (password_script), and"
                            + " Tandem gives none in another way");
        }
        faults.addAll(missing(level));
        return faults;
    }

    private Optional<String> fault(String name, String value) {
        Parameter parameter = parameters.get(name);
        if (parameter == null) {
            List<String> meant = Nearest.to(name, current());
            return Optional.of(
                    "parameters: it has no parameter "
                            + name
                            + (meant.isEmpty()
                                    ? "; it has " + String.join(", ", current())
                                    : "; did you mean " + String.join(" or ", meant)));
        }
        Optional<String> wanted = wanted(parameter, value);
        return wanted.map(what -> "parameters: %s must be %s".formatted(name, what));
    }

    /** What a value should be, where it is something else. */
    private static Optional<String> wanted(Parameter parameter, String value) {
        if (!parameter.options().isEmpty()) {
            return parameter.options().contains(value)
                    ? Optional.empty()
                    : Optional.of("one of " + String.join(", ", parameter.options()));
        }
        return switch (parameter.type()) {
            case "boolean" ->
                    TRUTHS.contains(value.toLowerCase(Locale.ROOT))
                            ? Optional.empty()
                            : Optional.of("true or false");
            case "integer" ->
                    value.matches("-?[0-9]{1,10}")
                            ? Optional.empty()
                            : Optional.of("a whole number");
            case "second" ->
                    value.matches("[0-9]{1,6}s?") ? Optional.empty() : Optional.of("seconds");
            default -> Optional.empty();
        };
    }

    private Set<String> current() {
        return parameters.entrySet().stream()
                .filter(parameter -> !parameter.getValue().deprecated())
                .map(Map.Entry::getKey)
                .filter(name -> !GIVEN.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** An old name is marked as required beside the new one that takes its place. */
    private List<String> missing(FurtherLevel level) {
        return current().stream()
                .filter(name -> isMissing(name, level))
                .map(name ->
                        PASSWORDS.contains(name)
                                ? "passwordFile is missing: it needs a password"
                                : "parameters: %s is missing".formatted(name))
                .toList();
    }

    private boolean isMissing(String name, FurtherLevel level) {
        Parameter parameter = parameters.get(name);
        if (parameter == null || !parameter.required() || parameter.byDefault().isPresent()) {
            return false;
        }
        boolean given =
                level.parameters().containsKey(name)
                        || parameter.replaces().filter(level.parameters()::containsKey).isPresent()
                        || (PASSWORDS.contains(name) && level.passwordFile().isPresent());
        return !given;
    }
}
