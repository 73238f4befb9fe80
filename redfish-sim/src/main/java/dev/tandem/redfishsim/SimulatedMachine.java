package dev.tandem.redfishsim;

import java.io.IOException;

/** The machine a BMC has in its power. Calls that act do not overlap. */
public interface SimulatedMachine {

    MachineIdentity identity();

    /** Asked for each reading of the power state: must answer at once. */
    boolean isRunning();

    /** Returns once the machine's first process runs. */
    void powerOn() throws IOException;

    /** Returns once all its processes are gone; a machine that is off already is no failure. */
    void cutPower() throws IOException;

    /** An orderly shutdown begins; returns at once. */
    void pressPowerButton() throws IOException;
}
