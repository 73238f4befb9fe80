package dev.tandem.redfishsim.ipmi;

/** What an IPMI chassis has of its machine. */
public interface PowerButton {
    /** Asked for each reading: must answer at once. */
    boolean isOn();

    /** The power is cut, now or soon; returns at once. */
    void off();

    void on();
}
