package dev.tandem.host.plan;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.Secrets;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.credential.PasswordOrigins;
import dev.tandem.host.credential.PasswordSource;
import dev.tandem.host.credential.SealedPassword;
import dev.tandem.host.credential.SourceAnswer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The passwords of BMCs, wherever the plan says that they are.
 *
 * @param commands runs the programs that print or decrypt them
 */
public record NodePasswords(Commands commands) {
    public NodePasswords() {
        this(new SystemCommands());
    }

    /**
     * The password that is in use. On a node it does not depend on anybody else: what came from a
     * store was kept.
     */
    public String of(ClusterPlan.Node node) {
        return switch (node.bmc().password()) {
            case PasswordSource.InFile(Path file) -> ofFile(node.name(), file);
            case PasswordSource.Fetched(var origin, Optional<Path> cache) ->
                    cache.isPresent()
                            ? sealed(node).read(cache.get())
                            : new PasswordOrigins(commands).require(origin, node.name());
        };
    }

    /** For a further level of the node; empty where its agent is given none. */
    public static Optional<String> of(ClusterPlan.Node node, FurtherLevel level) {
        return level.passwordFile()
                .map(file ->
                        read(
                                "there is no password for %s, a further fencing level of %s"
                                        .formatted(level.agent(), node.name()),
                                "each node needs it",
                                file));
    }

    /** Where a node has it, if it keeps it at all. */
    public static Optional<Path> file(ClusterPlan.Node node) {
        return switch (node.bmc().password()) {
            case PasswordSource.InFile(Path file) -> Optional.of(file);
            case PasswordSource.Fetched(_, Optional<Path> cache) -> cache;
        };
    }

    /** The same; from its source where what was kept of it is lost. */
    public String available(ClusterPlan.Node node) {
        if (!(node.bmc().password() instanceof PasswordSource.Fetched(var origin, var cache))
                || cache.isEmpty()) {
            return of(node);
        }
        return switch (sealed(node).contents(cache.get())) {
            case SealedPassword.Contents.Password(String password) -> password;
            case SealedPassword.Contents.Lost _ ->
                    new PasswordOrigins(commands).require(origin, node.name());
            case SealedPassword.Contents.NotTold(Failure why) -> throw why;
        };
    }

    /** What its source says now; empty where that is the file which is in use. */
    public Optional<SourceAnswer> ask(ClusterPlan.Node node) {
        return node.bmc().password() instanceof PasswordSource.Fetched fetched
                ? Optional.of(
                        new PasswordOrigins(commands)
                                .ask(
                                        fetched.origin(),
                                        () -> fetched.cache().flatMap(sealed(node)::known)))
                : Optional.empty();
    }

    /** From now on it is in use; durable when this returns. */
    public void write(ClusterPlan.Node node, String password) {
        switch (node.bmc().password()) {
            case PasswordSource.InFile(Path file) -> {
                String text = password + "\n";
                if (!NodeFiles.content(file).equals(Optional.of(text))) {
                    Secrets.write(file, text);
                }
            }
            case PasswordSource.Fetched _ -> {
                Path file = InstalledPasswords.file(node);
                if (!sealed(node).known(file).equals(Optional.of(password))) {
                    sealed(node).write(file, password);
                }
            }
        }
    }

    /** Encrypts and decrypts for this node alone. */
    public SealedPassword sealed(ClusterPlan.Node node) {
        return new SealedPassword(commands, node.name());
    }

    private static String ofFile(String node, Path file) {
        return read(
                "there is no password for the BMC of " + node,
                "each node needs the passwords of both BMCs",
                file);
    }

    private static String read(String missing, String why, Path file) {
        if (Files.notExists(file)) {
            throw new Failure(
                    missing,
                    file + " does not exist; " + why,
                    "copy it to where the plan is; or type it, and then Enter and Ctrl-D, into:"
                            + " (umask"
                            + " 077; cat > %s)".formatted(file));
        }
        return Secrets.read(
                file,
                "type the password, and then Enter and Ctrl-D, into: (umask 077; cat > %s)"
                        .formatted(file));
    }
}
