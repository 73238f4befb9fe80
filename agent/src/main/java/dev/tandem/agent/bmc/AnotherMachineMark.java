package dev.tandem.agent.bmc;

import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.agent.state.BootTimestamps.Event;
import dev.tandem.agent.state.BootTimestamps.Moment;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.UnexpectedErrors;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.NodeIdentities;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Keeps, beyond the life of an agent, that a BMC controls another machine than its node, and what
 * that machine told of itself: only what tells the same is still that machine.
 */
interface AnotherMachineMark {
    /** Of a BMC through which nothing is fenced from here. */
    AnotherMachineMark NOT_KEPT =
            new AnotherMachineMark() {
                @Override
                public boolean isSet() {
                    return false;
                }

                @Override
                public HardwareIdentity told() {
                    return HardwareIdentity.UNTOLD;
                }

                @Override
                public void set(HardwareIdentity told) {
                    // The next agent finds out by itself.
                }

                @Override
                public void clear() {
                    // Nothing was kept.
                }
            };

    boolean isSet();

    /** What the other machine told; nothing where that was not kept. */
    HardwareIdentity told();

    void set(HardwareIdentity told);

    void clear();

    /**
     * That of the peer's BMC, for this boot; the second level's shim reads it too.
     *
     * @param told where is kept what the other machine told
     */
    static AnotherMachineMark ofThePeer(BootTimestamps moments, Path told) {
        return new AnotherMachineMark() {
            @Override
            public boolean isSet() {
                return !(moments.last(Event.OTHER_MACHINE_FOUND) instanceof Moment.Never);
            }

            @Override
            public HardwareIdentity told() {
                try {
                    return Files.exists(told)
                            ? NodeIdentities.parse(Files.readString(told).strip())
                            : HardwareIdentity.UNTOLD;
                } catch (IOException e) {
                    UnexpectedErrors.log("reading " + told, e);
                    return HardwareIdentity.UNTOLD;
                }
            }

            @Override
            public void set(HardwareIdentity other) {
                if (!told().equals(other)) {
                    keep(other);
                }
                // One that could not be noted is tried again with the next look.
                if (!(moments.last(Event.OTHER_MACHINE_FOUND) instanceof Moment.At)) {
                    boolean _ = moments.note(Event.OTHER_MACHINE_FOUND);
                }
            }

            private void keep(HardwareIdentity other) {
                try {
                    DurableFiles.createDirectories(DurableFiles.parent(told));
                    DurableFiles.write(told, NodeIdentities.written(other) + "\n");
                } catch (IOException e) {
                    // Then the next agent does not know, and believes less.
                    UnexpectedErrors.log("keeping what another machine's BMC told", e);
                }
            }

            @Override
            public void clear() {
                moments.forget(Event.OTHER_MACHINE_FOUND);
                try {
                    Files.deleteIfExists(told);
                } catch (IOException e) {
                    // It counts with the mark only, which is gone.
                    UnexpectedErrors.log("deleting " + told, e);
                }
            }
        };
    }
}
