package dev.tandem.agent.supervise;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
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
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Membership;
import dev.tandem.core.supervise.State;
import dev.tandem.host.etcd.api.MemberIdentity;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
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
    static final MemberIdentity PEER_MEMBER = new MemberIdentity("south", List.of(PEER_URL));
    static final Lineage LINEAGE = Lineage.installed("cafe", SELF, BOOT);

    @TempDir Path state;

    final AtomicLong nanos = new AtomicLong(1);
    boolean installing;
    Policy policy = Policy.PAIR;
    final PaperEtcd etcd = new PaperEtcd(log(MemberRole.ONE_OF_TWO, 10));

    SupervisorOnPaper supervisor() {
        return new SupervisorOnPaper(
                new State.Node(SELF, PEER, BOOT), PEER_URL, policy, etcd, state, installing, nanos);
    }

    /** The first level has read the power, after an order that is given now. */
    static void fenced(SupervisorOnPaper supervisor, String method, PowerReading observed) {
        fenced(supervisor, supervisor.order(), Proofs.Machine.THE_PEER, method, observed);
    }

    static void fenced(
            SupervisorOnPaper supervisor,
            Proofs.Order order,
            Proofs.Machine machine,
            String method,
            PowerReading observed) {
        supervisor.fenced(
                order,
                machine,
                method,
                new Event.FenceReading(observed, true, Duration.ZERO, supervisor.now()));
    }

    /** Started by Pacemaker beside a peer that is well. */
    SupervisorOnPaper serving(SupervisorOnPaper supervisor) {
        supervisor.membership(new Membership(true, true, true, false));
        PeerMessage _ = supervisor.asked(new PeerMessage.Facts(peer(), BOOT));
        supervisor.startRequested();
        etcd.server = EtcdState.FOLLOWING;
        etcd.starting = false;
        supervisor.saw(etcd.look());
        return supervisor;
    }

    void died(SupervisorOnPaper supervisor) {
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

    static void hearLeaderless(SupervisorOnPaper supervisor) {
        hear(supervisor, EtcdState.LEADERLESS);
    }

    /** The peer says again and again that it knows no leader. */
    void hearsLeaderlessFor(SupervisorOnPaper supervisor, int seconds) {
        hearLeaderless(supervisor);
        for (int i = 0; i < seconds; i++) {
            nanos.addAndGet(1_000_000_000L);
            hearLeaderless(supervisor);
        }
    }

    static void hear(SupervisorOnPaper supervisor, EtcdState server) {
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
}
