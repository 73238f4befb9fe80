package dev.tandem.host.plan;

import dev.tandem.host.credential.PasswordSource;
import dev.tandem.host.credential.PasswordSource.Login;
import dev.tandem.host.yaml.YamlNode;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads where the password of a BMC comes from. */
final class PasswordReader {
    /** The agent is shut out of these, or has its own in their place. */
    private static final List<Path> HIDDEN_FROM_THE_AGENT =
            Stream.of("/home", "/root", "/run/user", "/tmp", "/var/tmp").map(Path::of).toList();

    private final PlanFindings findings;
    private final Path directory;

    /**
     * @param directory from which relative paths count
     */
    PasswordReader(PlanFindings findings, Path directory) {
        this.findings = findings;
        this.directory = directory;
    }

    /** Empty where something is wrong, which is a finding then. */
    Optional<PasswordSource> read(FieldReader bmc) {
        Optional<PasswordSource> file =
                bmc.file("passwordFile", directory).map(PasswordSource.InFile::new);
        return bmc.node("password").isPresent()
                ? bmc.node("password").flatMap(this::fetched)
                : file;
    }

    private Optional<PasswordSource> fetched(YamlNode element) {
        if (!(element instanceof YamlNode.Mapping)) {
            findings.add(
                    element,
                    PlanFields.PASSWORD.path(),
                    "password: a plan holds no passwords; write it to a file and name that as"
                            + " passwordFile");
            return Optional.empty();
        }
        FieldReader fields = new FieldReader(element, PlanFields.PASSWORD, findings);
        Optional<PasswordSource.Origin> origin =
                fields.node("vault").isPresent()
                        ? fields.node("vault").flatMap(this::vault)
                        : program(fields);
        Optional<Path> cache = fields.file("cacheFile", directory);
        return origin.map(who -> new PasswordSource.Fetched(who, cache));
    }

    private static Optional<PasswordSource.Origin> program(FieldReader fields) {
        if (fields.node("program").isEmpty()) {
            return Optional.empty();
        }
        List<YamlNode.Scalar> words = fields.list("program");
        if (words.isEmpty() || words.size() > PlanFields.MOST_PROGRAM_WORDS) {
            fields.bad(
                    "program",
                    "the path of a program, and up to %d arguments, are needed"
                            .formatted(PlanFields.MOST_PROGRAM_WORDS - 1));
            return Optional.empty();
        }
        for (YamlNode.Scalar word : words) {
            if (!PlanFields.PROGRAM_WORD.matcher(word.text()).matches()) {
                fields.bad(
                        "program",
                        "each argument is one line of at most 256 characters, and no secret: other"
                                + " users of the machine see it");
                return Optional.empty();
            }
        }
        Path path = Path.of(words.getFirst().text());
        if (!path.isAbsolute() || !path.normalize().equals(path)) {
            fields.bad("program", "the whole path is needed, without . and ..");
            return Optional.empty();
        }
        if (HIDDEN_FROM_THE_AGENT.stream().anyMatch(path::startsWith)) {
            fields.bad(
                    "program",
                    "tandem-agent does not see this directory; put the program in"
                            + " /usr/local/sbin");
            return Optional.empty();
        }
        return Optional.of(
                new PasswordSource.Program(words.stream().map(YamlNode.Scalar::text).toList()));
    }

    private Optional<PasswordSource.Origin> vault(YamlNode element) {
        FieldReader fields = new FieldReader(element, PlanFields.VAULT, findings);
        Optional<URI> address = fields.text("address").flatMap(text -> address(text, fields));
        Optional<String> mount = segments(fields, "mount", PlanFields.KV_MOUNT);
        Optional<String> path =
                fields.node("path").isEmpty() ? Optional.empty() : segments(fields, "path", "");
        Optional<String> field =
                Optional.of(fields.text("field").orElse(PlanFields.PASSWORD_FIELD))
                        .filter(name -> {
                            boolean good = PlanFields.SECRET_FIELD.matcher(name).matches();
                            if (!good) {
                                fields.bad("field", "not the name of a field of a secret");
                            }
                            return good;
                        });
        Optional<String> namespace =
                fields.node("namespace").isEmpty()
                        ? Optional.empty()
                        : segments(fields, "namespace", "");
        Optional<Path> caFile = fields.file("caFile", directory);
        Optional<Login> login =
                fields.node("certificate").isPresent()
                        ? fields.node("certificate").flatMap(this::certificate)
                        : fields.node("appRole").flatMap(this::appRole);
        return address.isPresent()
                        && mount.isPresent()
                        && path.isPresent()
                        && field.isPresent()
                        && login.isPresent()
                ? Optional.of(
                        new PasswordSource.Vault(
                                address.get(),
                                mount.get(),
                                path.get(),
                                field.get(),
                                namespace,
                                caFile,
                                login.get()))
                : Optional.empty();
    }

    private static Optional<URI> address(String text, FieldReader fields) {
        try {
            URI address = new URI(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
            boolean bare =
                    address.getUserInfo() == null
                            && address.getHost() != null
                            && address.getPath().isEmpty()
                            && address.getQuery() == null
                            && address.getFragment() == null;
            if (bare && "https".equals(address.getScheme())) {
                return Optional.of(address);
            }
        } catch (URISyntaxException e) {
            // Told below, without the text.
        }
        fields.bad(
                "address",
                "https://HOST or https://HOST:PORT is needed; over plain http anybody could read"
                        + " the password");
        return Optional.empty();
    }

    /** Empty where it is wrong; such names need no escaping in a URL. */
    private static Optional<String> segments(FieldReader fields, String field, String fallback) {
        String text = fields.text(field).orElse(fallback);
        if (!PlanFields.SEGMENTS.matcher(text).matches()) {
            fields.bad(
                    field,
                    "names of letters, digits, . _ and -, with / between them and at neither end,"
                            + " are needed");
            return Optional.empty();
        }
        return Optional.of(text);
    }

    private Optional<Login> appRole(YamlNode element) {
        FieldReader fields = new FieldReader(element, PlanFields.APP_ROLE, findings);
        Optional<String> mount = segments(fields, "mount", PlanFields.APP_ROLE_MOUNT);
        Optional<String> roleId = fields.text("roleId");
        Optional<Path> secretId = fields.file("secretIdFile", directory);
        return mount.isPresent() && roleId.isPresent() && secretId.isPresent()
                ? Optional.of(new Login.AppRole(mount.get(), roleId.get(), secretId.get()))
                : Optional.empty();
    }

    private Optional<Login> certificate(YamlNode element) {
        FieldReader fields = new FieldReader(element, PlanFields.VAULT_CERTIFICATE, findings);
        Optional<String> mount = segments(fields, "mount", PlanFields.CERTIFICATE_MOUNT);
        Optional<String> role = fields.text("role");
        Optional<Path> certificate = fields.file("certFile", directory);
        Optional<Path> key = fields.file("keyFile", directory);
        return mount.isPresent() && certificate.isPresent() && key.isPresent()
                ? Optional.of(
                        new Login.Certificate(mount.get(), role, certificate.get(), key.get()))
                : Optional.empty();
    }
}
