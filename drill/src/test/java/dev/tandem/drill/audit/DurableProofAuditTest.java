package dev.tandem.drill.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.tandem.agentapi.AgentJson;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the audit says of proofs that outlived what they proved. The peer lives in boot b2. */
class DurableProofAuditTest {
    private static DurableProofAudit kept(String memory, String peerBoot) {
        try {
            return new DurableProofAudit("node-0", AgentJson.MAPPER.readTree(memory), peerBoot);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {"is":"Fenced","peerBoot":"b1","observed":"OFF"}                                                 | true
                    {"is":"Fenced","peerBoot":"b2","observed":"OFF"}                                                 | false
                    {"is":"Fenced","peerBoot":"b2","observed":"UNKNOWN"}                                             | false
                    {"is":"Fenced","observed":"OFF"}                                                                 | false
                    {"is":"Fenced","peerBoot":"","observed":"OFF"}                                                   | false
                    {"is":"Stated","statement":"PEER_IS_OFF","incident":{"peerBoot":"b1"}}                           | true
                    {"is":"Stated","statement":"PEER_IS_OFF","incident":{"peerBoot":"unheard"}}                      | true
                    {"is":"Stated","statement":"PEER_IS_OFF","incident":{"peerBoot":"b2"}}                           | false
                    {"is":"Stated","statement":"PEER_IS_OFF_LOSS_ACCEPTED","incident":{"peerBoot":"b2"}}             | false
                    {"is":"Stated","statement":"PEER_IS_OFF"}                                                        | false
                    {"is":"Stated","statement":"KEEP_PEERS_HISTORY","incident":{"peerBoot":"b2"}}                    | true
                    {"is":"Stated","statement":"SOMETHING_NEW","incident":{"peerBoot":"b1"}}                         | false
                    {"is":"Dreamt","peerBoot":"b1"}                                                                  | false
                    {"peerBoot":"b1"}                                                                                | false
                    """)
    void noProofIsAboutALivingBoot(String proof, boolean fine) {
        DurableProofAudit proofs = kept("{\"proofs\":[" + proof + "]}", "b2");

        assertThat(proofs.aboutALivingBoot()).hasSize(fine ? 0 : 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"proofs\":{}}", "[]", "\"\""})
    void whatCannotBeReadIsAFinding(String memory) {
        assertThat(kept(memory, "b2").aboutALivingBoot()).hasSize(1);
    }

    @Test
    void withoutThePeersBootNothingIsKnown() {
        assertThat(kept("{\"proofs\":[]}", "").aboutALivingBoot()).hasSize(1);
        assertThat(kept("{\"proofs\":[]}", "b2").aboutALivingBoot()).isEmpty();
    }
}
