package dev.tandem.redfishsim;

import java.util.Locale;
import java.util.regex.Pattern;

/** A network interface as the machine itself sees it. */
public record Nic(String id, String mac) {
    private static final Pattern MAC = Pattern.compile("[0-9a-f]{2}(:[0-9a-f]{2}){5}");

    public Nic {
        mac = mac.toLowerCase(Locale.ROOT);
        if (!MAC.matcher(mac).matches()) {
            throw new IllegalArgumentException("'" + mac + "' is not a MAC address");
        }
    }
}
