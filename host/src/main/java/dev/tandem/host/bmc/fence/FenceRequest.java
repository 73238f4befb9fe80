package dev.tandem.host.bmc.fence;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a fence agent is asked to do, as Pacemaker's fencer or a person at a shell says it.
 *
 * @param target whom to switch; what only reads may leave it out
 * @param powerTimeout how long the state may take to change
 * @param order of a caller that says until when it waits; a person at a shell may not
 */
public record FenceRequest(
        Action action, Optional<String> target, Duration powerTimeout, Optional<Order> order) {

    /**
     * Which order this is, and until when somebody waits for its end. What is done later is done to
     * a machine that may have been fenced by other means meanwhile, and be back.
     *
     * @param expires in hundredths of a second since boot, a clock that nobody sets
     */
    public record Order(String id, long expires) {
        /** Negative once it has expired. */
        Duration left(long now) {
            return Duration.ofMillis(10 * (expires - now));
        }
    }

    /** The actions of the fence agent interface. */
    public enum Action {
        ON("on", true),
        OFF("off", true),
        REBOOT("reboot", true),
        STATUS("status", true),
        MONITOR("monitor", false),
        LIST("list", false),
        LIST_STATUS("list-status", false),
        VALIDATE_ALL("validate-all", false),
        METADATA("metadata", false);

        private final String word;
        private final boolean needsTarget;

        Action(String word, boolean needsTarget) {
            this.word = word;
            this.needsTarget = needsTarget;
        }

        public String word() {
            return word;
        }
    }

    /** What reading a request gave. */
    public sealed interface Reading {
        record Good(FenceRequest request) implements Reading {}

        /** What is wrong, for the person or the log that reads stderr. */
        record Bad(String why) implements Reading {}
    }

    /** The stock agents' default; Pacemaker's own limit of 60 s leaves room for a second device. */
    public static final Duration POWER_TIMEOUT = Duration.ofSeconds(20);

    private static final Pattern ORDER_ID = Pattern.compile("[A-Za-z0-9-]{1,64}");
    private static final Pattern MOMENT = Pattern.compile("[0-9]{1,15}");
    private static final Pattern SECONDS = Pattern.compile("([0-9]{1,4})s?");

    /** Old spellings, which Pacemaker and people still use. */
    private static final Map<String, String> ALIASES =
            Map.of("option", "action", "port", "plug", "power-timeout", "power_timeout");

    private static final Map<String, String> SHORT = Map.of("o", "action", "n", "plug");

    public FenceRequest {
        if (!powerTimeout.isPositive()) {
            throw new IllegalArgumentException("a power timeout must be longer than nothing");
        }
    }

    /** From options if there are any, else from the lines of standard input. */
    public static Reading parse(List<String> arguments, String stdin) {
        if (arguments.isEmpty()) {
            return of(fromLines(stdin));
        }
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (argument.startsWith("--") && argument.indexOf('=') > 2) {
                int equals = argument.indexOf('=');
                put(values, argument.substring(2, equals), argument.substring(equals + 1));
            } else if (argument.startsWith("-") && i + 1 < arguments.size()) {
                String name = argument.replaceFirst("^--?", "");
                put(values, SHORT.getOrDefault(name, name), arguments.get(i + 1));
                i++;
            } else {
                return new Reading.Bad(
                        "cannot understand '%s': use --action=ACTION --plug=NODE"
                                .formatted(argument));
            }
        }
        return of(values);
    }

    private static Map<String, String> fromLines(String stdin) {
        Map<String, String> values = new HashMap<>();
        for (String line : stdin.lines().map(String::strip).toList()) {
            int equals = line.indexOf('=');
            if (!line.startsWith("#") && equals > 0) {
                put(
                        values,
                        line.substring(0, equals),
                        line.substring(equals + 1).replaceFirst("^\"(.*)\"$", "$1"));
            }
        }
        return values;
    }

    private static void put(Map<String, String> values, String name, String value) {
        values.put(ALIASES.getOrDefault(name, name), value);
    }

    /** Names that mean nothing here are passed over: Pacemaker adds some of its own. */
    private static Reading of(Map<String, String> values) {
        String word = values.getOrDefault("action", "").toLowerCase(Locale.ROOT);
        if (word.isEmpty()) {
            // The stock agents reboot then. A slip of the hand must not.
            return new Reading.Bad("no action is given: one of " + actions() + " is needed");
        }
        Optional<Action> action =
                Arrays.stream(Action.values()).filter(a -> a.word.equals(word)).findFirst();
        if (action.isEmpty()) {
            return new Reading.Bad(
                    "there is no action '%s': use one of %s".formatted(word, actions()));
        }
        Optional<String> target =
                Optional.ofNullable(values.get("plug"))
                        .or(() -> Optional.ofNullable(values.get("nodename")))
                        .filter(name -> !name.isBlank());
        if (action.get().needsTarget && target.isEmpty()) {
            return new Reading.Bad("the action %s needs a node: give plug=NODE".formatted(word));
        }
        String id = values.getOrDefault("order", "");
        String expires = values.getOrDefault("expires", "");
        Optional<Order> order =
                ORDER_ID.matcher(id).matches() && MOMENT.matcher(expires).matches()
                        ? Optional.of(new Order(id, Long.parseLong(expires)))
                        : Optional.empty();
        if (order.isEmpty() && !(id.isEmpty() && expires.isEmpty())) {
            return new Reading.Bad(
                    "the order is not understood: order and expires are needed, or neither");
        }
        String timeout = values.getOrDefault("power_timeout", "");
        if (timeout.isEmpty()) {
            return new Reading.Good(new FenceRequest(action.get(), target, POWER_TIMEOUT, order));
        }
        Matcher seconds = SECONDS.matcher(timeout);
        if (!seconds.matches() || Long.parseLong(seconds.group(1)) == 0) {
            return new Reading.Bad(
                    "power_timeout is '%s': a number of seconds above 0 is needed"
                            .formatted(timeout));
        }
        return new Reading.Good(
                new FenceRequest(
                        action.get(),
                        target,
                        Duration.ofSeconds(Long.parseLong(seconds.group(1))),
                        order));
    }

    private static String actions() {
        return Arrays.stream(Action.values()).map(Action::word).collect(Collectors.joining(", "));
    }
}
