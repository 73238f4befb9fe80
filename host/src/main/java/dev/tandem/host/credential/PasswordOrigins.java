package dev.tandem.host.credential;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Asks the source of a password: a program or a store.
 *
 * @param commands runs programs
 */
public record PasswordOrigins(Commands commands) {

    /**
     * Within some seconds, whatever happens.
     *
     * @param kept the password that is in use, which no complaint of the source's may repeat; it is
     *     decrypted only where there is a complaint
     */
    public SourceAnswer ask(PasswordSource.Origin origin, Supplier<Optional<String>> kept) {
        return ask(origin, kept, OnlyRootWrites.ROOT);
    }

    SourceAnswer ask(
            PasswordSource.Origin origin, Supplier<Optional<String>> kept, OnlyRootWrites rule) {
        return switch (origin) {
            case PasswordSource.Program program ->
                    new ProgramSource(commands, kept, rule).read(program);
            case PasswordSource.Vault vault -> VaultSource.read(vault);
        };
    }

    /** The same for somebody who has none yet and cannot go on without it. */
    public String require(PasswordSource.Origin origin, String node) {
        return switch (ask(origin, Optional::empty)) {
            case SourceAnswer.Read(String password) -> password;
            case SourceAnswer.Unread(_, String why, String remedy) ->
                    throw new Failure(
                            "cannot read the password for the BMC of %s from %s"
                                    .formatted(node, origin.words()),
                            why,
                            remedy);
        };
    }
}
