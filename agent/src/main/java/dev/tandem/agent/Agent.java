package dev.tandem.agent;

import dev.tandem.agent.bmc.BmcSessions;
import dev.tandem.agent.bmc.BmcWatch;
import dev.tandem.agent.cluster.BootGate;
import dev.tandem.agent.cluster.Cluster;
import dev.tandem.agent.cluster.ClusterWatch;
import dev.tandem.agent.http.LocalServer;
import dev.tandem.agent.http.OperatorStatements;
import dev.tandem.agent.kube.FenceKnowledge;
import dev.tandem.agent.kube.NodeOutNotifier;
import dev.tandem.agent.kube.WriteProbe;
import dev.tandem.agent.ocf.Fencing;
import dev.tandem.agent.ocf.OcfActions;
import dev.tandem.agent.peer.AttributeTransport;
import dev.tandem.agent.peer.HttpsTransport;
import dev.tandem.agent.peer.PeerExchange;
import dev.tandem.agent.state.BmcCredibility;
import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.agent.state.DurableState;
import dev.tandem.agent.state.FencingLevelTwo;
import dev.tandem.agent.state.Journal;
import dev.tandem.agent.state.PeerIdentityFile;
import dev.tandem.agent.status.StatusReport;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.agent.supervise.MembershipChanges;
import dev.tandem.agent.thread.Actor;
import dev.tandem.agent.thread.Loop;
import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.AgentRoutes;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
import dev.tandem.core.IpAddress;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.Proofs;
import dev.tandem.host.Commands;
import dev.tandem.host.IoErrors;
import dev.tandem.host.UnexpectedErrors;
import dev.tandem.host.bmc.NodeHardware;
import dev.tandem.host.bmc.NodeIdentities;
import dev.tandem.host.etcd.ElectionNudge;
import dev.tandem.host.etcd.EtcdConfig;
import dev.tandem.host.etcd.EtcdProcess;
import dev.tandem.host.etcd.EtcdUnitFile;
import dev.tandem.host.etcd.HangDetector;
import dev.tandem.host.etcd.ReplicaDirectory;
import dev.tandem.host.etcd.SystemdEtcd;
import dev.tandem.host.etcd.api.HttpEtcdApi;
import dev.tandem.host.pacemaker.NodeAttributes;
import dev.tandem.host.pacemaker.PacemakerWatch;
import dev.tandem.host.pacemaker.cib.CibPlan;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.pki.Tls;
import dev.tandem.host.pki.TlsIdentity;
import dev.tandem.host.plan.ClusterPlan;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The daemon: everything with a thread, a socket or a clock around the {@link EtcdSupervisor}.
 *
 * <p>Six loops run beside it, each of which sleeps until it is nudged or its interval is over: one
 * looks at etcd, one asks the peer, one answers it over the cluster's attributes while HTTPS fails,
 * one asks the cluster, one asks Pacemaker for the status, one keeps the BMC sessions warm. None of
 * their intervals lies on the way of a recovery: that is pushed by the end of a process, a fence
 * order, an alert of Pacemaker or a message of the peer. One more thread tells Kubernetes what
 * became of the peer, and where the plan has an address of the API a seventh loop finds out whether
 * this node's API server writes; nobody waits for either.
 */
final class Agent implements AutoCloseable {
    /** Where agents listen for each other. */
    static final int PORT = 9443;

    private static final Duration GLANCE = Duration.ofSeconds(3);

    private static final Duration LOOK = Duration.ofMillis(1500);
    private static final Duration CLUSTER_LOOK = Duration.ofSeconds(5);

    /**
     * While both nodes are there and etcd serves. Whatever ends that is an event; a look is only
     * for what nobody tells, and each costs processor time on a thousand idle sites.
     */
    private static final Duration LOOK_WHILE_WELL = Duration.ofSeconds(3);

    private static final Duration CLUSTER_LOOK_WHILE_WELL = Duration.ofSeconds(15);

