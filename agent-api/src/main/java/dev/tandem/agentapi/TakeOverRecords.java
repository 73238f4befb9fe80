package dev.tandem.agentapi;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.core.FormatVersion;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.replica.Claim;
import java.util.List;

/**
 * What in the agent's state file bears on who may take over; to be looked at, never to be written.
 */
public record TakeOverRecords(Abdication abdication, Claim claim, List<PeerProof> proofs) {
    /** Of the form of the state file. */
    public static final int VERSION = 1;

    public TakeOverRecords {
        proofs = List.copyOf(proofs);
    }

    /**
     * Reads the file as this release writes it, or one that says this release can read it.
     *
     * @throws IllegalArgumentException where a part is missing, or of a kind that is not known
     */
    public static TakeOverRecords read(String file) {
        try {
            JsonNode json = AgentJson.MAPPER.readTree(file);
            FormatVersion form = AgentJson.version(json, "version", 0);
            if (form.version() < 1 || !form.isReadableBy(VERSION)) {
                throw new IllegalArgumentException(
                        "a state file of version %s".formatted(json.path("version")));
            }
            return AgentJson.MAPPER.treeToValue(json, TakeOverRecords.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "%s in %s".formatted(e.getOriginalMessage(), file.strip()), e);
        }
    }
}
