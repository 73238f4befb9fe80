package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import dev.tandem.host.etcd.api.EtcdId;
import dev.tandem.host.etcd.wal.ReplicaLog;
import dev.tandem.host.etcd.wal.ReplicaLog.HardState;
import dev.tandem.host.etcd.wal.WalWriter;
import dev.tandem.host.etcd.wal.WriteAheadLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommitTailTest {
    private static final EtcdId PEER = new EtcdId(WalWriter.PEER);

    @TempDir private Path data;

    @Test
    void theCommitIndexAdvancesToTheLastEntryAndNothingElseChanges() {
        WalWriter.ofTwoVoters(data).entry(2, 3, "a").entry(2, 4, "b").zeros(4096);
        ReplicaLog before = WriteAheadLog.read(data);
        long size = before.bytes();

        CommitTail.Append plan = planned();
        assertThat(plan.entriesKept()).isEqualTo(2);
        CommitTail.Done done = new CommitTail(data).carryOut(plan);

        ReplicaLog after = WriteAheadLog.read(data);
        assertThat(after.verdict()).isEqualTo(new ReplicaLog.Complete());
        assertThat(after.hardState()).isEqualTo(new HardState(2, PEER, 4));
        assertThat(after.lastIndex()).isEqualTo(4);
        assertThat(after.bytes()).isEqualTo(size);
        assertThat(done.tornTail()).isEmpty();
        assertThat(new CommitTail(data).plan()).isInstanceOf(CommitTail.NothingToDo.class);
    }

    @Test
    void itGoesIntoTheLastOfSeveralSegments() {
        WalWriter.ofTwoVoters(data)
                .entry(2, 3, "a")
                .segment(4)
                .metadata(WalWriter.NODE, WalWriter.CLUSTER)
                .state(2, WalWriter.PEER, 3)
                .entry(2, 4, "b");

        new CommitTail(data).carryOut(planned());

        assertThat(WriteAheadLog.read(data).hardState().commit()).isEqualTo(4);
    }

    @Test
    void aPlanThatIsNotTheLogsAnyMoreIsNotCarriedOut() {
        WalWriter writer = WalWriter.ofTwoVoters(data).entry(2, 3, "a");
        CommitTail.Append plan = planned();
        writer.entry(2, 4, "b");

        assertThatThrownBy(() -> new CommitTail(data).carryOut(plan))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("has changed");
    }

    @Test
    void aTornTailIsKeptAsideZeroedAndReplaced() throws IOException {
        WalWriter writer = WalWriter.ofTwoVoters(data).entry(2, 3, "a");
        writer.entry(2, 4, "x".repeat(3000)).zeros(4096);
        long record = writer.offset(-1);
        writer.overwrite((record / 512 + 2) * 512, new byte[512]);
        byte[] all = Files.readAllBytes(writer.file());

        CommitTail.Append plan = planned();
        assertThat(plan.repairsTornTail()).isTrue();
        CommitTail.Done done = new CommitTail(data).carryOut(plan);

        ReplicaLog after = WriteAheadLog.read(data);
        assertThat(after.verdict()).isEqualTo(new ReplicaLog.Complete());
        assertThat(after.hardState().commit()).isEqualTo(3);
        assertThat(Files.readAllBytes(done.tornTail().orElseThrow()))
                .isEqualTo(Arrays.copyOfRange(all, (int) record, all.length));
    }

    @Test
    void entriesOfANewerTermThanTheStateBringTheirTermAndNoVote() {
        WalWriter.ofTwoVoters(data).entry(2, 3, "a").entry(7, 4, "b");

        assertThat(planned().state()).isEqualTo(new HardState(7, EtcdId.NONE, 4));
    }

    @Test
    void aDamagedLogIsRefusedAndNotTouched() throws IOException {
        WalWriter writer = WalWriter.ofTwoVoters(data).entry(2, 3, "abcdefgh").entry(2, 4, "b");
        writer.overwrite(writer.offset(-2) + 24, new byte[] {'X'});
        byte[] before = Files.readAllBytes(writer.file());

        assertThat(refusal()).contains("damaged").contains("checksum");
        assertThat(Files.readAllBytes(writer.file())).isEqualTo(before);
    }

    @Test
    void aTailWithOurOwnRemovalIsRefused() {
        WalWriter.ofTwoVoters(data).entry(2, 3, "a").confChange(2, 4, 1, WalWriter.NODE);

        assertThat(refusal()).contains("entry 4 removes this member");
    }

    @Test
    void aRemovedMemberIsRefused() {
        WalWriter.ofTwoVoters(data).confChange(2, 3, 1, WalWriter.NODE).state(2, WalWriter.PEER, 3);

        assertThat(refusal()).contains("was removed");
    }

    @Test
    void aTailWithThePeersRemovalIsKept() {
        WalWriter.ofTwoVoters(data).entry(2, 3, "a").confChange(2, 4, 1, WalWriter.PEER);

        assertThat(planned().state().commit()).isEqualTo(4);
    }

    @Test
    void aLearnerIsRefusedEvenIfItsTailWouldPromoteIt() {
        WalWriter.ofTwoVoters(data)
                .snapshotFile(3, 100, List.of(WalWriter.PEER), List.of(WalWriter.NODE))
                .snapshotMark(3, 100)
                .state(3, 0, 100)
                .confChange(3, 101, 0, WalWriter.NODE);

        assertThat(refusal()).contains("is a learner");
    }

    @Test
    void aJointChangeOfMembershipIsRefused() {
        WalWriter.ofTwoVoters(data).entry(2, 2, 3, new byte[] {1, 2, 3});

        assertThat(refusal()).contains("joint change");
    }

    @Test
    void nothingIsAppendedWhereThereIsNoLog() {
        assertThat(refusal()).contains("no log");
    }

    private CommitTail.Append planned() {
        CommitTail.Plan plan = new CommitTail(data).plan();
        assertThat(plan).isInstanceOf(CommitTail.Append.class);
        return (CommitTail.Append) plan;
    }

    private String refusal() {
        CommitTail.Plan plan = new CommitTail(data).plan();
        assertThat(plan).isInstanceOf(CommitTail.Refused.class);
        return ((CommitTail.Refused) plan).why();
    }
}
