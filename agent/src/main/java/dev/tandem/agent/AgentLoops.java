package dev.tandem.agent;

import dev.tandem.agent.bmc.BmcChanges;
import dev.tandem.agent.bmc.BmcWatch;
import dev.tandem.agent.bmc.PasswordRefresh;
import dev.tandem.agent.cluster.ClusterWatch;
import dev.tandem.agent.cluster.SystemdWatch;
import dev.tandem.agent.http.LocalRoutes;
import dev.tandem.agent.kube.WriteProbe;
import dev.tandem.agent.peer.AttributeTransport;
import dev.tandem.agent.peer.HttpsTransport;
import dev.tandem.agent.peer.PeerExchange;
import dev.tandem.agent.plan.PlanChanges;
import dev.tandem.agent.status.PredictionWatch;
import dev.tandem.agent.status.RecoveryAttribute;
import dev.tandem.agent.thread.Coalesced;
import dev.tandem.agent.thread.Loop;
import dev.tandem.agent.thread.WakeUp;
import dev.tandem.host.etcd.OwnMemberUrls;
import dev.tandem.host.health.CertificateWatch;
import dev.tandem.host.health.DiskWatch;
import dev.tandem.host.health.FencingNetworkWatch;
import dev.tandem.host.health.LinkWatch;
import dev.tandem.host.health.SecondLevelWatch;
import dev.tandem.host.pacemaker.PacemakerWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The loops of the agent, each of which sleeps until it is woken or its interval is over: one looks
 * at etcd, one sees to its entry in the member list, one asks the peer, one answers it over the
 * cluster's attributes while HTTPS fails, one asks the cluster, one looks for what the second
 * fencing level left, one asks Pacemaker for the status, one keeps the BMC sessions warm, one
 * completes changes of their settings, one reads the password of the peer's BMC from where the plan
 * says that it comes from, one asks systemd, one reads the certificates, one sees how much room the
 * disks have, one sees what a prediction needs, one looks at this node's links, one at what the
 * second fencing level reads, one at the ways to the peer and to its BMC, one compares the plan on
 * the disk with the one in use, one tells Pacemaker whether either node can fail, and one finds out
 * whether this node's API server writes, while the plan has an address of the API.
 *
 * <p>None of their intervals lies on the way of a recovery: that is pushed by the end of a process,
 * a fence order, an alert of Pacemaker or a message of the peer.
 */
final class AgentLoops implements LocalRoutes.Wakes, AutoCloseable {
    private static final Duration CLUSTER = Duration.ofSeconds(5);

    /** What the second level left counts only while the peer is gone. */
    private static final Duration SECOND_LEVEL_WHILE_WELL = Duration.ofSeconds(15);

    /** Until a plan that has come to have an address of the API is noticed. */
    private static final Duration WITHOUT_API = Duration.ofSeconds(5);

    /** The first alert is heard at once; in a fence there are ten a second, for the same thing. */
    private static final Duration ALERTS = Duration.ofMillis(250);

    /**
     * What wakes the loops, for those that are made before them.
     *
     * @param etcd it may have changed, or ended
     * @param peer there is something to tell it
     * @param secondLevel the second fencing level may have left a record
     * @param passwords the peer's BMC has denied the one in use
     */
    record WakeUps(
            WakeUp etcd,
            WakeUp peer,
            WakeUp cluster,
            WakeUp secondLevel,
            WakeUp pacemaker,
            WakeUp passwords) {
        WakeUps() {
            this(
                    new WakeUp(),
                    new WakeUp(),
                    new WakeUp(),
                    new WakeUp(),
                    new WakeUp(),
                    new WakeUp());
        }
    }

    private final WakeUps wakeUps;
    private final ClusterWatch cluster;
    private final Coalesced alerts = new Coalesced("alerts", ALERTS, this::lookAtAll);
    private final List<Loop> loops = new ArrayList<>();

