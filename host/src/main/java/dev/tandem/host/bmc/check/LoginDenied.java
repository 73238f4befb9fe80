package dev.tandem.host.bmc.check;

import java.util.Optional;

/**
 * The cause of a failure: the BMC was asked, and denied the login. Each such try is counted there.
 */
public final class LoginDenied extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    LoginDenied(int status) {
        super("the BMC denied the login with status " + status);
        this.status = status;
    }

    /** As HTTP has it. */
    public int status() {
        return status;
    }

    /** The first among the causes. */
    public static Optional<LoginDenied> in(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof LoginDenied denied) {
                return Optional.of(denied);
            }
        }
        return Optional.empty();
    }
}
