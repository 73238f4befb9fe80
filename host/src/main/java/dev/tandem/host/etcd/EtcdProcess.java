package dev.tandem.host.etcd;

import dev.tandem.core.decision.WholeLog;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import dev.tandem.host.etcd.api.EtcdApi.Member;
import java.time.Duration;
import java.util.List;

/** etcd on this node, as far as the supervisor looks at it and handles it. */
public interface EtcdProcess {

    /** What can be seen now. Reading the log of a stopped server may take a second per GiB. */
    EtcdObservation look();

    /** Rises with every start and stop ordered here. */
    long generation();

    /**
     * Starts on the existing data, as the member it names.
     *
     * @param lossAccepted history goes on without writes that clients may have seen: the store's
     *     revision jumps first. As it does where the data are an older replica that was put back,
     *     if they make this node serve alone
     */
    void startInPlace(boolean lossAccepted);

    /**
     * Stores the lineage, declares the whole log committed and starts as the only voter. The server
     * must be stopped.
     *
     * @param generation of the server when its log was read. It is not read again; if etcd was
     *     started since, nothing is done
     * @param lossAccepted as for a start in place
     */
    void takeOver(Lineage lineage, long generation, boolean lossAccepted);

    /** Whether the next start alone takes the time of a jump: minutes with a large database. */
    boolean owesRevisionJump();

    /**
     * Whether it is under way: no server is seen meanwhile, and to stop it would begin it again.
     */
    boolean raisesRevision();

    /** Begins an empty cluster. */
    void bootstrap();

    /**
     * Starts as the learner the leader has listed.
     *
     * @param leaders the lineage of the history that is joined
     * @param keepData go on with what is there; else it is set aside first
     */
    void join(Lineage leaders, boolean keepData);

    /** Stops the server, cleanly first where there is time for that; returns when it is gone. */
    void end(boolean atOnce, Duration limit);

    /** The replica holds all that was acknowledged. */
    void markComplete();

    /**
     * What was seen of etcd.
     *
     * @param generation rises with every start and stop ordered here: an older observation is
     *     outdated
     * @param starting it was ordered to start and has not said yet that it serves
     * @param silent it did not answer this time; the rest is from before
     * @param members as this server has them; empty while it does not answer
     * @param words for people, where something is out of order
     * @param log what the log of a stopped server holds that stands in the way of a take-over
     */
    record EtcdObservation(
            long generation,
            EtcdState server,
            Replica replica,
            boolean starting,
            boolean silent,
            List<Member> members,
            Figures figures,
            String words,
            WholeLog log) {
        public EtcdObservation {
            members = List.copyOf(members);
        }

        /** Of a server that runs. */
        public EtcdObservation(
                long generation,
                EtcdState server,
                Replica replica,
                boolean starting,
                boolean silent,
                List<Member> members,
                Figures figures,
                String words) {
            this(
                    generation,
                    server,
                    replica,
                    starting,
                    silent,
                    members,
                    figures,
                    words,
                    WholeLog.CAN_BE_COMMITTED);
        }

        public boolean running() {
            return server != EtcdState.STOPPED;
        }

        public boolean serves() {
            return server.serves();
        }
    }

    /** Sizes that recovery takes longer with. */
    record Figures(long databaseBytes, long logBytes, long revision, String version) {
        public static final Figures NONE = new Figures(0, 0, 0, "");
    }
}