    AgentLoops(
            WakeUps wakeUps,
            EtcdWatch etcd,
            OwnMemberUrls memberUrls,
            PeerExchange exchange,
            HttpsTransport https,
            AttributeTransport attributes,
            ClusterWatch cluster,
            PacemakerWatch pacemaker,
            BmcWatch bmcs,
            SystemdWatch systemd,
            BmcChanges changes,
            PasswordRefresh passwords,
            CertificateWatch certificates,
            DiskWatch disks,
            PredictionWatch prediction,
            LinkWatch links,
            PlanChanges plan,
            BooleanSupplier hasApi,
            WriteProbe writes,
            SecondLevelWatch secondLevel,
            FencingNetworkWatch fencingNetwork,
            RecoveryAttribute recovery) {
        this.wakeUps = wakeUps;
        this.cluster = cluster;
        loops.add(new Loop("etcd", wakeUps.etcd(), etcd::interval, etcd::look));
        loops.add(
                new Loop(
                        "member-urls",
                        new WakeUp(),
                        () -> OwnMemberUrls.INTERVAL,
                        memberUrls::look));
        loops.add(
                new Loop(
                        "peer",
                        wakeUps.peer(),
                        exchange::heartbeat,
                        () -> exchange.ask(https, attributes)));
        // Also while all is well: that Corosync hangs is to be told within 15 s.
        loops.add(new Loop("cluster", wakeUps.cluster(), () -> CLUSTER, cluster::look));
        // Apart from the cluster's: it asks a BMC, which may be silent for half a minute.
        loops.add(
                new Loop(
                        "second-level",
                        wakeUps.secondLevel(),
                        this::secondLevelInterval,
                        cluster::lookAtSecondLevel));
        loops.add(new Loop("bmcs", new WakeUp(), bmcs::interval, bmcs::look));
        loops.add(new Loop("pacemaker", wakeUps.pacemaker(), pacemaker::interval, pacemaker::look));
        loops.add(
                new Loop(
                        "letters",
                        new WakeUp(),
                        () -> AttributeTransport.LOOK,
                        () -> {
                            if (exchange.shouldListen()) {
                                attributes.listen();
                            }
                        }));
        loops.add(new Loop("systemd", new WakeUp(), () -> SystemdWatch.INTERVAL, systemd::look));
        loops.add(new Loop("bmc-settings", new WakeUp(), () -> BmcChanges.INTERVAL, changes::look));
        loops.add(
                new Loop(
                        "bmc-passwords",
                        wakeUps.passwords(),
                        passwords::interval,
                        passwords::look));
        // Apart from each other: a disk that stands still keeps one of them.
        loops.add(
                new Loop(
                        "certificates",
                        new WakeUp(),
                        () -> CertificateWatch.INTERVAL,
                        certificates::look));
        loops.add(new Loop("disks", new WakeUp(), () -> DiskWatch.INTERVAL, disks::look));
        loops.add(
                new Loop(
                        "prediction",
                        new WakeUp(),
                        () -> PredictionWatch.INTERVAL,
                        prediction::look));
        loops.add(new Loop("links", new WakeUp(), () -> LinkWatch.INTERVAL, links::look));
        loops.add(
                new Loop(
                        "second-level-files",
                        new WakeUp(),
                        () -> SecondLevelWatch.INTERVAL,
                        secondLevel::look));
        loops.add(
                new Loop(
                        "fencing-network",
                        new WakeUp(),
                        () -> FencingNetworkWatch.INTERVAL,
                        fencingNetwork::look));
        loops.add(
                new Loop(
                        "recovery-attribute",
                        new WakeUp(),
                        () -> RecoveryAttribute.INTERVAL,
                        recovery::look));
        loops.add(
                new Loop(
                        "plan",
                        new WakeUp(),
                        () -> PlanChanges.INTERVAL,
                        () -> {
                            passwords.readMissing();
                            plan.look();
                        }));
        loops.add(
                new Loop(
                        "api-writes",
                        new WakeUp(),
                        () -> hasApi.getAsBoolean() ? writes.interval() : WITHOUT_API,
                        () -> {
                            if (hasApi.getAsBoolean()) {
                                writes.look();
                            }
                        }));
    }

    private Duration secondLevelInterval() {
        return cluster.peerPresent() ? SECOND_LEVEL_WHILE_WELL : CLUSTER;
    }

    void start() {
        loops.forEach(Loop::start);
    }

    @Override
    public void alerted() {
        alerts.request();
    }

    private void lookAtAll() {
        wakeUps.cluster().give();
        wakeUps.etcd().give();
        wakeUps.peer().give();
        wakeUps.secondLevel().give();
        wakeUps.pacemaker().give();
    }

    @Override
    public void lookAtCluster() {
        wakeUps.cluster().give();
        wakeUps.secondLevel().give();
    }

    @Override
    public void close() {
        alerts.close();
        loops.forEach(Loop::close);
    }
}
