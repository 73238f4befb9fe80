package dev.tandem.agent;

import dev.tandem.agent.supervise.SupervisorActions;
import dev.tandem.core.Failure;
import dev.tandem.host.InstallationMark;
import dev.tandem.host.IoErrors;
import dev.tandem.host.NodePaths;
import dev.tandem.host.etcd.ReplicaDirectory;
import dev.tandem.host.kube.AgentRbac;
import dev.tandem.host.kube.KubePki;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.pki.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/**
 * Places on the node, and what the agent finds there when it starts.
 *
 * @param plan the plan that this node runs by
 * @param units where systemd looks for units
 * @param kubernetes how to reach Kubernetes, once it is there
 * @param kubernetesPki where its certificates lie, where they are ours
 * @param listen where the peer's agent asks
 */
record AgentPaths(
        Path plan,
        Path state,
        Path run,
        Path replicas,
        Path pki,
        Path units,
        Path kubernetes,
        Path kubernetesPki,
        InetSocketAddress listen,
        Optional<String> alertGroup) {
    static final AgentPaths STANDARD =
            new AgentPaths(
                    NodePaths.PLAN,
                    NodePaths.STATE,
                    NodePaths.RUN,
                    ReplicaDirectory.STANDARD,
                    SitePki.INSTALLED,
                    NodePaths.UNITS,
                    AgentRbac.KUBECONFIG,
                    KubePki.INSTALLED,
                    // Every family: one link may be IPv4 and the other IPv6.
                    new InetSocketAddress(InetAddress.ofLiteral("::"), Agent.PORT),
                    Optional.of("haclient"));

    List<X509Certificate> authorities() {
        SitePki.completeInstallation(pki);
        return Pem.readCertificates(pki.resolve(SitePki.CA_CERTIFICATE));
    }

    TlsIdentity identity(SitePki.Purpose purpose) {
        SitePki.completeInstallation(pki);
        return Pem.readIdentity(purpose.certificate(pki), purpose.key(pki));
    }

    SupervisorActions.Installation installation() {
        return new MarkedInstallation(
                new InstallationMark(state.resolve(NodePaths.INSTALLING.getFileName())));
    }

    /** An installation is open until the first server serves. */
    private record MarkedInstallation(InstallationMark mark)
            implements SupervisorActions.Installation {
        @Override
        public boolean open() {
            return mark.isSet();
        }

        @Override
        public void close() {
            try {
                mark.remove();
            } catch (IOException e) {
                throw new Failure(
                        "cannot end the installation",
                        IoErrors.words(e),
                        "delete it by hand: rm " + mark.file(),
                        e);
            }
        }
    }
}
