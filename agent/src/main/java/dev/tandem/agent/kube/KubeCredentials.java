package dev.tandem.agent.kube;

import dev.tandem.core.Failure;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.Tls;
import dev.tandem.host.pki.TlsIdentity;
import dev.tandem.host.yaml.YamlFault;
import dev.tandem.host.yaml.YamlNode;
import dev.tandem.host.yaml.YamlReader;
import dev.tandem.host.yaml.YamlSubject;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * Where the API server is and who the agent is to it: a kubeconfig, so that a person can try with
 * kubectl what the agent may do. Certificates may be in it or in files that it names.
 */
record KubeCredentials(URI server, SSLContext tls) {
    private static final YamlSubject KUBECONFIG =
            new YamlSubject("a", "kubeconfig", "apiVersion: v1", "kubectl config view");

    /** Empty where there is none: the node has no Kubernetes, or the agent no say in it. */
    static Optional<KubeCredentials> read(Path kubeconfig) {
        try {
            return Optional.of(of(Files.readAllBytes(kubeconfig), kubeconfig));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException | IllegalArgumentException e) {
            throw new Failure(
                    "cannot use " + kubeconfig,
                    String.valueOf(e.getMessage()),
                    "try it: kubectl --kubeconfig " + kubeconfig + " get nodes",
                    e);
        }
    }

    private static KubeCredentials of(byte[] text, Path file) throws IOException {
        Object config = data(text);
        String current = text(config, "current-context");
        Object context = named(config, "contexts", current, "context");
        Object cluster = named(config, "clusters", text(context, "cluster"), "cluster");
        Object user = named(config, "users", text(context, "user"), "user");
        String origin = file.toString();
        return new KubeCredentials(
                URI.create(text(cluster, "server")),
                Tls.client(
                        Pem.certificates(pem(cluster, "certificate-authority", file), origin),
                        Optional.of(
                                new TlsIdentity(
                                        Pem.privateKey(pem(user, "client-key", file), origin),
                                        Pem.certificates(
                                                pem(user, "client-certificate", file), origin)))));
    }

    /** By the common reader, whose refusals quote nothing: a line may hold a key. */
    private static Object data(byte[] text) {
        return switch (YamlReader.read(text, KUBECONFIG)) {
            case YamlReader.Outcome.Read(YamlNode.Mapping root) -> root.data();
            case YamlReader.Outcome.Refused(YamlFault fault) ->
                    throw new IllegalArgumentException(
                            "%s (line %d)".formatted(fault.what(), fault.line()));
        };
    }

    private static Object named(Object config, String list, String name, String part) {
        if (field(config, list) instanceof List<?> entries) {
            for (Object entry : entries) {
                if (name.equals(field(entry, "name"))) {
                    return field(entry, part);
                }
            }
        }
        throw new IllegalArgumentException("no " + name + " among its " + list);
    }

    private static String pem(Object holder, String name, Path file) throws IOException {
        if (field(holder, name + "-data") instanceof String data) {
            return new String(Base64.getDecoder().decode(data), StandardCharsets.UTF_8);
        }
        // Paths in a kubeconfig are meant as seen from it.
        return Files.readString(file.resolveSibling(text(holder, name)));
    }

    private static String text(Object holder, String name) {
        if (field(holder, name) instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException("it has no " + name);
    }

    private static Object field(Object holder, String name) {
        Object value = holder instanceof Map<?, ?> map ? map.get(name) : null;
        return value == null ? Map.of() : value;
    }
}
