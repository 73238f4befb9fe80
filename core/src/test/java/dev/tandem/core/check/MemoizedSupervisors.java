package dev.tandem.core.check;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.DurableState;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.ServerObservation;
import dev.tandem.core.supervise.State;
import dev.tandem.core.supervise.Supervisor;
import dev.tandem.core.supervise.SupervisorPolicy;
import dev.tandem.core.supervise.VolatileState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The two supervisors, asked through a memory: the product's function gives the same outcome for
 * the same state and event, so each pair of them is asked for once. Shared by the threads of a
 * search.
 */
final class MemoizedSupervisors {
    static final NodeName[] NAMES = {new NodeName("north"), new NodeName("south")};
    static final BootId[][] BOOTS = boots();

    static final int LAST_BOOT = 7;

    /** Who waits for an acknowledgement. */
    static final long PACEMAKER = 1;

    static final long PERSON = 2;

    final Interner<Agent> agents = new Interner<>();
    final Interner<DurableState> memories = new Interner<>();
    final Interner<PeerMessage> messages = new Interner<>();
    private final Interner<Event> events = new Interner<>();
    private final Interner<Outcome> outcomes = new Interner<>();
    private final LongMap known = new LongMap();
    private final SupervisorPolicy policy;
    private final boolean slowDisk;

    /**
     * What an event led to.
     *
     * @param memory what is on the disk now; 0 if that has not changed
     * @param answer what the peer is answered; 0 for nothing
     * @param pacemaker what Pacemaker is told of its fence order: 0 nothing, 1 success, 2 failure
     * @param person what a person is told of a statement
     * @param marks of the peer's BMC for the next agent of this boot: 0 none, 1 a false Off, 2 no
     *     longer
     * @param secondMarks of the second of its BMCs
     */
    record Outcome(
            int agent,
            int memory,
            int answer,
            int pacemaker,
            int person,
            int marks,
            int secondMarks,
            boolean declaresOff,
            boolean ordersFence) {}

    /**
     * @param slowDisk other things may happen while something is being stored
     */
    MemoizedSupervisors(boolean startAlone, boolean slowDisk) {
        this.policy = policy(startAlone);
        this.slowDisk = slowDisk;
    }

    private static BootId[][] boots() {
        BootId[][] boots = new BootId[2][LAST_BOOT + 1];
        for (int node = 0; node < 2; node++) {
            for (int boot = 0; boot <= LAST_BOOT; boot++) {
                boots[node][boot] = new BootId(NAMES[node] + "-" + boot);
            }
        }
        return boots;
    }

    /** A tick stands for ten seconds; what is shorter takes no time at all. */
    private static SupervisorPolicy policy(boolean startAlone) {
        Duration none = Duration.ZERO;
        Duration tick = Duration.ofNanos(Canonical.TICK);
        Duration atOnce = Duration.ofNanos(-1);
        return new SupervisorPolicy(
                new Policy(Policy.Shape.PAIR, startAlone, 2),
                atOnce,
                none,
                tick,
                tick.multipliedBy(2),
                none,
                none,
                none,
                none,
                tick,
                tick,
                tick,
                tick.multipliedBy(2),
                Duration.ofMillis(300),
                tick,
                tick,
                tick,
                tick,
                none,
                none,
                tick,
                tick,
                none,
                tick,
                atOnce,
                atOnce,
                tick,
                tick,
                tick);
    }

    SupervisorPolicy policy() {
        return policy;
    }

    /** Which kinds of events there were so far, and what was refused. */
    void addSeen(Set<Class<?>> kinds, Set<Refusal> refusals) {
        for (int event = 1; event <= events.size(); event++) {
            kinds.add(events.value(event).getClass());
        }
        // These two are told without a number.
        kinds.add(Event.Tick.class);
        kinds.add(Event.PacemakerRead.class);
        for (int agent = 1; agent <= agents.size(); agent++) {
            agent(agent)
                    .live()
                    .pending()
                    .filter(pending -> pending.decision() instanceof Decision.Refuse)
                    .ifPresent(pending ->
                            refusals.add(((Decision.Refuse) pending.decision()).refusal()));
        }
    }

