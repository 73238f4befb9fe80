package dev.tandem.host.kube;

import dev.tandem.core.Failure;
import dev.tandem.host.IoErrors;
import dev.tandem.host.Secrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A file as it shall be on a node. Its content does not appear in {@link #toString}. */
public record NodeFile(Path path, Access access, String content) {

    /** Who may read it; only its owner writes. */
    public enum Access {
        OWNER("0600", "rw-------"),
        EVERYBODY("0644", "rw-r--r--");

        private final String mode;
        private final String permissions;

        Access(String mode, String permissions) {
            this.mode = mode;
            this.permissions = permissions;
        }

        /** As chmod takes it. */
        public String mode() {
            return mode;
        }
    }

    static NodeFile secret(Path path, String content) {
        return new NodeFile(path, Access.OWNER, content);
    }

    static NodeFile open(Path path, String content) {
        return new NodeFile(path, Access.EVERYBODY, content);
    }

    /** Whether it is there as it shall be. */
    boolean stands() {
        try {
            return Files.exists(path)
                    && Files.readString(path).equals(content)
                    && Files.getPosixFilePermissions(path)
                            .equals(PosixFilePermissions.fromString(access.permissions));
        } catch (IOException e) {
            throw new Failure("cannot read " + path, IoErrors.words(e), "run this as root", e);
        }
    }

    void write() {
        Secrets.write(path, content, access.permissions);
    }

    @Override
    public String toString() {
        return path + " " + access.mode;
    }
}
