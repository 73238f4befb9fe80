package dev.tandem.agent.kube;

import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.LeafProfile;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.pki.TlsIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/** The access of an agent to an API server on this machine, with keys below a directory. */
record TestAccess(Path directory) {
    /** The kubeconfig. */
    Path file() {
        return directory.resolve("agent.conf");
    }

    /** Writes the kubeconfig; the identity is one that a server there may show. */
    TlsIdentity write(int port) throws IOException {
        Path ca = directory.resolve("ca");
        if (!SitePki.isIn(ca)) {
            SitePki.create(ca, "test", InstantSource.system());
        }
        TlsIdentity agent =
                CertificateAuthority.load(
                                ca.resolve("ca.pem"), ca.resolve("ca.key"), InstantSource.system())
                        .issue(
                                LeafProfile.serverAndClient(
                                        "agent", List.of("127.0.0.1"), Duration.ofDays(1)));
        Pem.writeIdentity(directory.resolve("agent.pem"), directory.resolve("agent.key"), agent);
        Files.writeString(
                file(),
                """
                apiVersion: v1
                kind: Config
                current-context: here
                contexts:
                - name: here
                  context: {cluster: here, user: agent}
                clusters:
                - name: here
                  cluster: {server: "https://127.0.0.1:%d", certificate-authority: ca/ca.pem}
                users:
                - name: agent
                  user: {client-certificate: agent.pem, client-key: agent.key}
                """
                        .formatted(port));
        return agent;
    }
}
