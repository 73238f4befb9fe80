package dev.tandem.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.etcd.EtcdAnswer;
import dev.tandem.host.etcd.EtcdApi.Member;
import dev.tandem.host.etcd.EtcdApi.Status;
import dev.tandem.host.etcd.EtcdId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemberListTest {
    private static final EtcdId FIRST = new EtcdId(1);
    private static final EtcdId SECOND = new EtcdId(2);
    private static final List<Member> TWO_VOTERS =
            List.of(member(FIRST, false), member(SECOND, false));

    private long now;
    private int asked;
    private List<Member> members = TWO_VOTERS;
    private final MemberList list =
            new MemberList(
                    () -> {
                        asked++;
                        return new EtcdAnswer.Ok<>(members);
                    },
                    () -> now);

    private static Member member(EtcdId id, boolean learner) {
        return new Member(id, "node", List.of(), List.of(), learner);
    }

    private static Status status(EtcdId leader, long term) {
        return new Status(
                FIRST, FIRST, leader, term, 7, 7, 7, 1000, 1000, false, "3.5.16", List.of());
    }

    @Test
    void twoVotersAreNotAskedForAtEveryLook() {
        assertThat(list.asOf(status(FIRST, 3)).toOptional()).contains(TWO_VOTERS);
        assertThat(list.asOf(status(FIRST, 3)).toOptional()).contains(TWO_VOTERS);
        assertThat(asked).isEqualTo(1);
    }

    @Test
    void theyAreAfterAWhileOrWhenSomebodyElseLeads() {
        list.asOf(status(FIRST, 3));
        now += MemberList.KEPT.toNanos() - 1;
        list.asOf(status(FIRST, 3));
        assertThat(asked).isEqualTo(1);

        now += Duration.ofNanos(1).toNanos();
        list.asOf(status(FIRST, 3));
        assertThat(asked).isEqualTo(2);
        list.asOf(status(SECOND, 3));
        assertThat(asked).isEqualTo(3);
        list.asOf(status(SECOND, 4));
        assertThat(asked).isEqualTo(4);
    }

    @Test
    void aListThatIsAboutToChangeIsAskedForEachTime() {
        members = List.of(member(FIRST, false));
        list.asOf(status(FIRST, 3));
        members = List.of(member(FIRST, false), member(SECOND, true));
        assertThat(list.asOf(status(FIRST, 3)).toOptional()).contains(members);
        list.asOf(status(FIRST, 3));

        assertThat(asked).isEqualTo(3);
    }
}
