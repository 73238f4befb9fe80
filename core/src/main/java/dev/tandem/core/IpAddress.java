package dev.tandem.core;

import java.util.Arrays;
import java.util.Optional;

/**
 * An IPv4 or IPv6 address, read from text without asking any resolver. {@link #toString} is the
 * canonical form (RFC 5952), so two spellings of one address are equal and print alike. An
 * IPv4-mapped IPv6 address is the IPv4 address it stands for.
 */
public final class IpAddress implements Comparable<IpAddress> {
    private static final int V4_BYTES = 4;
    private static final int V6_BYTES = 16;
    private static final int V6_GROUPS = 8;

    private final byte[] bytes;

    private IpAddress(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Empty when the text is no address; brackets and zones belong to URLs and hosts, not here. */
    public static Optional<IpAddress> parse(String text) {
        byte[] bytes = text.indexOf(':') >= 0 ? v6(text) : v4(text);
        return bytes.length == 0 ? Optional.empty() : Optional.of(new IpAddress(unmapped(bytes)));
    }

    public boolean isV6() {
        return bytes.length == V6_BYTES;
    }

    /** Whether a node or a BMC can be reached by it from another machine without further words. */
    public boolean isGlobalUnicast() {
        int first = bytes[0] & 0xff;
        if (isV6()) {
            return first != 0xff && !isLinkLocal() && !isLoopbackOrUnspecified();
        }
        return first != 127 && first != 0 && first < 224 && !isLinkLocal();
    }

    /** Whether it counts only between machines on one cable. */
    public boolean isLinkLocal() {
        int first = bytes[0] & 0xff;
        int second = bytes[1] & 0xff;
        return isV6() ? first == 0xfe && (second & 0xc0) == 0x80 : first == 169 && second == 254;
    }

    private boolean isLoopbackOrUnspecified() {
        for (int i = 0; i < bytes.length - 1; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return bytes[bytes.length - 1] == 0 || bytes[bytes.length - 1] == 1;
    }

    /** Bit {@code index} counted from the most significant one. */
    boolean bit(int index) {
        return ((bytes[index / 8] >> (7 - index % 8)) & 1) == 1;
    }

    /** The same address with all bits after the first {@code prefix} cleared. */
    IpAddress masked(int prefix) {
        byte[] cleared = bytes.clone();
        for (int i = prefix; i < bits(); i++) {
            cleared[i / 8] &= (byte) ~(0x80 >> (i % 8));
        }
        return new IpAddress(cleared);
    }

    public int bits() {
        return bytes.length * 8;
    }

    private static byte[] unmapped(byte[] bytes) {
        if (bytes.length != V6_BYTES) {
            return bytes;
        }
        for (int i = 0; i < 10; i++) {
            if (bytes[i] != 0) {
                return bytes;
            }
        }
        boolean mapped = bytes[10] == (byte) 0xff && bytes[11] == (byte) 0xff;
        return mapped ? Arrays.copyOfRange(bytes, 12, V6_BYTES) : bytes;
    }

    /**
     * Four decimal numbers and nothing else. Leading zeros are refused: one half of the world reads
     * them as octal.
     */
    private static byte[] v4(String text) {
        String[] parts = text.split("\\.", -1);
        if (parts.length != V4_BYTES) {
            return new byte[0];
        }
        byte[] bytes = new byte[V4_BYTES];
        for (int i = 0; i < V4_BYTES; i++) {
            String part = parts[i];
            boolean leadingZero = part.length() > 1 && part.charAt(0) == '0';
            if (part.isEmpty() || part.length() > 3 || leadingZero || !digits(part)) {
                return new byte[0];
            }
            int number = Integer.parseInt(part);
            if (number > 255) {
                return new byte[0];
            }
            bytes[i] = (byte) number;
        }
        return bytes;
    }

    private static boolean digits(String text) {
        return text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static byte[] v6(String text) {
        int gap = text.indexOf("::");
        if (gap < 0) {
            byte[] all = groups(text);
            return all.length == V6_BYTES ? all : new byte[0];
        }
        if (text.indexOf("::", gap + 1) >= 0) {
            return new byte[0];
        }
        String left = text.substring(0, gap);
        String right = text.substring(gap + 2);
        byte[] head = left.isEmpty() ? new byte[0] : groups(left);
        byte[] tail = right.isEmpty() ? new byte[0] : groups(right);
        boolean bad = head.length == 0 != left.isEmpty() || tail.length == 0 != right.isEmpty();
        if (bad || left.indexOf('.') >= 0 || head.length + tail.length > V6_BYTES - 2) {
            return new byte[0];
        }
        byte[] bytes = new byte[V6_BYTES];
        System.arraycopy(head, 0, bytes, 0, head.length);
        System.arraycopy(tail, 0, bytes, V6_BYTES - tail.length, tail.length);
        return bytes;
    }

    /** Colon-separated groups, the last of which may be an IPv4 address; empty when malformed. */
    private static byte[] groups(String text) {
        String[] parts = text.split(":", -1);
        if (parts.length > V6_GROUPS) {
            return new byte[0];
        }
        byte[] bytes = new byte[V6_BYTES];
        int length = 0;
        for (int i = 0; i < parts.length; i++) {
            String part = parts[i];
            if (i == parts.length - 1 && part.indexOf('.') >= 0) {
                byte[] embedded = v4(part);
                if (embedded.length == 0 || length + V4_BYTES > V6_BYTES) {
                    return new byte[0];
                }
                System.arraycopy(embedded, 0, bytes, length, V4_BYTES);
                length += V4_BYTES;
            } else {
                boolean hex =
                        part.chars().allMatch(c -> c < 128 && Character.digit((char) c, 16) >= 0);
                if (part.isEmpty() || part.length() > 4 || !hex || length + 2 > V6_BYTES) {
                    return new byte[0];
                }
                int group = Integer.parseInt(part, 16);
                bytes[length++] = (byte) (group >> 8);
                bytes[length++] = (byte) group;
            }
        }
        return Arrays.copyOf(bytes, length);
    }

    @Override
    public int compareTo(IpAddress other) {
        int families = Integer.compare(bytes.length, other.bytes.length);
        return families != 0 ? families : Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IpAddress that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return isV6() ? v6Text() : v4Text();
    }

    private String v4Text() {
        return (bytes[0] & 0xff)
                + "."
                + (bytes[1] & 0xff)
                + "."
                + (bytes[2] & 0xff)
                + "."
                + (bytes[3] & 0xff);
    }

    /**
     * The longest run of two or more zero groups, the first of equals, shrinks to a double colon.
     */
    private String v6Text() {
        int[] groups = new int[V6_GROUPS];
        for (int i = 0; i < V6_GROUPS; i++) {
            groups[i] = ((bytes[2 * i] & 0xff) << 8) | (bytes[2 * i + 1] & 0xff);
        }
        int longest = 0;
        int start = -1;
        for (int i = 0; i < V6_GROUPS; i++) {
            int length = 0;
            while (i + length < V6_GROUPS && groups[i + length] == 0) {
                length++;
            }
            if (length > longest && length > 1) {
                longest = length;
                start = i;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < V6_GROUPS; i++) {
            if (i == start) {
                text.append("::");
                i += longest - 1;
                continue;
            }
            if (i > 0 && text.charAt(text.length() - 1) != ':') {
                text.append(':');
            }
            text.append(Integer.toHexString(groups[i]));
        }
        return text.toString();
    }
}
