package dev.tandem.host.kube;

import java.nio.file.Path;
import java.util.List;

/**
 * One part of the control plane as a unit that starts with kubelet and stops with etcd.
 *
 * @param type when systemd takes it for started
 * @param after units of this node that must be ready before
 */
public record ControlPlaneUnit(
        String name,
        String description,
        String type,
        List<String> after,
        Path programs,
        List<String> arguments) {

    /** Groups the units. The resource agent of etcd knows it by this name. */
    static final String TARGET = "tandem-kubernetes.target";

    static final String TARGET_TEXT =
            """
            # Written by tandem, which rewrites it.
            [Unit]
            Description=Control plane of Kubernetes beside this node's etcd
            """;

    public ControlPlaneUnit {
        after = List.copyOf(after);
        arguments = List.copyOf(arguments);
    }

    public String file() {
        return name + ".service";
    }

    public String text() {
        return """
        # Written by tandem, which rewrites it. Settings of your own: systemctl edit %1$s
        [Unit]
        Description=%2$s
        After=kubelet.service%3$s
        # Pacemaker starts kubelet, and with it all of this; when it stops etcd, this ends. Not
        # with kubelet: one that has crashed is stopped and started again, which is no reason to
        # end what serves others. Nor does this need kubelet, for somebody who starts this unit
        # by hand must not start kubelet behind Pacemaker's back.
        PartOf=%7$s
        # Etcd may be away for long: never give up for good.
        StartLimitIntervalSec=0

        [Service]
        Type=%4$s
        ExecStart=%5$s \\
            %6$s
        Restart=always
        RestartSec=1s
        # Without etcd the API server waits a while, ends and is started again.
        TimeoutStartSec=infinity
        # What does not end by then waits for an etcd that is gone.
        TimeoutStopSec=10s
        LimitNOFILE=65536
        OOMScoreAdjust=-900
        UMask=0077
        LogsDirectory=kubernetes
        LogsDirectoryMode=0700
        NoNewPrivileges=yes
        ProtectSystem=strict
        ProtectHome=yes
        PrivateTmp=yes
        PrivateDevices=yes
        CapabilityBoundingSet=
        RestrictSUIDSGID=yes
        LockPersonality=yes

        [Install]
        WantedBy=kubelet.service %7$s
        """
                .formatted(
                        file(),
                        description,
                        after.isEmpty() ? "" : " " + String.join(" ", after),
                        type,
                        programs.resolve(name),
                        String.join(" \\\n    ", arguments),
                        TARGET);
    }
}
