package dev.tandem.host.yaml;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The kinds of files that people have beside each other when they set a cluster up, and give to the
 * wrong command. Told by their outer shape alone; nothing of their content is repeated.
 */
public enum KnownFile {
    PLAN(
            "a plan of a pair",
            "commands for a plan: tandem cluster plan validate {file}, and on its nodes: tandem"
                    + " cluster apply {file} --dry-run"),
    INSTALL_CONFIG(
            "an install-config of OpenShift",
            "commands for an install-config: tandem install-config validate {file}; a pair is made"
                    + " from a plan, which begins with: tandem cluster plan example"),
    AGENT_CONFIG(
            "an agent-config of OpenShift's agent-based installer",
            "give it beside its install-config: tandem install-config validate install-config.yaml"
                    + " --method agent --agent-config {file}"),
    KUBECONFIG("a kubeconfig", "commands for a kubeconfig: kubectl --kubeconfig {file} get nodes"),
    ENCRYPTION(
            "the key by which the API server seals secrets",
            "leave it where it is; no command takes it"),
    PULL_SECRET("a pull secret of OpenShift", "copy it into an install-config, as its pullSecret"),
    CERTIFICATE("a certificate", "put a node's certificates in place by: tandem certs install DIR"),
    PRIVATE_KEY("a private key", "put a node's keys in place by: tandem certs install DIR"),
    JSON_SCHEMA("a JSON Schema", "give it to your editor"),
    KUBERNETES_OBJECT(
            "a manifest of Kubernetes", "commands for a manifest: kubectl apply -f {file}"),
    ONE_LINE(
            "one line of text, as a password or a token is",
            "a plan names such files as passwordFile and pcsdTokenFile; name the plan itself");

    private final String what;
    private final String remedy;

    KnownFile(String what, String remedy) {
        this.what = what;
        this.remedy = remedy;
    }

    /** With its article. */
    public String what() {
        return what;
    }

    /** Where such a file belongs. */
    public String remedy(Path file) {
        return remedy.replace("{file}", file.toString());
    }

    /** What the bytes are, where they are one of these. */
    public static Optional<KnownFile> of(byte[] bytes) {
        Optional<String> text = YamlReader.text(bytes).map(String::strip);
        if (text.isEmpty() || text.get().isEmpty()) {
            return Optional.empty();
        }
        if (text.get().contains("-----BEGIN ")) {
            return Optional.of(text.get().contains("PRIVATE KEY-----") ? PRIVATE_KEY : CERTIFICATE);
        }
        return switch (YamlReader.read(bytes, ANY)) {
            case YamlReader.Outcome.Read(YamlNode.Mapping root) -> of(root);
            case YamlReader.Outcome.Refused(YamlFault fault) ->
                    fault.kind() == YamlFault.Kind.NOT_ONE_MAPPING
                                    && text.get().indexOf('\n') < 0
                                    && !text.get().startsWith("#")
                            ? Optional.of(ONE_LINE)
                            : Optional.empty();
        };
    }

    private static final YamlSubject ANY = new YamlSubject("a", "file", "", "");

    private static Optional<KnownFile> of(YamlNode.Mapping root) {
        Set<String> keys =
                root.entries().stream().map(YamlNode.Entry::key).collect(Collectors.toSet());
        String kind = scalar(root, "kind");
        String version = scalar(root, "apiVersion");
        if (kind.equals("ClusterPlan") || version.startsWith("tandem.dev/")) {
            return Optional.of(PLAN);
        }
        switch (kind) {
            case "AgentConfig" -> {
                return Optional.of(AGENT_CONFIG);
            }
            case "EncryptionConfiguration" -> {
                return Optional.of(ENCRYPTION);
            }
            case "Config" -> {
                return Optional.of(keys.contains("clusters") ? KUBECONFIG : KUBERNETES_OBJECT);
            }
            case "", "InstallConfig" -> {}
            default -> {
                return version.isEmpty() ? Optional.empty() : Optional.of(KUBERNETES_OBJECT);
            }
        }
        if (List.of("baseDomain", "controlPlane", "pullSecret", "platform").stream()
                .anyMatch(keys::contains)) {
            return Optional.of(INSTALL_CONFIG);
        }
        if (keys.contains("auths")) {
            return Optional.of(PULL_SECRET);
        }
        if (keys.contains("$schema")) {
            return Optional.of(JSON_SCHEMA);
        }
        // A plan may leave out its version and kind.
        return keys.contains("nodes") && !keys.contains("metadata")
                ? Optional.of(PLAN)
                : Optional.empty();
    }

    private static String scalar(YamlNode.Mapping root, String key) {
        return root.entries().stream()
                .filter(entry -> entry.key().equals(key))
                .map(YamlNode.Entry::value)
                .filter(YamlNode.Scalar.class::isInstance)
                .map(value -> ((YamlNode.Scalar) value).text())
                .findFirst()
                .orElse("");
    }
}
