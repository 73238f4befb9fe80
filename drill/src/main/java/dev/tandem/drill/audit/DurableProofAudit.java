package dev.tandem.drill.audit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The proofs that a node keeps on its disk, held against the boot that its peer lives in: none of
 * them may be about that one. What is not understood is a finding.
 *
 * @param memory the file as the agent wrote it
 * @param peerBoot the boot of the peer by the peer's own kernel
 */
record DurableProofAudit(String node, JsonNode memory, String peerBoot) {

    /** What should not be there, in words. */
    List<String> aboutALivingBoot() {
        List<String> findings = new ArrayList<>();
        if (peerBoot.isEmpty()) {
            findings.add("the boot that the peer of %s is in is not known".formatted(node));
        }
        JsonNode proofs = memory.path("proofs");
        if (!proofs.isArray()) {
            findings.add("what %s keeps as proofs cannot be read: %s".formatted(node, memory));
        }
        for (JsonNode proof : proofs) {
            wrong(proof).ifPresent(findings::add);
        }
        return findings;
    }

    private Optional<String> wrong(JsonNode proof) {
        return switch (proof.path("is").asText()) {
            case "Fenced" -> aboutThisBoot(proof, proof.path("peerBoot"));
            case "Stated" ->
                    switch (proof.path("statement").asText()) {
                        // It gives up its own history, and says nothing of the peer's life.
                        case "KEEP_PEERS_HISTORY" -> Optional.empty();
                        case "PEER_IS_OFF", "PEER_IS_OFF_LOSS_ACCEPTED" ->
                                aboutThisBoot(proof, proof.path("incident").path("peerBoot"));
                        default -> notUnderstood(proof);
                    };
            default -> notUnderstood(proof);
        };
    }

    private Optional<String> aboutThisBoot(JsonNode proof, JsonNode boot) {
        if (!boot.isTextual() || boot.asText().isEmpty()) {
            return notUnderstood(proof);
        }
        return boot.asText().equals(peerBoot)
                ? Optional.of(
                        "%s keeps a proof that its peer is off, about the boot the peer lives in: %s"
                                .formatted(node, proof))
                : Optional.empty();
    }

    private Optional<String> notUnderstood(JsonNode proof) {
        return Optional.of(
                "%s keeps a proof of a kind that is not known: %s".formatted(node, proof));
    }
}
