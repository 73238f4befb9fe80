package dev.tandem.core;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The hardware address of one network card: six octets, not multicast, printed in lower case with
 * colons.
 *
 * @param hex its twelve hexadecimal digits in lower case, without separators
 */
public record MacAddress(String hex) {
    // One kind of separator throughout, as network tools print it: colons, dashes, or Cisco's dots.
    private static final Pattern FORMS =
            Pattern.compile(
                    "[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}"
                            + "|[0-9a-fA-F]{2}(?:-[0-9a-fA-F]{2}){5}"
                            + "|[0-9a-fA-F]{4}(?:\\.[0-9a-fA-F]{4}){2}");

    public MacAddress {
        if (!hex.matches("[0-9a-f]{12}")) {
            throw new IllegalArgumentException("a hardware address has twelve digits");
        }
        if (isMulticast(hex)) {
            throw new IllegalArgumentException("a multicast address belongs to no single card");
        }
    }

    /** Empty when the text is not a hardware address, or one that many cards answer to. */
    public static Optional<MacAddress> parse(String text) {
        if (!FORMS.matcher(text).matches()) {
            return Optional.empty();
        }
        String hex = text.replaceAll("[:.-]", "").toLowerCase(Locale.ROOT);
        return isMulticast(hex) ? Optional.empty() : Optional.of(new MacAddress(hex));
    }

    private static boolean isMulticast(String hex) {
        return (Integer.parseInt(hex.substring(0, 2), 16) & 1) == 1;
    }

    @Override
    public String toString() {
        return hex.replaceAll("(..)(?!$)", "$1:");
    }
}
