package dev.tandem.drill.audit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the audit says of proofs that outlived what they proved. The peer lives in boot b2. */
class DurableProofAuditTest {
    private static DurableProofAudit kept(String memory, String peerBoot) {
        return new DurableProofAudit("node-0", memory.replace('\'', '"'), peerBoot);
    }

    private static String memory(String proofs) {
        return "{'version':1,'abdication':{'is':'None'},'claim':{'is':'None'},'proofs':["
                + proofs
                + "]}";
    }

    private static String fenced(String peerBoot, String observed) {
        return ("{'is':'Fenced','target':'node-1','peerBoot':'%s','method':'fence_tandem',"
                        + "'observed':'%s','time':'2026-01-01T00:00:00Z'}")
                .formatted(peerBoot, observed);
    }

    private static String stated(String statement, String peerBoot) {
        return ("{'is':'Stated','statement':'%s','about':'node-1',"
                        + "'incident':{'boot':'b0','peerBoot':'%s','epoch':1},"
                        + "'bmc':'UNKNOWN','person':'root','time':'2026-01-01T00:00:00Z'}")
                .formatted(statement, peerBoot);
    }

    @ParameterizedTest
    @CsvSource({
        "b1, OFF, true",
        "b2, OFF, false",
        "b2, UNKNOWN, false",
        "'', OFF, false",
        "b1, DARK, false",
    })
    void noFenceIsAboutALivingBoot(String peerBoot, String observed, boolean fine) {
        DurableProofAudit proofs = kept(memory(fenced(peerBoot, observed)), "b2");

        assertThat(proofs.aboutALivingBoot()).hasSize(fine ? 0 : 1);
    }

    @ParameterizedTest
    @CsvSource({
        "PEER_IS_OFF, b1, true",
        "PEER_IS_OFF, unheard, true",
        "PEER_IS_OFF, b2, false",
        "PEER_IS_OFF, '', false",
        "PEER_IS_OFF_LOSS_ACCEPTED, b2, false",
        "KEEP_PEERS_HISTORY, b2, true",
        "SOMETHING_NEW, b1, false",
    })
    void noStatementIsAboutALivingBoot(String statement, String peerBoot, boolean fine) {
        DurableProofAudit proofs = kept(memory(stated(statement, peerBoot)), "b2");

        assertThat(proofs.aboutALivingBoot()).hasSize(fine ? 0 : 1);
    }

    /** A proof of a kind that is new here, or never kept, or that lacks what makes it one. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'is':'Dreamt','peerBoot':'b1'}",
                "{'peerBoot':'b1'}",
                "{'is':'Fenced','observed':'OFF'}",
                "{'is':'Stated','statement':'PEER_IS_OFF'}",
                "{'is':'Yielded','abdication':{'is':'Departure','id':1}}",
                "{'is':'HeldOff','target':'node-1','observed':'OFF','time':'2026-01-01T00:00:00Z'}",
            })
    void anUnknownProofIsAFinding(String proof) {
        assertThat(kept(memory(proof), "b2").aboutALivingBoot()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'version':1,'abdication':{'is':'None'},'claim':{'is':'None'},'proofs':{}}",
                "[]",
                "\"\""
            })
    void whatCannotBeReadIsAFinding(String memory) {
        assertThat(kept(memory, "b2").aboutALivingBoot()).hasSize(1);
    }

    @Test
    void withoutThePeersBootNothingIsKnown() {
        assertThat(kept(memory(""), "").aboutALivingBoot()).hasSize(1);
        assertThat(kept(memory(""), "b2").aboutALivingBoot()).isEmpty();
    }
}
