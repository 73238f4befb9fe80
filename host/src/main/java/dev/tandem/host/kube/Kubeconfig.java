package dev.tandem.host.kube;

import java.nio.file.Path;

/** The file that tells a client of Kubernetes where the API is and who it is there. */
final class Kubeconfig {
    private Kubeconfig() {}

    /** Keys are named, not copied: a renewed one is used without touching this file. */
    static String text(String server, Path authority, String user, Path certificate, Path key) {
        return """
        apiVersion: v1
        kind: Config
        clusters:
          - name: tandem
            cluster:
              server: %s
              certificate-authority: %s
        users:
          - name: %s
            user:
              client-certificate: %s
              client-key: %s
        contexts:
          - name: tandem
            context:
              cluster: tandem
              user: %s
        current-context: tandem
        """
                .formatted(server, authority, user, certificate, key, user);
    }
}
