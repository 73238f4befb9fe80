package dev.tandem.drill.project;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Code, messages and pages keep to docs/glossary.md: its bold words are not used. In sources string
 * literals, comments and the names of types are looked at; other names are read with their type.
 */
class GlossaryTest {
    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final String GLOSSARY = "docs/glossary.md";

    /**
     * What may stand although a refused word is in it.
     *
     * @param files the end of a path, or a folder in it
     * @param text a pattern around the word
     */
    private record Allowed(String files, String text, String reason) {}

    private static final List<Allowed> ALLOWED =
            List.of(
                    new Allowed("", "--one-shot", "an option of crm_mon"),
                    new Allowed(
                            "",
                            "shot-while-greeting|late-shot|redfish-dead-ipmi-shoots"
                                    + "|ipmi-alone-shoots|pdu-shoots",
                            "the name of a drill, fixed elsewhere"),
                    new Allowed("", "@param (shots|generation)", "the name of a parameter"),
                    new Allowed("", "\\w*FailoverIT", "the name of a class"),
                    new Allowed(
                            "JournalEvent.java", "\"calm(-awaited)?\"", "a name in old journals"),
                    new Allowed("api/", "generation of the object", "the word of Kubernetes"),
                    new Allowed("packaging/", "young generation", "the word of the JVM"),
                    new Allowed(
                            "docs/track-record.md",
                            "\"[^\"]*\"",
                            "what a release said when the fault was found"));

    /** A literal or a comment, whichever begins first. */
    private static final Pattern WORDS_IN_JAVA =
            Pattern.compile(
                    "\"\"\".*?\"\"\"|\"(?:[^\"\\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\\n]|\\\\.)+'"
                            + "|/\\*.*?\\*/|//[^\\n]*",
                    Pattern.DOTALL);

    private static final Pattern TYPE =
            Pattern.compile("\\b(?:class|interface|enum|record)\\s+(\\w+)");

    /** What the first column of a table explains. */
    private static final Pattern DEFINED = Pattern.compile("(?m)^\\| ([^|*]+) \\| (?!means|but)");

    @Test
    void refusedWordsAreNotUsed() throws IOException {
        Pattern refused = refused();
        List<String> found = new ArrayList<>();
        for (Path file : texts()) {
            String name = PROJECT.relativize(file).toString();
            found.addAll(found(name, Files.readString(file), refused));
        }
        assertThat(found).isEmpty();
    }

    @Test
    void theGlossaryNamesThem() throws IOException {
        assertThat(bold())
                .contains("shot", "failover", "generation", "partner", "anew", "in vain")
                .contains("in good order", "so long", "3. time", "owed by", "nobody foresaw")
                .contains("calm", "keeper", "hearing", "the own");
    }

    @Test
    void aRefusedWordIsNotDefinedElsewhere() throws IOException {
        Set<String> defined = defined();

        assertThat(defined).contains("peer", "voter", "learner", "peer message", "fence action");
        assertThat(bold()).doesNotContainAnyElementsOf(defined);
    }

    @Test
    void aRefusedWordInTheNameOfATypeIsFound() throws IOException {
        Pattern refused = refused();
        assertThat(found("a/A.java", "final class CalmGate {", refused)).hasSize(1);
        assertThat(found("a/A.java", "record EtcdKeeper(int calm) {}", refused)).hasSize(1);
        assertThat(found("a/A.java", "sealed interface Hearing {", refused)).hasSize(1);
        assertThat(found("a/A.java", "enum Shotgun { }", refused)).isEmpty();
    }

    @Test
    void aRefusedWordIsFoundWhereItIsRead() throws IOException {
        Pattern refused = refused();
        assertThat(found("a/A.java", "String s = \"begins anew\";", refused)).hasSize(1);
        assertThat(found("a/A.java", "/** The node\n * is shot. */", refused))
                .containsExactly("a/A.java:2: shot");
        assertThat(found("a/A.java", "// waits in\n    // vain", refused)).hasSize(1);
        assertThat(found("a/A.java", "f(\"waits in\"\n        + \" vain\")", refused)).hasSize(1);
        assertThat(found("docs/a.md", "# Failover\n", refused)).hasSize(1);
        assertThat(found("docs/a.md", "for the 12. time", refused)).hasSize(1);
        assertThat(found("a/A.java", "int shot = anew.partner();", refused)).isEmpty();
        assertThat(found("a/A.java", "List.of(\"--one-shot\")", refused)).isEmpty();
    }

