package dev.tandem.core;

/**
 * The cipher suites of IPMI 2.0 that encrypt what is said and prove on both sides that the other
 * one knows the password. Those below 3 leave one of that out; suite 0 asks for no password at all.
 */
public enum IpmiCipherSuite {
    /** HMAC-SHA256 and AES-128. */
    SHA256(17),
    /** HMAC-SHA1 and AES-128, for BMCs that know nothing newer. */
    SHA1(3);

    private final int id;

    IpmiCipherSuite(int id) {
        this.id = id;
    }

    /** As the specification counts them. */
    public int id() {
        return id;
    }

    /** As it is named in an address. */
    String query() {
        return "?cipherSuite=" + id;
    }
}
