package dev.tandem.host.credential;

import dev.tandem.host.Commands;
import dev.tandem.host.testing.PatientCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The real programs; systemd-creds with a key in a file of the test's, so that the machine that
 * runs the test keeps its own.
 *
 * @param key made by the first who encrypts
 */
public record OtherCredentialKey(Path key) implements Commands {
    @Override
    public Output run(Duration limit, List<String> command, String stdin) {
        List<String> all = new ArrayList<>(List.of("env", "SYSTEMD_CREDENTIAL_SECRET=" + key));
        all.addAll(command);
        return new PatientCommands().run(limit, all, stdin);
    }
}