    private static List<String> found(String name, String text, Pattern refused) {
        String read = name.endsWith(".java") ? wordsOf(text) : text;
        for (Allowed allowed : ALLOWED) {
            if (name.contains(allowed.files())) {
                read = blank(read, Pattern.compile(allowed.text()));
            }
        }
        List<String> found = new ArrayList<>();
        Matcher matcher = refused.matcher(read);
        while (matcher.find()) {
            long line = read.substring(0, matcher.start()).lines().count();
            boolean atStart = matcher.start() == 0 || read.charAt(matcher.start() - 1) == '\n';
            found.add(
                    "%s:%d: %s"
                            .formatted(
                                    name,
                                    atStart ? line + 1 : line,
                                    matcher.group().replaceAll("\\s+", " ")));
        }
        return found;
    }

    /** Only what people read, each word in its line. */
    private static String wordsOf(String java) {
        StringBuilder words = new StringBuilder();
        Matcher matcher = WORDS_IN_JAVA.matcher(java);
        int end = 0;
        while (matcher.find()) {
            words.append(typesOf(java.substring(end, matcher.start())));
            words.append(matcher.group());
            end = matcher.end();
        }
        return words.append(typesOf(java.substring(end))).toString();
    }

    /** The names of the types that this code declares, with a space between their words. */
    private static String typesOf(String code) {
        StringBuilder types = new StringBuilder();
        Matcher matcher = TYPE.matcher(code);
        int end = 0;
        while (matcher.find()) {
            types.append(spaces(code.substring(end, matcher.start(1))));
            types.append(matcher.group(1).replaceAll("(?<=[a-z])(?=[A-Z])", " "));
            end = matcher.end();
        }
        return types.append(spaces(code.substring(end))).toString();
    }

    private static String blank(String text, Pattern pattern) {
        return pattern.matcher(text)
                .replaceAll(match -> Matcher.quoteReplacement(spaces(match.group())));
    }

    private static String spaces(String text) {
        return text.replaceAll("[^\\n]", " ");
    }

    /** Also where a line of a comment or a literal ends in the middle. */
    private static Pattern refused() throws IOException {
        return Pattern.compile(
                bold().stream()
                        .map(words ->
                                Stream.of(words.split(" ", -1))
                                        .map(GlossaryTest::pattern)
                                        .collect(Collectors.joining("[\\s*/#\"+]+")))
                        .collect(Collectors.joining("|", "(?<!\\w)(?:", ")(?:s|ing)?(?!\\w)")),
                Pattern.CASE_INSENSITIVE);
    }

    /** One numeral stands for all. */
    private static String pattern(String word) {
        return word.matches("\\d\\.") ? "\\d+\\." : Pattern.quote(word);
    }

    private static Set<String> bold() throws IOException {
        Set<String> words = new TreeSet<>();
        Matcher matcher =
                Pattern.compile("\\*\\*([^*]+)\\*\\*")
                        .matcher(Files.readString(PROJECT.resolve(GLOSSARY)));
        while (matcher.find()) {
            words.add(matcher.group(1));
        }
        return words;
    }

    private static Set<String> defined() throws IOException {
        String page = Files.readString(PROJECT.resolve(GLOSSARY));
        Set<String> words = new TreeSet<>();
        Matcher matcher = DEFINED.matcher(page.substring(0, page.indexOf("## Turns of phrase")));
        while (matcher.find()) {
            words.addAll(List.of(matcher.group(1).split(", ", -1)));
        }
        return words;
    }

    private static List<Path> texts() throws IOException {
        List<Path> all = new ArrayList<>();
        for (String page : List.of("README.md", "CONTRIBUTING.md", "tandem")) {
            all.add(PROJECT.resolve(page));
        }
        try (Stream<Path> modules = Files.list(PROJECT)) {
            for (Path module : modules.toList()) {
                for (Path folder :
                        List.of(
                                module.resolve("src").resolve("main"),
                                module.resolve("src").resolve("root"),
                                module.endsWith("docs") ? module : module.resolve("docs"))) {
                    all.addAll(textsBelow(folder));
                }
            }
        }
        all.remove(PROJECT.resolve(GLOSSARY));
        return all;
    }

    private static List<Path> textsBelow(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .filter(file ->
                            file.toString().matches(".*\\.(java|md|sh|service|yaml)")
                                    || !file.getFileName().toString().contains("."))
                    .toList();
        }
    }
}
