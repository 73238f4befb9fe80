package dev.tandem.cli;

import dev.tandem.core.Failure;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A command of another module that fails, known to these tests by the service file beside them. */
@Command(name = "fail", header = "Fail.")
public final class FailingCommand implements Callable<Integer> {

    @Option(names = "--unforeseen", description = "With an unexpected error.")
    private boolean unforeseen;

    /** Brings the command in as the lab brings in its own. */
    public static final class Provider implements CommandProvider {
        @Override
        public List<Object> commands(Terminal terminal) {
            return List.of(new FailingCommand());
        }
    }

    @Override
    public Integer call() {
        if (unforeseen) {
            throw new IllegalStateException("boom");
        }
        throw new Failure(
                "cannot read the member list", "the certificate expired", "tandem certs renew");
    }
}
