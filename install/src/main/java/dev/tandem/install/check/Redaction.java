package dev.tandem.install.check;

import dev.tandem.host.yaml.YamlNode;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Knows which words of a file may be secret, also when the file is broken and a password stands
 * where none belongs.
 */
public final class Redaction {
    /** Shorter words are hidden too, but only where they are the whole of what would be shown. */
    private static final int TELLING = 3;

    /** No honest file has nearly as many. */
    private static final int LIMIT = 300;

    private static final Pattern LINE =
            Pattern.compile(
                    "(?i)(?:pass\\w*|pwd|secret|token)[\"']?[ \\t]*[:=][ \\t]*(\\S{1,200})");

    private final Set<String> words = new LinkedHashSet<>();

    /** Adds what the bare text shows, before anything is understood of it. */
    public void learn(String text) {
        Matcher matcher = LINE.matcher(text);
        while (words.size() < LIMIT && matcher.find()) {
            String word = matcher.group(1);
            words.add(word);
            words.add(word.replaceAll("^[\"'{\\[(]+|[\"',}\\])]+$", ""));
        }
        words.remove("");
    }

    /** Adds everything below keys that hold secrets. */
    public void learn(YamlNode located) {
        switch (located) {
            case YamlNode.Mapping mapping ->
                    mapping.entries()
                            .forEach(entry -> {
                                if (isSecretKey(entry.key())) {
                                    hide(entry.value());
                                } else {
                                    learn(entry.value());
                                }
                            });
            case YamlNode.Sequence sequence -> sequence.items().forEach(this::learn);
            case YamlNode.Scalar _ -> {}
        }
    }

    public static boolean isSecretKey(String key) {
        String name = key.toLowerCase(Locale.ROOT);
        return name.contains("password") || name.contains("secret") || name.contains("token");
    }

    private void hide(YamlNode located) {
        if (words.size() > LIMIT) {
            return;
        }
        switch (located) {
            case YamlNode.Mapping mapping ->
                    mapping.entries()
                            .forEach(entry -> {
                                words.add(entry.key());
                                hide(entry.value());
                            });
            case YamlNode.Sequence sequence -> sequence.items().forEach(this::hide);
            case YamlNode.Scalar scalar -> {
                if (!scalar.text().isEmpty()) {
                    words.add(scalar.text());
                }
            }
        }
    }

    boolean hides(String shown) {
        for (String word : words) {
            boolean part = word.length() >= TELLING && shown.contains(word);
            boolean whole = shown.length() >= TELLING && word.contains(shown);
            if (part || whole || shown.equals(word)) {
                return true;
            }
        }
        return false;
    }
}
