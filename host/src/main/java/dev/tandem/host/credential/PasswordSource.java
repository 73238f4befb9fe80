package dev.tandem.host.credential;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Where the password of a BMC's account comes from. Holds no secret, only the way to one. */
public sealed interface PasswordSource {

    /** A file with the password and nothing else. */
    record InFile(Path file) implements PasswordSource {}

    /**
     * Somebody else has it, and is asked for it again and again.
     *
     * @param cache where a node keeps what it was last told, encrypted; absent in a plan that is
     *     not installed
     */
    record Fetched(Origin origin, Optional<Path> cache) implements PasswordSource {}

    /** Who is asked. */
    sealed interface Origin {
        /** For people. */
        String words();
    }

    /**
     * A program of the administrator's that prints it.
     *
     * @param command its path and its arguments
     */
    record Program(List<String> command) implements Origin {
        public Program {
            command = List.copyOf(command);
            if (command.isEmpty()) {
                throw new IllegalArgumentException("a program has a path");
            }
        }

        public Path path() {
            return Path.of(command.getFirst());
        }

        @Override
        public String words() {
            return "the program " + command.getFirst();
        }
    }

    /**
     * A store that speaks as HashiCorp Vault does, such as OpenBao: its key-value engine, version
     * 2.
     *
     * @param address https, host and port
     * @param mount where the engine is mounted
     * @param path of the secret in that engine
     * @param field of the secret that holds the password
     * @param caFile the authorities that may have signed the store's certificate; without it those
     *     of the system
     */
    record Vault(
            URI address,
            String mount,
            String path,
            String field,
            Optional<String> namespace,
            Optional<Path> caFile,
            Login login)
            implements Origin {
        /** Whether both are reached, believed and logged in to with the same files. */
        public boolean isLoggedInToAs(Vault other) {
            return address.equals(other.address)
                    && caFile.equals(other.caFile)
                    && login.equals(other.login);
        }

        @Override
        public String words() {
            return "Vault at " + address;
        }
    }

    /** How a node logs in to such a store. */
    sealed interface Login {
        /**
         * With the id of a role and a secret that belongs to it.
         *
         * @param mount where this way of logging in is mounted
         */
        record AppRole(String mount, String roleId, Path secretIdFile) implements Login {}

        /**
         * With a client certificate.
         *
         * @param role the store's name for it; without one it tries all that fit
         */
        record Certificate(String mount, Optional<String> role, Path certFile, Path keyFile)
                implements Login {}
    }
}
