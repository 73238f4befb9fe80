package dev.tandem.install.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.MacAddress;
import dev.tandem.install.yaml.Secret;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FencingCredentialTest {

    @ParameterizedTest
    @CsvSource({
        "'', aa:bb:cc:dd:ee:01, 261dddd03aae841c2149ad8897e00961b9d429edc07213cbcfd840802d53e43b",
        "'', AA-BB-CC-DD-EE-01, 261dddd03aae841c2149ad8897e00961b9d429edc07213cbcfd840802d53e43b",
        "'', aa:bb:cc:dd:ee:02, 73b6d39a7211d7573527aed4a201b5fa7e8801249a7e316ab217fa7532a0cdb5",
        "node-0, aa:bb:cc:dd:ee:01, node-0",
        "node-0.example.com, '', node-0.example.com"
    })
    void theSecretIsNamedByHostOrByTheDigestOfTheCard(String host, String mac, String name) {
        FencingCredential credential =
                new FencingCredential(
                        Duplicates.unlessEmpty(host),
                        MacAddress.parse(mac),
                        BmcAddress.of("https://h/redfish/v1/Systems/1"),
                        "fence",
                        new Secret("hunter2"),
                        true);

        assertThat(credential.secretName()).isEqualTo("fencing-credentials-" + name);
        assertThat(credential.toString()).doesNotContain("hunter2");
    }

    @Test
    void aSecretShowsNothing() {
        Secret secret = new Secret("hunter2");

        assertThat(secret).hasToString("(hidden)");
        assertThat(secret).isEqualTo(new Secret("hunter2")).isNotEqualTo(new Secret("hunter3"));
        assertThat(Optional.of(secret).toString()).doesNotContain("hunter2");
    }
}
