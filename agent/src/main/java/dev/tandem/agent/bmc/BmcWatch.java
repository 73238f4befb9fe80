package dev.tandem.agent.bmc;

import dev.tandem.agent.cluster.Cluster;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Membership;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;

/** Keeps the sessions of the BMCs warm, and tells the supervisor what the peer's reads. */
public final class BmcWatch {
    /**
     * The peer's BMC is what a recovery depends on, and a person on either node is to read within
     * 15 s that it cannot be reached: this, the limit of a request and the next peer message.
     */
    private static final Duration USUAL = Duration.ofSeconds(7);

    /**
     * Of this node's own BMC only the session is kept: sessions and connections end after 30 s of
     * idleness, and slow BMCs have enough to do with two nodes that ask. What keeps the peer from
     * using it the peer finds as soon.
     */
    private static final int OWN_EVERY = 2;

    /** IPMI keeps nothing between two requests; what is read of one's own serves no fence. */
    private static final int OWN_SECOND_EVERY = 4;

    /** While somebody may wait for the peer to be held off. */
    private static final Duration CLOSER = Duration.ofSeconds(5);

    /** What is asked, each until it is answered or its time is over. */
    interface Questions {
        void askPeers();

        void askOwn();

        void askPeersSecond();

        /** Whether both ways to the peer's BMC log in to the same account. */
        boolean waysShareALogin();

        void askOwnSecond();

        void askRights();

        boolean mayAskRights();

        boolean peerMayBeHeldOff();
    }

    /** A question that has not ended is not asked again meanwhile. */
    private static final class Beside {
        private final String name;
        private final BiFunction<String, Runnable, Thread> threads;
        private Optional<Thread> last = Optional.empty();

        private Beside(String name, BiFunction<String, Runnable, Thread> threads) {
            this.name = name;
            this.threads = threads;
        }

        private void ask(Runnable question) {
            if (last.filter(Thread::isAlive).isEmpty()) {
                last = Optional.of(threads.apply(name, question));
            }
        }
    }

    private final Questions questions;
    private final Beside own;
    private final Beside second;
    private final Beside rights;
    private int round;

    public BmcWatch(NodeName peer, BmcSessions bmcs, Cluster cluster, EtcdSupervisor supervisor) {
        this(new OfBmcs(peer, bmcs, cluster, supervisor));
    }

    BmcWatch(Questions questions) {
        this(questions, (name, question) -> Thread.ofVirtual().name(name).start(question));
    }

    /**
     * @param threads starts one by its name
     */
    BmcWatch(Questions questions, BiFunction<String, Runnable, Thread> threads) {
        this.questions = questions;
        this.own = new Beside("bmc-own", threads);
        this.second = new Beside("bmc-second", threads);
        this.rights = new Beside("bmc-rights", threads);
    }

    public Duration interval() {
        return questions.peerMayBeHeldOff() ? CLOSER : USUAL;
    }

    /**
     * Nothing but the peer's BMC is waited for: what does not answer must not make the looks at it
     * late, and both BMCs are silent where the switch between is dead.
     */
    public void look() {
        boolean ownSecond = round % OWN_SECOND_EVERY == 0;
        if (round % OWN_EVERY == 0) {
            own.ask(() -> {
                questions.askOwn();
                if (ownSecond) {
                    questions.askOwnSecond();
                }
            });
        }
        round++;
        // What denies the first way had better not deny the second at the same moment: BMCs count,
        // and lock the account.
        boolean inTurn = questions.waysShareALogin();
        if (!inTurn) {
            second.ask(questions::askPeersSecond);
        }
        questions.askPeers();
        if (inTurn) {
            second.ask(questions::askPeersSecond);
        }
        // A slow BMC with many accounts takes a minute for that. Not while the peer is gone, when a
        // fence may be under way.
        if (questions.mayAskRights()) {
            rights.ask(questions::askRights);
        }
    }

    private record OfBmcs(
            NodeName peer, BmcSessions bmcs, Cluster cluster, EtcdSupervisor supervisor)
            implements Questions {
        @Override
        public void askPeers() {
            bmcs.check(peer.value());
            bmcs.noteWhetherSecondTells();
            Optional.ofNullable(bmcs.checks().get(peer.value())).ifPresent(this::judge);
        }

        @Override
        public void askOwn() {
            bmcs.checkAllBut(peer.value());
        }

        @Override
        public void askPeersSecond() {
            bmcs.second().ifPresent(this::lookAtSecond);
        }

        @Override
        public boolean waysShareALogin() {
            return bmcs.waysShareALogin(peer.value());
        }

        @Override
        public void askOwnSecond() {
            bmcs.second().ifPresent(second -> second.checkAllBut(peer.value()));
        }

        @Override
        public void askRights() {
            bmcs.askRightsIfDue();
            bmcs.tryPasswordIfDue();
        }

        @Override
        public boolean mayAskRights() {
            return supervisor.view().membership().peerPresent();
        }

        @Override
        public boolean peerMayBeHeldOff() {
            return supervisor.view().peerMayBeHeldOff();
        }

        private void lookAtSecond(BmcSessions second) {
            second.check(peer.value());
            bmcs.noteWhetherSecondTells();
            Optional.ofNullable(second.checks().get(peer.value()))
                    .ifPresent(check -> {
                        Optional<Cluster.Reading> presence = presenceIfOff(check.reading());
                        supervisor.post(() ->
                                new Event.SecondPowerRead(
                                        check.reading(), check.isTheNodes(), membership(presence)));
                    });
        }

        private void judge(BmcSessions.Check check) {
            Optional<Cluster.Reading> presence = presenceIfOff(check.reading());
            supervisor.post(() ->
                    new Event.PeerPowerRead(
                            check.reading(), check.isTheNodes(), membership(presence), check.at()));
        }

        /** Whether the peer is there is asked only where it matters, and then now. */
        private Optional<Cluster.Reading> presenceIfOff(PowerReading reading) {
            return reading == PowerReading.OFF ? Optional.of(cluster.presence()) : Optional.empty();
        }

        private Membership membership(Optional<Cluster.Reading> presence) {
            return presence.map(cluster::unlessOvertaken).orElse(Membership.UNKNOWN);
        }
    }
}
