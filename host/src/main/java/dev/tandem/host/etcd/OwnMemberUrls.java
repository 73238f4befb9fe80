package dev.tandem.host.etcd;

import dev.tandem.host.etcd.api.EtcdAnswer;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.EtcdApi.Consistency;
import dev.tandem.host.etcd.api.EtcdApi.Member;
import dev.tandem.host.etcd.api.EtcdMembers;
import dev.tandem.host.etcd.api.MemberIdentity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Sees to it that this node's member is listed under all URLs of the plan, so that the peer's etcd
 * reaches it over any link. A pair that an earlier release set up has members of one URL; a learner
 * that such a release has listed too.
 *
 * <p>Each node does it for itself, because it alone knows that its etcd listens there: a server
 * that was started with fewer URLs keeps them until its next start. No vote and no data depend on
 * the list, and nobody is restarted for it.
 */
public final class OwnMemberUrls {
    /** Between two attempts. Until one succeeds the pair is no worse off than it was. */
    public static final Duration INTERVAL = Duration.ofMinutes(1);

    private static final Duration ETCD_CHANGE = Duration.ofSeconds(2);

    private final MemberIdentity self;
    private final EtcdApi etcd;
    private final BooleanSupplier serves;
    private final BooleanSupplier listensEverywhere;
    private final LongSupplier generation;
    private final Consumer<EtcdMembers.Outcome> attempted;
    private Optional<Long> doneFor = Optional.empty();

    /**
     * @param listensEverywhere whether the server accepts connections at all of its URLs
     * @param generation which run of the server it is; what was seen to be right stays so in it
     * @param attempted is told what came of each attempt
     */
    public OwnMemberUrls(
            MemberIdentity self,
            EtcdApi etcd,
            BooleanSupplier serves,
            BooleanSupplier listensEverywhere,
            LongSupplier generation,
            Consumer<EtcdMembers.Outcome> attempted) {
        this.self = self;
        this.etcd = etcd;
        this.serves = serves;
        this.listensEverywhere = listensEverywhere;
        this.generation = generation;
        this.attempted = attempted;
    }

    public void look() {
        long now = generation.getAsLong();
        if (doneFor.filter(done -> done == now).isPresent() || !serves.getAsBoolean()) {
            return;
        }
        // A learner refuses to answer, and is asked again when it has its vote.
        EtcdAnswer<List<Member>> listed = etcd.members(Consistency.LINEARIZABLE, ETCD_CHANGE);
        Optional<Member> member = listed.toOptional().flatMap(self::in);
        if (member.isEmpty()) {
            return;
        }
        if (self.isListedFully(member.get())) {
            doneFor = Optional.of(now);
            return;
        }
        if (!listensEverywhere.getAsBoolean()) {
            return;
        }
        EtcdMembers.Outcome outcome = new EtcdMembers(etcd, ETCD_CHANGE).list(self);
        attempted.accept(outcome);
        if (outcome instanceof EtcdMembers.Achieved) {
            doneFor = Optional.of(now);
        }
    }
}
