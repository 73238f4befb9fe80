package dev.tandem.drill.audit;

import dev.tandem.agentapi.TakeOverRecords;
import dev.tandem.core.decision.PeerProof;
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
record DurableProofAudit(String node, String memory, String peerBoot) {

    /** What should not be there, in words. */
    List<String> aboutALivingBoot() {
        List<String> findings = new ArrayList<>();
        if (peerBoot.isEmpty()) {
            findings.add("the boot that the peer of %s is in is not known".formatted(node));
        }
        try {
            for (PeerProof proof : TakeOverRecords.read(memory).proofs()) {
                wrong(proof).ifPresent(findings::add);
            }
        } catch (IllegalArgumentException e) {
            findings.add(
                    "what %s keeps as proofs cannot be read: %s".formatted(node, e.getMessage()));
        }
        return findings;
    }

    private Optional<String> wrong(PeerProof proof) {
        return switch (proof) {
            case PeerProof.Fenced fenced -> aboutThisBoot(proof, fenced.peerBoot().value());
            case PeerProof.Stated stated ->
                    switch (stated.statement()) {
                        // It gives up its own history, and says nothing of the peer's life.
                        case KEEP_PEERS_HISTORY -> Optional.empty();
                        case PEER_IS_OFF, PEER_IS_OFF_LOSS_ACCEPTED ->
                                aboutThisBoot(proof, stated.incident().peerBoot());
                    };
            case PeerProof.Yielded _, PeerProof.HeldOff _ ->
                    Optional.of(
                            "%s keeps a proof that is never to be kept: %s".formatted(node, proof));
        };
    }

    private Optional<String> aboutThisBoot(PeerProof proof, String boot) {
        if (boot.isEmpty()) {
            return Optional.of("%s keeps a proof about no boot: %s".formatted(node, proof));
        }
        return boot.equals(peerBoot)
                ? Optional.of(
                        "%s keeps a proof that its peer is off, about the boot the peer lives in: %s"
                                .formatted(node, proof))
                : Optional.empty();
    }
}
