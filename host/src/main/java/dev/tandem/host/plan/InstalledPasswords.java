package dev.tandem.host.plan;

import dev.tandem.host.credential.PasswordSource;
import dev.tandem.host.credential.PasswordSource.Login;
import dev.tandem.host.credential.SealedPassword;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Where a node keeps passwords of BMCs, and what it needs to read them from a store. */
final class InstalledPasswords {
    private InstalledPasswords() {}

    static Path file(Path etc, String owner, String what) {
        return etc.resolve("bmc").resolve(owner + "." + what);
    }

    /**
     * The same source, with the files of the plan at their places on a node.
     *
     * @param owner what the files are called after: the node, or the second of its BMC
     */
    static PasswordSource source(Path etc, String owner, PasswordSource planned) {
        return switch (planned) {
            case PasswordSource.InFile _ -> new PasswordSource.InFile(file(etc, owner, "password"));
            case PasswordSource.Fetched(PasswordSource.Origin origin, _) ->
                    new PasswordSource.Fetched(
                            switch (origin) {
                                case PasswordSource.Program program -> program;
                                case PasswordSource.Vault vault -> installed(etc, owner, vault);
                            },
                            Optional.of(SealedPassword.file(etc, owner)));
        };
    }

    private static PasswordSource.Vault installed(
            Path etc, String owner, PasswordSource.Vault vault) {
        return new PasswordSource.Vault(
                vault.address(),
                vault.mount(),
                vault.path(),
                vault.field(),
                vault.namespace(),
                vault.caFile().map(_ -> file(etc, owner, "vault-ca.pem")),
                switch (vault.login()) {
                    case Login.AppRole(String mount, String roleId, _) ->
                            new Login.AppRole(mount, roleId, file(etc, owner, "vault-secret-id"));
                    case Login.Certificate(String mount, Optional<String> role, _, _) ->
                            new Login.Certificate(
                                    mount,
                                    role,
                                    file(etc, owner, "vault.crt"),
                                    file(etc, owner, "vault.key"));
                });
    }

    /** What is copied, by where it goes. */
    static Map<Path, Path> copies(ClusterPlan.Node from, ClusterPlan.Node installed) {
        List<Path> sources = PlanSecrets.vaultFiles(from);
        List<Path> targets = PlanSecrets.vaultFiles(installed);
        Map<Path, Path> copies = new LinkedHashMap<>();
        for (int i = 0; i < sources.size(); i++) {
            copies.put(targets.get(i), sources.get(i));
        }
        return copies;
    }

    /** Where a node keeps the one in use. */
    static Path file(ClusterPlan.Node installed) {
        return switch (installed.bmc().password()) {
            case PasswordSource.InFile(Path file) -> file;
            case PasswordSource.Fetched(_, Optional<Path> cache) ->
                    cache.orElseThrow(
                            () -> new IllegalStateException("a plan that is not installed"));
        };
    }

    /** What another kind of source left behind; the second fencing level must not find it. */
    static Path obsolete(Path etc, ClusterPlan.Node node) {
        return node.bmc().password() instanceof PasswordSource.InFile
                ? SealedPassword.file(etc, node.name())
                : file(etc, node.name(), "password");
    }
}
