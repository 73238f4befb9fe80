package dev.tandem.lab.bmc;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.IOException;
import java.time.Duration;
import java.time.format.DateTimeParseException;

/**
 * The habits of a BMC. All of them were seen on real ones; a fencing path has to live with each.
 *
 * @param answerLatency what every answer takes; real BMCs need 0.1 to 2 s
 * @param offLatency from the accepted request until the power is gone
 * @param onLatency from the accepted request until the machine starts
 * @param whenAlreadyThere the answer to off when off, and to on when on
 * @param busyAnswers so many requests are answered with 503, counted from the moment this behaviour
 *     is set; {@link #ALWAYS} for all
 * @param retryAfter what those answers ask the client to wait
 * @param credentialsRotated nobody's password is right any more, and all sessions have ended
 * @param lies resets are accepted and nothing happens
 * @param powerStateAge readings come from a cache that is renewed when it is this old; the cache is
 *     filled when this behaviour is set, so {@link #FOREVER} freezes the state of that moment
 * @param losesPowerWithHost pulling the machine's plug silences the BMC too
 * @param sessionLimit so many sessions exist at most; the next login is refused
 */
public record BmcBehaviour(
        @JsonSerialize(using = ToStringSerializer.class) @JsonDeserialize(using = IsoDuration.class)
                Duration answerLatency,
        @JsonSerialize(using = ToStringSerializer.class) @JsonDeserialize(using = IsoDuration.class)
                Duration offLatency,
        @JsonSerialize(using = ToStringSerializer.class) @JsonDeserialize(using = IsoDuration.class)
                Duration onLatency,
        WhenAlreadyThere whenAlreadyThere,
        int busyAnswers,
        @JsonSerialize(using = ToStringSerializer.class) @JsonDeserialize(using = IsoDuration.class)
                Duration retryAfter,
        HardOff hardOff,
        boolean credentialsRotated,
        Reachability reachability,
        boolean lies,
        @JsonSerialize(using = ToStringSerializer.class) @JsonDeserialize(using = IsoDuration.class)
                Duration powerStateAge,
        boolean losesPowerWithHost,
        int sessionLimit) {

    public static final int ALWAYS = Integer.MAX_VALUE;
    public static final Duration FOREVER = Duration.ofDays(36_500);

    public static final BmcBehaviour FAULTLESS =
            new BmcBehaviour(
                    Duration.ZERO,
                    Duration.ZERO,
                    Duration.ZERO,
                    WhenAlreadyThere.ACCEPTS,
                    0,
                    Duration.ofSeconds(1),
                    HardOff.CUTS_POWER,
                    false,
                    Reachability.ANSWERS,
                    false,
                    Duration.ZERO,
                    false,
                    16);

    /** Off for a machine that is off: the dialects differ. */
    public enum WhenAlreadyThere {
        ACCEPTS(204),
        CONFLICT(409),
        BAD_REQUEST(400);

        private final int status;

        WhenAlreadyThere(int status) {
            this.status = status;
        }

        int status() {
            return status;
        }
    }

    /** What ForceOff does. */
    public enum HardOff {
        CUTS_POWER,
        /** Not offered, and refused when asked for. */
        REFUSED,
        /** Accepted, but the machine is only asked to shut down. */
        SHUTS_DOWN
    }

    /** What becomes of a connection. */
    public enum Reachability {
        ANSWERS,
        /** Every connection is closed without a word. */
        HANGS_UP,
        /** Connections open and then nothing comes, as with a BMC that hangs. */
        SILENT
    }

    public BmcBehaviour {
        notNegative("answer latency", answerLatency);
        notNegative("off latency", offLatency);
        notNegative("on latency", onLatency);
        notNegative("retry-after", retryAfter);
        notNegative("power state age", powerStateAge);
        if (busyAnswers < 0 || sessionLimit < 0) {
            throw new IllegalArgumentException("a count cannot be below 0");
        }
    }

    public BmcBehaviour withAnswerLatency(Duration latency) {
        return new BmcBehaviour(
                latency,
                offLatency,
                onLatency,
                whenAlreadyThere,
                busyAnswers,
                retryAfter,
                hardOff,
                credentialsRotated,
                reachability,
                lies,
                powerStateAge,
                losesPowerWithHost,
                sessionLimit);
    }

    public BmcBehaviour withOffLatency(Duration latency) {
        return new BmcBehaviour(
                answerLatency,
                latency,
                onLatency,
                whenAlreadyThere,
                busyAnswers,
                retryAfter,
                hardOff,
                credentialsRotated,
                reachability,
                lies,
                powerStateAge,
                losesPowerWithHost,
                sessionLimit);
    }

    public BmcBehaviour withOnLatency(Duration latency) {
        return new BmcBehaviour(
                answerLatency,
                offLatency,
                latency,
                whenAlreadyThere,
                busyAnswers,
                retryAfter,
                hardOff,
                credentialsRotated,
                reachability,
                lies,
                powerStateAge,
                losesPowerWithHost,
                sessionLimit);
    }

    public BmcBehaviour withWhenAlreadyThere(WhenAlreadyThere answer) {
        return new BmcBehaviour(
                answerLatency,
                offLatency,
                onLatency,
                answer,
                busyAnswers,
                retryAfter,
                hardOff,
                credentialsRotated,
                reachability,
                lies,
                powerStateAge,
                losesPowerWithHost,
                sessionLimit);
    }

    public BmcBehaviour withBusy(int answers, Duration retryAfter) {
        return new BmcBehaviour(
                answerLatency,
                offLatency,
                onLatency,
                whenAlreadyThere,
                answers,
                retryAfter,
                hardOff,
                credentialsRotated,
                reachability,
                lies,
                powerStateAge,
                losesPowerWithHost,
                sessionLimit);
    }

    public BmcBehaviour withHardOff(HardOff hardOff) {
        return new BmcBehaviour(
                answerLatency,
                offLatency,
                onLatency,
                whenAlreadyThere,
                busyAnswers,
                retryAfter,
                hardOff,
                credentialsRotated,
                reachability,
                lies,
                powerStateAge,
                losesPowerWithHost,
                sessionLimit);
    }

    public BmcBehaviour withCredentialsRotated(boolean rotated) {
        return new BmcBehaviour(
                answerLatency,
                offLatency,
                onLatency,
                whenAlreadyThere,
                busyAnswers,
                retryAfter,
                hardOff,
                rotated,
                reachability,
                lies,
                powerStateAge,
                losesPowerWithHost,
                sessionLimit);
    }

    public BmcBehaviour withReachability(Reachability reachability) {
        return new BmcBehaviour(
                answerLatency,
                offLatency,
                onLatency,
                whenAlreadyThere,
                busyAnswers,
                retryAfter,
                hardOff,
                credentialsRotated,
                reachability,
                lies,
                powerStateAge,
                losesPowerWithHost,
                sessionLimit);
    }

    public BmcBehaviour withLies(boolean lies) {
        return new BmcBehaviour(
                answerLatency,
                offLatency,
                onLatency,
                whenAlreadyThere,
                busyAnswers,
                retryAfter,
                hardOff,
                credentialsRotated,
                reachability,
                lies,
                powerStateAge,
                losesPowerWithHost,
                sessionLimit);
    }

    public BmcBehaviour withPowerStateAge(Duration age) {
        return new BmcBehaviour(
                answerLatency,
                offLatency,
                onLatency,
                whenAlreadyThere,
                busyAnswers,
                retryAfter,
                hardOff,
                credentialsRotated,
                reachability,
                lies,
                age,
                losesPowerWithHost,
                sessionLimit);
    }

    public BmcBehaviour withLosesPowerWithHost(boolean loses) {
        return new BmcBehaviour(
                answerLatency,
                offLatency,
                onLatency,
                whenAlreadyThere,
                busyAnswers,
                retryAfter,
                hardOff,
                credentialsRotated,
                reachability,
                lies,
                powerStateAge,
                loses,
                sessionLimit);
    }

    public BmcBehaviour withSessionLimit(int limit) {
        return new BmcBehaviour(
                answerLatency,
                offLatency,
                onLatency,
                whenAlreadyThere,
                busyAnswers,
                retryAfter,
                hardOff,
                credentialsRotated,
                reachability,
                lies,
                powerStateAge,
                losesPowerWithHost,
                limit);
    }

    private static void notNegative(String what, Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("the " + what + " cannot be negative: " + duration);
        }
    }

    /** Reads what Duration prints: the JSON library knows no durations by itself. */
    static final class IsoDuration extends StdDeserializer<Duration> {
        private static final long serialVersionUID = 1L;

        IsoDuration() {
            super(Duration.class);
        }

        @Override
        public Duration deserialize(JsonParser parser, DeserializationContext context)
                throws IOException {
            String text = parser.getText();
            try {
                return Duration.parse(text);
            } catch (DateTimeParseException e) {
                throw context.weirdStringException(
                        text, Duration.class, "a duration such as PT6S or PT0.5S is expected");
            }
        }
    }
}
