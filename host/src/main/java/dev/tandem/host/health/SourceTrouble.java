package dev.tandem.host.health;

import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A password that comes from a program or a store is not, or may soon not be, the one to use. Only
 * ever a warning: whether the password in use still logs in is found by logging in.
 *
 * @param source for people
 * @param why half a sentence
 * @param lasts for how long it has been so
 */
public record SourceTrouble(Kind kind, String source, String why, String remedy, Duration lasts) {

    /** What is wrong. */
    public enum Kind {
        /** Its source gives no password. */
        UNREAD,
        /** The same, and none is kept that can be used. */
        NONE_KEPT,
        /** Its source gives another than the one in use, and the BMC denies that. */
        REFUSED_BY_BMC,
        /** The same, and the two nodes could not both take it. */
        NOT_TAKEN
    }

    /**
     * As a warning.
     *
     * @param node whose BMC the password is for
     */
    public Impediments warning(String node) {
        return new Impediments(List.of(), List.of(impediment(node)));
    }

    private Impediment impediment(String node) {
        return switch (kind) {
            case UNREAD ->
                    new Impediment(
                            Cause.PASSWORD_SOURCE_SILENT,
                            node,
                            Optional.empty(),
                            ("the password for the BMC of %s cannot be read from %s (%s); the one"
                                            + " that was read last is still in use")
                                    .formatted(node, source, why),
                            remedy,
                            Optional.of(lasts));
            case NONE_KEPT ->
                    new Impediment(
                            Cause.PASSWORD_SOURCE_SILENT,
                            node,
                            Optional.empty(),
                            ("the password for the BMC of %s cannot be read from %s (%s), and none"
                                            + " is kept that can be used")
                                    .formatted(node, source, why),
                            remedy,
                            Optional.of(lasts));
            case REFUSED_BY_BMC ->
                    new Impediment(
                            Cause.PASSWORD_NOT_TAKEN,
                            node,
                            Optional.empty(),
                            "%s has a new password for the BMC of %s, but the BMC refuses it: %s"
                                    .formatted(source, node, why),
                            remedy,
                            Optional.of(lasts));
            case NOT_TAKEN ->
                    new Impediment(
                            Cause.PASSWORD_NOT_TAKEN,
                            node,
                            Optional.empty(),
                            "%s has a new password for the BMC of %s, which is not in use yet: %s"
                                    .formatted(source, node, why),
                            remedy,
                            Optional.of(lasts));
        };
    }
}
