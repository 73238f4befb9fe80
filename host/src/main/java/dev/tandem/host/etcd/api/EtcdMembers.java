package dev.tandem.host.etcd.api;

import dev.tandem.host.etcd.api.EtcdApi.Consistency;
import dev.tandem.host.etcd.api.EtcdApi.Member;
import dev.tandem.host.etcd.api.EtcdApi.Status;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Changes the membership so that the outcome is known. A change that was answered unclearly may
 * have happened: the member list, read again, decides. A call may take up to six limits.
 */
public final class EtcdMembers {
    private final EtcdApi api;
    private final Duration limit;

    public EtcdMembers(EtcdApi api, Duration limit) {
        this.api = api;
        this.limit = limit;
    }

    /** What became of a change. */
    public sealed interface Outcome {
        default String words() {
            return switch (this) {
                case Achieved(List<Member> _, String how) -> how;
                case NotYet(String why) -> "not yet: " + why;
                case Denied(String why) -> "refused: " + why;
                case Unknown(String why) -> "not known: " + why;
            };
        }
    }

    /** The member list, read from a majority, shows it. */
    public record Achieved(List<Member> members, String how) implements Outcome {
        public Achieved {
            members = List.copyOf(members);
        }
    }

    /** It must not or need not be done yet; asking again later is right. */
    public record NotYet(String why) implements Outcome {}

    /** It was refused, and asking again will not help until something else changes. */
    public record Denied(String why) implements Outcome {}

    /** Nobody can say: the list could not be read either. */
    public record Unknown(String why) implements Outcome {}

    /**
     * Lists the peer as a learner, for a start without data. A learner that is listed and has never
     * started is as good; one that has is replaced: an identity whose log was lost must not be used
     * again, because the leader remembers what it had confirmed. A forced restart leaves such
     * learners listed if they stood in its snapshot.
     */
    public Outcome addLearner(MemberIdentity peer) {
        EtcdAnswer<List<Member>> listed = members();
        if (!(listed instanceof EtcdAnswer.Ok<List<Member>>(List<Member> before))) {
            return unreadable(listed);
        }
        Optional<Member> there = peer.in(before);
        if (there.isPresent()) {
            Member old = there.get();
            if (!old.learner()) {
                return new Denied(peer.name() + " is listed as a voter, " + old.id());
            }
            if (!old.started()) {
                return new Achieved(before, peer.name() + " was listed as a learner already");
            }
            Outcome removed = remove(old.id());
            if (!(removed instanceof Achieved)) {
                return removed;
            }
        }
        EtcdAnswer<Member> added = api.addLearner(peer.peerUrls(), limit);
        return decide(
                added,
                members -> peer.in(members).filter(Member::learner).isPresent(),
                "learner " + peer.name() + " was added");
    }

    /**
     * Has a member listed under all of its URLs. The others then use the one that works, and none
     * of them needs to be restarted for it.
     */
    public Outcome list(MemberIdentity member) {
        EtcdAnswer<List<Member>> listed = members();
        if (!(listed instanceof EtcdAnswer.Ok<List<Member>>(List<Member> before))) {
            return unreadable(listed);
        }
        Optional<Member> there = member.in(before);
        if (there.isEmpty()) {
            return new Denied(member.name() + " is not listed");
        }
        if (member.isListedFully(there.get())) {
            return new Achieved(before, member.name() + " was listed so already");
        }
        return decide(
                api.update(there.get().id(), member.peerUrls(), limit),
                members -> member.in(members).filter(member::isListedFully).isPresent(),
                member.name() + " is listed under " + member.peerUrls());
    }

