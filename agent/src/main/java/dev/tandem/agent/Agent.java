package dev.tandem.agent;

import dev.tandem.core.Failure;
import dev.tandem.core.IpAddress;
import dev.tandem.core.decision.BootId;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Health;
import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.decision.NodeFacts;
import dev.tandem.core.decision.NodeName;
import dev.tandem.core.decision.Offer;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PeerView;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Replica;
import dev.tandem.core.decision.Server;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.decision.Word;
import dev.tandem.core.decision.Yield;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.NodeHardware;
import dev.tandem.host.etcd.EtcdAnswer;
import dev.tandem.host.etcd.EtcdApi;
import dev.tandem.host.etcd.EtcdConfig;
import dev.tandem.host.etcd.EtcdId;
import dev.tandem.host.etcd.EtcdMembers;
import dev.tandem.host.etcd.EtcdUnit;
import dev.tandem.host.etcd.HttpEtcdApi;
import dev.tandem.host.etcd.ReplicaDirectory;
import dev.tandem.host.pacemaker.ClusterPlan;
import dev.tandem.host.pacemaker.NodeAttributes;
import dev.tandem.host.pacemaker.NodeIdentities;
import dev.tandem.host.tls.Pem;
import dev.tandem.host.tls.SitePki;
import dev.tandem.host.tls.Tls;
import dev.tandem.host.tls.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The daemon: everything with a thread, a socket or a clock around the {@link Keeper}.
 *
 * <p>Four loops run beside it, each of which sleeps until it is nudged or its interval is over: one
 * looks at etcd, one talks to the peer, one asks the cluster, one keeps the BMC sessions warm. None
 * of their intervals lies on the way of a recovery: that is pushed by the end of a process, a fence
 * order, an alert of Pacemaker or a message of the peer.
 */
final class Agent implements AutoCloseable {
    /** Where agents listen for each other. */
    static final int PORT = 9443;

    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final Duration HEARTBEAT = Duration.ofSeconds(1);
    private static final Duration HEARTBEAT_WHILE_JOINING = Duration.ofMillis(200);
    private static final Duration CLUSTER_LOOK = Duration.ofSeconds(5);

    /** Sessions and connections to a BMC end after 30 s of idleness. */
    private static final Duration BMC_LOOK = Duration.ofSeconds(15);

    private static final int IDENTITY_EVERY = 20;
    private static final Duration ETCD_CHANGE = Duration.ofSeconds(2);
    private static final Duration PEER_PATIENCE = Duration.ofSeconds(4);
    private static final Duration GLANCE = Duration.ofSeconds(3);
    private static final EtcdApi.Bytes CONFIRMATION = EtcdApi.Bytes.of("/tandem/confirmation");
    private static final long OBJECTIVE_MILLIS = 10_000;

    /** Places on the node. */
    record Places(Path state, Path run, Path replicas, Path pki, Optional<String> alertGroup) {
        static final Places STANDARD =
                new Places(
                        Path.of("/var/lib/tandem"),
                        Path.of("/run/tandem"),
                        Path.of("/var/lib/etcd"),
                        SitePki.INSTALLED,
                        Optional.of("haclient"));
    }

    private final ClusterPlan plan;
    private final NodeName self;
    private final NodeName peer;
    private final InstantSource clock = InstantSource.system();
    private final Actor actor = new Actor();
    private final Journal journal;
    private final Bmcs bmcs;
    private final Cluster cluster;
    private final NodeIdentities identities;
    private final HardwareIdentity hardware = new NodeHardware().read();
    private final HttpEtcdApi ownEtcd;
    private final HttpEtcdApi peerEtcd;
    private final UnitEtcd etcd;
    private final Keeper keeper;
    private final HttpsPeer link;
    private final OcfActions ocf;
    private final Fencing fencing;
    private final List<LocalServer> sockets = new ArrayList<>();
    private final URI peerUrl;

    private final Semaphore lookNow = new Semaphore(0);
    private final Semaphore tellNow = new Semaphore(0);
    private final Semaphore clusterNow = new Semaphore(0);
    private volatile Instant lastHeard = Instant.EPOCH;
    private volatile long lastHeardNanos;
    private volatile boolean published;
    private volatile boolean ends;

