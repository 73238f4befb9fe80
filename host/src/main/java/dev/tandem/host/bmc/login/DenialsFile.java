package dev.tandem.host.bmc.login;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tandem.core.BmcAddress;
import dev.tandem.host.RunFile;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * What a BMC denied, for the next program of this boot: an agent that is restarted again and again
 * must not lock an account. Of address and credentials there is a hash in it, since others may be
 * tried at once.
 *
 * <p>Its moments are of {@link System#nanoTime}, which on Linux counts from the boot for every
 * program (CLOCK_MONOTONIC, OpenJDK 25). One that lies ahead is not believed.
 */
public record DenialsFile(RunFile file, String credentials, LongSupplier nanos)
        implements LoginBackoff.Memory {
    private static final int VERSION = 3;
    private static final JsonMapper JSON =
            JsonMapper.builder()
                    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                    .build();

    private record Form(
            int version,
            String credentials,
            int status,
            String why,
            long since,
            int count,
            long last,
            List<Long> lastOrder,
            boolean afterSilence) {
        Form {
            Stream.of(credentials, why, lastOrder).forEach(Objects::requireNonNull);
        }
    }

    /**
     * Of one account of one BMC.
     *
     * @param nanos the monotonic clock
     */
    public DenialsFile(
            RunFile file, BmcAddress address, String user, String password, LongSupplier nanos) {
        this(file, hash(address + "\n" + user + "\n" + password), nanos);
    }

    private static String hash(String login) {
        try {
            return HexFormat.of()
                    .formatHex(
                            MessageDigest.getInstance("SHA-256")
                                    .digest(login.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public Optional<Denials> kept() {
        return file.read().flatMap(this::parsed);
    }

    private Optional<Denials> parsed(String text) {
        try {
            Form form = JSON.readValue(text, Form.class);
            long now = nanos.getAsLong();
            boolean fits =
                    form.version() == VERSION
                            && form.credentials().equals(credentials)
                            && now - form.last() >= 0
                            && now - form.since() >= 0;
            return fits
                    ? Optional.of(
                            new Denials(
                                    form.status(),
                                    form.why(),
                                    form.since(),
                                    form.count(),
                                    form.last(),
                                    form.lastOrder().stream()
                                            .mapToLong(Long::longValue)
                                            .findFirst(),
                                    form.afterSilence()))
                    : Optional.empty();
        } catch (JsonProcessingException | IllegalArgumentException e) {
            // Of another release: this program finds out by itself.
            return Optional.empty();
        }
    }

    @Override
    public void keep(Denials denials) {
        OptionalLong order = denials.lastOrder();
        file.write(
                line(
                        new Form(
                                VERSION,
                                credentials,
                                denials.status(),
                                denials.why(),
                                denials.since(),
                                denials.count(),
                                denials.last(),
                                order.stream().boxed().toList(),
                                denials.afterSilence())));
    }

    @Override
    public void forget() {
        // What was denied to other credentials stays known.
        if (kept().isPresent()) {
            file.delete();
        }
    }

    private static String line(Form form) {
        try {
            return JSON.writeValueAsString(form);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a value of ours has no JSON form", e);
        }
    }
}
