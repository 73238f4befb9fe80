package dev.tandem.agent.supervise;

import dev.tandem.agent.state.DurableState;
import dev.tandem.agent.state.Journal;
import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.MemberRole;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.io.TempDir;

/** A supervisor with an etcd of paper, and a peer that says what a test wants. */
abstract class EtcdSupervisorFixture {
    static final NodeName SELF = new NodeName("north");
    static final NodeName PEER = new NodeName("south");
    static final BootId BOOT = new BootId("boot-north");
    static final BootId PEER_BOOT = new BootId("boot-south");
    static final URI PEER_URL = URI.create("https://192.0.2.2:2380");
    static final Lineage LINEAGE = Lineage.installed("cafe", SELF, BOOT);

    static final Duration MISSED_WITHIN = Duration.ofSeconds(10);

    @TempDir Path state;

    final AtomicLong nanos = new AtomicLong(1);
    final List<Step> steps = new ArrayList<>();
    int looks;
    boolean installing;
    Policy policy = Policy.PAIR;
    final PaperEtcd etcd = new PaperEtcd(log(MemberRole.ONE_OF_TWO, 10));

    EtcdSupervisor supervisor() {
        return new EtcdSupervisor(
                SELF,
                PEER,
                BOOT,
                PEER_URL,
                policy,
                etcd,
                new DurableState.Store(state.resolve("memory.json")),
                new Journal(state.resolve("journal.jsonl"), InstantSource.system()),
                new Mark(),
                new NotedErrands(),
                InstantSource.system(),
                nanos::get,
                MISSED_WITHIN);
    }

    /** Corosync is asked now, and has both nodes. */
    EtcdSupervisor.Presence there() {
        return new EtcdSupervisor.Presence(true, true, true, false, nanos.incrementAndGet());
    }

    /** Corosync is asked now, and misses the peer. */
    EtcdSupervisor.Presence gone() {
        return new EtcdSupervisor.Presence(true, false, true, false, nanos.incrementAndGet());
    }

    /** Corosync has not seen the peer since it started. */
    EtcdSupervisor.Presence waitingForAll() {
        return new EtcdSupervisor.Presence(true, false, false, true, nanos.incrementAndGet());
    }

    /** The first level has read the power, after an order that is given now. */
    static void fenced(EtcdSupervisor supervisor, String method, PowerReading observed) {
        fenced(
                supervisor,
                new Proofs.Order(PEER, supervisor.peerBoot()),
                Proofs.Machine.THE_PEER,
                method,
                observed);
    }

    static void fenced(
            EtcdSupervisor supervisor,
            Proofs.Order order,
            Proofs.Machine machine,
            String method,
            PowerReading observed) {
        supervisor.fenced(supervisor.presence(), order, machine, method, observed);
        supervisor.reconsider();
    }

    /** Started by Pacemaker beside a peer that is well. */
    EtcdSupervisor serving(EtcdSupervisor supervisor) {
        supervisor.membership(there());
        PeerMessage _ = supervisor.asked(new PeerMessage.Facts(peer(), BOOT));
        supervisor.startRequested();
        etcd.server = EtcdState.FOLLOWING;
        etcd.starting = false;
        supervisor.saw(etcd.look());
        return supervisor;
    }

    void died(EtcdSupervisor supervisor) {
        etcd.server = EtcdState.STOPPED;
        etcd.starting = false;
        supervisor.saw(etcd.look());
    }

    static Lineage lineage(Replica replica) {
        return replica instanceof Replica.Intact log ? log.lineage() : LINEAGE;
    }

    static Replica log(MemberRole role, long index) {
        return new Replica.Intact(LINEAGE, 2, index, index, role, true, 7);
    }

    static void hearLeaderless(EtcdSupervisor supervisor) {
        hear(supervisor, EtcdState.LEADERLESS);
    }

    /** The peer says again and again that it knows no leader. */
    void hearsLeaderlessFor(EtcdSupervisor supervisor, int seconds) {
        hearLeaderless(supervisor);
        for (int i = 0; i < seconds; i++) {
            nanos.addAndGet(1_000_000_000L);
            hearLeaderless(supervisor);
        }
    }

    static void hear(EtcdSupervisor supervisor, EtcdState server) {
        NodeFacts well = peer();
        NodeFacts facts =
                new NodeFacts(
                        PEER,
                        PEER_BOOT,
                        well.replica(),
                        server,
                        Abdication.none(),
                        Claim.none(),
                        0,
                        Offer.none());
        PeerMessage _ = supervisor.asked(new PeerMessage.Facts(facts, BOOT));
    }

    static NodeFacts peer() {
        return peer(new Replica.Intact(LINEAGE, 2, 10, 10, MemberRole.ONE_OF_TWO, true, 8));
    }

    static NodeFacts peer(Replica replica) {
        return new NodeFacts(
                PEER,
                PEER_BOOT,
                replica,
                replica instanceof Replica.Missing ? EtcdState.STOPPED : EtcdState.LEADING,
                Abdication.none(),
                Claim.none(),
                0,
                Offer.none());
    }

    private final class Mark implements EtcdSupervisor.Installation {
        @Override
        public boolean open() {
            return installing;
        }

        @Override
        public void close() {
            throw new IllegalStateException("there was none to close");
        }
    }

    private final class NotedErrands implements EtcdSupervisor.Errands {
        @Override
        public void tellPeer() {}

        @Override
        public void look() {
            looks++;
        }

        @Override
        public void lead(Step step) {
            steps.add(step);
        }

        @Override
        public void changed() {}
    }
}
