package dev.tandem.install.rules;

import dev.tandem.install.config.InstallMethod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files under {@code examples/}; each says in its second line how it is to be validated. */
public final class Examples {
    private static final Pattern COMMAND =
            Pattern.compile(
                    "# tandem install-config validate (?:--method (\\w+) )?(examples/\\S+)");

    private Examples() {}

    /** One of them; its text is read again at each call. */
    public record Example(String name, Path path, InstallMethod method) {
        public byte[] bytes() {
            try {
                return Files.readAllBytes(path);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public String toString() {
            return name;
        }
    }

    public static List<Example> all() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("..", "examples"))) {
            return files.filter(path -> path.toString().endsWith(".yaml"))
                    .sorted()
                    .map(Examples::example)
                    .toList();
        }
    }

    private static Example example(Path path) {
        try {
            String name = path.getFileName().toString().replace(".yaml", "");
            Matcher command = COMMAND.matcher(Files.readAllLines(path).get(1));
            if (!command.matches() || !command.group(2).equals("examples/" + name + ".yaml")) {
                throw new IllegalStateException(path + " does not name its own command");
            }
            String method = command.group(1) == null ? "installer" : command.group(1);
            return new Example(name, path, InstallMethod.valueOf(method.toUpperCase(Locale.ROOT)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
