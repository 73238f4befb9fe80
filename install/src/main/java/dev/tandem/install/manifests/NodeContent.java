package dev.tandem.install.manifests;

import static dev.tandem.install.manifests.ManifestObjects.base64;
import static dev.tandem.install.manifests.ManifestObjects.map;
import static dev.tandem.install.manifests.ManifestObjects.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What the machines themselves get: files, units, packages and kernel arguments, per pool. */
final class NodeContent {
    private static final String IGNITION = "3.2.0";

    /** Pacemaker, pcs and the fence agents, with what they depend on. */
    private static final String EXTENSION = "two-node-ha";

    private NodeContent() {}

    static Map<String, Object> machineConfig(String role, String name, Map<String, Object> spec) {
        Map<String, Object> metadata =
                map("name", name, "labels", map("machineconfiguration.openshift.io/role", role));
        return object(
                "machineconfiguration.openshift.io/v1", "MachineConfig", metadata, "spec", spec);
    }

    /** A node of a fenced pair. */
    static Map<String, Object> fencedNode() {
        List<Object> units = new ArrayList<>();
        units.add(
                enabled(
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
                enabled(
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
                enabled(
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
                dropIn(
                        "corosync.service",
                        "10-after-ovs-configuration.conf",
                        """
                        [Unit]
                        Wants=ovs-configuration.service
                        After=ovs-configuration.service
                        """));
        units.add(
                dropIn(
                        "ovs-configuration.service",
                        "10-skip-rerun.conf",
                        """
                        [Unit]
                        ConditionPathExists=!/var/run/ovs-config-executed

                        [Service]
                        ExecStartPost=/usr/bin/touch /var/run/ovs-config-executed
                        """));
        return map(
                "config",
                map(
                        "ignition", map("version", IGNITION),
                        "storage", map("files", List.of(nodeSizing("1536Mi"))),
                        "systemd", map("units", units)),
                "extensions",
                List.of(EXTENSION));
    }

    /** An arbiter keeps to itself: only what tolerates its taint runs there. */
    static Map<String, Object> arbiterNode(String platform) {
        String taint = "node-role.kubernetes.io/arbiter=:NoSchedule";
        String taints =
                platform.equals("baremetal")
                        ? "node-role.kubernetes.io/master=:NoSchedule," + taint
                        : taint;
        Map<String, Object> unit =
                dropIn(
                        "kubelet.service",
                        "20-arbiter-role.conf",
                        """
                        [Service]
                        Environment="KUBELET_EXTRA_ARGS=--node-labels=node-role.kubernetes.io/arbiter= --register-with-taints=%s"
                        """
                                .formatted(taints));
        return map(
                "config",
                map(
                        "ignition", map("version", IGNITION),
                        "storage", map("files", List.of(nodeSizing("1Gi"))),
                        "systemd", map("units", List.of(unit))));
    }

    static Map<String, Object> sshKey(String key) {
        return map(
                "config",
                map(
                        "ignition",
                        map("version", IGNITION),
                        "passwd",
                        map(
                                "users",
                                List.of(
                                        map(
                                                "name",
                                                "core",
                                                "sshAuthorizedKeys",
                                                key.lines()
                                                        .map(String::strip)
                                                        .filter(line -> !line.isEmpty())
                                                        .toList())))));
    }

    static Map<String, Object> kernelArguments(String... arguments) {
        return map(
                "config",
                map("ignition", map("version", IGNITION)),
                "kernelArguments",
                List.of(arguments));
    }

    static Map<String, Object> fips() {
        return map("config", map("ignition", map("version", IGNITION)), "fips", true);
    }

    /** Tells a new machine where its real configuration is, and whom to believe. */
    static String pointerIgnition(String source, String rootCa) {
        return "{\"ignition\":{\"config\":{\"merge\":[{\"source\":\"%s\"}]},\"security\":{\"tls\":{\"certificateAuthorities\":[{\"source\":\"data:text/plain;charset=utf-8;base64,%s\"}]}},\"version\":\"%s\"}}"
                .formatted(source, base64(rootCa), IGNITION);
    }

    private static Map<String, Object> nodeSizing(String memory) {
        return file(
                "/etc/node-sizing-enabled.env",
                """
                NODE_SIZING_ENABLED=false
                SYSTEM_RESERVED_MEMORY=%s
                SYSTEM_RESERVED_CPU=500m
                SYSTEM_RESERVED_ES=1Gi
                """
                        .formatted(memory));
    }

    private static Map<String, Object> file(String path, String content) {
        return map(
                "path",
                path,
                "mode",
                0644,
                "overwrite",
                true,
                "contents",
                map("source", "data:text/plain;charset=utf-8;base64," + base64(content)));
    }

    private static Map<String, Object> enabled(String name, String contents) {
        return map("name", name, "enabled", true, "contents", contents);
    }

    private static Map<String, Object> dropIn(String unit, String name, String contents) {
        return map("name", unit, "dropins", List.of(map("name", name, "contents", contents)));
    }
}
