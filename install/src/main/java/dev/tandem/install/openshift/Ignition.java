package dev.tandem.install.openshift;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** The files, units and users that a machine makes at its first boot. */
public record Ignition(
        Version ignition,
        Optional<Passwd> passwd,
        Optional<Storage> storage,
        Optional<Systemd> systemd) {

    /** Of the specification. */
    public static final String VERSION = "3.2.0";

    /** Nothing but the version. */
    public static final Ignition EMPTY =
            new Ignition(
                    new Version(VERSION), Optional.empty(), Optional.empty(), Optional.empty());

    public static Ignition of(List<File> files, List<Unit> units) {
        return new Ignition(
                EMPTY.ignition,
                Optional.empty(),
                Optional.of(new Storage(files)),
                Optional.of(new Systemd(units)));
    }

    public static Ignition of(User user) {
        return new Ignition(
                EMPTY.ignition,
                Optional.of(new Passwd(List.of(user))),
                Optional.empty(),
                Optional.empty());
    }

    /** Text as an address that holds it. */
    public static String dataUrl(String text) {
        return "data:text/plain;charset=utf-8;base64,"
                + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    public record Version(String version) {}

    public record Passwd(List<User> users) {
        public Passwd {
            users = List.copyOf(users);
        }
    }

    public record User(String name, List<String> sshAuthorizedKeys) {
        public User {
            sshAuthorizedKeys = List.copyOf(sshAuthorizedKeys);
        }
    }

    public record Storage(List<File> files) {
        public Storage {
            files = List.copyOf(files);
        }
    }

    public record File(String path, int mode, boolean overwrite, Contents contents) {
        /** Readable by everybody; replaces what the image has there. */
        public static File of(String path, String text) {
            return new File(path, 0644, true, new Contents(dataUrl(text)));
        }
    }

    public record Contents(String source) {}

    public record Systemd(List<Unit> units) {
        public Systemd {
            units = List.copyOf(units);
        }
    }

    /** A unit of our own, or drop-ins for one of somebody else's. */
    public record Unit(
            String name,
            Optional<Boolean> enabled,
            Optional<String> contents,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<DropIn> dropins) {
        public Unit {
            dropins = List.copyOf(dropins);
        }

        public static Unit enabled(String name, String contents) {
            return new Unit(name, Optional.of(true), Optional.of(contents), List.of());
        }

        public static Unit dropIn(String unit, String name, String contents) {
            return new Unit(
                    unit, Optional.empty(), Optional.empty(), List.of(new DropIn(name, contents)));
        }
    }

    public record DropIn(String name, String contents) {}
}