    Agent(ClusterPlan plan, String name, Places places) {
        this.plan = plan;
        ClusterPlan.Node ownPlan =
                plan.node(name)
                        .orElseThrow(() ->
                                new Failure(
                                        "this node is not in the plan",
                                        "it is called %s, the plan names %s"
                                                .formatted(name, plan.nodeNames()),
                                        "correct its name: hostnamectl hostname NAME"));
        ClusterPlan.Node peerPlan = plan.peerOf(name);
        this.self = new NodeName(name);
        this.peer = new NodeName(peerPlan.name());
        SystemCommands commands = new SystemCommands();
        BootId boot = bootId();
        this.journal = new Journal(places.state().resolve("journal.jsonl"), clock);
        Path pki = places.pki();
        List<X509Certificate> authorities =
                Pem.readCertificates(pki.resolve(SitePki.CA_CERTIFICATE));
        TlsIdentity identity = identity(pki, SitePki.Purpose.AGENT);
        SSLContext etcdTls =
                Tls.client(authorities, Optional.of(identity(pki, SitePki.Purpose.ETCD_CLIENT)));
        EtcdConfig ours = etcdConfig(ownPlan, places);
        EtcdConfig theirs = etcdConfig(peerPlan, places);
        this.peerUrl = theirs.peerUrl();
        this.ownEtcd = new HttpEtcdApi(ours.clientUrl(), etcdTls);
        this.peerEtcd = new HttpEtcdApi(theirs.clientUrl(), etcdTls);
        this.etcd =
                new UnitEtcd(
                        self,
                        boot,
                        ours,
                        new EtcdConfig.Timing(plan.etcd().heartbeat(), plan.etcd().election()),
                        new EtcdUnit(
                                commands,
                                new EtcdUnit.Places(
                                        EtcdUnit.Places.STANDARD.program(),
                                        EtcdUnit.Places.STANDARD.unitDirectory(),
                                        places.run().resolve("etcd"))),
                        new ReplicaDirectory(places.replicas(), clock),
                        ownEtcd,
                        peerEtcd,
                        commands,
                        lookNow::release);
        this.keeper =
                new Keeper(
                        self,
                        peer,
                        boot,
                        peerUrl,
                        Policy.PAIR,
                        etcd,
                        new Memory.Store(places.state().resolve("memory.json")),
                        journal,
                        new InstallationMark(places.state().resolve(InstallationMark.NAME)),
                        new Errands(),
                        clock,
                        System::nanoTime);
        this.cluster = new Cluster(commands, peer);
        this.identities = new NodeIdentities(new NodeAttributes(commands));
        this.bmcs = new Bmcs(plan, this::machine, clock);
        this.fencing = new Fencing(peer.value(), bmcs, journal, this::peerIsOff);
        this.link =
                new HttpsPeer(
                        peer,
                        peerPlan.addresses().stream().map(Agent::agentAt).toList(),
                        Tls.client(authorities, Optional.of(identity)),
                        // Every family: one link may be IPv4 and the other IPv6.
                        new InetSocketAddress(InetAddress.ofLiteral("::"), PORT),
                        Tls.server(identity, authorities),
                        this::asked);
        this.ocf = new OcfActions(keeper, actor, new Hands());
        sockets.add(
                LocalServer.open(
                        places.run().resolve("agent.sock"),
                        "rw-------",
                        Optional.empty(),
                        this::answer));
        sockets.add(
                LocalServer.open(
                        places.run().resolve("alert.sock"),
                        "rw-rw----",
                        places.alertGroup(),
                        this::alert));
    }

    /** The mark of a running installation: a file that is there until the first server serves. */
    private record InstallationMark(Path file) implements Keeper.Installation {
        static final String NAME = "installing";

        @Override
        public boolean open() {
            return Files.exists(file);
        }

