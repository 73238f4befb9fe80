package dev.tandem.host.credential;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;

/**
 * Asks the source of a password: a program or a store.
 *
 * @param commands runs programs
 */
public record PasswordOrigins(Commands commands) {

    /** Within some seconds, whatever happens. */
    public SourceAnswer ask(PasswordSource.Origin origin) {
        return ask(origin, OnlyRootWrites.ROOT);
    }

    SourceAnswer ask(PasswordSource.Origin origin, OnlyRootWrites rule) {
        return switch (origin) {
            case PasswordSource.Program program -> new ProgramSource(commands, rule).read(program);
            case PasswordSource.Vault vault -> VaultSource.read(vault);
        };
    }

    /** The same for somebody who cannot go on without it. */
    public String require(PasswordSource.Origin origin, String node) {
        return switch (ask(origin)) {
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
