package dev.tandem.agent;

import dev.tandem.agent.bmc.BmcChangeMessage;
import dev.tandem.agent.bmc.BmcChanges;
import dev.tandem.agent.bmc.BmcSessions;
import dev.tandem.agent.bmc.BmcSettingsStore;
import dev.tandem.agent.bmc.BmcSurroundings;
import dev.tandem.agent.bmc.BmcWatch;
import dev.tandem.agent.bmc.PasswordRefresh;
import dev.tandem.agent.bmc.SettingsMessages;
import dev.tandem.agent.bmc.SettingsToTell;
import dev.tandem.agent.cluster.BootGate;
import dev.tandem.agent.cluster.Cluster;
import dev.tandem.agent.cluster.ClusterWatch;
import dev.tandem.agent.cluster.SystemdWatch;
import dev.tandem.agent.http.LocalRoutes;
import dev.tandem.agent.http.LocalServer;
import dev.tandem.agent.http.StatementRoutes;
import dev.tandem.agent.kube.ApiNetwork;
import dev.tandem.agent.kube.OutOfServiceNotifier;
import dev.tandem.agent.kube.WriteProbe;
import dev.tandem.agent.ocf.FenceActions;
import dev.tandem.agent.ocf.OcfActions;
import dev.tandem.agent.ocf.SplitDelays;
import dev.tandem.agent.peer.AttributeTransport;
import dev.tandem.agent.peer.HttpsTransport;
import dev.tandem.agent.peer.PeerCertificates;
import dev.tandem.agent.peer.PeerExchange;
import dev.tandem.agent.peer.SignedAttribute;
import dev.tandem.agent.plan.PlanChanges;
import dev.tandem.agent.plan.PlanMessage;
import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.agent.state.DurableMark;
import dev.tandem.agent.state.DurableStore;
import dev.tandem.agent.state.FencingLevelTwo;
import dev.tandem.agent.state.Journal;
import dev.tandem.agent.state.JournalWriter;
import dev.tandem.agent.state.LastFence;
import dev.tandem.agent.state.PeerIdentityFile;
import dev.tandem.agent.state.PlanInUse;
import dev.tandem.agent.state.RotatedLines;
import dev.tandem.agent.state.StopMark;
import dev.tandem.agent.state.SwitchOffTime;
import dev.tandem.agent.status.PredictionWatch;
import dev.tandem.agent.status.RecoveryAttribute;
import dev.tandem.agent.status.StatusInputs;
import dev.tandem.agent.status.StatusReport;
import dev.tandem.agent.supervise.EtcdOrders;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.agent.supervise.EventRecorder;
import dev.tandem.agent.supervise.MembershipChanges;
import dev.tandem.agent.supervise.SupervisorActions;
import dev.tandem.agent.thread.Actor;
import dev.tandem.agent.thread.WakeUp;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.agentapi.plan.PlanUse;
import dev.tandem.agentapi.replay.RecordedLine;
import dev.tandem.core.BmcAddress;
import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
import dev.tandem.core.IpAddress;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.FenceDelay;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.health.RecoveryReadiness;
import dev.tandem.core.replay.FlightRecorder;
import dev.tandem.core.replay.PlanLimits;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Membership;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.State;
import dev.tandem.core.supervise.Supervisor;
import dev.tandem.host.Commands;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.IoErrors;
import dev.tandem.host.NodePaths;
import dev.tandem.host.Systemd;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.LatencyFigures;
import dev.tandem.host.bmc.NodeHardware;
import dev.tandem.host.bmc.NodeIdentities;
import dev.tandem.host.bmc.SignedIdentities;
import dev.tandem.host.credential.RememberedDecryption;
import dev.tandem.host.etcd.ElectionTrigger;
import dev.tandem.host.etcd.EtcdConfig;
import dev.tandem.host.etcd.EtcdUnitFile;
import dev.tandem.host.etcd.OfflineRevisionJump;
import dev.tandem.host.etcd.OwnMemberUrls;
import dev.tandem.host.etcd.PeerConnections;
import dev.tandem.host.etcd.ReplicaDirectory;
import dev.tandem.host.etcd.SystemdEtcd;
import dev.tandem.host.etcd.api.HttpEtcdApi;
import dev.tandem.host.health.CertificateWatch;
import dev.tandem.host.health.DiskWatch;
import dev.tandem.host.health.FencingNetworkWatch;
import dev.tandem.host.health.Impediments;
import dev.tandem.host.health.LinkWatch;
import dev.tandem.host.health.NodeCertificate.Need;
import dev.tandem.host.health.SecondLevelWatch;
import dev.tandem.host.net.NetworkLink;
import dev.tandem.host.net.OwnLinks;
import dev.tandem.host.pacemaker.CorosyncLinks;
import dev.tandem.host.pacemaker.CorosyncRuntime;
import dev.tandem.host.pacemaker.NodeAttributes;
import dev.tandem.host.pacemaker.Pacemaker;
import dev.tandem.host.pacemaker.PacemakerWatch;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.pki.SiteTrust;
import dev.tandem.host.pki.Tls;
import dev.tandem.host.pki.TlsIdentity;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.FurtherLevel;
import dev.tandem.host.plan.NodeFiles;
import dev.tandem.host.plan.NodePasswords;
import dev.tandem.host.plan.PlanDigest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;

