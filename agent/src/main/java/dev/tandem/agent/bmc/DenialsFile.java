package dev.tandem.agent.bmc;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.tandem.agent.state.RunFile;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.login.Denials;
import dev.tandem.host.bmc.login.LoginBackoff;
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
 * What a BMC denied, for the next agent of this boot: an agent that is restarted again and again
 * must not lock an account. Of the credentials there is a hash in it, since others may be tried at
 * once.
 *
 * <p>Its moments are of {@link System#nanoTime}, which on Linux counts from the boot for every
 * program (CLOCK_MONOTONIC, OpenJDK 25). One that lies ahead is not believed.
 */
record DenialsFile(RunFile file, String credentials, LongSupplier nanos)
        implements LoginBackoff.Memory {
    private static final int VERSION = 2;

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

    DenialsFile(RunFile file, BmcCredentials credentials, LongSupplier nanos) {
        this(file, hash(credentials), nanos);
    }

    private static String hash(BmcCredentials credentials) {
        try {
            return HexFormat.of()
                    .formatHex(
                            MessageDigest.getInstance("SHA-256")
                                    .digest(
                                            (credentials.user() + ":" + credentials.password())
                                                    .getBytes(StandardCharsets.UTF_8)));
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
            Form form = AgentJson.MAPPER.readValue(text, Form.class);
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
            // Of another release: this agent finds out by itself.
            return Optional.empty();
        }
    }

    @Override
    public void keep(Denials denials) {
        OptionalLong order = denials.lastOrder();
        file.write(
                AgentJson.line(
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
        file.delete();
    }
}
