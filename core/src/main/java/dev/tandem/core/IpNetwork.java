package dev.tandem.core;

import java.util.Comparator;
import java.util.Optional;

/** A network in CIDR notation. Host bits may be set in the text; they do not matter here. */
public record IpNetwork(IpAddress address, int prefix) {

    /**
     * Networks in the order of their first address, the wider first: one that overlaps any before
     * it overlaps the last that overlapped nothing.
     */
    public static final Comparator<IpNetwork> BY_FIRST_ADDRESS =
            Comparator.comparing(IpNetwork::first).thenComparingInt(IpNetwork::prefix);

    public IpNetwork {
        if (prefix < 0 || prefix > address.bits()) {
            throw new IllegalArgumentException(
                    "a prefix of " + prefix + " does not fit an address of " + address.bits());
        }
    }

    /** Empty when the text is not an address, a slash and a prefix length that fits it. */
    public static Optional<IpNetwork> parse(String text) {
        int slash = text.indexOf('/');
        String length = text.substring(slash + 1);
        if (slash < 0 || !length.matches("[0-9]{1,3}")) {
            return Optional.empty();
        }
        int prefix = Integer.parseInt(length);
        return IpAddress.parse(text.substring(0, slash))
                .filter(address -> prefix <= address.bits())
                .map(address -> new IpNetwork(address, prefix));
    }

    public boolean contains(IpAddress other) {
        return sharesBits(other, prefix);
    }

    public boolean overlaps(IpNetwork other) {
        return sharesBits(other.address, Math.min(prefix, other.prefix));
    }

    private IpAddress first() {
        return address.masked(prefix);
    }

    private boolean sharesBits(IpAddress other, int count) {
        if (other.bits() != address.bits()) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (address.bit(i) != other.bit(i)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return address + "/" + prefix;
    }
}
