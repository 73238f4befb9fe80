package dev.tandem.host.credential;

import dev.tandem.host.Commands;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Starts systemd-creds for what it has not decrypted lately, and every other program each time. An
 * agent compares its passwords several times a minute, and has them in memory anyway.
 *
 * <p>One that a busy machine does not answer in time tells nothing, and what it told before stands;
 * one that refuses has lost its key, and that is told.
 */
public final class RememberedDecryption implements Commands {
    /** How long a lost key may stay unnoticed: a fence by tandem-agent does not need it. */
    static final Duration FRESH = Duration.ofMinutes(5);

    /** A machine too busy for an answer is not asked at every look. */
    static final Duration AFTER_NO_ANSWER = Duration.ofMinutes(1);

    /** Both nodes' BMCs, each with a second, and what is changed meanwhile. */
    private static final int MOST = 16;

    private final Commands commands;
    private final LongSupplier nanos;
    private final Map<Question, Answer> answers = new LinkedHashMap<>();

    /** Its text appears in no text. */
    private record Question(List<String> command, String sealed) {
        @Override
        public String toString() {
            return "Question[]";
        }
    }

    private record Answer(Output output, long until) {
        @Override
        public String toString() {
            return "Answer[]";
        }
    }

    public RememberedDecryption(Commands commands, LongSupplier nanos) {
        this.commands = commands;
        this.nanos = nanos;
    }

    @Override
    public Output run(Duration limit, List<String> command, String stdin) {
        if (!SealedPassword.isDecryption(command)) {
            return commands.run(limit, command, stdin);
        }
        Question question = new Question(List.copyOf(command), stdin);
        Optional<Answer> known = known(question);
        if (known.filter(answer -> nanos.getAsLong() - answer.until() < 0).isPresent()) {
            return known.get().output();
        }
        Output output = commands.run(limit, command, stdin);
        if (output.ok()) {
            keep(question, new Answer(output, nanos.getAsLong() + FRESH.toNanos()));
            return output;
        }
        if (SealedPassword.isRefusal(output) || known.isEmpty()) {
            forget(question);
            return output;
        }
        Output before = known.get().output();
        keep(question, new Answer(before, nanos.getAsLong() + AFTER_NO_ANSWER.toNanos()));
        return before;
    }

    private synchronized Optional<Answer> known(Question question) {
        return Optional.ofNullable(answers.get(question));
    }

    private synchronized void keep(Question question, Answer answer) {
        answers.remove(question);
        answers.put(question, answer);
        while (answers.size() > MOST) {
            answers.remove(answers.keySet().iterator().next());
        }
    }

    private synchronized void forget(Question question) {
        answers.remove(question);
    }
}
