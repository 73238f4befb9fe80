package dev.tandem.install.rules;

import dev.tandem.host.yaml.YamlFault;
import dev.tandem.host.yaml.YamlNode;
import dev.tandem.host.yaml.YamlReader;
import dev.tandem.host.yaml.YamlSubject;
import dev.tandem.install.check.Code;
import dev.tandem.install.check.Finding;
import dev.tandem.install.check.Findings;
import dev.tandem.install.check.Redaction;
import dev.tandem.install.check.SchemaCheck;
import dev.tandem.install.check.Schemas;
import dev.tandem.install.check.Severity;
import dev.tandem.install.config.AgentConfig;
import dev.tandem.install.config.Decoder;
import dev.tandem.install.config.InstallConfig;
import dev.tandem.install.config.InstallMethod;
import dev.tandem.install.config.Release;
import dev.tandem.install.yaml.Place;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads an install-config and tells everything about it at once: what is wrong, why it matters, how
 * to mend it.
 */
public final class InstallConfigCheck {
    private static final YamlSubject INSTALL_CONFIG =
            new YamlSubject(
                    "an",
                    "install-config",
                    "apiVersion: v1",
                    "tandem install-config create --file new.yaml");

    private static final List<Rule> RULES =
            Stream.of(GeneralRules.ALL, FencingRules.ALL, MachineRules.ALL, NetworkRules.ALL)
                    .flatMap(List::stream)
                    .toList();

    private final InstallMethod method;
    private final Optional<Release> release;

    public InstallConfigCheck(InstallMethod method, Optional<Release> release) {
        this.method = method;
        this.release = release;
    }

    /**
     * The outcome.
     *
     * @param config present when the file could be read at all, good or bad
     * @param errorsLeftOut errors beyond those listed
     */
    public record Result(
            Optional<InstallConfig> config, List<Finding> findings, int errorsLeftOut) {
        public Result {
            findings = List.copyOf(findings);
        }

        /** Whether manifests can be generated. */
        public boolean good() {
            return config.isPresent() && count(Severity.ERROR) == 0;
        }

        public long count(Severity severity) {
            long listed = findings.stream().filter(f -> f.severity() == severity).count();
            return severity == Severity.ERROR ? listed + errorsLeftOut : listed;
        }
    }

    /** Looks at the file alone. */
    public Result check(byte[] installConfig) {
        return check(installConfig, Optional.empty());
    }

    /** Looks at the file together with the agent-based installer's second one. */
    public Result check(byte[] installConfig, Optional<byte[]> agentConfig) {
        Redaction redaction = new Redaction();
        YamlReader.text(installConfig).ifPresent(redaction::learn);
        agentConfig.flatMap(YamlReader::text).ifPresent(redaction::learn);
        Findings findings = new Findings(redaction);
        Optional<YamlNode.Mapping> root = read(installConfig, Place.FILE, findings);
        Place agentPlace = Place.FILE.child(AgentConfig.PLACE);
        Optional<YamlNode.Mapping> agentRoot =
                agentConfig.flatMap(bytes -> read(bytes, agentPlace, findings));
        root.ifPresent(redaction::learn);
        agentRoot.ifPresent(redaction::learn);
        SchemaCheck schema = new SchemaCheck(findings);
        root.ifPresent(file -> schema.check(Schemas.INSTALL_CONFIG, file, Place.FILE));
        agentRoot.ifPresent(file -> schema.check(Schemas.AGENT_CONFIG, file, agentPlace));
        Optional<InstallConfig> config = root.map(Decoder::installConfig);
        config.ifPresent(file -> {
            CheckContext subject =
                    new CheckContext(file, agentRoot.map(Decoder::agentConfig), method, release);
            RULES.forEach(rule -> rule.check(subject, findings));
        });
        return new Result(config, findings.sorted(), findings.errorsLeftOut());
    }

    private static Optional<YamlNode.Mapping> read(byte[] bytes, Place file, Findings findings) {
        return switch (YamlReader.read(bytes, INSTALL_CONFIG)) {
            case YamlReader.Outcome.Read(YamlNode.Mapping root) -> Optional.of(root);
            case YamlReader.Outcome.Refused(YamlFault fault) -> {
                findings.add(
                        Code.of(fault.kind()),
                        new Place(file.path(), fault.line(), fault.column()),
                        fault.what(),
                        fault.why(),
                        fault.remedy());
                yield Optional.empty();
            }
        };
    }
}
