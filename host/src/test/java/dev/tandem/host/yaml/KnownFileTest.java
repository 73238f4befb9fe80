package dev.tandem.host.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.testing.PrintedCommands;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class KnownFileTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {kind: ClusterPlan, name: a}                      | PLAN
                    {name: a, nodes: []}                              | PLAN
                    {apiVersion: v1, baseDomain: example.com}         | INSTALL_CONFIG
                    {apiVersion: v1, metadata: {name: a}}             |
                    {apiVersion: v1beta1, kind: AgentConfig}          | AGENT_CONFIG
                    {apiVersion: v1, kind: Config, clusters: []}      | KUBECONFIG
                    {kind: EncryptionConfiguration, apiVersion: a/v1} | ENCRYPTION
                    {"auths": {"registry.example": {}}}               | PULL_SECRET
                    {apiVersion: v1, kind: Secret}                    | KUBERNETES_OBJECT
                    {$schema: 'https://json-schema.org/draft'}        | JSON_SCHEMA
                    -----BEGIN CERTIFICATE-----                       | CERTIFICATE
                    -----BEGIN PRIVATE KEY-----                       | PRIVATE_KEY
                    sesame                                            | ONE_LINE
                    {profile: fast}                                   |
                    '# nothing'                                       |
                    """)
    void isToldByItsShape(String text, KnownFile known) {
        assertThat(KnownFile.of(text.getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(Optional.ofNullable(known));
    }

    @ParameterizedTest
    @EnumSource
    void saysWhereItBelongs(KnownFile known) {
        assertThat(known.remedy(Path.of("/root/a.yaml"))).isNotBlank().doesNotContain("{file}");
        assertThat(PrintedCommands.faults(known.remedy(Path.of("/root/a.yaml")))).isEmpty();
    }
}
