package dev.tandem.host.pacemaker;

import dev.tandem.host.Commands;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Answers commands with what was recorded for them, in turn; an unrecorded one fails by name. */
public final class RecordedCommands implements Commands {
    private final Map<String, Deque<Output>> answers = new LinkedHashMap<>();
    public final List<List<String>> ran = new ArrayList<>();
    public final List<String> stdins = new ArrayList<>();

    /** The answer to commands that begin so. The last answer given for a command is repeated. */
    public RecordedCommands answer(String command, int exitCode, String out, String err) {
        answers.computeIfAbsent(command, _ -> new ArrayDeque<>())
                .add(new Output(exitCode, out, err));
        return this;
    }

    @Override
    public Output run(Duration limit, List<String> command, String stdin) {
        ran.add(command);
        stdins.add(stdin);
        String line = String.join(" ", command);
        for (var recorded : answers.entrySet()) {
            if (line.startsWith(recorded.getKey())) {
                Deque<Output> left = recorded.getValue();
                return left.size() > 1 ? left.removeFirst() : left.getFirst();
            }
        }
        throw new AssertionError("nobody recorded an answer to: " + line);
    }
}
