package dev.tandem.agent.state;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.agentapi.DurableMarks;
import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
import dev.tandem.core.FormatVersion;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Epoch;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.IoErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What the node must not forget when its agent ends. The first three survive a reboot; the rest
 * belongs to one boot of this node, and is gone with it.
 *
 * @param lastAbdication the number of the newest abdication ever given, so that none is given twice
 * @param wanted Pacemaker has started etcd here and not stopped it since
 * @param ran etcd was started in this boot: its data were good enough to run on
 * @param forced the running server was started by a take-over
 * @param joinedAs the seat that this node last joined with; the leader may count on what its server
 *     stored there, so it can be used with those data only
 * @param peer what was heard last of the peer. Indexes in it may be old, since not every heartbeat
 *     is written; no decision about a peer that is gone looks at them
 */
public record DurableState(
        Abdication abdication,
        long lastAbdication,
        Claim claim,
        BootId boot,
        long released,
        boolean met,
        boolean peerKnownNotAhead,
        PeerView peer,
        List<PeerProof> proofs,
        boolean wanted,
        boolean ran,
        boolean forced,
        long joinedAs) {

    /** A person confirms, or a fence ends, a few times in an incident; more is a loop. */
    private static final int MOST_PROOFS = 20;

    public DurableState {
        List<PeerProof> all = List.copyOf(proofs);
        proofs = all.subList(Math.max(0, all.size() - MOST_PROOFS), all.size());
    }

    static DurableState blank(BootId boot) {
        return new DurableState(
                Abdication.none(),
                0,
                Claim.none(),
                boot,
                0,
                false,
                false,
                PeerView.unheard(),
                List.of(),
                false,
                false,
                false,
                0);
    }

    /** What is left of it in this boot. */
    public DurableState in(BootId now) {
        return boot.equals(now)
                ? this
                : blank(now)
                        .with(draft -> {
                            draft.abdication = abdication;
                            draft.lastAbdication = lastAbdication;
                            draft.claim = claim;
                        });
    }

    /** The same with some of it changed. */
    public DurableState with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return new DurableState(
                draft.abdication,
                Math.max(draft.lastAbdication, draft.abdication.number()),
                draft.claim,
                boot,
                draft.released,
                draft.met,
                draft.peerKnownNotAhead,
                draft.peer,
                draft.proofs,
                draft.wanted,
                draft.ran,
                draft.forced,
                draft.joinedAs);
    }

    /** What can change within a boot. */
    public static final class Draft {
        public Abdication abdication;
        public long lastAbdication;
        public Claim claim;
        public long released;
        public boolean met;
        public boolean peerKnownNotAhead;
        public PeerView peer;
        public List<PeerProof> proofs;
        public boolean wanted;
        public boolean ran;
        public boolean forced;
        public long joinedAs;

        private Draft(DurableState memory) {
            abdication = memory.abdication;
            lastAbdication = memory.lastAbdication;
            claim = memory.claim;
            released = memory.released;
            met = memory.met;
            peerKnownNotAhead = memory.peerKnownNotAhead;
            peer = memory.peer;
            proofs = new ArrayList<>(memory.proofs);
            wanted = memory.wanted;
            ran = memory.ran;
            forced = memory.forced;
            joinedAs = memory.joinedAs;
        }
    }

    /**
     * Whether writing this instead of the other would tell nothing that matters: only figures that
     * grow with every write of a client differ.
     */
    public boolean sameButForFigures(DurableState other) {
        return with(draft -> draft.peer = still(peer))
                .equals(other.with(draft -> draft.peer = still(other.peer)));
    }

    private static PeerView still(PeerView view) {
        if (!(view instanceof PeerView.FactsKnown(NodeFacts facts))
                || !(facts.replica() instanceof Replica.Intact log)) {
            return view;
        }
        return new PeerView.FactsKnown(
                new NodeFacts(
                        facts.node(),
                        facts.boot(),
                        new Replica.Intact(
                                log.lineage(), 0, 0, 0, log.role(), log.complete(), log.memberId()),
                        facts.server(),
                        facts.abdication(),
                        facts.claim(),
                        facts.released(),
                        facts.offer()));
    }

    /**
     * The claim, if the replica carries its epoch. A claim is written before the lineage; where a
     * power cut fell between the two, nothing was begun yet and the claim means nothing.
     */
    public Claim claimOn(Replica replica) {
        return claim instanceof Claim.TakeOver(Epoch epoch)
                        && !(replica instanceof Replica.Intact(Lineage lineage, _, _, _, _, _, _)
                                && lineage.current().equals(epoch))
                ? Claim.none()
                : claim;
    }

    /** Where it is kept. */
    public static final class Store {
        /**
         * Of the form of the file; rises when a field changes its meaning. A field that is added
         * needs a default here for the files that lack it, as the mapper takes none for granted.
         * What this agent writes after it read a file of a higher version lacks what was new there:
         * a writer lets an earlier one read its files only where that does no harm.
         */
        private static final int VERSION = DurableMarks.VERSION;

        private static final FormatVersion FORM = FormatVersion.of(VERSION);
        private static final String VERSION_FIELD = "version";

        private final Path file;

        public Store(Path file) {
            this.file = file;
        }

        public DurableState read(BootId boot) {
            if (!Files.exists(file)) {
                return blank(boot);
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
                return AgentJson.MAPPER.treeToValue(json, DurableState.class).in(boot);
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

        public void write(DurableState memory) {
            try {
                DurableFiles.createDirectories(DurableFiles.parent(file));
                ObjectNode json = AgentJson.begin(VERSION_FIELD, FORM);
                json.setAll(AgentJson.MAPPER.<ObjectNode>valueToTree(memory));
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
}
