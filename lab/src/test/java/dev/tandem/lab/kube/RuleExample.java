package dev.tandem.lab.kube;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * A file that an API server has to accept or to refuse: {@code rules/RULE/accepted-….yaml} or
 * {@code rules/RULE/refused-….yaml}. The last object in it is the one in question, those before it
 * are there already. Comments at the top tell the rest:
 *
 * <pre>
 * # request: delete          the object in question exists, and somebody wants to delete it
 * # refused: some words      what the refusal has to say, and how its rule's message begins
 * </pre>
 *
 * <p>A status, also a null one, is written through the status subresource.
 */
record RuleExample(
        Path file, boolean accepted, boolean delete, String refusal, List<ObjectNode> objects) {
    private static final Path DIRECTORY = Path.of("src/test/resources/rules");
    private static final JsonMapper JSON = new JsonMapper();

    /** Refused ones first: they show that the rule is in force, before something passes it. */
    static List<RuleExample> all() {
        try (Stream<Path> files = Files.walk(DIRECTORY)) {
            return files.filter(file -> file.toString().endsWith(".yaml"))
                    .map(RuleExample::read)
                    .sorted(
                            Comparator.comparing(RuleExample::rule)
                                    .thenComparing(RuleExample::accepted)
                                    .thenComparing(RuleExample::file))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static RuleExample read(Path file) {
        try {
            String text = Files.readString(file);
            String name = file.getFileName().toString();
            boolean accepted = name.startsWith("accepted");
            if (!accepted && !name.startsWith("refused")) {
                throw new IllegalStateException(file + " is called neither accepted nor refused");
            }
            return new RuleExample(
                    file,
                    accepted,
                    header(text, "request").filter("delete"::equals).isPresent(),
                    header(text, "refused").orElse(""),
                    objects(text));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Optional<String> header(String text, String key) {
        return text.lines()
                .filter(line -> line.startsWith("# " + key + ": "))
                .map(line -> line.substring(key.length() + 4))
                .findFirst();
    }

    /** The objects of a YAML text, as JSON. */
    static List<ObjectNode> objects(String yaml) {
        List<ObjectNode> objects = new ArrayList<>();
        for (Object document : new Load(LoadSettings.builder().build()).loadAllFromString(yaml)) {
            objects.add(JSON.valueToTree(document));
        }
        return objects;
    }

    String rule() {
        return Objects.requireNonNull(file.getParent()).getFileName().toString();
    }

    List<ObjectNode> before() {
        return delete ? objects : objects.subList(0, objects.size() - 1);
    }

    ObjectNode subject() {
        return objects.getLast();
    }

    /** The same as another version of its API. */
    RuleExample in(String from, String to) {
        return new RuleExample(
                file,
                accepted,
                delete,
                refusal,
                objects.stream()
                        .map(object -> {
                            ObjectNode copy = object.deepCopy();
                            if (copy.get("apiVersion").asText().equals(from)) {
                                copy.put("apiVersion", to);
                            }
                            return copy;
                        })
                        .toList());
    }

    @Override
    public String toString() {
        return rule() + " " + file.getFileName().toString().replace(".yaml", "");
    }
}
