package dev.tandem.agent.bmc;

import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.agent.state.BootTimestamps.Event;
import dev.tandem.agent.state.BootTimestamps.Moment;

/** Keeps, beyond the life of an agent, that a BMC controls another machine than its node. */
interface AnotherMachineMark {
    /** Of a BMC through which nothing is fenced from here. */
    AnotherMachineMark NOT_KEPT =
            new AnotherMachineMark() {
                @Override
                public boolean isSet() {
                    return false;
                }

                @Override
                public void set() {
                    // The next agent finds out by itself.
                }

                @Override
                public void clear() {
                    // Nothing was kept.
                }
            };

    boolean isSet();

    void set();

    void clear();

    /** That of the peer's BMC, for this boot; the second level's shim reads it too. */
    static AnotherMachineMark ofThePeer(BootTimestamps moments) {
        return new AnotherMachineMark() {
            @Override
            public boolean isSet() {
                return !(moments.last(Event.OTHER_MACHINE_FOUND) instanceof Moment.Never);
            }

            @Override
            public void set() {
                // One that could not be noted is tried again with the next look.
                if (!(moments.last(Event.OTHER_MACHINE_FOUND) instanceof Moment.At)) {
                    boolean _ = moments.note(Event.OTHER_MACHINE_FOUND);
                }
            }

            @Override
            public void clear() {
                moments.forget(Event.OTHER_MACHINE_FOUND);
            }
        };
    }
}