    Agent agent(int number) {
        return agents.value(number);
    }

    /** An agent begins in this boot of the node. */
    Outcome begin(int self, int boot, int memory, ServerObservation seen, Supervisor.Marks marks) {
        BootId now = BOOTS[self][boot];
        Supervisor.Outcome begun =
                Supervisor.begin(
                        new State.Node(NAMES[self], NAMES[1 - self], now),
                        memories.value(memory).in(now),
                        seen,
                        marks,
                        Canonical.NOW);
        // Nothing is in maintenance here, and an agent learns that before anything else.
        Supervisor.Outcome asked =
                Supervisor.on(begun.state(), new Event.PacemakerRead(true), Canonical.NOW, policy);
        List<Action> actions = new ArrayList<>(begun.actions());
        actions.addAll(asked.actions());
        return settled(
                new Agent.Body(
                        asked.state(),
                        List.of(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()),
                actions,
                seen.generation());
    }

    /** Whether the disk says in this boot that etcd is to run. */
    boolean wanted(int self, int boot, int memory) {
        return memories.value(memory).in(BOOTS[self][boot]).wanted();
    }

    /** The supervisor of this agent takes an event in. */
    Outcome on(int agent, Event event) {
        int number = events.number(event);
        long key = ((long) agent << 32) | number;
        long found = known.get(key);
        if (found == 0) {
            found = outcomes.number(asked(agents.value(agent).body(), event));
            known.put(key, found);
        }
        return outcomes.value((int) found);
    }

    private Outcome asked(Agent.Body body, Event event) {
        Supervisor.Outcome outcome = Supervisor.on(body.state(), event, Canonical.NOW, policy);
        return settled(
                without(body.with(outcome.state()), event), outcome.actions(), generation(event));
    }

    /** What the event reports is not under way any more. */
    private static Agent.Body without(Agent.Body body, Event event) {
        Optional<VolatileState.Question> question =
                event instanceof Event.PeerAnswered ? Optional.empty() : body.question();
        List<Action> work = new ArrayList<>(body.work());
        work.removeIf(action ->
                switch (action) {
                    case Action.Store _ ->
                            event instanceof Event.Stored || event instanceof Event.NotStored;
                    case Action.Etcd _ -> event instanceof Event.EtcdOrderEnded;
                    case Action.ChangeMembership _ -> event instanceof Event.StepEnded;
                    case Action.HandLeadershipOver _ -> event instanceof Event.HandOverEnded;
                    case Action.MarkComplete _ -> event instanceof Event.MarkEnded;
                    case Action.OrderFence _ -> event instanceof Event.FenceOrderEnded;
                    default -> false;
                });
        Optional<Moment> off =
                event instanceof Event.FenceAnswered fence && fence.caller() == PACEMAKER
                        ? Optional.empty()
                        : body.off();
        return new Agent.Body(body.state(), work, question, body.look(), off);
    }

    /** The shell counts its orders; the report of one tells the number after it. */
    private static long generation(Event event) {
        return event instanceof Event.EtcdOrderEnded(long _, Event.OrderResult result)
                ? result.seen().generation()
                : Canonical.GENERATION;
    }

    private Outcome settled(Agent.Body begun, List<Action> first, long generation) {
        Agent.Body body = begun;
        List<Action> actions = first;
        int memory = 0;
        int answer = 0;
        int pacemaker = 0;
        int person = 0;
        int marks = 0;
        int secondMarks = 0;
        boolean declaresOff = false;
        boolean ordersFence = false;
        while (true) {
            List<Action> work = new ArrayList<>(body.work());
            Optional<Action.Store> store = Optional.empty();
            for (Action action : actions) {
                switch (action) {
                    case Action.Store write when !slowDisk -> store = Optional.of(write);
                    case Action.AnswerPeer(PeerMessage message) ->
                            answer = messages.number(message);
                    case Action.Acknowledge(long caller, Action.Acknowledgement what) -> {
                        int told = what instanceof Action.Acknowledgement.Done ? 1 : 2;
                        pacemaker = caller == PACEMAKER ? told : pacemaker;
                        person = caller == PERSON ? told : person;
                    }
                    case Action.NoteBmc(Action.BmcMark mark) -> {
                        switch (mark) {
                            case FALSE_OFF_BEGAN -> marks = 1;
                            case FALSE_OFF_ENDED -> marks = 2;
                            case SECOND_FALSE_OFF_BEGAN -> secondMarks = 1;
                            case SECOND_FALSE_OFF_ENDED -> secondMarks = 2;
                        }
                    }
                    case Action.DeclarePeerOff _ -> declaresOff = true;
                    case Action.OrderFence _ -> {
                        ordersFence = true;
                        work.add(action);
                    }
                    default -> {
                        if (Canonical.isReported(action)) {
                            work.add(action);
                        }
                    }
                }
            }
            body = body.withWork(work);
            if (store.isEmpty()) {
                break;
            }
            memory = memories.number(store.get().content());
            Supervisor.Outcome stored =
                    Supervisor.on(
                            body.state(),
                            new Event.Stored(store.get().write()),
                            Canonical.NOW,
                            policy);
            body = body.with(stored.state());
            actions = stored.actions();
        }
        return new Outcome(
                number(Canonical.of(body, generation)),
                memory,
                answer,
                pacemaker,
                person,
                marks,
                secondMarks,
                declaresOff,
                ordersFence);
    }

    private int number(Agent.Body body) {
        return agents.number(new Agent(body));
    }

    private static final Event TICK = new Event.Tick();
    private final LongMap ticked = new LongMap();

    /** So much time goes by, and then the supervisor is told. */
    Outcome later(int agent, int ticks) {
        long key = ((long) agent << 4) | ticks;
        long found = ticked.get(key);
        if (found == 0) {
            found = outcomes.number(asked(Canonical.later(agent(agent).body(), ticks), TICK));
            ticked.put(key, found);
        }
        return outcomes.value((int) found);
    }

    private final LongMap asking = new LongMap();

    /** The agent with a question to its peer under way; an older one is given up. */
    int asking(int agent) {
        long found = asking.get(agent);
        if (found == 0) {
            Agent.Body body = agent(agent).body();
            VolatileState.Question question = agent(agent).view(this).question();
            found =
                    number(
                            Canonical.of(
                                    body.withQuestion(Optional.of(question)),
                                    Canonical.GENERATION));
            asking.put(agent, found);
        }
        return (int) found;
    }

    private final LongMap silenced = new LongMap();

    /** The agent gives its question up. */
    int unanswered(int agent) {
        long found = silenced.get(agent);
        if (found == 0) {
            Agent.Body body = agent(agent).body();
            found = number(Canonical.of(body.withQuestion(Optional.empty()), Canonical.GENERATION));
            silenced.put(agent, found);
        }
        return (int) found;
    }

    /** The agent with a look at etcd under way, or with none. */
    int looking(int agent, Optional<ServerObservation> look) {
        return number(Canonical.of(agent(agent).body().withLook(look), Canonical.GENERATION));
    }

    /** The agent has read Off at the end of a fence, or gives up what it has read. */
    int readOff(int agent, Optional<Moment> off) {
        return number(Canonical.of(agent(agent).body().withOff(off), Canonical.GENERATION));
    }

    /** An order was begun that makes every look before it outdated. */
    int orderBegun(int agent) {
        return number(Canonical.of(agent(agent).body(), Canonical.GENERATION + 1));
    }

    /** So much time from now. */
    static Moment in(int ticks) {
        return new Moment(Canonical.NOW.nanos() + ticks * Canonical.TICK);
    }
}