/**
 * The daemon: makes everything with a thread, a socket or a clock around the {@link
 * EtcdSupervisor}, joins it together, starts it and ends it. What runs is in {@link AgentLoops},
 * what is answered in {@link LocalRoutes}.
 *
 * <p>One more thread tells Kubernetes what became of the peer; nobody waits for it.
 */
final class Agent implements AutoCloseable {
    /** Where agents listen for each other. */
    static final int PORT = 9443;

    private final Actor actor = new Actor();
    private final AgentLoops.WakeUps wakeUps = new AgentLoops.WakeUps();
    private final Journal journal;
    private final JournalWriter journalWriter;
    private final EventRecorder eventRecorder;
    private final ExecutorService disk =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("disk").factory());
    private final ExecutorService notes =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("notes").factory());
    private final HttpEtcdApi ownEtcd;
    private final HttpEtcdApi peerEtcd;
    private final ElectionTrigger election;
    private final SystemdEtcd etcd;
    private final EtcdWatch etcdWatch;
    private final EtcdSupervisor supervisor;
    private final HttpsTransport https;
    private final ClusterWatch clusterWatch;

    /** The peer tells it every second or two, and at once when it has changed. */
    private static final Duration API_LINK_TOLD = Duration.ofSeconds(4);

    /** Where Pacemaker finds them. */
    private static final Path FENCE_AGENTS = Path.of("/usr/sbin");

    /** For an orderly leave that Pacemaker no longer waits for. */
    private static final Duration LEAVE = Duration.ofSeconds(15);

    private final BootGate gate;
    private final StopMark stopMark;
    private final BmcSessions bmcs;
    private final BmcChanges bmcChanges;
    private final PlanChanges planChanges;
    private final AgentLoops loops;
    private final Thread kubernetes;
    private final ApiNetwork apiNetwork;
    private final WriteProbe writeProbe;
    private final StatusReport report;
    private final List<LocalServer> sockets;
    private final AtomicBoolean closed = new AtomicBoolean();

    Agent(String name, AgentPaths places, Commands commands) {
        NodePasswords passwords =
                new NodePasswords(new RememberedDecryption(commands, System::nanoTime));
        BmcSettingsStore settings = new BmcSettingsStore(places.plan(), passwords);
        ClusterPlan plan = BmcChanges.complete(ClusterPlan.read(places.plan()), settings);
        PasswordRefresh.keepAll(plan, passwords, new NodeFiles(DurableFiles.parent(places.plan())));
        PlanInUse inUse = new PlanInUse(plan);
        ClusterPlan.Node ownPlan = ownPlan(plan, name);
        ClusterPlan.Node peerPlan = plan.peerOf(name);
        NodeName self = new NodeName(name);
        NodeName peer = new NodeName(peerPlan.name());
        InstantSource clock = InstantSource.system();
        BootId boot = bootId();
        this.journal = new Journal(places.state().resolve(JournalLine.FILE), clock);
        this.journalWriter = new JournalWriter(journal);

        // etcd of this node, and who decides about it
        List<X509Certificate> authorities = places.authorities();
        TlsIdentity etcdClient = places.identity(SitePki.Purpose.ETCD_CLIENT);
        SSLContext etcdTls = Tls.client(authorities, Optional.of(etcdClient));
        ReplicaDirectory replicas = new ReplicaDirectory(places.replicas(), clock);
        EtcdConfig ours = etcdConfig(plan, ownPlan, places, replicas);
        EtcdConfig theirs = etcdConfig(plan, peerPlan, places, replicas);
        this.ownEtcd = HttpEtcdApi.ofThisMachine(ours.ownClientUrls(), etcdTls);
        this.peerEtcd = new HttpEtcdApi(theirs.clientUrls(), etcdTls);
        // Its port is for members, which a client of etcd is not.
        this.election =
                new ElectionTrigger(
                        ours.peerUrls(),
                        Optional.of(
                                Tls.client(
                                        authorities,
                                        Optional.of(places.identity(SitePki.Purpose.ETCD)))));
        this.etcd =
                new SystemdEtcd(
                        self,
                        boot,
                        ours,
                        inUse.derived(Agent::adjustable),
                        unitFile(places, commands),
                        replicas,
                        ownEtcd,
                        peerEtcd,
                        election,
                        new OfflineRevisionJump(
                                ours,
                                EtcdUnitFile.Places.STANDARD.program(),
                                places.run().resolve("etcd"),
                                replicas,
                                Optional.of(etcdTls)),
                        commands,
                        wakeUps.etcd()::give,
                        this::unheard);
        BootTimestamps moments = new BootTimestamps(places.run().resolve("moments"));
        BootTimestamps secondMoments =
                new BootTimestamps(places.run().resolve(BmcSessions.SECOND).resolve("moments"));
        DurableStore store = new DurableStore(places.state().resolve("memory.json"));
        this.stopMark = new StopMark(places.run().resolve("etcd-stopped"));
        SupervisorActions.Installation installation = places.installation();
        EtcdOrders orders = new EtcdOrders(etcd, theirs.identity());
        PredictionWatch predictionWatch =
                new PredictionWatch(new CorosyncRuntime(commands)::missedAfter, replicas::logBytes);
        Supplier<PlanLimits> planned = inUse.derived(Agent::planLimits);
        Supplier<PlanLimits> limits =
                () ->
                        predictionWatch
                                .lastMissedAfter()
                                .map(ClusterPlan.Timing::missedWithin)
                                .map(planned.get()::notBefore)
                                .orElseGet(planned);
        this.eventRecorder =
                new EventRecorder(
                        new FlightRecorder(limits.get()),
                        new RotatedLines(
                                places.state().resolve(RecordedLine.FILE),
                                RecordedLine.MOST_BYTES,
                                RotatedLines.Sync.NEVER),
                        clock);
        this.supervisor =
                new EtcdSupervisor(
                        Supervisor.begin(
                                new State.Node(self, peer, boot),
                                store.read(boot),
                                orders.look(),
                                new Supervisor.Marks(
                                        isNoted(moments),
                                        isNoted(secondMoments),
                                        stopMark.isSet(),
                                        installation.open()),
                                new Moment(System.nanoTime())),
                        limits,
                        actor::post,
                        System::nanoTime,
                        actor::ring,
                        eventRecorder);

        // the peer, by its own word, by the cluster's and by its BMC's
        TlsIdentity identity = places.identity(SitePki.Purpose.AGENT);
        PeerCertificates certificates =
                new PeerCertificates(
                        peer, new DurableMark(places.state().resolve("peer-certificate-renewed")));
        SwitchOffTime switchOffTime =
                new SwitchOffTime(
                        places.state().resolve("switch-off"),
                        () -> inUse.get().peerOf(name).bmc().address());
        PeerExchange exchange =
                new PeerExchange(
                        supervisor,
                        actor,
                        journal,
                        moments,
                        this::peerPresent,
                        this::readiness,
                        inUse.derived(PlanDigest::of),
                        () -> needs(inUse.get(), switchOffTime, peer),
                        this::apiLink);
        LastFence lastFence = new LastFence(System::nanoTime);
        Cluster cluster = new Cluster(commands, peer, moments);
        SystemdWatch systemdWatch = new SystemdWatch(new Systemd(commands));
        NodeAttributes attributes = new NodeAttributes(commands);
        this.gate =
                new BootGate(
                        places.state().resolve("unheard"),
                        boot,
                        () -> peerAddresses(inUse, name),
                        journal,
                        System::nanoTime);
        this.clusterWatch =
                new ClusterWatch(
                        self,
                        peer,
                        boot,
                        new NodeHardware().read(),
                        cluster,
                        new NodeIdentities(attributes),
                        new SignedIdentities(
                                attributes,
                                identity,
                                new SiteTrust(authorities, certificates::refusal)),
                        new PeerIdentityFile(places.state().resolve("peer-identity")),
                        gate,
                        supervisor,
                        new FencingLevelTwo(
                                () ->
                                        FencingLevelTwo.method(
                                                inUse.get().peerOf(name).bmc().address()),
                                places.run(),
                                peer.value(),
                                moments,
                                moments,
                                new PeersBmcInUse(this::firstBmcs, peer)),
                        new FencingLevelTwo(
                                () -> FencingLevelTwo.IPMI,
                                places.run().resolve(BmcSessions.SECOND),
                                peer.value(),
                                moments,
                                secondMoments,
                                new PeersBmcInUse(this::secondBmcs, peer)),
                        List.of(
                                furtherLevel(inUse, peer, 1, places.run(), moments),
                                furtherLevel(inUse, peer, 2, places.run(), moments)),
                        lastFence,
                        clock);
        SupervisorActions actions =
                new SupervisorActions(
                        supervisor,
                        orders,
                        store,
                        stopMark,
                        disk,
                        notes,
                        journalWriter,
                        new MembershipChanges(
                                peer, theirs.identity(), ownEtcd, peerEtcd, journalWriter),
                        moments,
                        secondMoments,
                        installation,
                        new Surroundings(wakeUps, cluster),
                        SupervisorActions.ORDER_LIMIT);
        // Before anything can happen, since nothing that is to be done must get lost.
        journalWriter.accept(new JournalEvent.AgentStarted(boot));
        etcd.withdrawLeftOver();
        supervisor.start(actions);
        this.bmcs =
                new BmcSessions(
                        plan,
                        clusterWatch::machine,
                        places.state(),
                        places.run(),
                        peer,
                        moments,
                        clock,
                        System::nanoTime,
                        passwords,
                        node -> {
                            // The peer's agent reads the one of this node's BMC.
                            if (node.equals(peer.value())) {
                                wakeUps.passwords().give();
                            }
                        });

        this.bmcChanges =
                new BmcChanges(
                        self,
                        peer,
                        inUse,
                        settings,
                        new BmcSurroundings(
                                bmcs,
                                clusterWatch::machine,
                                new Pacemaker(commands),
                                this::tellSettings),
                        this::peerPresent,
                        journal::record,
                        new SettingsToTell(places.state()));
        this.planChanges =
                new PlanChanges(
                        self,
                        peer,
                        places.plan(),
                        inUse,
                        bmcChanges,
                        this::tellPlan,
                        this::peerPresent,
                        journal::record,
                        System::nanoTime);
        PasswordRefresh passwordRefresh =
                new PasswordRefresh(
                        peer, passwords, inUse, bmcChanges, bmcs, places.run(), System::nanoTime);

        // what Kubernetes is told, and what people are
        KubernetesSource known = new KubernetesSource(supervisor, actor);
        OutOfServiceNotifier notifier =
                new OutOfServiceNotifier(
                        self.value(),
                        peer.value(),
                        places.kubernetes(),
                        known,
                        journal::record,
                        clock);
        NetworkLink network = new NetworkLink();
        this.apiNetwork =
                new ApiNetwork(
                        () ->
                                inUse.get()
                                        .api()
                                        .map(api ->
                                                network.read(
                                                        InetAddress.ofLiteral(
                                                                api.address().toString()),
                                                        api.networkInterface()))
                                        .orElse(FenceDelay.Link.UNKNOWN),
                        () -> exchange.peersApiLinkIsUp(API_LINK_TOLD),
                        System::nanoTime);
        this.kubernetes = Thread.ofVirtual().name("kubernetes").unstarted(notifier);
        this.writeProbe =
                new WriteProbe(
                        name,
                        places.kubernetes(),
                        new ApiPlacement(
                                name,
                                peer.value(),
                                () ->
                                        inUse.get()
                                                .api()
                                                .map(api ->
                                                        InetAddress.ofLiteral(
                                                                api.address().toString())),
                                attributes,
                                known,
                                this::peerPresent,
                                apiNetwork::isWorseThanThePeers),
                        journal::record,
                        clock,
                        System::nanoTime);
        BooleanSupplier hasApi = () -> inUse.get().api().isPresent();
        PacemakerWatch pacemakerWatch =
                new PacemakerWatch(clusterWatch::askPacemaker, System::nanoTime);
        CertificateWatch certificateWatch =
                new CertificateWatch(
                        places.pki(),
                        places.kubernetesPki(),
                        () -> inUse.get().kubelet() || hasApi.getAsBoolean(),
                        List.of(
                                held(places, SitePki.Purpose.ETCD_CLIENT, Need.ETCD, etcdClient),
                                held(places, SitePki.Purpose.AGENT, Need.AGENTS, identity)));
        DiskWatch diskWatch = new DiskWatch(replicas, places.state());
        LinkWatch linkWatch =
                new LinkWatch(
                        () -> ownPlan(inUse.get(), name).addresses(),
                        addresses -> new OwnLinks(addresses).read(),
                        new CorosyncLinks(commands, name, peer.value())::lost,
                        etcd::serves,
                        etcd::generation,
                        address ->
                                ours.listensForMembersAt(
                                        InetAddress.ofLiteral(address.toString())));
        SecondLevelWatch secondLevelWatch =
                new SecondLevelWatch(inUse, peer.value(), passwords, FENCE_AGENTS);
        SplitDelays splitDelays =
                SplitDelays.by(
                        inUse,
                        self,
                        () -> new OwnLinks(ownPlan(inUse.get(), name).addresses()).read(),
                        exchange::silence,
                        () -> deniesAtOnce(ownPlan(inUse.get(), name)),
                        () ->
                                new FenceDelay.Needs(
                                        needs(inUse.get(), switchOffTime, peer),
                                        exchange.peerNeeds().orElse(Duration.ZERO)),
                        System::nanoTime);
        FencingNetworkWatch fencingNetworkWatch =
                new FencingNetworkWatch(inUse, name, peer.value());
        this.report =
                new StatusReport(
                        inUse,
                        self,
                        peer,
                        supervisor,
                        exchange,
                        bmcs,
                        gate,
                        pacemakerWatch,
                        new StatusInputs(
                                systemdWatch::answers,
                                clusterWatch::quorumKeptByOne,
                                () ->
                                        new Impediments.Api(
                                                writeProbe.cannotWrite(), writeProbe.notTested()),
                                certificateWatch::certificates,
                                diskWatch::rooms,
                                passwordRefresh::trouble,
                                lastFence,
                                switchOffTime,
                                predictionWatch,
                                planChanges::unused,
                                bmcChanges::unfinished,
                                linkWatch::seen,
                                secondLevelWatch::found,
                                () -> splitDelays.ifThePeerWereLost().time(),
                                fencingNetworkWatch::found),
                        notifier,
                        clock);

        // what runs
        this.etcdWatch =
                new EtcdWatch(
                        etcd,
                        supervisor,
                        orders,
                        new PeerConnections(
                                commands,
                                theirs.addresses(),
                                theirs.ports().peer(),
                                inUse.derived(now -> adjustable(now).normal().election()),
                                System::nanoTime,
                                closed ->
                                        journal.record(
                                                new JournalEvent.PeerConnectionsClosed(
                                                        closed.connections(), closed.problem()))),
                        this::peerPresent);
        // From here on the peer is answered, and what it says may have etcd looked at.
        this.https =
                httpsTransport(
                        peer,
                        () -> peerAddresses(inUse, name),
                        places,
                        identity,
                        authorities,
                        certificates,
                        exchange,
                        Map.of(
                                HttpsTransport.Request.BMC_SETTINGS,
                                new SettingsMessages(bmcChanges::asked)::answer,
                                HttpsTransport.Request.PLAN,
                                text -> PlanMessage.answer(text, name, planChanges::asked)));
        AttributeTransport letters =
                new AttributeTransport(
                        peer,
                        AttributeTransport.inCluster(attributes, self, peer),
                        new SignedAttribute(
                                identity,
                                boot,
                                authorities,
                                certificates,
                                (why, soFar) ->
                                        journal.record(
                                                new JournalEvent.AttributeMessageRefused(
                                                        why, soFar))),
                        exchange::asked,
                        System::nanoTime);
        this.loops =
                new AgentLoops(
                        wakeUps,
                        etcdWatch,
                        new OwnMemberUrls(
                                ours.identity(),
                                ownEtcd,
                                etcd::serves,
                                ours::listensForMembers,
                                etcd::generation,
                                outcome ->
                                        journal.record(
                                                new JournalEvent.MemberUrlsListed(
                                                        outcome.words()))),
                        exchange,
                        https,
                        letters,
                        clusterWatch,
                        pacemakerWatch,
                        new BmcWatch(peer, bmcs, cluster, supervisor),
                        systemdWatch,
                        bmcChanges,
                        passwordRefresh,
                        certificateWatch,
                        diskWatch,
                        predictionWatch,
                        linkWatch,
                        planChanges,
                        hasApi,
                        writeProbe,
                        secondLevelWatch,
                        fencingNetworkWatch,
                        new RecoveryAttribute(name, attributes, report::ask));

        // what is answered; last, since whoever asks is answered from now on
        this.sockets =
                listen(
                        places,
                        new LocalRoutes(
                                new OcfActions(
                                        supervisor,
                                        actor,
                                        new Hands(wakeUps.peer(), clusterWatch, installation, etcd),
                                        System::nanoTime),
                                new FenceActions(
                                        peer.value(),
                                        bmcs,
                                        journal,
                                        lastFence,
                                        switchOffTime,
                                        splitDelays,
                                        () -> new Proofs.Order(peer, supervisor.view().peerBoot()),
                                        () -> supervisor.view().bmcReadsFalseOff(),
                                        () -> supervisor.view().secondReadsFalseOff(),
                                        supervisor::now,
                                        BootTimestamps::uptime,
                                        supervisor::post,
                                        clusterWatch::takeInMembership,
                                        clusterWatch::peerIsOff),
                                report,
                                journal,
                                gate,
                                new StatementRoutes(
                                        self,
                                        peer,
                                        supervisor,
                                        bmcs,
                                        cluster,
                                        exchange::silence,
                                        clock),
                                bmcChanges,
                                planChanges,
                                loops));
    }

    void run() {
        if (stopMark.isSet()) {
            // Left between the beginning and the first answer on the socket.
            Moment now = supervisor.now();
            supervisor.post(new Event.StopRequested(now.plus(LEAVE), now.plus(LEAVE.plus(LEAVE))));
        }
        gate.start();
        loops.start();
        kubernetes.start();
    }

    /** Whether the supervisor's thread still takes questions: what systemd's watchdog is told. */
    boolean alive(Duration limit) {
        return actor.call(() -> true, limit).orElse(false);
    }

    // ---- for parts that are made before what they call ----------------------------------------

    private void unheard(long generation) {
        // It may have been heard at last, and even have a vote by now.
        etcdWatch.look();
        supervisor.post(new Event.LearnerUnheard(generation));
    }

    /**
     * Whether the first way to a node's BMC ends with a no while there is a second: the peer that
     * fences this node goes on with its second level a moment later, however fit its agent is.
     */
    private boolean deniesAtOnce(ClusterPlan.Node node) {
        return node.bmc().second().isPresent()
                && Optional.ofNullable(bmcs.checks().get(node.name()))
                        .flatMap(BmcSessions.Check::trouble)
                        .filter(trouble ->
                                trouble instanceof BmcFault.Denied
                                        || trouble instanceof BmcFault.NoPassword
                                        || trouble instanceof BmcFault.Untrusted)
                        .isPresent();
    }

    /** How long this node would need to have the peer off, by what it has measured. */
    private Duration needs(ClusterPlan plan, SwitchOffTime switchOff, NodeName peer) {
        return FenceDelay.needs(
                plan.bmcOff(),
                switchOff.longest(),
                bmcs.answers(peer.value()).map(LatencyFigures::ninetieth));
    }

    private FenceDelay.Link apiLink() {
        return apiNetwork.toTell();
    }

    private boolean peerPresent() {
        return clusterWatch.peerPresent();
    }

    private RecoveryReadiness readiness() {
        return report.readiness();
    }

    private Optional<BmcChangeMessage.Reply> tellSettings(BmcChangeMessage message) {
        return https.tell(HttpsTransport.Request.BMC_SETTINGS, SettingsMessages.text(message))
                .flatMap(SettingsMessages::reply);
    }

    private Optional<PlanUse.NodeUse> tellPlan(PlanMessage message) {
        return https.tell(HttpsTransport.Request.PLAN, message.text()).flatMap(PlanMessage::reply);
    }

    private static FencingLevelTwo furtherLevel(
            Supplier<ClusterPlan> plan,
            NodeName peer,
            int number,
            Path run,
            BootTimestamps moments) {
        Supplier<Optional<FurtherLevel>> level =
                () ->
                        plan.get().node(peer.value()).stream()
                                .flatMap(node -> node.bmc().further().stream())
                                .skip(number - 1)
                                .findFirst();
        Path its = run.resolve(FencingLevelTwo.FURTHER + number);
        return new FencingLevelTwo(
                () -> level.get().map(FurtherLevel::agent).orElse(FencingLevelTwo.FURTHER),
                its,
                peer.value(),
                moments,
                new BootTimestamps(its.resolve("moments")),
                new FencingLevelTwo.OfThePlan(level));
    }

    private Optional<BmcSessions> firstBmcs() {
        return Optional.of(bmcs);
    }

    private Optional<BmcSessions> secondBmcs() {
        return bmcs.second();
    }

    private record PeersBmcInUse(Supplier<Optional<BmcSessions>> sessions, NodeName peer)
            implements FencingLevelTwo.PeersBmc {
        @Override
        public Optional<BmcAddress> address() {
            return sessions.get().flatMap(bmcs -> bmcs.addressIfPlanned(peer.value()));
        }

        @Override
        public Optional<FencingLevelTwo.Asked> ask() {
            return sessions.get()
                    .flatMap(bmcs -> bmcs.askMachine(peer.value()))
                    .map(check -> new FencingLevelTwo.Asked(check.machine(), check.reading()));
        }

        @Override
        public Proofs.Machine machineOf(HardwareIdentity told) {
            return sessions.get()
                    .map(bmcs -> bmcs.machineOf(peer.value(), told))
                    .orElse(Proofs.Machine.NOT_TOLD);
        }
    }

    private record Hands(
            WakeUp peer,
            ClusterWatch cluster,
            SupervisorActions.Installation installation,
            SystemdEtcd etcd)
            implements OcfActions.Hands {
        @Override
        public boolean raisesRevision() {
            return etcd.raisesRevision();
        }

        @Override
        public boolean installing() {
            return installation.open();
        }

        @Override
        public void tellPeer() {
            peer.give();
        }

        @Override
        public void lookAtCluster() {
            cluster.look();
        }
    }

    private record Surroundings(AgentLoops.WakeUps wakeUps, Cluster cluster)
            implements SupervisorActions.Surroundings {
        @Override
        public void tellPeer() {
            wakeUps.peer().give();
        }

        @Override
        public void lookAtEtcd() {
            wakeUps.etcd().give();
        }

        @Override
        public void peerIsOff(Membership membership) {
            cluster.declarePeerOff(membership);
        }

        @Override
        public void fencePeer(Action.FenceKind how) {
            cluster.fencePeer(how);
        }
    }

    // ---- parts that take some words to make ----------------------------------------------------

    private static ClusterPlan.Node ownPlan(ClusterPlan plan, String name) {
        return plan.node(name)
                .orElseThrow(() ->
                        new Failure(
                                "this node is not in the plan",
                                "it is called %s, the plan names %s"
                                        .formatted(name, plan.nodeNames()),
                                "correct its name: hostnamectl hostname NAME"));
    }

    private static CertificateWatch.Held held(
            AgentPaths places, SitePki.Purpose purpose, Need need, TlsIdentity identity) {
        return new CertificateWatch.Held(
                purpose.certificate(places.pki()), need, identity.certificate());
    }

    private static List<IpAddress> peerAddresses(PlanInUse inUse, String self) {
        return inUse.get().peerOf(self).addresses();
    }

    /** Also where it cannot be told. */
    private static boolean isNoted(BootTimestamps moments) {
        return !(moments.last(BootTimestamps.Event.FALSE_OFF_BEGAN)
                instanceof BootTimestamps.Moment.Never);
    }

    private static PlanLimits planLimits(ClusterPlan plan) {
        return new PlanLimits(
                new Policy(
                        Policy.Shape.PAIR,
                        plan.loneStart() == ClusterPlan.LoneStart.BMC_OFF,
                        Policy.PAIR.deathsBeforeStandDown()),
                plan.timing().missedWithin(),
                plan.splitDelay());
    }

    private static SystemdEtcd.Adjustable adjustable(ClusterPlan plan) {
        return new SystemdEtcd.Adjustable(
                limits(plan),
                new EtcdConfig.Timing(plan.etcd().heartbeat(), plan.etcd().election()));
    }

    private static EtcdUnitFile unitFile(AgentPaths places, Commands commands) {
        return new EtcdUnitFile(
                commands,
                new EtcdUnitFile.Places(
                        EtcdUnitFile.Places.STANDARD.program(),
                        places.units(),
                        places.run().resolve("etcd"),
                        EtcdUnitFile.Places.STANDARD.proc()));
    }

    private static HttpsTransport httpsTransport(
            NodeName peer,
            Supplier<List<IpAddress>> addresses,
            AgentPaths places,
            TlsIdentity identity,
            List<X509Certificate> authorities,
            PeerCertificates certificates,
            PeerExchange exchange,
            Map<HttpsTransport.Request, UnaryOperator<String>> requests) {
        return new HttpsTransport(
                peer,
                () -> addresses.get().stream().map(Agent::agentAt).toList(),
                caller ->
                        addresses.get().stream()
                                .map(address -> InetAddress.ofLiteral(address.toString()))
                                .anyMatch(caller::equals),
                places.listen(),
                identity,
                authorities,
                certificates,
                exchange::askedOverHttps,
                requests);
    }

    private static List<LocalServer> listen(AgentPaths places, LocalRoutes routes) {
        return List.of(
                LocalServer.open(
                        places.run().resolve(NodePaths.AGENT_SOCKET),
                        "rw-------",
                        Optional.empty(),
                        LocalServer.Limits.ROOT,
                        routes::answer),
                LocalServer.open(
                        places.run().resolve("alert.sock"),
                        "rw-rw----",
                        places.alertGroup(),
                        LocalServer.Limits.ALERTS,
                        routes::alert));
    }

    private static EtcdConfig etcdConfig(
            ClusterPlan plan, ClusterPlan.Node node, AgentPaths places, ReplicaDirectory replicas) {
        EtcdConfig.TlsFiles files =
                new EtcdConfig.TlsFiles(
                        SitePki.Purpose.ETCD.certificate(places.pki()),
                        SitePki.Purpose.ETCD.key(places.pki()),
                        places.pki().resolve(SitePki.CA_CERTIFICATE));
        return new EtcdConfig(
                node.name(),
                node.addresses().stream()
                        .map(address -> InetAddress.ofLiteral(address.toString()))
                        .toList(),
                new EtcdConfig.Ports(
                        plan.etcd().clientPort(),
                        plan.etcd().peerPort(),
                        EtcdConfig.Ports.STANDARD.metrics()),
                replicas.current(),
                // Clients of etcd have certificates without names, and are no members.
                Optional.of(
                        files.onlyFor(plan.nodes().stream().map(ClusterPlan.Node::name).toList())),
                Optional.of(files),
                limits(plan));
    }

    private static EtcdConfig.Limits limits(ClusterPlan plan) {
        EtcdConfig.Limits usual = EtcdConfig.Limits.STANDARD;
        return new EtcdConfig.Limits(
                plan.etcd().quotaMegabytes() << 20,
                usual.compactionRetention(),
                usual.snapshotCount(),
                usual.maxRequestBytes());
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
        loops.close();
        writeProbe.close();
        sockets.forEach(LocalServer::close);
        bmcs.close();
        kubernetes.interrupt();
        https.close();
        actor.close();
        disk.shutdown();
        notes.shutdown();
        journalWriter.close();
        eventRecorder.close();
        ownEtcd.close();
        peerEtcd.close();
        election.close();
    }
}
