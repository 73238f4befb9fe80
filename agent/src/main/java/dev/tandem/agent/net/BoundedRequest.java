package dev.tandem.agent.net;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A request of HTTP/1.1 as far as our own clients and curl send it, with bounds: a body has a
 * length, there are no chunks.
 *
 * @param headers by their names in lower case; of several with one name the last
 * @param length of the body that follows
 */
public record BoundedRequest(String method, String path, Map<String, String> headers, int length) {
    /** More than any of ours sends, which is some hundred bytes. */
    private static final int MOST_HEAD = 8 << 10;

    private static final byte[] END = {'\r', '\n', '\r', '\n'};

    /** A request that is not answered as asked, with the code to say so. */
    public static final class Refused extends IOException {
        private static final long serialVersionUID = 1L;

        private final int status;

        Refused(int status, String why) {
            super(why);
            this.status = status;
        }

        public int status() {
            return status;
        }
    }

    public BoundedRequest {
        headers = Map.copyOf(headers);
    }

    /**
     * Reads up to the body; empty where the caller hangs up instead of asking.
     *
     * @param mostBody bytes of a body that is still read
     */
    public static Optional<BoundedRequest> read(InputStream in, int mostBody) throws IOException {
        String head = head(in);
        if (head.isEmpty()) {
            return Optional.empty();
        }
        String[] lines = head.split("\r\n", -1);
        String[] first = lines[0].split(" ", -1);
        if (first.length != 3) {
            throw new Refused(400, "not a request");
        }
        Map<String, String> headers = new HashMap<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon > 0) {
                headers.put(
                        lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                        lines[i].substring(colon + 1).strip());
            }
        }
        return Optional.of(
                new BoundedRequest(first[0], first[1], headers, length(headers, mostBody)));
    }

    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
    }

    /** The body, all of it. */
    public byte[] body(InputStream in) throws IOException {
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new IOException("the body ends early");
        }
        return body;
    }

    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int matched = 0;
        while (matched < END.length) {
            int next = in.read();
            if (next < 0) {
                return "";
            }
            if (head.size() == MOST_HEAD) {
                throw new Refused(431, "the head is too long");
            }
            head.write(next);
            matched = next == END[matched] ? matched + 1 : next == '\r' ? 1 : 0;
        }
        return head.toString(StandardCharsets.ISO_8859_1);
    }

    private static int length(Map<String, String> headers, int most) throws Refused {
        if (headers.containsKey("transfer-encoding")) {
            throw new Refused(411, "a body needs a length");
        }
        String number = headers.getOrDefault("content-length", "0");
        if (!number.matches("[0-9]{1,9}")) {
            throw new Refused(400, "no length");
        }
        int length = Integer.parseInt(number);
        if (length > most) {
            throw new Refused(413, "the body is too long");
        }
        return length;
    }

    /** Writes an answer in one piece. */
    public static void answer(
            OutputStream out, int status, String type, byte[] body, boolean goesOn)
            throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream(body.length + 256);
        all.writeBytes(
                "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: %s\r\n\r\n"
                        .formatted(
                                status,
                                status == 200 ? "OK" : "Refused",
                                type,
                                body.length,
                                goesOn ? "keep-alive" : "close")
                        .getBytes(StandardCharsets.ISO_8859_1));
        all.writeBytes(body);
        all.writeTo(out);
        out.flush();
    }
}
