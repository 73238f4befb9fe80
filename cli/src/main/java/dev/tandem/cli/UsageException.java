package dev.tandem.cli;

import dev.tandem.core.Failure;

/**
 * A value that was typed and that cannot be meant: {@link ExitCode#USAGE}, and nothing was done.
 */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Failure failure;

    public UsageException(String what, String why, String remedy) {
        super(what + ": " + why);
        this.failure = new Failure(what, why, remedy);
    }

    Failure failure() {
        return failure;
    }
}
