package dev.tandem.host.etcd.api;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A server in memory, for what a real one does too rarely: it can take a change and then claim that
 * it failed, or the other way round.
 */
public final class FakeEtcdApi implements EtcdApi {
    public final List<Member> members = new ArrayList<>();
    public final List<String> changes = new ArrayList<>();
    public Optional<String> unclear = Optional.empty();
    public boolean takesEffect = true;
    public boolean readable = true;

    /** Whether it answers at all. */
    public boolean reachable = true;

    /** Whether questions for its status stay without answer until the caller gives up. */
    public boolean silent;

    public Status status;

    public FakeEtcdApi(Status status) {
        this.status = status;
    }

    public static Status status(
            long member, long leader, long committed, long applied, boolean learner) {
        return new Status(
                new EtcdId(7),
                new EtcdId(member),
                new EtcdId(leader),
                2,
                committed,
                applied,
                1,
                1,
                1,
                learner,
                "3.5.16",
                List.of());
    }

    public static Member member(long id, String url, boolean learner) {
        return member(id, "m" + id, url, learner);
    }

    static Member member(long id, String name, String url, boolean learner) {
        return new Member(new EtcdId(id), name, List.of(URI.create(url)), List.of(), learner);
    }

    @Override
    public URI endpoint() {
        return URI.create("http://" + status.member());
    }

    @Override
    public EtcdAnswer<Status> status(Duration limit) {
        if (silent) {
            return noAnswer(limit);
        }
        return reachable
                ? new EtcdAnswer.Ok<>(status)
                : new EtcdAnswer.Unreachable<>("connection refused");
    }

    private static <T> EtcdAnswer<T> noAnswer(Duration limit) {
        try {
            boolean _ = new CountDownLatch(1).await(limit.toMillis() + 1, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new EtcdAnswer.Unreachable<>("request timed out");
    }

    @Override
    public EtcdAnswer<List<Member>> members(Consistency consistency, Duration limit) {
        return readable
                ? new EtcdAnswer.Ok<>(List.copyOf(members))
                : new EtcdAnswer.NoLeader<>("etcdserver: no leader");
    }

    @Override
    public EtcdAnswer<Member> addLearner(List<URI> peerUrls, Duration limit) {
        Member added = new Member(new EtcdId(99), "", peerUrls, List.of(), true);
        return change("add", () -> members.add(added), added);
    }

    @Override
    public EtcdAnswer<List<Member>> update(EtcdId id, List<URI> peerUrls, Duration limit) {
        return change(
                "update",
                () ->
                        members.replaceAll(each ->
                                each.id().equals(id)
                                        ? new Member(
                                                id,
                                                each.name(),
                                                peerUrls,
                                                each.clientUrls(),
                                                each.learner())
                                        : each),
                List.of());
    }

    @Override
    public EtcdAnswer<List<Member>> promote(EtcdId id, Duration limit) {
        return change(
                "promote",
                () -> {
                    Member old =
                            members.stream()
                                    .filter(each -> each.id().equals(id))
                                    .findFirst()
                                    .orElseThrow();
                    members.remove(old);
                    members.add(new Member(id, old.name(), old.peerUrls(), List.of(), false));
                },
                List.of());
    }

    @Override
    public EtcdAnswer<List<Member>> remove(EtcdId id, Duration limit) {
        return change("remove", () -> members.removeIf(each -> each.id().equals(id)), List.of());
    }

    private <T> EtcdAnswer<T> change(String name, Runnable effect, T answer) {
        changes.add(name);
        if (takesEffect) {
            effect.run();
        }
        return unclear.isPresent()
                ? new EtcdAnswer.Unclear<>(unclear.get())
                : new EtcdAnswer.Ok<>(answer);
    }

    @Override
    public EtcdAnswer<Done> moveLeader(EtcdId target, Duration limit) {
        changes.add("move");
        return new EtcdAnswer.Ok<>(new Done());
    }

    @Override
    public EtcdAnswer<Written> put(Bytes key, Bytes value, Duration limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public EtcdAnswer<Found> range(
            Bytes key, Optional<Bytes> end, long most, Consistency consistency, Duration limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public EtcdAnswer<Done> compact(long revision, Duration limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public EtcdAnswer<KeyHash> hashKeys(long revision, Duration limit) {
        throw new UnsupportedOperationException();
    }
}
