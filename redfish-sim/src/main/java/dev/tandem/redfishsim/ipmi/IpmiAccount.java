package dev.tandem.redfishsim.ipmi;

/** Somebody who may log in. */
public record IpmiAccount(String user, String password) {
    public IpmiAccount {
        // What ipmi_sim 2.0.33 reads of a password, and no more.
        if (!user.matches("[a-z0-9-]{1,16}") || !password.matches("[A-Za-z0-9.-]{1,16}")) {
            throw new IllegalArgumentException("not an account of the simulator: " + user);
        }
    }

    @Override
    public String toString() {
        return "IpmiAccount[" + user + "]";
    }
}