    /**
     * Makes the learner a voter once it has applied all that the leader had committed when asked.
     * etcd would agree at 90 % of the log; a leader that dies then takes the rest with it.
     *
     * <p>That does not make the new voter complete: writes that were committed while the promotion
     * itself was on its way needed the leader alone.
     */
    public Outcome promote(EtcdId learner, EtcdApi learnersOwn) {
        EtcdAnswer<Status> leader = api.status(limit);
        if (!(leader instanceof EtcdAnswer.Ok<Status>(Status leading))) {
            return new Unknown(api.endpoint() + ": " + leader.words());
        }
        if (!leading.isLeader()) {
            return new NotYet(api.endpoint() + " does not lead; its leader is " + leading.leader());
        }
        EtcdAnswer<Status> follower = learnersOwn.status(limit);
        if (!(follower instanceof EtcdAnswer.Ok<Status>(Status following))) {
            return new NotYet(learnersOwn.endpoint() + ": " + follower.words());
        }
        if (!following.member().equals(learner) || !following.cluster().equals(leading.cluster())) {
            return new Denied(
                    "%s is member %s of cluster %s, not %s of %s"
                            .formatted(
                                    learnersOwn.endpoint(),
                                    following.member(),
                                    following.cluster(),
                                    learner,
                                    leading.cluster()));
        }
        if (following.applied() < leading.committed()) {
            return new NotYet(
                    "the learner has applied %d of %d"
                            .formatted(following.applied(), leading.committed()));
        }
        return decide(
                api.promote(learner, limit),
                members ->
                        members.stream()
                                .anyMatch(each -> each.id().equals(learner) && !each.learner()),
                "learner " + learner + " became a voter at index " + following.applied());
    }

    /** Takes a member off the list, unless it is the last voter: that one never leaves. */
    public Outcome remove(EtcdId member) {
        EtcdAnswer<List<Member>> listed = members();
        if (!(listed instanceof EtcdAnswer.Ok<List<Member>>(List<Member> before))) {
            return unreadable(listed);
        }
        if (before.stream().noneMatch(each -> each.id().equals(member))) {
            return new Achieved(before, member + " was not listed");
        }
        if (before.stream().noneMatch(each -> !each.learner() && !each.id().equals(member))) {
            return new Denied(member + " is the last voter");
        }
        return decide(
                api.remove(member, limit),
                members -> members.stream().noneMatch(each -> each.id().equals(member)),
                member + " was removed");
    }

    /** Hands leadership to the target, if we lead at all. */
    public Outcome handOver(EtcdId target) {
        EtcdAnswer<Status> own = api.status(limit);
        if (!(own instanceof EtcdAnswer.Ok<Status>(Status status))) {
            return new Unknown(api.endpoint() + ": " + own.words());
        }
        if (!status.isLeader()) {
            return new Achieved(List.of(), "the leader is " + status.leader());
        }
        EtcdAnswer<EtcdApi.Done> moved = api.moveLeader(target, limit);
        Optional<Status> after = api.status(limit).toOptional();
        if (after.isPresent() && after.get().leader().equals(target)) {
            return new Achieved(List.of(), "leadership went to " + target);
        }
        return moved instanceof EtcdAnswer.Refused<EtcdApi.Done>
                ? new Denied(moved.words())
                : new Unknown(moved.words());
    }

    private Outcome decide(EtcdAnswer<?> answer, Predicate<List<Member>> shows, String done) {
        EtcdAnswer<List<Member>> after = members();
        if (after instanceof EtcdAnswer.Ok<List<Member>>(List<Member> members)) {
            if (shows.test(members)) {
                return new Achieved(
                        members,
                        answer.isOk()
                                ? done
                                : done + ", although the answer was " + answer.words());
            }
            return answer instanceof EtcdAnswer.Refused<?>(int code, String said)
                    ? refusal(said)
                    : new NotYet("the member list does not show it; " + answer.words());
        }
        return answer.isOk()
                ? new Unknown("it was accepted, but the member list: " + after.words())
                : new Unknown(answer.words() + "; the member list: " + after.words());
    }

    /** etcd says the same kind of no to "too early" and to "never"; its words differ. */
    private static Outcome refusal(String said) {
        boolean early =
                said.contains("in sync with leader")
                        || said.contains("unhealthy")
                        || said.contains("not leader");
        return early ? new NotYet(said) : new Denied(said);
    }

    private Outcome unreadable(EtcdAnswer<List<Member>> listed) {
        return new Unknown("the member list of " + api.endpoint() + ": " + listed.words());
    }

    private EtcdAnswer<List<Member>> members() {
        return api.members(Consistency.LINEARIZABLE, limit);
    }
}
