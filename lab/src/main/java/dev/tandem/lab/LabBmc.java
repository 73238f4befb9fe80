package dev.tandem.lab;

import dev.tandem.core.Failure;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.ResetType;
import dev.tandem.host.tls.CertificateAuthority;
import dev.tandem.host.tls.LeafProfile;
import dev.tandem.lab.bmc.BmcEvent;
import dev.tandem.lab.bmc.BmcSettings;
import dev.tandem.lab.bmc.RedfishBmc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The BMC of one node, in a network namespace of its own on the fencing network. */
final class LabBmc implements AutoCloseable {
    static final int PORT = 443;
    static final String USER = "admin";

    /**
     * Public on purpose: the lab has no way in from outside. Each node has its own, as on sites.
     */
    static String passwordOf(String node) {
        return "lab-" + node;
    }

    /** Longer than any machine of the lab takes, plus the latency that a BMC was given. */
    private static final Duration POWER_LIMIT = Duration.ofSeconds(30);

    /** systemd lets services take 90 s to stop. */
    private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(100);

    private final LabNode node;
    private final RedfishBmc redfish;

    private LabBmc(LabNode node, RedfishBmc redfish) {
        this.node = node;
        this.redfish = redfish;
    }

    static LabBmc start(LabNode node, CertificateAuthority authority, Timeline timeline)
            throws IOException {
        Site.NodePlan plan = node.plan();
        List<String> names = new ArrayList<>(List.of(plan.name() + "-bmc", "127.0.0.1"));
        plan.bmcAddresses().forEach(address -> names.add(address.ip()));
        BmcSettings settings =
                BmcSettings.of(
                        // It is alone in its namespace: all its addresses, of both families.
                        new InetSocketAddress(InetAddress.ofLiteral("::"), PORT),
                        authority.issue(
                                LeafProfile.server(
                                        plan.name() + "-bmc", names, Duration.ofDays(365))),
                        USER,
                        passwordOf(plan.name()),
                        event -> record(timeline, plan.name(), event));
        RedfishBmc redfish =
                NetworkNamespace.call(
                        LabNetwork.namespaceOf(LabNetwork.bmcNamespace(plan.name())),
                        () -> RedfishBmc.bind(settings, node));
        redfish.serve();
        return new LabBmc(node, redfish);
    }

    private static void record(Timeline timeline, String node, BmcEvent event) {
        timeline.record(
                "bmc-" + event.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'),
                node,
                Map.of("by", event.by(), "detail", event.detail()));
    }

    RedfishBmc redfish() {
        return redfish;
    }

    LabNode node() {
        return node;
    }

    /** Presses the button and waits until the machine has obeyed. */
    PowerState power(LabRequest.PowerAction action) throws InterruptedException {
        switch (action) {
            case ON -> {
                redfish.reset(ResetType.ON, "lab");
                await(PowerState.ON, POWER_LIMIT);
            }
            case OFF -> {
                redfish.reset(ResetType.FORCE_OFF, "lab");
                await(PowerState.OFF, POWER_LIMIT);
            }
            case CYCLE -> {
                redfish.reset(ResetType.POWER_CYCLE, "lab");
                await(PowerState.ON, POWER_LIMIT);
            }
            case SHUTDOWN -> {
                redfish.reset(ResetType.GRACEFUL_SHUTDOWN, "lab");
                await(PowerState.OFF, SHUTDOWN_LIMIT);
            }
            case STATUS -> {}
        }
        return redfish.powerState();
    }

    private void await(PowerState wanted, Duration limit) throws InterruptedException {
        Deadline deadline =
                Deadline.in(
                        limit.plus(redfish.behaviour().offLatency())
                                .plus(redfish.behaviour().onLatency()));
        while (redfish.powerState() != wanted) {
            if (deadline.passed()) {
                throw new Failure(
                        node.name() + " is not " + wanted.redfishName(),
                        "its BMC reads " + redfish.powerState().redfishName() + " still",
                        "see what it did: tandem lab timeline");
            }
            deadline.pause(Duration.ofMillis(10));
        }
    }

    @Override
    public void close() {
        redfish.close();
    }
}
