package dev.tandem.lab.daemon;

import dev.tandem.core.Failure;
import dev.tandem.host.Deadline;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.ResetType;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.LeafProfile;
import dev.tandem.lab.linux.NetworkNamespace;
import dev.tandem.lab.spec.LabLayout;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.Timeline;
import dev.tandem.redfishsim.BmcEvent;
import dev.tandem.redfishsim.BmcSettings;
import dev.tandem.redfishsim.RedfishBmc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** The BMC of one node, in a network namespace of its own on the fencing network. */
public final class LabBmc implements AutoCloseable {
    static final int PORT = 443;
    static final String USER = "admin";

    /**
     * Public on purpose: the lab has no way in from outside. Each node has its own, as on sites.
     */
    public static String passwordOf(String node) {
        return "lab-" + node;
    }

    /** Longer than a machine takes on an overloaded host; the BMC's own latency comes on top. */
    private static final Duration POWER_LIMIT = Duration.ofSeconds(90);

    /** systemd lets services take 90 s to stop. */
    private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(100);

    private final LabNode node;
    private final RedfishBmc redfish;
    private final AtomicReference<String> failure;

    private LabBmc(LabNode node, RedfishBmc redfish, AtomicReference<String> failure) {
        this.node = node;
        this.redfish = redfish;
        this.failure = failure;
    }

    public static LabBmc start(LabNode node, CertificateAuthority authority, Timeline timeline)
            throws IOException {
        LabLayout.NodePlan plan = node.plan();
        List<String> names = new ArrayList<>(List.of(plan.name() + "-bmc", "127.0.0.1"));
        plan.bmcAddresses().forEach(address -> names.add(address.ip()));
        AtomicReference<String> failure = new AtomicReference<>("");
        BmcSettings settings =
                BmcSettings.of(
                        // It is alone in its namespace: all its addresses, of both families.
                        new InetSocketAddress(InetAddress.ofLiteral("::"), PORT),
                        authority.issue(
                                LeafProfile.server(
                                        plan.name() + "-bmc", names, Duration.ofDays(365))),
                        USER,
                        passwordOf(plan.name()),
                        event -> {
                            timeline.record(event, plan.name());
                            if (event.kind() == BmcEvent.Kind.POWER_ACTION_FAILED) {
                                failure.set(event.detail());
                            }
                        });
        RedfishBmc redfish =
                NetworkNamespace.call(
                        LabNetwork.namespaceOf(LabNetwork.bmcNamespace(plan.name())),
                        () -> RedfishBmc.bind(settings, node));
        redfish.serve();
        return new LabBmc(node, redfish, failure);
    }

    RedfishBmc redfish() {
        return redfish;
    }

    public LabNode node() {
        return node;
    }

    /** Presses the button and waits until the machine has obeyed. */
    public PowerState power(LabRequest.PowerAction action) throws InterruptedException {
        failure.set("");
        switch (action) {
            case ON -> {
                redfish.reset(ResetType.ON);
                await(PowerState.ON, POWER_LIMIT);
            }
            case OFF -> {
                redfish.reset(ResetType.FORCE_OFF);
                await(PowerState.OFF, POWER_LIMIT);
            }
            case CYCLE -> {
                redfish.reset(ResetType.POWER_CYCLE);
                await(PowerState.ON, POWER_LIMIT);
            }
            case SHUTDOWN -> {
                redfish.reset(ResetType.GRACEFUL_SHUTDOWN);
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
            String failed = failure.get();
            if (deadline.passed() || !failed.isEmpty()) {
                throw new Failure(
                        node.name() + " is not " + wanted.redfishName(),
                        failed.isEmpty()
                                ? "its BMC still reads " + redfish.powerState().redfishName()
                                : failed,
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
