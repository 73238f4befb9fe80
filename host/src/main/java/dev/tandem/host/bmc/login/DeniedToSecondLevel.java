package dev.tandem.host.bmc.login;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.Failure;
import dev.tandem.host.RunFile;
import dev.tandem.host.Secrets;
import dev.tandem.host.credential.SealedPassword;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a BMC denied to the second fencing level, as its shim notes it: count, last, last order and
 * whether the BMC had been silent before, and for which account; its moments are in hundredths of a
 * second since boot. Of the password it says nothing: it was that of the file, so the note counts
 * only if it is newer than the file, and that has this one.
 *
 * @param password in use
 * @param passwordFile where the shim has it from; without one the note does not count
 * @param nanos the monotonic clock, which on Linux counts from the boot
 */
record DeniedToSecondLevel(
        RunFile note,
        BmcAddress address,
        String user,
        String password,
        Optional<Path> passwordFile,
        LongSupplier nanos)
        implements LoginBackoff.Memory {
    private static final Pattern FORM =
            Pattern.compile("([0-9]{1,9}) ([0-9]{1,11}) ([0-9]{1,11}) (true|false) (.*)");
    private static final int UNAUTHORIZED = 401;

    @Override
    public Optional<Denials> kept() {
        return note.read()
                .map(text -> FORM.matcher(text.strip()))
                .filter(Matcher::matches)
                .filter(fields -> isAccount(fields.group(5)) && isOfThisPassword())
                .filter(fields -> Integer.parseInt(fields.group(1)) > 0)
                .map(DeniedToSecondLevel::denials)
                .filter(denials -> nanos.getAsLong() - denials.last() >= 0);
    }

    /** As the device has it, whose parameters come in any order. */
    private boolean isAccount(String words) {
        String ip = address.isIpmi() ? address.host() : address.bracketedHost();
        return Stream.of(ip + " " + user, user + " " + ip).anyMatch(words::equals);
    }

    private boolean isOfThisPassword() {
        return passwordFile.filter(file -> isNewerThan(file) && isIn(file)).isPresent();
    }

    private boolean isNewerThan(Path file) {
        try {
            return Files.getLastModifiedTime(note.file()).compareTo(Files.getLastModifiedTime(file))
                    > 0;
        } catch (IOException e) {
            // One of the two is gone.
            return false;
        }
    }

    /** Nobody changes by hand what is encrypted. */
    private boolean isIn(Path file) {
        try {
            return SealedPassword.isSealed(file) || Secrets.read(file, "").equals(password);
        } catch (Failure e) {
            return false;
        }
    }

    private static Denials denials(Matcher fields) {
        long last = nanos(fields.group(2));
        long order = nanos(fields.group(3));
        return new Denials(
                UNAUTHORIZED,
                "it denied the second fencing level",
                last,
                Integer.parseInt(fields.group(1)),
                last,
                order == 0 ? OptionalLong.empty() : OptionalLong.of(order),
                Boolean.parseBoolean(fields.group(4)));
    }

    private static long nanos(String hundredths) {
        return Duration.ofMillis(Long.parseLong(hundredths) * 10).toNanos();
    }

    /** The shim does that. */
    @Override
    public void keep(Denials denials) {
        // Whatever is denied here is newer, and the shim reads it.
    }

    @Override
    public void forget() {
        note.delete();
    }
}
