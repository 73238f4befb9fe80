package dev.tandem.host.pki;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Writes the part of DER (X.690) that a certificate is made of. There is no reader: the JDK parses
 * what is written here, and checks it.
 */
final class Der {
    private static final int BOOLEAN = 0x01;
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int OBJECT_IDENTIFIER = 0x06;
    private static final int UTF8_STRING = 0x0c;
    private static final int UTC_TIME = 0x17;
    private static final int GENERALIZED_TIME = 0x18;
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int CONTEXT = 0x80;
    private static final int CONTEXT_CONSTRUCTED = 0xa0;

    private static final DateTimeFormatter TWO_DIGIT_YEAR =
            DateTimeFormatter.ofPattern("uuMMddHHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter FOUR_DIGIT_YEAR =
            DateTimeFormatter.ofPattern("uuuuMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    private Der() {}

    static byte[] sequence(byte[]... elements) {
        return value(SEQUENCE, concat(Arrays.asList(elements)));
    }

    static byte[] sequence(List<byte[]> elements) {
        return value(SEQUENCE, concat(elements));
    }

    static byte[] set(byte[] element) {
        return value(SET, element);
    }

    static byte[] bool(boolean value) {
        return value(BOOLEAN, new byte[] {(byte) (value ? 0xff : 0)});
    }

    static byte[] integer(BigInteger value) {
        return value(INTEGER, value.toByteArray());
    }

    static byte[] octets(byte[] content) {
        return value(OCTET_STRING, content);
    }

    static byte[] bits(byte[] content) {
        return bits(content, 0);
    }

    /** A bit string whose last {@code unused} bits do not count. */
    static byte[] bits(byte[] content, int unused) {
        byte[] body = new byte[content.length + 1];
        body[0] = (byte) unused;
        System.arraycopy(content, 0, body, 1, content.length);
        return value(BIT_STRING, body);
    }

    static byte[] text(String text) {
        return value(UTF8_STRING, text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] oid(String dotted) {
        List<Integer> arcs = new ArrayList<>();
        for (String arc : dotted.split("\\.", -1)) {
            arcs.add(Integer.parseInt(arc));
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        base128(body, arcs.get(0) * 40 + arcs.get(1));
        arcs.subList(2, arcs.size()).forEach(arc -> base128(body, arc));
        return value(OBJECT_IDENTIFIER, body.toByteArray());
    }

    /** RFC 5280 4.1.2.5: two digits of the year up to 2049, four from 2050 on. */
    static byte[] time(Instant time) {
        boolean early = time.atOffset(ZoneOffset.UTC).getYear() < 2050;
        String text = (early ? TWO_DIGIT_YEAR : FOUR_DIGIT_YEAR).format(time);
        return value(early ? UTC_TIME : GENERALIZED_TIME, text.getBytes(StandardCharsets.US_ASCII));
    }

    /** [n] EXPLICIT. */
    static byte[] explicit(int number, byte[] element) {
        return value(CONTEXT_CONSTRUCTED | number, element);
    }

    /** [n] IMPLICIT of a primitive type. */
    static byte[] implicit(int number, byte[] content) {
        return value(CONTEXT | number, content);
    }

    private static void base128(ByteArrayOutputStream out, int arc) {
        int high = arc >>> 7;
        if (high != 0) {
            continued(out, high);
        }
        out.write(arc & 0x7f);
    }

    private static void continued(ByteArrayOutputStream out, int arc) {
        if (arc >>> 7 != 0) {
            continued(out, arc >>> 7);
        }
        out.write(0x80 | (arc & 0x7f));
    }

    private static byte[] value(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else {
            byte[] length = BigInteger.valueOf(content.length).toByteArray();
            int skip = length[0] == 0 ? 1 : 0;
            out.write(0x80 | (length.length - skip));
            out.write(length, skip, length.length - skip);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static byte[] concat(List<byte[]> parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        parts.forEach(out::writeBytes);
        return out.toByteArray();
    }
}
