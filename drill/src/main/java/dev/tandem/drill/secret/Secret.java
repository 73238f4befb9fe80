package dev.tandem.drill.secret;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Something that may be read nowhere but where it is kept.
 *
 * @param what it is, for a finding, which never repeats the value
 * @param users who log in with it
 * @param home how the names of the files of a node begin that it is kept in; empty for none that is
 *     looked at
 */
public record Secret(String what, String value, List<String> users, String home) {
    /** What is shorter stands everywhere. */
    private static final int SHORTEST = 8;

    public Secret {
        users = List.copyOf(users);
        if (value.length() < SHORTEST || value.lines().count() != 1) {
            throw new IllegalArgumentException("cannot be looked for: " + what);
        }
    }

    public static Secret password(String what, String value, String... users) {
        return new Secret(what, value, List.of(users), "");
    }

    boolean isAtHome(String file) {
        return !home.isEmpty() && file.startsWith(home);
    }

    /**
     * As it stands in texts: as it is, and as JSON, XML, addresses and HTTP's basic authentication
     * have it.
     */
    Set<String> forms() {
        Set<String> forms = new LinkedHashSet<>();
        forms.add(value);
        String json = value.replace("\\", "\\\\").replace("\"", "\\\"");
        forms.add(json);
        // As Go's encoder has it, which is that of Kubernetes and etcd.
        forms.add(json.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"));
        String text = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        forms.add(text);
        forms.add(text.replace("\"", "&quot;"));
        forms.add(text.replace("\"", "&quot;").replace("'", "&apos;"));
        forms.add(text.replace("\"", "&#34;").replace("'", "&#39;"));
        String url = URLEncoder.encode(value, StandardCharsets.UTF_8);
        forms.add(url);
        forms.add(url.replace("+", "%20"));
        forms.add(lowerCaseEscapes(url));
        forms.add(lowerCaseEscapes(url.replace("+", "%20")));
        base64(forms, value);
        users.forEach(user -> base64(forms, user + ":" + value));
        return forms;
    }

    private static String lowerCaseEscapes(String url) {
        return Pattern.compile("%[0-9A-F]{2}")
                .matcher(url)
                .replaceAll(escape -> escape.group().toLowerCase(Locale.ROOT));
    }

    /** Without what fills the last group: that depends on what follows. */
    private static void base64(Set<String> forms, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (Base64.Encoder encoder : List.of(Base64.getEncoder(), Base64.getUrlEncoder())) {
            String whole = encoder.withoutPadding().encodeToString(bytes);
            forms.add(whole.substring(0, bytes.length / 3 * 4));
        }
    }

    @Override
    public String toString() {
        return "Secret[" + what + "]";
    }
}
