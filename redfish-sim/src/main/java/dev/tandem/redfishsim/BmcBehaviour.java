package dev.tandem.redfishsim;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.IOException;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * The faults of a BMC, modelled on those reported of real ones; a fencing path has to live with
 * each.
 *
 * @param answerLatency what every answer takes; real BMCs need 0.1 to 2 s
 * @param offLatency from the accepted request until the power is gone
 * @param onLatency from the accepted request until the machine starts
 * @param whenAlreadyThere the answer to off when off, and to on when on
 * @param busyAnswers this many requests are answered with 503, counted from the moment this
 *     behaviour is set; {@link #ALWAYS} for all
 * @param retryAfter what those answers ask the client to wait
 * @param credentialsRotated nobody's password is right any more, and all sessions have ended
 * @param lies resets are accepted and nothing happens
 * @param falseOffs this many orders to switch off are accepted and read back as Off until the next
 *     order, and the machine runs on untouched; counted from the moment this behaviour is set
 * @param anotherMachine the address leads to another machine: with an identity and a power state of
 *     its own, and orders switch that one
 * @param powerStateAge readings come from a cache that is renewed when it is this old; the cache is
 *     filled when this behaviour is set, so {@link #FOREVER} freezes the state of that moment
 * @param losesPowerWithHost pulling the machine's plug silences the BMC too
 * @param sessionLimit at most this many sessions exist; the next login is refused
 * @param newPassword what the password of every account has been changed to; empty for its own.
 *     With a change all sessions have ended
 * @param accountService the answer to questions about accounts and their roles
 * @param lockAfter this many wrong logins lock an account for {@link #LOCKED}; 0 for never. As
 *     Redfish has it, the count starts over with a right login, or that long after the last wrong
 *     one
 * @param sessionsOnly basic authentication is switched off
 * @param foreignCertificate somebody else answers at the address, with a certificate for the right
 *     name from an authority that nobody knows. Connections from before are cut
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
        int falseOffs,
        boolean anotherMachine,
        @JsonSerialize(using = ToStringSerializer.class) @JsonDeserialize(using = IsoDuration.class)
                Duration powerStateAge,
        boolean losesPowerWithHost,
        int sessionLimit,
        String newPassword,
        AccountService accountService,
        int lockAfter,
        boolean sessionsOnly,
        boolean foreignCertificate) {

    public static final Duration LOCKED = Duration.ofMinutes(5);
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
                    0,
                    false,
                    Duration.ZERO,
                    false,
                    16,
                    "",
                    AccountService.ANSWERS,
                    0,
                    false,
                    false);

    /** Off for a machine that is off: the dialects differ. */
    public enum WhenAlreadyThere {
        ACCEPTS(204),
        CONFLICT(409),
        BAD_REQUEST(400);

        private final int status;

        WhenAlreadyThere(int status) {
            this.status = status;
        }

        public int status() {
            return status;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What ForceOff does. */
    public enum HardOff {
        CUTS_POWER,
        /** Not offered, and refused when asked for. */
        REFUSED,
        /** Accepted, but the machine is only asked to shut down. */
        SHUTS_DOWN;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What a client learns of accounts; BMCs that hide them differ in how they say so. */
    public enum AccountService {
        ANSWERS(200),
        UNAUTHORIZED(401),
        FORBIDDEN(403),
        NOT_FOUND(404);

        private final int status;

        AccountService(int status) {
            this.status = status;
        }

        public int status() {
            return status;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What becomes of a connection. */
    public enum Reachability {
        ANSWERS,
        /** Every connection is closed without an answer. */
        HANGS_UP,
        /** Connections open and then nothing comes, as with a BMC that hangs. */
        SILENT;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public BmcBehaviour {
        notNegative("answer latency", answerLatency);
        notNegative("off latency", offLatency);
        notNegative("on latency", onLatency);
        notNegative("retry-after", retryAfter);
        notNegative("power state age", powerStateAge);
        if (busyAnswers < 0 || falseOffs < 0 || sessionLimit < 0 || lockAfter < 0) {
            throw new IllegalArgumentException("a count cannot be below 0");
        }
    }

    /** A copy to change before it is a behaviour again. */
    private static final class Draft {
        private Duration answerLatency;
        private Duration offLatency;
        private Duration onLatency;
        private WhenAlreadyThere whenAlreadyThere;
        private int busyAnswers;
        private Duration retryAfter;
        private HardOff hardOff;
        private boolean credentialsRotated;
        private Reachability reachability;
        private boolean lies;
        private int falseOffs;
        private boolean anotherMachine;
        private Duration powerStateAge;
        private boolean losesPowerWithHost;
        private int sessionLimit;
        private String newPassword;
        private AccountService accountService;
        private int lockAfter;
        private boolean sessionsOnly;
        private boolean foreignCertificate;

        Draft(BmcBehaviour from) {
            answerLatency = from.answerLatency;
            offLatency = from.offLatency;
            onLatency = from.onLatency;
            whenAlreadyThere = from.whenAlreadyThere;
            busyAnswers = from.busyAnswers;
            retryAfter = from.retryAfter;
            hardOff = from.hardOff;
            credentialsRotated = from.credentialsRotated;
            reachability = from.reachability;
            lies = from.lies;
            falseOffs = from.falseOffs;
            anotherMachine = from.anotherMachine;
            powerStateAge = from.powerStateAge;
            losesPowerWithHost = from.losesPowerWithHost;
            sessionLimit = from.sessionLimit;
            newPassword = from.newPassword;
            accountService = from.accountService;
            lockAfter = from.lockAfter;
            sessionsOnly = from.sessionsOnly;
            foreignCertificate = from.foreignCertificate;
        }

        BmcBehaviour done() {
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
                    falseOffs,
                    anotherMachine,
                    powerStateAge,
                    losesPowerWithHost,
                    sessionLimit,
                    newPassword,
                    accountService,
                    lockAfter,
                    sessionsOnly,
                    foreignCertificate);
        }
    }

    private BmcBehaviour but(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.done();
    }

    public BmcBehaviour withAnswerLatency(Duration latency) {
        return but(draft -> draft.answerLatency = latency);
    }

    public BmcBehaviour withOffLatency(Duration latency) {
        return but(draft -> draft.offLatency = latency);
    }

    public BmcBehaviour withOnLatency(Duration latency) {
        return but(draft -> draft.onLatency = latency);
    }

    public BmcBehaviour withWhenAlreadyThere(WhenAlreadyThere answer) {
        return but(draft -> draft.whenAlreadyThere = answer);
    }

    public BmcBehaviour withBusy(int answers, Duration pause) {
        return but(draft -> {
            draft.busyAnswers = answers;
            draft.retryAfter = pause;
        });
    }

    public BmcBehaviour withHardOff(HardOff kind) {
        return but(draft -> draft.hardOff = kind);
    }

    public BmcBehaviour withCredentialsRotated(boolean rotated) {
        return but(draft -> draft.credentialsRotated = rotated);
    }

    public BmcBehaviour withReachability(Reachability kind) {
        return but(draft -> draft.reachability = kind);
    }

    public BmcBehaviour withLies(boolean lying) {
        return but(draft -> draft.lies = lying);
    }

    public BmcBehaviour withFalseOffs(int orders) {
        return but(draft -> draft.falseOffs = orders);
    }

    public BmcBehaviour withAnotherMachine(boolean another) {
        return but(draft -> draft.anotherMachine = another);
    }

    public BmcBehaviour withPowerStateAge(Duration age) {
        return but(draft -> draft.powerStateAge = age);
    }

    public BmcBehaviour withLosesPowerWithHost(boolean loses) {
        return but(draft -> draft.losesPowerWithHost = loses);
    }

    public BmcBehaviour withSessionLimit(int limit) {
        return but(draft -> draft.sessionLimit = limit);
    }

    public BmcBehaviour withNewPassword(String password) {
        return but(draft -> draft.newPassword = password);
    }

    public BmcBehaviour withAccountService(AccountService answer) {
        return but(draft -> draft.accountService = answer);
    }

    public BmcBehaviour withLockAfter(int wrongLogins) {
        return but(draft -> draft.lockAfter = wrongLogins);
    }

    public BmcBehaviour withSessionsOnly(boolean only) {
        return but(draft -> draft.sessionsOnly = only);
    }

    public BmcBehaviour withForeignCertificate(boolean foreign) {
        return but(draft -> draft.foreignCertificate = foreign);
    }

    private static void notNegative(String what, Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("the " + what + " cannot be negative: " + duration);
        }
    }

    /** Reads what Duration prints: the JSON library has no durations. */
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
