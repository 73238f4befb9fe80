package dev.tandem.install.manifests;

import dev.tandem.install.openshift.Ignition;
import dev.tandem.install.openshift.Ignition.File;
import dev.tandem.install.openshift.Ignition.Unit;
import dev.tandem.install.openshift.MachineConfig;
import java.util.ArrayList;
import java.util.List;

/** What the machines themselves get: files, units, packages and kernel arguments, per pool. */
final class NodeContent {
    /** Pacemaker, pcs and the fence agents, with what they depend on. */
    private static final String EXTENSION = "two-node-ha";

    private NodeContent() {}

    /** A node of a fenced pair. */
    static MachineConfig.Spec fencedNode() {
        List<Unit> units = new ArrayList<>();
        units.add(
                Unit.enabled(
                        "ha-00-directories.service",
                        """
                        [Unit]
                        Description=Directories and logs of the cluster software
                        After=network.target
                        Before=pcsd.service corosync.service

                        [Service]
                        Type=oneshot
                        RemainAfterExit=yes
                        ExecStart=/usr/bin/mount -o remount,rw /var
                        ExecStart=/usr/bin/mkdir -p /var/lib/pcsd /var/lib/corosync /var/log/pcsd /var/log/cluster
                        ExecStart=/usr/bin/touch /var/log/pcsd/pcsd.log /var/log/cluster/corosync.log
                        ExecStart=/usr/bin/chmod 0644 /var/log/pcsd/pcsd.log /var/log/cluster/corosync.log

                        [Install]
                        WantedBy=multi-user.target
                        """));
        units.add(
                Unit.enabled(
                        "ha-01-enable-services.service",
                        """
                        [Unit]
                        Description=Start the cluster configuration daemon
                        Requires=ha-00-directories.service
                        After=ha-00-directories.service

                        [Service]
                        Type=oneshot
                        RemainAfterExit=yes
                        ExecStart=/usr/bin/systemctl enable --now pcsd.service

                        [Install]
                        WantedBy=multi-user.target
                        """));
        // Tandem's own files belong below /usr, where Pacemaker looks for its agents and where a
        // MachineConfig cannot write: an image or extension brings them, with a unit of its own.
        // Enabling that unit directly would fail on the first boot, before it is there. No
        // waiting: a boot must not hang on the agent.
        units.add(
                Unit.enabled(
                        "ha-02-enable-tandem-agent.service",
                        """
                        [Unit]
                        Description=Start the Tandem node agent
                        ConditionPathExists=/usr/lib/systemd/system/tandem-agent.service

                        [Service]
                        Type=oneshot
                        RemainAfterExit=yes
                        ExecStart=/usr/bin/systemctl enable --now --no-block tandem-agent.service

                        [Install]
                        WantedBy=multi-user.target
                        """));
        // Making the bridge takes the network card away for a moment: corosync must not see that,
        // or the peer is fenced at every boot.
        units.add(
                Unit.dropIn(
                        "corosync.service",
                        "10-after-ovs-configuration.conf",
                        """
                        [Unit]
                        Wants=ovs-configuration.service
                        After=ovs-configuration.service
                        """));
        units.add(
                Unit.dropIn(
                        "ovs-configuration.service",
                        "10-skip-rerun.conf",
                        """
                        [Unit]
                        ConditionPathExists=!/var/run/ovs-config-executed

                        [Service]
                        ExecStartPost=/usr/bin/touch /var/run/ovs-config-executed
                        """));
        return MachineConfig.Spec.of(Ignition.of(List.of(nodeSizing("1536Mi")), units))
                .withExtensions(EXTENSION);
    }

    /** An arbiter keeps to itself: only what tolerates its taint runs there. */
    static MachineConfig.Spec arbiterNode(String platform) {
        String taint = "node-role.kubernetes.io/arbiter=:NoSchedule";
        String taints =
                platform.equals("baremetal")
                        ? "node-role.kubernetes.io/master=:NoSchedule," + taint
                        : taint;
        Unit unit =
                Unit.dropIn(
                        "kubelet.service",
                        "20-arbiter-role.conf",
                        """
                        [Service]
                        Environment="KUBELET_EXTRA_ARGS=--node-labels=node-role.kubernetes.io/arbiter= --register-with-taints=%s"
                        """
                                .formatted(taints));
        return MachineConfig.Spec.of(Ignition.of(List.of(nodeSizing("1Gi")), List.of(unit)));
    }

    static MachineConfig.Spec sshKey(String key) {
        return MachineConfig.Spec.of(
                Ignition.of(
                        new Ignition.User(
                                "core",
                                key.lines()
                                        .map(String::strip)
                                        .filter(line -> !line.isEmpty())
                                        .toList())));
    }

    static MachineConfig.Spec kernelArguments(String... arguments) {
        return MachineConfig.Spec.of(Ignition.EMPTY).withKernelArguments(arguments);
    }

    static MachineConfig.Spec fips() {
        return MachineConfig.Spec.of(Ignition.EMPTY).withFips();
    }

    /** Tells a new machine where its real configuration is, and whom to believe. */
    static String pointerIgnition(String source, String rootCa) {
        return "{\"ignition\":{\"config\":{\"merge\":[{\"source\":\"%s\"}]},\"security\":{\"tls\":{\"certificateAuthorities\":[{\"source\":\"%s\"}]}},\"version\":\"%s\"}}"
                .formatted(source, Ignition.dataUrl(rootCa), Ignition.VERSION);
    }

    private static File nodeSizing(String memory) {
        return File.of(
                "/etc/node-sizing-enabled.env",
                """
                NODE_SIZING_ENABLED=false
                SYSTEM_RESERVED_MEMORY=%s
                SYSTEM_RESERVED_CPU=500m
                SYSTEM_RESERVED_ES=1Gi
                """
                        .formatted(memory));
    }
}
