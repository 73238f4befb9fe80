package dev.tandem.host.plan;

import dev.tandem.host.yaml.YamlNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Reads by which stock fence agents a node is fenced after its BMC. Whether an agent knows its
 * parameters is asked of the agent itself, where it is installed.
 */
final class FurtherLevelReader {
    private final PlanFindings findings;
    private final Path directory;
    private final boolean isNew;

    /**
     * @param directory from which relative paths count
     * @param isNew else an earlier release took it, and what this one refuses proves nothing
     */
    FurtherLevelReader(PlanFindings findings, Path directory, boolean isNew) {
        this.findings = findings;
        this.directory = directory;
        this.isNew = isNew;
    }

    /** Those that can be used; what is wrong with the others is a finding. */
    List<FurtherLevel> read(FieldReader bmc) {
        Optional<YamlNode> field = bmc.node("further");
        if (field.isEmpty()) {
            return List.of();
        }
        if (!(field.get() instanceof YamlNode.Sequence sequence)
                || sequence.items().isEmpty()
                || sequence.items().size() > FurtherLevel.MOST) {
            bmc.bad(
                    "further",
                    "a list of 1 to %d further levels is needed".formatted(FurtherLevel.MOST));
            return List.of();
        }
        List<FurtherLevel> levels = new ArrayList<>();
        for (YamlNode item : sequence.items()) {
            level(item)
                    .ifPresent(level -> {
                        if (levels.stream().anyMatch(level::isSameAs)) {
                            findings.add(
                                    item, PlanFields.FURTHER.path(), "this level is given twice");
                        }
                        levels.add(level);
                    });
        }
        return levels;
    }

    private Optional<FurtherLevel> level(YamlNode item) {
        FieldReader fields = new FieldReader(item, PlanFields.FURTHER, findings);
        Optional<String> agent = fields.text("agent").filter(name -> isAgent(name, fields));
        Optional<Map<String, String>> parameters =
                fields.node("parameters").flatMap(node -> parameters(node, fields));
        Optional<Path> password = fields.file("passwordFile", directory);
        boolean provesOff = fields.truth("provesOff");
        Optional<String> unverified =
                agent.flatMap(name ->
                        parameters.flatMap(given -> FurtherLevel.unverifiedBy(name, given)));
        if (provesOff && unverified.isPresent() && isNew) {
            fields.bad(
                    "provesOff",
                    "with %s anybody on the way to the device can answer for it, and that proves nothing; remove one of the two"
                            .formatted(unverified.get()));
        }
        return agent.isPresent() && parameters.isPresent()
                ? Optional.of(
                        new FurtherLevel(
                                agent.get(),
                                parameters.get(),
                                password,
                                provesOff
                                        && unverified.isEmpty()
                                        && !parameters
                                                .get()
                                                .containsKey(FurtherLevel.MISSING_AS_OFF)))
                : Optional.empty();
    }

    private static boolean isAgent(String name, FieldReader fields) {
        if (name.startsWith("fence_tandem")) {
            fields.bad("agent", "Tandem uses its own agents itself; name a stock fence agent");
        } else if (!FurtherLevel.AGENT.matcher(name).matches()) {
            fields.bad(
                    "agent",
                    "the name of a stock fence agent is needed, such as fence_apc_snmp, without its"
                            + " directory");
        } else {
            return true;
        }
        return false;
    }

    private Optional<Map<String, String>> parameters(YamlNode node, FieldReader fields) {
        if (!(node instanceof YamlNode.Mapping mapping)) {
            fields.bad("parameters", "names with values are needed, such as {ip: 198.51.100.20}");
            return Optional.empty();
        }
        Map<String, String> parameters = new TreeMap<>();
        for (YamlNode.Entry entry : mapping.entries()) {
            Optional<String> fault = fault(entry).filter(_ -> isNew || !isLaterRule(entry.key()));
            fault.ifPresent(what ->
                    findings.add(
                            entry.line(),
                            PlanFields.FURTHER.path() + ".parameters",
                            "parameters: " + what));
            if (fault.isEmpty() && entry.value() instanceof YamlNode.Scalar scalar) {
                parameters.put(entry.key(), scalar.text());
            }
        }
        return Optional.of(parameters);
    }

    /** Of which a release that took a plan with it knew nothing. */
    private static boolean isLaterRule(String parameter) {
        return parameter.equals(FurtherLevel.UNVERIFIED)
                || parameter.equals(FurtherLevel.MISSING_AS_OFF);
    }

    /** No value is repeated: it may be the password. */
    private static Optional<String> fault(YamlNode.Entry entry) {
        String name = entry.key();
        if (!FurtherLevel.PARAMETER.matcher(name).matches()) {
            return Optional.of(
                    "a parameter is called as the agent's metadata calls it: lower case, digits and"
                            + " _");
        }
        if (FurtherLevel.isSecret(name)) {
            return Optional.of(
                    "%s: a plan holds no passwords; write it to a file and name that as passwordFile, beside parameters"
                            .formatted(name));
        }
        if (FurtherLevel.isReserved(name)) {
            return Optional.of(name + ": Tandem or Pacemaker sets it; remove it");
        }
        if (!(entry.value() instanceof YamlNode.Scalar scalar)
                || scalar.isNothing()
                || !FurtherLevel.VALUE.matcher(scalar.text()).matches()) {
            return Optional.of(name + " must be one line of text, at most 256 characters");
        }
        return name.equals(FurtherLevel.UNVERIFIED) && !FurtherLevel.isYes(scalar.text())
                ? Optional.of(
                        name
                                + ": stock fence agents take any value for a yes; remove the"
                                + " parameter, and the certificate is verified")
                : Optional.empty();
    }
}
