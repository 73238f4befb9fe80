package dev.tandem.cli.install;

import dev.tandem.core.Failure;
import dev.tandem.host.IoErrors;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** The kinds of files that these commands read, and what to do where one cannot be read. */
enum InputFile {
    INSTALL_CONFIG(
            "check the name; to write a new one: tandem install-config create --file {file}"),
    AGENT_CONFIG(
            "name the agent-based installer's own file with --agent-config, or leave the option"
                    + " out"),
    ROOT_CA(
            "name the PEM file of the CA that the machines are to trust with --root-ca, or leave"
                    + " the option out"),
    BMC_PASSWORD(
            "name the file that holds the password with --bmc-password-file; to write it, type the"
                    + " password, then Enter and Ctrl-D, into: (umask 077; cat > {file})"),
    SSH_KEY("name the file of a public key with --ssh-key-file, such as ~/.ssh/id_ed25519.pub");

    /** Larger than any file that is judged in earnest: reading stops here, refusing comes later. */
    static final int READ_LIMIT = 1 << 20;

    private final String remedy;

    InputFile(String remedy) {
        this.remedy = remedy;
    }

    byte[] read(Path path) {
        if (Files.isDirectory(path)) {
            throw new Failure("cannot read " + path, "it is a directory", "name a file");
        }
        try (InputStream in = Files.newInputStream(path)) {
            return in.readNBytes(READ_LIMIT);
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    Failure unreadable(Path path, IOException e) {
        return new Failure(
                "cannot read " + path,
                e instanceof NoSuchFileException ? "there is no such file" : IoErrors.words(e),
                IoErrors.remedy(e, remedy.replace("{file}", path.toString())),
                e);
    }
}
