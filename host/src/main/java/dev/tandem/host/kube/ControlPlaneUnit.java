package dev.tandem.host.kube;

import java.nio.file.Path;
import java.util.List;

/**
 * One part of the control plane as a unit that starts and stops with kubelet, and not without it.
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
        # Pacemaker decides whether kubelet runs, and with it all of this. Requisite, for
        # somebody who starts this unit by hand must not start kubelet behind Pacemaker's back;
        # not BindsTo, for a kubelet that crashed is no reason to end what serves others.
        Requisite=kubelet.service
        PartOf=kubelet.service
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
        WantedBy=kubelet.service
        """
                .formatted(
                        file(),
                        description,
                        after.isEmpty() ? "" : " " + String.join(" ", after),
                        type,
                        programs.resolve(name),
                        String.join(" \\\n    ", arguments));
    }
}
