package dev.tandem.agent;

import dev.tandem.host.etcd.EtcdAnswer;
import dev.tandem.host.etcd.EtcdApi.Member;
import dev.tandem.host.etcd.EtcdApi.Status;
import dev.tandem.host.etcd.EtcdId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The members of the cluster, asked for at every look while they may change. Two voters stay two
 * voters until the leader changes or a person takes one away; there the list is asked for less
 * often, which is a third of what the agent does while nothing happens.
 */
final class MemberList {
    static final Duration KEPT = Duration.ofSeconds(10);

    private record Seen(EtcdId member, EtcdId leader, long term, List<Member> list, long nanos) {
        boolean holds(Status status, long now) {
            return member.equals(status.member())
                    && leader.equals(status.leader())
                    && term == status.term()
                    && now - nanos < KEPT.toNanos();
        }
    }

    private final Supplier<EtcdAnswer<List<Member>>> server;
    private final LongSupplier nanos;
    private final AtomicReference<@Nullable Seen> seen = new AtomicReference<>();

    MemberList(Supplier<EtcdAnswer<List<Member>>> server, LongSupplier nanos) {
        this.server = server;
        this.nanos = nanos;
    }

    /** The list that belongs to this status, which was asked for just before. */
    EtcdAnswer<List<Member>> asOf(Status status) {
        Seen last = seen.get();
        if (last != null && last.holds(status, nanos.getAsLong())) {
            return new EtcdAnswer.Ok<>(last.list());
        }
        EtcdAnswer<List<Member>> answer = server.get();
        seen.set(
                answer.toOptional()
                        .filter(MemberList::settled)
                        .map(list ->
                                new Seen(
                                        status.member(),
                                        status.leader(),
                                        status.term(),
                                        list,
                                        nanos.getAsLong()))
                        .orElse(null));
        return answer;
    }

    private static boolean settled(List<Member> list) {
        return list.size() == 2 && list.stream().noneMatch(Member::learner);
    }
}
