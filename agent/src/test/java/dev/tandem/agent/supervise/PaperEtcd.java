package dev.tandem.agent.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.Failure;
import dev.tandem.core.decision.WholeLog;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import dev.tandem.host.etcd.EtcdProcess;
import dev.tandem.host.etcd.api.EtcdApi.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** An etcd that does what it is told and writes down what that was. */
public final class PaperEtcd implements EtcdProcess {
    public final List<String> told = new ArrayList<>();
    public EtcdState server = EtcdState.STOPPED;
    public Replica replica;
    public List<Member> members = List.of();
    public boolean starting;
    public boolean silent;
    public boolean cannotBeKilled;
    public boolean hasRoomToJoin = true;
    public String words = "";
    public WholeLog log = WholeLog.CAN_BE_COMMITTED;
    public Optional<CountDownLatch> stands = Optional.empty();
    private long generation;

    public PaperEtcd(Replica replica) {
        this.replica = replica;
    }

    @Override
    public EtcdObservation look() {
        return new EtcdObservation(
                generation, server, replica, starting, silent, members, Figures.NONE, words, log);
    }

    @Override
    public long generation() {
        return generation;
    }

    @Override
    public boolean owesRevisionJump() {
        return false;
    }

    @Override
    public boolean raisesRevision() {
        return false;
    }

    @Override
    public void startInPlace(boolean lossAccepted) {
        begin("start in place");
    }

    @Override
    public void takeOver(Lineage lineage, long readAt, boolean lossAccepted) {
        assertThat(readAt).as("the log that was read for this").isEqualTo(generation);
        begin("take over as epoch " + lineage.current().number());
        if (replica instanceof Replica.Intact log) {
            replica =
                    new Replica.Intact(
                            lineage,
                            log.term(),
                            log.lastIndex(),
                            log.lastIndex(),
                            log.role(),
                            log.complete(),
                            log.memberId());
        }
    }

    @Override
    public void bootstrap() {
        begin("found");
    }

    @Override
    public void join(Lineage leaders, boolean keepData) {
        if (!hasRoomToJoin) {
            throw new Failure("not enough space in /var/lib/etcd", "0 MB are free", "free some");
        }
        begin(keepData ? "join on own data" : "join again");
    }

    private void begin(String what) {
        told.add(what);
        stands.ifPresent(PaperEtcd::awaitIt);
        server = EtcdState.LEADERLESS;
        starting = true;
        generation++;
    }

    /** As a program waits for a disk: no signal and no interrupt ends that. */
    private static void awaitIt(CountDownLatch moves) {
        boolean interrupted = false;
        while (moves.getCount() > 0) {
            try {
                moves.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void end(boolean atOnce, Duration limit) {
        told.add(atOnce ? "kill" : "stop");
        if (cannotBeKilled) {
            throw new Failure("cannot stop etcd", "the process is still there", "look at it");
        }
        server = EtcdState.STOPPED;
        starting = false;
        generation++;
    }

    @Override
    public void markComplete() {
        told.add("mark complete");
    }
}
