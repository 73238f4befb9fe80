package dev.tandem.host.kube;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.NodePaths;
import dev.tandem.host.Systemd;
import dev.tandem.host.pki.FileSet;
import dev.tandem.host.pki.SitePki;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Puts the control plane of a node in place; Pacemaker starts it, with kubelet. */
public final class ControlPlaneInstall {
    private static final Duration SYSTEMCTL = Duration.ofSeconds(20);

    private static final String REMEDY = "look at the journal: journalctl -xe";

    private static final String CANNOT = "cannot set up a control plane on this node";

    private final ControlPlane controlPlane;
    private final Commands commands;
    private final Path keys;

    public ControlPlaneInstall(ControlPlane controlPlane, Commands commands) {
        this(controlPlane, commands, KubePki.INSTALLED);
    }

    ControlPlaneInstall(ControlPlane controlPlane, Commands commands, Path keys) {
        this.controlPlane = controlPlane;
        this.commands = commands;
        this.keys = keys;
    }

    /** Fails where something is missing that the control plane needs. Changes nothing. */
    public void check() {
        List<Failure> missing =
                Stream.of(programs(), kubelet(), keys()).flatMap(Optional::stream).toList();
        if (!missing.isEmpty()) {
            throw Failure.of(CANNOT, missing);
        }
    }

    /** The files that are not as they should be. Changes nothing. */
    public List<Path> difference() {
        return controlPlane.files().stream()
                .filter(file -> !file.stands())
                .map(NodeFile::path)
                .toList();
    }

    /** Writes what {@link #difference} names, and ties the units to kubelet's. */
    public void install() {
        check();
        controlPlane.files().stream().filter(file -> !file.stands()).forEach(NodeFile::write);
        enable(commands, controlPlane);
    }

    /** Ties units that lie in place to kubelet's. */
    public static void enable(Commands commands, ControlPlane controlPlane) {
        Systemd systemd = new Systemd(commands);
        systemd.daemonReload(SYSTEMCTL).orFail(REMEDY);
        systemd.enable(
                        SYSTEMCTL,
                        controlPlane.units().stream().map(ControlPlaneUnit::file).toList())
                .orFail(REMEDY);
        // At boot only Pacemaker may start it: a node that boots alone stays inert.
        systemd.disable(SYSTEMCTL, "kubelet.service").orFail(REMEDY);
    }

    private Optional<Failure> programs() {
        List<String> missing =
                controlPlane.units().stream()
                        .map(ControlPlaneUnit::name)
                        .filter(name -> !Files.isExecutable(controlPlane.programs().resolve(name)))
                        .toList();
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Failure(
                                CANNOT,
                                "%s lacks %s"
                                        .formatted(
                                                controlPlane.programs(),
                                                String.join(", ", missing)),
                                "put Kubernetes' programs there, or name another directory with"
                                        + " --programs"));
    }

    /** It comes with its container runtime, which is not ours to choose. */
    private Optional<Failure> kubelet() {
        return new Systemd(commands).exists(SYSTEMCTL, "kubelet.service")
                ? Optional.empty()
                : Optional.of(
                        new Failure(
                                CANNOT,
                                "kubelet.service is missing, and everything else starts with it",
                                "install the kubelet of your distribution of Kubernetes, with "
                                        + NodePaths.KUBERNETES.resolve("kubelet.conf")
                                        + " as its kubeconfig"));
    }

    private Optional<Failure> keys() {
        FileSet.complete(keys);
        List<String> missing = KubePki.missingIn(keys);
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Failure(
                                CANNOT,
                                "%s lacks %s".formatted(keys, String.join(", ", missing)),
                                "where the authority is, once: tandem certs create --dir SITE"
                                        + " --kubernetes; then "
                                        + SitePki.howToGetThem(controlPlane.node().name())));
    }
}
