package dev.tandem.agentapi;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.replica.Claim;
import java.util.List;

/**
 * What in the agent's state file bears on who may take over; to be looked at, never to be written.
 */
public record DurableMarks(Abdication abdication, Claim claim, List<PeerProof> proofs) {
    public DurableMarks {
        proofs = List.copyOf(proofs);
    }

    /**
     * Reads the file as this release writes it.
     *
     * @throws IllegalArgumentException where a part is missing, or of a kind that is not known
     */
    public static DurableMarks read(String file) {
        try {
            return AgentJson.MAPPER.readValue(file, DurableMarks.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "%s in %s".formatted(e.getOriginalMessage(), file.strip()), e);
        }
    }
}
