package dev.tandem.host.bmc;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** A login at a BMC. The password appears in no text made by this class. */
public record BmcCredentials(String user, String password) {

    public BmcCredentials {
        if (user.isEmpty() || user.indexOf(':') >= 0) {
            throw new IllegalArgumentException(
                    "the user name of a BMC must not be empty or have a colon");
        }
    }

    String basicAuthorization() {
        byte[] pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(pair);
    }

    @Override
    public String toString() {
        return "BmcCredentials[" + user + "]";
    }
}
