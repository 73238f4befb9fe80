package dev.tandem.lab.image;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where this host gets its packages from, in either of apt's two formats. The node image is fetched
 * from the same place: a site with its own mirror and no way out to the world has it in there.
 */
record AptSources(List<Entry> entries) {
    /** The variable that names an archive of Debian, for hosts whose own sources have none. */
    static final String MIRROR = "TANDEM_DEBIAN_MIRROR";

    /** One address with one suite of it. */
    record Entry(URI address, String suite) {}

    AptSources {
        entries = List.copyOf(entries);
    }

    /** The sources below {@code root}, normally {@code /etc/apt}, after the one that was named. */
    static AptSources read(Path root, Map<String, String> environment) {
        List<Entry> entries = new ArrayList<>();
        address(environment.getOrDefault(MIRROR, ""))
                .ifPresent(mirror -> {
                    entries.add(new Entry(mirror, "stable"));
                    entries.add(new Entry(URI.create(mirror + "-security"), "stable-security"));
                });
        try {
            Path list = root.resolve("sources.list");
            if (Files.exists(list)) {
                entries.addAll(parseLines(Files.readString(list)));
            }
            Path parts = root.resolve("sources.list.d");
            if (Files.isDirectory(parts)) {
                try (Stream<Path> files = Files.list(parts)) {
                    for (Path file : files.sorted().toList()) {
                        String name = file.getFileName().toString();
                        if (name.endsWith(".list")) {
                            entries.addAll(parseLines(Files.readString(file)));
                        } else if (name.endsWith(".sources")) {
                            entries.addAll(parseStanzas(Files.readString(file)));
                        }
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read apt's sources below " + root, e);
        }
        return new AptSources(entries);
    }

    /** {@code deb [options] address suite component...}, one a line. */
    static List<Entry> parseLines(String text) {
        List<Entry> entries = new ArrayList<>();
        for (String raw : text.split("\n", -1)) {
            String line = raw.replaceFirst("#.*", "").replaceFirst("\\[[^]]*]", "").strip();
            String[] words = line.split("\\s+", -1);
            if (words.length >= 3 && words[0].equals("deb")) {
                address(words[1]).ifPresent(uri -> entries.add(new Entry(uri, words[2])));
            }
        }
        return entries;
    }

    /** The deb822 form: stanzas of fields, continued by indentation, with comments between them. */
    static List<Entry> parseStanzas(String text) {
        List<Entry> entries = new ArrayList<>();
        String withoutComments = text.replaceAll("(?m)^#.*\\R?", "");
        for (String stanza : withoutComments.split("\\n\\s*\\n", -1)) {
            Map<String, String> fields = new LinkedHashMap<>();
            String field = "";
            for (String line : stanza.split("\n", -1)) {
                int colon = line.indexOf(':');
                if (line.startsWith(" ") || line.startsWith("\t")) {
                    fields.merge(field, line.strip(), (one, two) -> one + " " + two);
                } else if (colon > 0) {
                    field = line.substring(0, colon).toLowerCase(Locale.ROOT);
                    fields.put(field, line.substring(colon + 1).strip());
                }
            }
            boolean enabled = !fields.getOrDefault("enabled", "yes").equalsIgnoreCase("no");
            boolean binary = List.of(words(fields, "types")).contains("deb");
            if (enabled && binary) {
                for (String uri : words(fields, "uris")) {
                    for (String suite : words(fields, "suites")) {
                        address(uri).ifPresent(parsed -> entries.add(new Entry(parsed, suite)));
                    }
                }
            }
        }
        return entries;
    }

    private static String[] words(Map<String, String> fields, String name) {
        return fields.getOrDefault(name, "").strip().split("\\s+", -1);
    }

    private static Optional<URI> address(String text) {
        if (!text.startsWith("http://") && !text.startsWith("https://")) {
            return Optional.empty();
        }
        return Optional.of(URI.create(text.replaceFirst("/+$", "")));
    }

    /** Addresses that may hold Debian's main archive. A host of another distribution has none. */
    List<URI> archives() {
        return candidates(false);
    }

    /** Likewise for the security archive. */
    List<URI> securityArchives() {
        return candidates(true);
    }

    private List<URI> candidates(boolean security) {
        return entries.stream()
                .filter(entry -> entry.suite().endsWith("-security") == security)
                .map(Entry::address)
                .filter(uri -> uri.getPath().contains("debian"))
                .distinct()
                .toList();
    }
}
