package dev.tandem.agent.state;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.agentapi.TakeOverRecords;
import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
import dev.tandem.core.FormatVersion;
import dev.tandem.core.peer.PeerCommit;
import dev.tandem.core.supervise.DurableState;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.IoErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The file that keeps what the node must not forget when its agent ends. */
public final class DurableStore {
    /**
     * Of the form of the file; rises when a field changes its meaning. A field that is added needs
     * a default here for the files that lack it, as the mapper takes none for granted. What this
     * agent writes after it read a file of a higher version lacks what was new there: a writer lets
     * an earlier one read its files only where that does no harm.
     */
    private static final int VERSION = TakeOverRecords.VERSION;

    private static final FormatVersion FORM = FormatVersion.of(VERSION);

    private static final String VERSION_FIELD = "version";

    /** Added after the first files of version 1; left out where there is none. */
    private static final String PEER_COMMIT = "peerCommit";

    private final Path file;

    public DurableStore(Path file) {
        this.file = file;
    }

    public DurableState read(BootId boot) {
        if (!Files.exists(file)) {
            return DurableState.blank(boot);
        }
        try {
            JsonNode json = AgentJson.MAPPER.readTree(Files.readAllBytes(file));
            FormatVersion form = AgentJson.version(json, VERSION_FIELD, 0);
            if (!form.isReadableBy(VERSION)) {
                throw new Failure(
                        "cannot understand " + file,
                        "a newer agent wrote it: %s, and this agent knows version %d"
                                .formatted(form, VERSION),
                        "install the newer version of Tandem again on this node");
            }
            if (form.version() < 1) {
                throw new Failure(
                        "cannot understand " + file,
                        "it was written before release 0.1.0, whose files say their version",
                        "with the peer serving, this node can join again without it: mv %s"
                                        .formatted(file)
                                + " %s.old; systemctl restart tandem-agent".formatted(file));
            }
            return AgentJson.MAPPER.treeToValue(withDefaults(json), DurableState.class).in(boot);
        } catch (JsonProcessingException e) {
            throw new Failure(
                    "cannot understand " + file,
                    String.valueOf(e.getOriginalMessage()),
                    "keep a copy and look at it: it may say that this node gave up its right to"
                            + " take over. Without it, and with the peer serving, the node can join"
                            + " again: mv "
                            + file
                            + " "
                            + file
                            + ".damaged",
                    e);
        } catch (IOException e) {
            throw new Failure(
                    "cannot read " + file,
                    IoErrors.words(e),
                    "check the disk and the permissions of that file",
                    e);
        }
    }

    private static JsonNode withDefaults(JsonNode json) {
        if (json instanceof ObjectNode fields && !fields.has(PEER_COMMIT)) {
            fields.set(PEER_COMMIT, AgentJson.MAPPER.valueToTree(PeerCommit.none()));
        }
        return json;
    }

    public void write(DurableState memory) {
        try {
            DurableFiles.createDirectories(DurableFiles.parent(file));
            ObjectNode json = AgentJson.begin(VERSION_FIELD, FORM);
            json.setAll(AgentJson.MAPPER.<ObjectNode>valueToTree(memory));
            if (memory.peerCommit() instanceof PeerCommit.None) {
                json.remove(PEER_COMMIT);
            }
            DurableFiles.write(file, json + "\n");
        } catch (IOException e) {
            throw new Failure(
                    "cannot write " + file,
                    IoErrors.words(e),
                    "check free space and permissions of its directory",
                    e);
        }
    }
}
