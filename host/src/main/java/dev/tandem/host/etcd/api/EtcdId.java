package dev.tandem.host.etcd.api;

/**
 * A member or cluster id of etcd: 64 bits without a sign. It is shown in hexadecimal, as etcdctl
 * and etcd's log do; the JSON gateway writes it in decimal, as text. Half of all ids are negative
 * when taken for a Java long and lose digits when taken for a floating-point number.
 */
public record EtcdId(long bits) implements Comparable<EtcdId> {
    /** What etcd writes for "nobody", for example as the leader of a cluster without one. */
    public static final EtcdId NONE = new EtcdId(0);

    public static EtcdId ofDecimal(String decimal) {
        return new EtcdId(Long.parseUnsignedLong(decimal));
    }

    public boolean isNone() {
        return bits == 0;
    }

    public String decimal() {
        return Long.toUnsignedString(bits);
    }

    @Override
    public int compareTo(EtcdId other) {
        return Long.compareUnsigned(bits, other.bits);
    }

    @Override
    public String toString() {
        return Long.toHexString(bits);
    }
}
