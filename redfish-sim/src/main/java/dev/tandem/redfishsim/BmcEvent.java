package dev.tandem.redfishsim;

import java.time.Instant;

/**
 * Something that happened at a BMC, for the lab's timeline.
 *
 * @param by who caused it: a user and the address it came from, or {@link #OWNER}
 * @param detail what exactly, in words: the reset type, the answer, the reason of a failure
 */
public record BmcEvent(Instant at, Kind kind, String by, String detail) {
    /** Whoever runs the virtual BMC, as opposed to its users. */
    public static final String OWNER = "lab";

    public enum Kind {
        /** A reset was asked for; the detail has its type and the answer's status. */
        RESET_REQUESTED,
        /** All processes of the machine are gone. */
        POWERED_OFF,
        /** The machine's first process runs. */
        POWERED_ON,
        /** Off was accepted and is read back; the machine runs on. */
        OFF_FEIGNED,
        /** Not the node but the other machine that its BMC's address leads to. */
        ANOTHER_POWERED_OFF,
        ANOTHER_POWERED_ON,
        /** The machine was asked to shut down. */
        BUTTON_PRESSED,
        /** The machine did not do what was asked of it. */
        POWER_ACTION_FAILED,
        /** Somebody had the wrong credentials. */
        LOGIN_REFUSED,
        /** Somebody took the foreign certificate for the BMC's, and asked. */
        STRANGER_ASKED,
        /** So often that nobody can log in with that account for a while. */
        ACCOUNT_LOCKED,
        SESSION_OPENED,
        SESSION_CLOSED,
        /** To one that has faults or latencies. */
        BEHAVIOUR_CHANGED,
        /** Faultless again. */
        BEHAVIOUR_RESTORED,
        /** Faultless, but for the time that its machine takes from an order to its boot. */
        BOOT_DELAYED,
        PASSWORD_CHANGED,
        /** The plug was pulled, or put back. */
        FEED_CUT,
        FEED_RESTORED
    }

    /** Hears what happens, without having to know when. */
    interface Listener {
        void happened(Kind kind, String by, String detail);
    }
}
