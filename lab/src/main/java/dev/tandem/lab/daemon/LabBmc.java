package dev.tandem.lab.daemon;

import dev.tandem.core.Failure;
import dev.tandem.host.Deadline;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.ResetType;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.LeafProfile;
import dev.tandem.lab.linux.Cgroup;
import dev.tandem.lab.linux.NetworkNamespace;
import dev.tandem.lab.spec.LabFiles;
import dev.tandem.lab.spec.LabLayout;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.LabSpec;
import dev.tandem.lab.spec.Timeline;
import dev.tandem.redfishsim.BmcEvent;
import dev.tandem.redfishsim.BmcSettings;
import dev.tandem.redfishsim.RedfishBmc;
import dev.tandem.redfishsim.ipmi.IpmiAccount;
import dev.tandem.redfishsim.ipmi.IpmiBmc;
import dev.tandem.redfishsim.ipmi.PowerButton;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** The BMC of one node, in a network namespace of its own on the fencing network. */
public final class LabBmc implements AutoCloseable {
    static final int PORT = 443;
    public static final String USER = "admin";
    public static final String IPMI_USER = "fencer";
    private static final int IPMI_PORT = 623;

    /**
     * Public on purpose: the lab has no way in from outside. Each node has its own, as on sites.
     */
    public static String passwordOf(String node) {
        return "lab-" + node;
    }

    /** Of the account for IPMI, which is another one; the simulator takes 16 characters. */
    public static String ipmiPasswordOf(String node) {
        return passwordOf(node) + "-ipmi";
    }

    /** Longer than a machine takes on an overloaded host; the BMC's own latency comes on top. */
    private static final Duration POWER_LIMIT = Duration.ofSeconds(90);

    /** systemd lets services take 90 s to stop. */
    private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(100);

    private final LabNode node;
    private final RedfishBmc redfish;
    private final AtomicReference<String> failure;
    private final Optional<IpmiBmc> ipmi;

    private LabBmc(
            LabNode node,
            RedfishBmc redfish,
            AtomicReference<String> failure,
            Optional<IpmiBmc> ipmi) {
        this.node = node;
        this.redfish = redfish;
        this.failure = failure;
        this.ipmi = ipmi;
    }

    /** With IPMI beside Redfish if the lab is to have it. */
    public static LabBmc start(
            LabNode node,
            LabSpec lab,
            LabFiles files,
            CertificateAuthority authority,
            Timeline timeline)
            throws IOException, InterruptedException {
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
        Optional<IpmiBmc> ipmi =
                lab.bmc().hasIpmi()
                        ? Optional.of(startIpmi(node, files, redfish))
                        : Optional.empty();
        return new LabBmc(node, redfish, failure, ipmi);
    }

    /** A program of its own, in the namespace of the BMC; it ends with the lab's control group. */
    private static IpmiBmc startIpmi(LabNode node, LabFiles files, RedfishBmc redfish)
            throws IOException, InterruptedException {
        String name = LabNetwork.bmcNamespace(node.name());
        Cgroup group = files.cgroup().child(name);
        group.create();
        return IpmiBmc.start(
                Files.createDirectory(
                        files.run().resolve(name),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------"))),
                List.of(
                        "/bin/sh",
                        LabDaemon.enterCgroupScript(files).toString(),
                        group.directory().toString(),
                        "ip",
                        "netns",
                        "exec",
                        name),
                new InetSocketAddress(
                        InetAddress.ofLiteral(node.plan().bmcAddress().ip()), IPMI_PORT),
                List.of(new IpmiAccount(IPMI_USER, ipmiPasswordOf(node.name()))),
                node.identity(),
                new PowerButton() {
                    @Override
                    public boolean isOn() {
                        return redfish.powerState() != PowerState.OFF;
                    }

                    @Override
                    public void off() {
                        redfish.reset(ResetType.FORCE_OFF, IPMI_USER);
                    }

                    @Override
                    public void on() {
                        redfish.reset(ResetType.ON, IPMI_USER);
                    }
                });
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
    public void close() throws IOException {
        redfish.close();
        if (ipmi.isPresent()) {
            ipmi.get().close();
        }
    }
}