    private final Actor actor = new Actor();
    private final Journal journal;
    private final HttpEtcdApi ownEtcd;
    private final HttpEtcdApi peerEtcd;
    private final ElectionNudge election;
    private final SystemdEtcd etcd;
    private final EtcdSupervisor supervisor;
    private final MembershipChanges leaderSteps;
    private final PeerExchange talk;
    private final HttpsTransport link;
    private final AttributeTransport letters;
    private final ClusterWatch clusterWatch;
    private final BootGate calm;
    private final BmcSessions bmcs;
    private final Fencing fencing;
    private final OcfActions ocf;
    private final OperatorStatements statements;
    private final StatusReport report;
    private final List<LocalServer> sockets = new ArrayList<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicReference<EtcdProcess.@Nullable EtcdObservation> observation =
            new AtomicReference<>();

    private final Loop etcdLoop;
    private final Loop peerLoop;
    private final Loop clusterLoop;
    private final Loop bmcLoop;
    private final Loop pacemakerLoop;
    private final Thread kubernetes;
    private final Loop letterLoop;

    /** Where the plan has an address of the API, for its sake. */
    private final Optional<WriteProbe> writeProbe;

    private final Optional<Loop> writeLoop;

    Agent(ClusterPlan plan, String name, AgentPaths places, Commands commands) {
        ClusterPlan.Node ownPlan =
                plan.node(name)
                        .orElseThrow(() ->
                                new Failure(
                                        "this node is not in the plan",
                                        "it is called %s, the plan names %s"
                                                .formatted(name, plan.nodeNames()),
                                        "correct its name: hostnamectl hostname NAME"));
        ClusterPlan.Node peerPlan = plan.peerOf(name);
        NodeName self = new NodeName(name);
        NodeName peer = new NodeName(peerPlan.name());
        InstantSource clock = InstantSource.system();
        BootId boot = bootId();
        this.etcdLoop = new Loop("etcd", this::nextLook, this::look);
        this.peerLoop = new Loop("peer", this::heartbeat, this::ask);
        this.clusterLoop = new Loop("cluster", this::nextClusterLook, this::lookAtCluster);
        this.journal = new Journal(places.state().resolve(JournalLine.FILE), clock);
        List<X509Certificate> authorities = places.authorities();
        SSLContext etcdTls =
                Tls.client(authorities, Optional.of(places.identity(SitePki.Purpose.ETCD_CLIENT)));
        ReplicaDirectory replicas = new ReplicaDirectory(places.replicas(), clock);
        EtcdConfig ours = etcdConfig(plan, ownPlan, places, replicas);
        EtcdConfig theirs = etcdConfig(plan, peerPlan, places, replicas);
        URI peerUrl = theirs.peerUrl();
        this.ownEtcd = new HttpEtcdApi(ours.clientUrl(), etcdTls);
        this.peerEtcd = new HttpEtcdApi(theirs.clientUrl(), etcdTls);
        this.election = new ElectionNudge(ours.peerUrl(), Optional.of(etcdTls));
        this.etcd =
                new SystemdEtcd(
                        self,
                        boot,
                        ours,
                        new EtcdConfig.Timing(plan.etcd().heartbeat(), plan.etcd().election()),
                        new EtcdUnitFile(
                                commands,
                                new EtcdUnitFile.Places(
                                        EtcdUnitFile.Places.STANDARD.program(),
                                        places.units(),
                                        places.run().resolve("etcd"))),
                        replicas,
                        ownEtcd,
                        peerEtcd,
                        election,
                        commands,
                        etcdLoop::nudge,
                        this::unheard);
        this.leaderSteps = new MembershipChanges(peer, peerUrl, ownEtcd, peerEtcd, journal);
        this.supervisor =
                new EtcdSupervisor(
                        self,
                        peer,
                        boot,
                        peerUrl,
                        new Policy(
                                Policy.Shape.PAIR,
                                plan.loneStart() == ClusterPlan.LoneStart.BMC_OFF,
                                Policy.PAIR.deathsBeforeStandDown()),
                        etcd,
                        new DurableState.Store(places.state().resolve("memory.json")),
                        journal,
                        places.installation(),
                        new Errands(),
                        clock,
                        System::nanoTime);
        BootTimestamps moments = new BootTimestamps(places.run().resolve("moments"));
        this.talk = new PeerExchange(supervisor, actor, journal, moments, this::peerPresent);
        Cluster cluster = new Cluster(commands, peer, moments);
        NodeAttributes attributes = new NodeAttributes(commands);
        this.calm =
                new BootGate(
                        places.state().resolve("unheard"),
                        boot,
                        peerPlan.addresses(),
                        journal,
                        System::nanoTime);
        BmcCredibility offWhileAlive = new BmcCredibility(System::nanoTime, moments);
        this.clusterWatch =
                new ClusterWatch(
                        self,
                        peer,
                        new NodeHardware().read(),
                        cluster,
                        new NodeIdentities(attributes),
                        new PeerIdentityFile(places.state().resolve("peer-identity")),
                        calm,
                        supervisor,
                        actor,
                        offWhileAlive,
                        new FencingLevelTwo(
                                places.run().resolve("fenced").resolve(peer.value()),
                                moments,
                                () -> askMachine(peer)),
                        journal);
        this.bmcs = new BmcSessions(plan, clusterWatch::machine, places.state(), clock);
        BmcWatch bmcWatch =
                new BmcWatch(
                        peer, bmcs, cluster, supervisor, actor, offWhileAlive, System::nanoTime);
        this.bmcLoop = new Loop("bmcs", bmcWatch::interval, bmcWatch::look);
        this.fencing =
                new Fencing(
                        peer.value(),
                        bmcs,
                        journal,
                        () -> new Proofs.Order(peer, supervisor.peerBoot()),
                        offWhileAlive::found,
                        clusterWatch::peerIsOff);
        this.statements =
                new OperatorStatements(self, peer, supervisor, actor, bmcs, cluster, talk::silence);
        NodeOutNotifier failover =
                new NodeOutNotifier(
                        self.value(),
                        peer.value(),
                        places.kubernetes(),
                        new ForKubernetes(),
                        journal::record,
                        clock);
        PacemakerWatch pacemakerWatch = new PacemakerWatch(cluster::status, System::nanoTime);
        this.pacemakerLoop =
                new Loop("pacemaker", () -> PacemakerWatch.INTERVAL, pacemakerWatch::look);
        this.report =
                new StatusReport(
                        plan,
                        self,
                        peer,
                        supervisor,
                        talk,
                        bmcs,
                        calm,
                        offWhileAlive,
                        pacemakerWatch,
                        actor,
                        failover,
                        clock);
        TlsIdentity identity = places.identity(SitePki.Purpose.AGENT);
        this.link =
                new HttpsTransport(
                        peer,
                        peerPlan.addresses().stream().map(Agent::agentAt).toList(),
                        Tls.client(authorities, Optional.of(identity)),
                        places.listen(),
                        Tls.server(identity, authorities),
                        talk::askedOverHttps);
        this.letters =
                new AttributeTransport(
                        peer,
                        AttributeTransport.inCluster(attributes, self, peer),
                        talk::asked,
                        System::nanoTime);
        this.letterLoop = new Loop("letters", () -> AttributeTransport.LOOK, this::listen);
        this.ocf = new OcfActions(supervisor, actor, new Hands());
        this.writeProbe =
                plan.api()
                        .map(api ->
                                new WriteProbe(
                                        name,
                                        places.kubernetes(),
                                        new AroundTheApi(name, api.address(), attributes),
                                        journal::record,
                                        clock,
                                        System::nanoTime));
        this.writeLoop =
                writeProbe.map(probe -> new Loop("api-writes", probe::interval, probe::look));
        this.kubernetes = Thread.ofVirtual().name("kubernetes").unstarted(failover);
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

    void run() {
        journal.record(new JournalEvent.AgentStarted(supervisor.facts().boot()));
        etcd.withdrawLeftOver();
        calm.start();
        loops().forEach(Loop::start);
        kubernetes.start();
    }

    private List<Loop> loops() {
        List<Loop> loops =
                new ArrayList<>(
                        List.of(
                                etcdLoop,
                                peerLoop,
                                clusterLoop,
                                bmcLoop,
                                pacemakerLoop,
                                letterLoop));
        writeLoop.ifPresent(loops::add);
        return loops;
    }

    /** Whether the supervisor's thread still takes questions: what systemd's watchdog is told. */
    boolean alive(Duration limit) {
        return actor.call(() -> true, limit).orElse(false);
    }

    /** Only the newest sight is of interest to a supervisor that was busy meanwhile. */
    private void look() {
        if (observation.getAndSet(etcd.look()) == null) {
            actor.post(() -> {
                Optional.ofNullable(observation.getAndSet(null)).ifPresent(supervisor::saw);
                report.keep();
            });
        }
    }

    private void unheard(long generation) {
        actor.post(() -> supervisor.unheard(generation));
    }

    private Duration nextLook() {
        if (etcd.silent()) {
            return HangDetector.AGAIN;
        }
        return peerPresent() && etcd.serves() ? LOOK_WHILE_WELL : LOOK;
    }

    private Optional<Proofs.Machine> askMachine(NodeName node) {
        return bmcs.askMachine(node.value());
    }

    private Duration nextClusterLook() {
        return peerPresent() ? CLUSTER_LOOK_WHILE_WELL : CLUSTER_LOOK;
    }

    private Duration heartbeat() {
        return talk.heartbeat();
    }

    private void ask() {
        talk.ask(link, letters);
    }

    private boolean peerPresent() {
        return clusterWatch.peerPresent();
    }

    private void listen() {
        if (talk.shouldListen()) {
            letters.listen();
        }
    }

    private void lookAtCluster() {
        clusterWatch.look();
    }

    private String handLeadershipOver() {
        String outcome = leaderSteps.handLeadershipOver();
        look();
        return outcome;
    }

    // ---- the local sockets --------------------------------------------------------------------

    private LocalServer.Answer alert(String method, String path, String body) {
        // Whoever writes here is not root: it is a nudge to look, whatever it says.
        clusterLoop.nudge();
        etcdLoop.nudge();
        peerLoop.nudge();
        clusterWatch.lookAtSecondLevel();
        pacemakerLoop.nudge();
        return LocalServer.Answer.text("");
    }

    private LocalServer.Answer answer(String method, String path, String body)
            throws InterruptedException {
        if (path.startsWith(AgentRoutes.OCF_ETCD)) {
            return LocalServer.Answer.text(
                    ocf.run(path.substring(AgentRoutes.OCF_ETCD.length()), body).text());
        }
        if (path.startsWith(AgentRoutes.FENCE)) {
            return LocalServer.Answer.text(
                    fencing.run(path.substring(AgentRoutes.FENCE.length()), body));
        }
        return switch (method + " " + path) {
            case "POST " + AgentRoutes.SECOND_LEVEL ->
                    LocalServer.Answer.text(fencing.secondLevelMay(body.strip()));
            case "GET " + AgentRoutes.ROOT -> LocalServer.Answer.text("tandem-agent\n");
            case "GET " + AgentRoutes.STATUS -> LocalServer.Answer.json(report.ask());
            case "GET " + AgentRoutes.JOURNAL -> journalAnswer();
            case "GET " + AgentRoutes.CALM -> LocalServer.Answer.text(calm.await() + "\n");
            case "POST " + AgentRoutes.CONFIRM_PEER_OFF -> {
                LocalServer.Answer taken = statements.peerIsOff(body);
                clusterLoop.nudge();
                yield taken;
            }
            case "POST " + AgentRoutes.KEEP_HISTORY -> statements.keepPeersHistory(body);
            case "POST " + AgentRoutes.ALERT -> alert(method, path, body);
            default -> new LocalServer.Answer(404, "text/plain", "there is no " + path + "\n");
        };
    }

    private LocalServer.Answer journalAnswer() {
        return new LocalServer.Answer(
                200,
                "application/json",
                "{\"version\":%d,\"lines\":[%s]}\n"
                        .formatted(
                                AgentMessages.VERSION,
                                journal.last(2000).stream()
                                        .map(JournalLine::asJson)
                                        .collect(Collectors.joining(","))));
    }

    // ---- what the supervisor and Pacemaker's actions have done elsewhere
    // ---------------------------

    private final class Errands implements EtcdSupervisor.Errands {
        @Override
        public void tellPeer() {
            peerLoop.nudge();
        }

        @Override
        public void look() {
            etcdLoop.nudge();
        }

        @Override
        public void lead(Step step) {
            Thread.ofVirtual()
                    .name("lead")
                    .start(() -> {
                        MembershipChanges.Led led;
                        try {
                            led = leaderSteps.carryOut(step);
                        } catch (RuntimeException e) {
                            led = MembershipChanges.Led.failed(String.valueOf(e));
                        }
                        MembershipChanges.Led done = led;
                        look();
                        actor.post(() -> supervisor.stepped(step, done));
                    });
        }

        @Override
        public void changed() {
            actor.ring();
        }
    }

    private final class Hands implements OcfActions.Hands {
        @Override
        public void tellPeer() {
            peerLoop.nudge();
        }

        @Override
        public void lookAtCluster() {
            clusterWatch.look();
        }

        @Override
        public String handLeadershipOver() {
            return Agent.this.handLeadershipOver();
        }
    }

    private final class ForKubernetes implements NodeOutNotifier.Source {
        @Override
        public long changes() {
            return actor.changes();
        }

        @Override
        public Optional<FenceKnowledge> known() {
            try {
                return actor.call(supervisor::forKubernetes, GLANCE);
            } catch (RuntimeException e) {
                // One thread asks this for as long as the agent lives.
                UnexpectedErrors.log("what Kubernetes may be told", e);
                return Optional.empty();
            }
        }

        @Override
        public void awaitChange(long seen, Duration limit) throws InterruptedException {
            actor.awaitChange(seen, limit);
        }
    }

    private final class AroundTheApi implements WriteProbe.Surroundings {
        private final String self;
        private final InetAddress address;
        private final NodeAttributes attributes;

        AroundTheApi(String self, IpAddress address, NodeAttributes attributes) {
            this.self = self;
            this.address = InetAddress.ofLiteral(address.toString());
            this.attributes = attributes;
        }

        @Override
        public boolean peerPresent() {
            return Agent.this.peerPresent();
        }

        @Override
        public boolean holdsAddress() {
            try {
                return NetworkInterface.getByInetAddress(address) != null;
            } catch (SocketException e) {
                return false;
            }
        }

        @Override
        public boolean etcdServes() {
            return new ForKubernetes().known().filter(FenceKnowledge::etcdServes).isPresent();
        }

        @Override
        public void tell(boolean canWrite) {
            attributes.write(
                    NodeAttributes.Lifetime.TRANSIENT,
                    self,
                    CibPlan.CAN_WRITE,
                    canWrite ? CibPlan.CAN : CibPlan.CANNOT);
        }
    }

    // ---- wiring -------------------------------------------------------------------------------

    private static EtcdConfig etcdConfig(
            ClusterPlan plan, ClusterPlan.Node node, AgentPaths places, ReplicaDirectory replicas) {
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
                replicas.current(),
                Optional.of(files),
                Optional.of(files),
                new EtcdConfig.Limits(
                        plan.etcd().quotaMegabytes() << 20,
                        usual.compactionRetention(),
                        usual.snapshotCount(),
                        usual.maxRequestBytes()));
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
                    IoErrors.words(e),
                    "mount /proc on this machine",
                    e);
        }
    }

    /** What outlives the process comes first: there may be no time for the rest. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        loops().forEach(Loop::close);
        writeProbe.ifPresent(WriteProbe::close);
        sockets.forEach(LocalServer::close);
        bmcs.close();
        kubernetes.interrupt();
        link.close();
        actor.close();
        ownEtcd.close();
        peerEtcd.close();
        election.close();
    }
}
