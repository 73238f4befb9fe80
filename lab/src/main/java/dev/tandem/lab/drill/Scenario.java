package dev.tandem.lab.drill;

import java.time.Duration;
import java.util.List;

/**
 * An incident that can be rehearsed: what is done to a pair under a writing client, and what must
 * come of it. What must hold after every incident is not said in any of them; {@link Audit} does.
 *
 * @param name in words with dashes, as it is typed
 * @param title what happens and what comes of it, as a sentence
 * @param covers the acceptance timelines it plays, such as T6
 * @param expected roughly how long it takes, set-up of the pair aside
 */
public record Scenario(
        String name, String title, List<String> covers, Pace pace, Duration expected, Body body) {

    /** Whether it is worth running with every build. */
    public enum Pace {
        QUICK,
        LONG
    }

    /** The incident itself. */
    public interface Body {
        void play(Stage stage) throws Exception;
    }

    public Scenario {
        covers = List.copyOf(covers);
        if (!name.matches("[a-z0-9]+(-[a-z0-9]+)*")) {
            throw new IllegalArgumentException("not in words with dashes: " + name);
        }
        if (!title.endsWith(".") || covers.isEmpty()) {
            throw new IllegalArgumentException("neither a sentence nor a timeline: " + name);
        }
    }

    /** One that runs with every build. */
    static Scenario quick(String name, String title, String covers, long seconds, Body body) {
        return new Scenario(
                name,
                title,
                List.of(covers.split(" ", -1)),
                Pace.QUICK,
                Duration.ofSeconds(seconds),
                body);
    }

    /** One that takes its time. */
    static Scenario unhurried(String name, String title, String covers, long seconds, Body body) {
        return new Scenario(
                name,
                title,
                List.of(covers.split(" ", -1)),
                Pace.LONG,
                Duration.ofSeconds(seconds),
                body);
    }

    boolean isQuick() {
        return pace == Pace.QUICK;
    }
}
