package dev.tandem.agent.peer;

import dev.tandem.agentapi.JournalEvent.AttributeMessageRefused.Fault;
import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
import dev.tandem.host.pki.SignedText;
import dev.tandem.host.pki.SiteTrust;
import dev.tandem.host.pki.TlsIdentity;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Puts messages into the form of an attribute and takes the peer's out of it. Members of {@code
 * haclient} can write any attribute, and a message of the peer can make this node take over; so a
 * message is signed with the key of the agent, and packed, because an attribute is an argument of a
 * program and may have no more than 128 KiB.
 *
 * <p>What was signed once can be put there again. Therefore each message has the boot of its writer
 * and a number that rises in that boot, and none is heard that is older than one that was heard.
 */
public final class SignedAttribute {
    /** Told of refusals; not of each, since anybody can cause any number of them. */
    public interface Refusals {
        void refused(Fault why, long soFar);
    }

    /** Below the 128 KiB that Linux allows for one argument. */
    static final int LONGEST = 120 << 10;

    /** Twice the largest message over HTTPS: a question and an answer. */
    private static final int MOST_BYTES = 2 * PeerListener.MOST_BODY;

    private static final String SUBJECT = "tandem-letter 2";
    private static final int MOST_BOOTS = 16;

    private final TlsIdentity identity;
    private final BootId boot;
    private final SiteTrust trust;
    private final PeerCertificates certificates;
    private final Refusals refusals;

    private final Map<Fault, Long> counts = new EnumMap<>(Fault.class);
    private final Set<BootId> overBoots = new LinkedHashSet<>();
    private Optional<Opened> newest = Optional.empty();
    private String lastRefused = "";

    /**
     * A message of the peer.
     *
     * @param boot of the peer, when it wrote it
     */
    record Opened(BootId boot, AttributeMessage message) {}

    public SignedAttribute(
            TlsIdentity identity,
            BootId boot,
            List<X509Certificate> authorities,
            PeerCertificates certificates,
            Refusals refusals) {
        this.identity = identity;
        this.boot = boot;
        this.trust = new SiteTrust(authorities, certificates::refusal);
        this.certificates = certificates;
        this.refusals = refusals;
    }

    /** The value of the attribute. */
    String write(AttributeMessage message) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        content.writeBytes(
                "%s\n%d\n"
                        .formatted(boot.value(), message.stamp())
                        .getBytes(StandardCharsets.UTF_8));
        try (DeflaterOutputStream packed = new DeflaterOutputStream(content)) {
            packed.write(message.bytes());
        } catch (IOException e) {
            throw new IllegalStateException("bytes in memory could not be written", e);
        }
        String text = SignedText.sign(identity, SUBJECT, content.toByteArray());
        if (text.length() > LONGEST) {
            throw new Failure(
                    "cannot tell the peer over attributes of the cluster",
                    "the message has %d bytes, more than %d".formatted(text.length(), LONGEST),
                    "open TCP port 9443 between the nodes, so that the agents reach each other"
                            + " again");
        }
        return text;
    }

    /** Empty where there is nothing to be heard. */
    synchronized Optional<Opened> read(String text) {
        if (text.length() > LONGEST) {
            return refused(text, Fault.TOO_LONG);
        }
        Optional<SignedText.Verified> verified = SignedText.verify(text, SUBJECT, trust);
        if (verified.isEmpty()) {
            return refused(text, Fault.NOT_SIGNED);
        }
        certificates.shown(verified.get().signer());
        Optional<Opened> opened = unpacked(verified.get().content());
        if (opened.isEmpty()) {
            return refused(text, Fault.NOT_UNDERSTOOD);
        }
        return isOld(opened.get()) ? refused(text, Fault.OLD) : opened;
    }

    private boolean isOld(Opened opened) {
        return overBoots.contains(opened.boot())
                || newest.filter(known ->
                                known.boot().equals(opened.boot())
                                        && opened.message().stamp() < known.message().stamp())
                        .isPresent();
    }

    /**
     * To be called once a message has shown that it is no older than a few seconds. Before that, an
     * old message of a boot that this agent never heard of would silence the present one.
     */
    synchronized void isFresh(Opened opened) {
        newest.map(Opened::boot)
                .filter(known -> !known.equals(opened.boot()))
                .ifPresent(overBoots::add);
        if (overBoots.size() > MOST_BOOTS) {
            overBoots.remove(overBoots.iterator().next());
        }
        newest = Optional.of(opened);
    }

    /** The same text is read twice a second for as long as it is there, and counts once. */
    private Optional<Opened> refused(String text, Fault why) {
        if (!text.equals(lastRefused)) {
            lastRefused = text;
            long soFar = counts.merge(why, 1L, Long::sum);
            if (isPowerOfTen(soFar)) {
                refusals.refused(why, soFar);
            }
        }
        return Optional.empty();
    }

    private static boolean isPowerOfTen(long number) {
        long rest = number;
        while (rest % 10 == 0) {
            rest /= 10;
        }
        return rest == 1;
    }

    private static Optional<Opened> unpacked(byte[] content) {
        int first = indexOf(content, 0);
        int second = first < 0 ? -1 : indexOf(content, first + 1);
        if (second < 0) {
            return Optional.empty();
        }
        String boot = new String(content, 0, first, StandardCharsets.UTF_8);
        String stamp = new String(content, first + 1, second - first - 1, StandardCharsets.UTF_8);
        byte[] packed = Arrays.copyOfRange(content, second + 1, content.length);
        try (InputStream plain = new InflaterInputStream(new ByteArrayInputStream(packed))) {
            byte[] json = plain.readNBytes(MOST_BYTES);
            return AttributeMessage.parse(json)
                    .filter(message -> Long.toString(message.stamp()).equals(stamp))
                    .map(message -> new Opened(new BootId(boot), message));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static int indexOf(byte[] content, int from) {
        for (int i = from; i < content.length; i++) {
            if (content[i] == '\n') {
                return i;
            }
        }
        return -1;
    }
}
