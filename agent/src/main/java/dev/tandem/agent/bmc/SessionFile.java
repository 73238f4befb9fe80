package dev.tandem.agent.bmc;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.core.BmcAddress;
import dev.tandem.host.RunFile;
import dev.tandem.host.bmc.login.SessionStore;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The session at a BMC, for the next agent of this boot. It opens what the password opens, which
 * lies on the same machine for the same reader.
 */
final class SessionFile implements SessionStore {
    private static final int VERSION = 1;

    private final RunFile file;
    private final String address;
    private final String user;

    /** As a file has it; the path is empty where the BMC told none. */
    private record Form(int version, String address, String user, String path, String token) {
        Form {
            Stream.of(address, user, path, token).forEach(Objects::requireNonNull);
        }

        @Override
        public String toString() {
            return "Form[" + address + ", " + path + "]";
        }
    }

    SessionFile(RunFile file, BmcAddress address, String user) {
        this.file = file;
        this.address = address.toString();
        this.user = user;
    }

    /** That of an agent before this one, with the same account of the same BMC. */
    @Override
    public Optional<KeptSession> kept() {
        return file.read().flatMap(this::parsed);
    }

    private Optional<KeptSession> parsed(String text) {
        try {
            Form form = AgentJson.MAPPER.readValue(text, Form.class);
            boolean fits =
                    form.version() == VERSION
                            && form.address().equals(address)
                            && form.user().equals(user)
                            && !form.token().isEmpty()
                            && form.token().chars().noneMatch(Character::isISOControl);
            return fits
                    ? Optional.of(
                            new KeptSession(
                                    form.token(),
                                    Optional.of(form.path()).filter(path -> !path.isEmpty())))
                    : Optional.empty();
        } catch (JsonProcessingException e) {
            // Of another release: that session ends by disuse.
            return Optional.empty();
        }
    }

    @Override
    public synchronized void keep(KeptSession session) {
        file.write(
                AgentJson.line(
                        new Form(
                                VERSION,
                                address,
                                user,
                                session.path().orElse(""),
                                session.token())));
    }

    @Override
    public synchronized void forget(KeptSession session) {
        if (kept().equals(Optional.of(session))) {
            file.delete();
        }
    }
}
