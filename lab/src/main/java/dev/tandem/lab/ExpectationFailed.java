package dev.tandem.lab;

import org.jspecify.annotations.Nullable;

/** Something that was waited for or expected of a lab and did not come; the message names it. */
public final class ExpectationFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ExpectationFailed(String what) {
        super(what);
    }

    public ExpectationFailed(String what, @Nullable Throwable cause) {
        super(what, cause);
    }
}