        @Override
        public void close() {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                throw new Failure(
                        "cannot end the installation",
                        String.valueOf(e),
                        "delete it by hand: rm " + file,
                        e);
            }
        }
    }

    void run() {
        journal.record("agent-started", Map.of("boot", keeper.facts().boot()));
        loop("etcd", lookNow, () -> LOOK, this::look);
        loop("peer", tellNow, this::heartbeat, this::tell);
        loop("cluster", clusterNow, () -> CLUSTER_LOOK, this::lookAtCluster);
        Thread.ofVirtual().name("bmcs").start(this::watchBmcs);
    }

    /** Whether the keeper's thread still takes questions: what systemd's watchdog is told. */
    boolean alive(Duration limit) {
        return actor.call(() -> true, limit).orElse(false);
    }

    private interface Interval {
        Duration next();
    }

    private void loop(String name, Semaphore nudge, Interval interval, Runnable work) {
        Thread.ofVirtual()
                .name(name)
                .start(() -> {
                    while (!ends) {
                        try {
                            work.run();
                        } catch (RuntimeException e) {
                            // The next round may fare better; nobody else runs this loop.
                            Faults.log("a loop", e);
                        }
                        try {
                            if (nudge.tryAcquire(
                                    interval.next().toMillis(), TimeUnit.MILLISECONDS)) {
                                nudge.drainPermits();
                            }
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                            return;
                        }
                    }
                });
    }

    private void look() {
        LocalEtcd.Sight sight = etcd.look();
        actor.post(() -> keeper.saw(sight));
    }

    private Duration heartbeat() {
        return actor.call(keeper::reconciles, GLANCE).orElse(false)
                ? HEARTBEAT_WHILE_JOINING
                : HEARTBEAT;
    }

    private void tell() {
        Optional<Keeper.Question> question = actor.call(keeper::question, GLANCE);
        if (question.isEmpty()) {
            return;
        }
        switch (link.ask(question.get().word())) {
            case PeerLink.Reply.Answered(Word theirs) -> {
                heardNow();
                actor.post(() -> keeper.answered(question.get(), theirs));
            }
            case PeerLink.Reply.Silent _ -> {
                // The status shows how long ago the peer was heard.
            }
        }
    }

    private Optional<Word> asked(Word theirs) {
        heardNow();
        return actor.call(() -> keeper.asked(theirs), PEER_PATIENCE);
    }

    private void heardNow() {
        lastHeard = clock.instant();
        lastHeardNanos = System.nanoTime();
    }

    private void lookAtCluster() {
        Keeper.Presence presence = cluster.presence();
        actor.post(() -> keeper.membership(presence));
        if (presence.known() && !published) {
            publishIdentity();
        }
    }

    /** Transient: it is of this boot, and has to be said anew after each. */
    private void publishIdentity() {
        try {
            identities.publish(self.value(), hardware);
            published = true;
        } catch (Failure e) {
            // Corosync is up before Pacemaker is; the next look tries again.
            published = false;
        }
    }

    private void watchBmcs() {
        for (int round = 0; !ends; round++) {
            try {
                bmcs.check(round % IDENTITY_EVERY == 0);
                Bmcs.Check check = bmcs.checks().get(peer.value());
                if (check != null) {
                    actor.post(() -> keeper.peerPower(check.reading()));
                }
                Thread.sleep(BMC_LOOK);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException e) {
                Faults.log("a loop", e);
            }
        }
    }

    /** On the thread of the fence order, at the moment Off was read. */
    private void peerIsOff(String method) {
        Keeper.Presence presence = cluster.presence();
        actor.post(() -> {
            keeper.membership(presence);
            keeper.fenced(method, PowerReading.OFF);
        });
    }

    /**
     * The second fencing level is the stock agent, which does not tell us. Pacemaker's history says
     * that it succeeded, and it succeeds only after it has itself read Off from the BMC; whether
     * the BMC reads Off still, when we look, depends on how quickly it switched the node on again.
     */
    private void lookAtFenceLog() {
        Optional<String> action = cluster.fencedSince(lastHeard);
        if (action.isEmpty()) {
            return;
        }
        Keeper.Presence presence = cluster.presence();
        if (presence.known() && !presence.peerPresent()) {
            actor.post(() -> {
                keeper.membership(presence);
                keeper.fenced("pacemaker: " + action.get(), PowerReading.OFF);
            });
        }
    }

    private LocalServer.Answer alert(String method, String path, String body) {
        // Whoever writes here is not root: it is a nudge to look, whatever it says.
        clusterNow.release();
        lookNow.release();
        tellNow.release();
        lookAtFenceLog();
        return LocalServer.Answer.text("");
    }

    private LocalServer.Answer answer(String method, String path, String body)
            throws InterruptedException {
        if (path.startsWith("/ocf/etcd/")) {
            return LocalServer.Answer.text(
                    ocf.run(path.substring("/ocf/etcd/".length()), body).text());
        }
        if (path.startsWith("/fence/")) {
            return LocalServer.Answer.text(fencing.run(path.substring("/fence/".length()), body));
        }
        return switch (method + " " + path) {
            case "GET /" -> LocalServer.Answer.text("tandem-agent\n");
            case "GET /status" -> LocalServer.Answer.json(status());
            case "GET /journal" -> journalAnswer();
            case "POST /confirm-peer-off" -> confirm(body);
            case "POST /alert" -> alert(method, path, body);
            default -> new LocalServer.Answer(404, "text/plain", "there is no " + path + "\n");
        };
    }

    private LocalServer.Answer journalAnswer() {
        return new LocalServer.Answer(
                200,
                "application/json",
                "{\"lines\":[" + String.join(",", journal.last(2000)) + "]}\n");
    }

    /** What a person states, in the form of the command line. */
    private record Confirmation(String node, String incident, String person, boolean acceptLoss) {}

    private LocalServer.Answer confirm(String body) {
        Confirmation word;
        try {
            word = AgentJson.MAPPER.readValue(body, Confirmation.class);
        } catch (IOException e) {
            return new LocalServer.Answer(400, "text/plain", "not understood\n");
        }
        String what = "not taken as a statement about " + word.node();
        if (!word.node().equals(peer.value())) {
            throw new Failure(
                    what,
                    "the peer of " + self + " is " + peer,
                    "on " + self + ": tandem confirm-peer-off " + peer);
        }
        PowerReading power = bmcs.read(peer.value());
        if (power == PowerReading.ON) {
            throw new Failure(
                    what,
                    "its BMC reads On",
                    "look at "
                            + peer
                            + " again; if the BMC is another machine's: tandem fencing"
                            + " check");
        }
        Keeper.Presence presence = cluster.presence();
        Optional<String> refused =
                actor.call(
                        () -> {
                            keeper.membership(presence);
                            if (!keeper.incident().code().equals(word.incident())) {
                                return "the situation has changed: it is incident "
                                        + keeper.incident().code()
                                        + " now";
                            }
                            if (presence.peerPresent()) {
                                return peer + " is in the membership: it is not off";
                            }
                            keeper.stated(
                                    word.acceptLoss()
                                            ? PeerProof.Statement.PEER_IS_OFF_LOSS_ACCEPTED
                                            : PeerProof.Statement.PEER_IS_OFF,
                                    power,
                                    word.person());
                            return "";
                        },
                        GLANCE);
        if (!refused.equals(Optional.of(""))) {
            throw new Failure(
                    what, refused.orElse("tandem-agent is busy"), "look at it anew: tandem status");
        }
        cluster.peerIsOff(presence);
        clusterNow.release();
        return LocalServer.Answer.json(Map.of("taken", true));
    }

    // ---- errands of the keeper ----------------------------------------------------------------

    private final class Errands implements Keeper.Errands {
        @Override
        public void tellPeer() {
            tellNow.release();
        }

        @Override
        public void lead(Step step) {
            Thread.ofVirtual()
                    .name("lead")
                    .start(() -> {
                        Led led;
                        try {
                            led = carryOut(step);
                        } catch (RuntimeException e) {
                            led = new Led(Optional.empty(), String.valueOf(e));
                        }
                        Led done = led;
                        look();
                        actor.post(() -> keeper.stepped(step, done.offer(), done.outcome()));
                    });
        }

        @Override
        public void handOver() {
            Thread.ofVirtual().name("hand-over").start(Agent.this::handLeadershipOver);
        }

        @Override
        public void changed() {
            actor.ring();
        }
    }

    /** What became of a leader's step. */
    private record Led(Optional<Offer> offer, String outcome) {}

    private Led carryOut(Step step) {
        EtcdMembers members = new EtcdMembers(ownEtcd, ETCD_CHANGE);
        return switch (step) {
            case Step.Nothing(), Step.Invite(_), Step.MarkComplete() ->
                    new Led(Optional.empty(), "nothing to do");
            case Step.Register(BootId joinerBoot) -> {
                EtcdMembers.Outcome outcome = members.addLearner(peerUrl);
                Optional<Offer> token =
                        outcome instanceof EtcdMembers.Achieved(List<EtcdApi.Member> list, String _)
                                ? list.stream()
                                        .filter(member -> member.peerUrls().contains(peerUrl))
                                        .findFirst()
                                        .map(member ->
                                                new Offer.JoinToken(
                                                        peer, joinerBoot, member.id().bits()))
                                : Optional.empty();
                yield new Led(token, outcome.toString());
            }
            case Step.Promote(long memberId) ->
                    new Led(
                            Optional.of(Offer.none()),
                            members.promote(new EtcdId(memberId), peerEtcd).toString());
            case Step.Confirm(long memberId) -> confirmVoter(memberId);
            case Step.DropLearner(long memberId) ->
                    new Led(
                            Optional.of(Offer.none()),
                            members.remove(new EtcdId(memberId)).toString());
            case Step.LetGo(long memberId) ->
                    new Led(
                            Optional.of(Offer.none()),
                            members.remove(new EtcdId(memberId)).toString());
        };
    }

    /** The peer votes by now, so this write was acknowledged with its vote. */
    private Led confirmVoter(long memberId) {
        EtcdAnswer<EtcdApi.Written> written =
                ownEtcd.put(
                        CONFIRMATION, EtcdApi.Bytes.of(Long.toHexString(memberId)), ETCD_CHANGE);
        if (!written.isOk()) {
            return new Led(Optional.empty(), written.words());
        }
        return ownEtcd.status(ETCD_CHANGE)
                .toOptional()
                .map(status ->
                        new Led(
                                Optional.of(new Offer.Confirmation(memberId, status.committed())),
                                "confirmed at index " + status.committed()))
                .orElseGet(() -> new Led(Optional.empty(), "the index could not be read"));
    }

    private String handLeadershipOver() {
        EtcdMembers members = new EtcdMembers(ownEtcd, ETCD_CHANGE);
        Optional<EtcdApi.Member> target =
                ownEtcd.members(EtcdApi.Consistency.SERIALIZABLE, ETCD_CHANGE)
                        .toOptional()
                        .flatMap(list ->
                                list.stream()
                                        .filter(m -> m.peerUrls().contains(peerUrl))
                                        .filter(m -> !m.learner())
                                        .findFirst());
        String outcome =
                target.map(member -> members.handOver(member.id()).toString())
                        .orElse("the peer is not a voter");
        journal.record("leadership", Map.of("outcome", outcome));
        look();
        return outcome;
    }

    private final class Hands implements OcfActions.Hands {
        @Override
        public void tellPeer() {
            tellNow.release();
        }

        @Override
        public void lookAtCluster() {
            Agent.this.lookAtCluster();
        }

        @Override
        public String handLeadershipOver() {
            return Agent.this.handLeadershipOver();
        }
    }

    // ---- status -------------------------------------------------------------------------------

    private AgentStatus status() {
        return actor.call(this::statusNow, GLANCE)
                .orElseThrow(() ->
                        new Failure(
                                "cannot tell the status",
                                "tandem-agent is busy with an action",
                                "ask again in a moment"));
    }

    private AgentStatus statusNow() {
        NodeFacts mine = keeper.facts();
        Health health = Health.of(mine);
        long heard = (System.nanoTime() - lastHeardNanos) / 1_000_000;
        Optional<NodeFacts> theirs =
                keeper.peerView() instanceof PeerView.Heard(NodeFacts facts)
                        ? Optional.of(facts)
                        : Optional.empty();
        long ownIndex = index(mine);
        long peerIndex = theirs.map(Agent::index).orElse(0L);
        List<AgentStatus.NodeLine> nodes = new ArrayList<>();
        nodes.add(line(mine, true, 0L, Math.max(0, peerIndex - ownIndex)));
        theirs.ifPresent(facts ->
                nodes.add(
                        line(
                                facts,
                                keeper.presence().peerPresent(),
                                lastHeardNanos == 0 ? null : heard,
                                Math.max(0, ownIndex - peerIndex))));
        Optional<AgentStatus.PendingLine> pending = keeper.pending().map(this::pendingLine);
        return new AgentStatus(
                sentence(health, theirs, pending),
                self.value(),
                peer.value(),
                health.name(),
                nodes,
                fencingLines(),
                new AgentStatus.PacemakerLine(
                        keeper.presence().known(),
                        keeper.presence().quorate(),
                        keeper.presence().peerPresent(),
                        keeper.presence().waitsForAll()),
                prediction(),
                health == Health.DOWN ? pending.orElse(null) : null,
                keeper.trouble().orElse(null),
                keeper.incident().code(),
                plan.timing().profile(),
                Map.of(
                        "uptimeMillis",
                        ProcessHandle.current()
                                .info()
                                .startInstant()
                                .map(start -> Duration.between(start, clock.instant()).toMillis())
                                .orElse(0L)));
    }

    private String sentence(
            Health health, Optional<NodeFacts> theirs, Optional<AgentStatus.PendingLine> pending) {
        boolean present = keeper.presence().peerPresent();
        return switch (health) {
            case REDUNDANT ->
                    present && theirs.filter(f -> Health.of(f) == Health.REDUNDANT).isPresent()
                            ? "etcd serves on %s and %s, and either may fail. Nothing to do."
                                    .formatted(self, peer)
                            : "etcd serves here, but %s is %s: writes need both."
                                    .formatted(peer, present ? "not well" : "not in the cluster");
            case ALONE ->
                    "etcd serves on %s alone, and a failure of %s would be an outage; %s."
                            .formatted(
                                    self,
                                    self,
                                    !present
                                            ? "switch " + peer + " on"
                                            : theirs.filter(f -> f.server() == Server.FOLLOWING)
                                                            .isPresent()
                                                    ? peer + " is catching up. Nothing to do"
                                                    : "waiting for " + peer + " to join");
            case LEARNING ->
                    "%s learns from %s and cannot take over yet. Nothing to do."
                            .formatted(self, peer);
            case DOWN ->
                    "No writes here: "
                            + keeper.sentence()
                            + pending.map(line -> line.overdue() ? " (overdue)" : "").orElse("")
                            + ".";
        };
    }

    private AgentStatus.PendingLine pendingLine(Keeper.Pending pending) {
        long since = (System.nanoTime() - pending.sinceNanos()) / 1_000_000;
        return switch (pending.decision()) {
            case Decision.Wait(WaitFor what) ->
                    new AgentStatus.PendingLine(
                            pending.sentence(),
                            since,
                            what.owner().name(),
                            what.limit().toMillis(),
                            since > what.limit().toMillis(),
                            null,
                            what == WaitFor.FENCING || what == WaitFor.PEER_RETURN
                                    ? "if you have seen that %s is off: tandem confirm-peer-off %s"
                                            .formatted(peer, peer)
                                    : null);
            case Decision.Refuse(var refusal) ->
                    new AgentStatus.PendingLine(
                            pending.sentence(),
                            since,
                            "PERSON",
                            null,
                            false,
                            refusal.missing(self, peer),
                            refusal.remedy(self, peer, keeper.incident()));
            default ->
                    new AgentStatus.PendingLine(
                            pending.sentence(),
                            since,
                            null,
                            Keeper.REPAIR_LIMIT.toMillis(),
                            since > Keeper.REPAIR_LIMIT.toMillis(),
                            null,
                            null);
        };
    }

    private static long index(NodeFacts facts) {
        return facts.replica() instanceof Replica.Log log ? log.lastIndex() : 0;
    }

    private static AgentStatus.NodeLine line(
            NodeFacts facts, boolean present, @Nullable Long heardMillis, long lag) {
        String yielded =
                facts.yield() instanceof Yield.None
                        ? null
                        : facts.yield() instanceof Yield.Departure ? "departed" : "stood down";
        return facts.replica() instanceof Replica.Log log
                ? new AgentStatus.NodeLine(
                        facts.node().value(),
                        present,
                        heardMillis,
                        facts.server().name(),
                        log.seat().name(),
                        log.complete(),
                        log.lineage().current().number(),
                        log.term(),
                        log.lastIndex(),
                        lag,
                        yielded,
                        Long.toHexString(log.memberId()))
                : new AgentStatus.NodeLine(
                        facts.node().value(),
                        present,
                        heardMillis,
                        facts.server().name(),
                        facts.replica() instanceof Replica.Missing ? "NO_REPLICA" : "DAMAGED",
                        false,
                        0,
                        0,
                        0,
                        lag,
                        yielded,
                        "");
    }

    private List<AgentStatus.FencingLine> fencingLines() {
        List<AgentStatus.FencingLine> lines = new ArrayList<>();
        Instant now = clock.instant();
        Map<String, Bmcs.Check> checks = bmcs.checks();
        for (ClusterPlan.Node node : plan.nodes()) {
            Bmcs.Check check = checks.get(node.name());
            lines.add(
                    check == null
                            ? new AgentStatus.FencingLine(
                                    node.name(), "UNKNOWN", null, null, "", "")
                            : new AgentStatus.FencingLine(
                                    node.name(),
                                    check.reading().name(),
                                    Duration.between(check.at(), now).toMillis(),
                                    check.latency().map(Duration::toMillis).orElse(null),
                                    check.fault(),
                                    check.identity()));
        }
        return lines;
    }

    /** From what the lab measures: reading a log and loading a database are the parts that grow. */
    private AgentStatus.Prediction prediction() {
        LocalEtcd.Figures figures = keeper.sight().figures();
        Bmcs.Check check = bmcs.checks().get(peer.value());
        long latency = check == null ? 1000 : check.latency().map(Duration::toMillis).orElse(1000L);
        Map<String, Long> parts = new LinkedHashMap<>();
        parts.put("detect", plan.timing().token().plus(plan.timing().consensus()).toMillis());
        parts.put("order", 300L);
        parts.put("fence", 2 * latency + 20);
        parts.put("log", 150 + 5 * figures.logBytes() / 1_000_000);
        parts.put("etcd", 200 + 7 * figures.databaseBytes() / 1_000_000);
        return new AgentStatus.Prediction(
                parts.values().stream().mapToLong(Long::longValue).sum(), parts, OBJECTIVE_MILLIS);
    }

    // ---- wiring -------------------------------------------------------------------------------

    private EtcdConfig etcdConfig(ClusterPlan.Node node, Places places) {
        EtcdConfig.TlsFiles files =
                new EtcdConfig.TlsFiles(
                        SitePki.Purpose.ETCD.certificate(places.pki()),
                        SitePki.Purpose.ETCD.key(places.pki()),
                        places.pki().resolve(SitePki.CA_CERTIFICATE));
        EtcdConfig.Limits usual = EtcdConfig.Limits.STANDARD;
        return new EtcdConfig(
                node.name(),
                InetAddress.ofLiteral(node.address().toString()),
                new EtcdConfig.Ports(
                        plan.etcd().clientPort(),
                        plan.etcd().peerPort(),
                        EtcdConfig.Ports.STANDARD.metrics()),
                new ReplicaDirectory(places.replicas(), clock).current(),
                Optional.of(files),
                Optional.of(files),
                new EtcdConfig.Limits(
                        plan.etcd().quotaMegabytes() << 20,
                        usual.compactionRetention(),
                        usual.snapshotCount(),
                        usual.maxRequestBytes()));
    }

    private static TlsIdentity identity(Path pki, SitePki.Purpose purpose) {
        return Pem.readIdentity(purpose.certificate(pki), purpose.key(pki));
    }

    /** Which machine a node is, by its own word. */
    private Optional<HardwareIdentity> machine(String node) {
        return node.equals(self.value()) ? Optional.of(hardware) : identities.published(node);
    }

    private static URI agentAt(IpAddress address) {
        return URI.create(
                "https://%s:%d".formatted(address.isV6() ? "[" + address + "]" : address, PORT));
    }

    private static BootId bootId() {
        Path file = Path.of("/proc/sys/kernel/random/boot_id");
        try {
            return new BootId(Files.readString(file).strip());
        } catch (IOException e) {
            throw new Failure(
                    "cannot tell one boot from another",
                    String.valueOf(e),
                    "mount /proc on this machine",
                    e);
        }
    }

    @Override
    public void close() {
        ends = true;
        sockets.forEach(LocalServer::close);
        link.close();
        actor.close();
        bmcs.close();
        ownEtcd.close();
        peerEtcd.close();
    }
}
