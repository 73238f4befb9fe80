package dev.tandem.host.bmc.ipmi;

import dev.tandem.host.Commands;
import dev.tandem.host.IoErrors;
import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.BmcFault;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Asks a BMC by ipmitool: all requests of one call in one session, so that all answers are of one
 * BMC. The session is closed at the end of the call; that of a call which was cut off ends in the
 * BMC itself, after a minute.
 */
final class Ipmitool {
    // ipmitool waits this long for an answer before it asks again, and asks so often. What it takes
    // in all is limited by the caller.
    private static final String SECONDS_TO_ANSWER = "1";
    private static final String RETRIES = "4";

    /** What the protocol has room for. */
    private static final int LONGEST_USER = 16;

    private static final int LONGEST_PASSWORD = 20;

    private static final int UNAUTHORIZED = 401;

    private final Commands commands;
    private final Path directory;
    private final IpmiEndpoint endpoint;
    private final BmcCredentials credentials;
    private final IpmiPrivilege privilege;

    /**
     * @param directory where the list of requests lies while it is read; it holds no secret
     * @param privilege that the session shall have; a BMC refuses one that its account has not
     */
    Ipmitool(
            Commands commands,
            Path directory,
            IpmiEndpoint endpoint,
            BmcCredentials credentials,
            IpmiPrivilege privilege) {
        this.commands = commands;
        this.directory = directory;
        this.endpoint = endpoint;
        this.credentials = credentials;
        this.privilege = privilege;
    }

    /** Asks all of them, in this order; what a BMC does not answer is told request by request. */
    BmcAnswer<IpmiAnswers> ask(List<IpmiRequest> requests, Duration limit) {
        return ask(requests, limit, () -> {});
    }

    /**
     * @param onCutOff if the limit ended the call, which may leave a session open in the BMC
     */
    BmcAnswer<IpmiAnswers> ask(List<IpmiRequest> requests, Duration limit, Runnable onCutOff) {
        Optional<BmcFault> unfit = unfit();
        if (unfit.isPresent()) {
            return new BmcAnswer.Unknown<>(unfit.get());
        }
        long begin = System.nanoTime();
        Path list;
        try {
            list = Files.createTempFile(directory, "ipmi-", "");
        } catch (IOException e) {
            return notAsked(e);
        }
        try {
            Files.writeString(
                    list,
                    requests.stream()
                            .map(request -> request.command() + "\n")
                            .collect(Collectors.joining()));
            Commands.Output output =
                    // On standard input the password stands in no file, no list of processes and no
                    // environment.
                    commands.run(limit, command(list), credentials.password() + "\n");
            if (output.exitCode() == Commands.Output.TIMED_OUT) {
                onCutOff.run();
            }
            return IpmiAnswers.parse(
                    requests, output, endpoint, limit, Duration.ofNanos(System.nanoTime() - begin));
        } catch (IOException e) {
            return notAsked(e);
        } finally {
            delete(list);
        }
    }

    private List<String> command(Path list) {
        return List.of(
                "ipmitool",
                // Tells why a session was not opened, and which request a line belongs to.
                "-v",
                "-I",
                "lanplus",
                "-H",
                endpoint.host(),
                "-p",
                String.valueOf(endpoint.port()),
                "-U",
                credentials.user(),
                "-f",
                "/dev/stdin",
                "-L",
                privilege.name(),
                "-C",
                String.valueOf(endpoint.cipherSuite().id()),
                "-N",
                SECONDS_TO_ANSWER,
                "-R",
                RETRIES,
                "exec",
                list.toString());
    }

    /** What ipmitool would cut short, or ask a terminal for. */
    private Optional<BmcFault> unfit() {
        int password = credentials.password().getBytes(StandardCharsets.UTF_8).length;
        if (credentials.user().getBytes(StandardCharsets.UTF_8).length > LONGEST_USER) {
            return denied("IPMI has user names of at most %d bytes".formatted(LONGEST_USER));
        }
        if (password == 0 || password > LONGEST_PASSWORD) {
            return denied("IPMI has passwords of 1 to %d bytes".formatted(LONGEST_PASSWORD));
        }
        return credentials.password().chars().anyMatch(c -> c < ' ')
                ? denied("the password has a control character, which ipmitool does not read")
                : Optional.empty();
    }

    private static Optional<BmcFault> denied(String why) {
        return Optional.of(new BmcFault.Denied(UNAUTHORIZED, why));
    }

    private BmcAnswer<IpmiAnswers> notAsked(IOException e) {
        return new BmcAnswer.Unknown<>(
                new BmcFault.Unreachable(
                        "it was not asked, because nothing can be written to %s: %s"
                                .formatted(directory, IoErrors.words(e))));
    }

    private static void delete(Path list) {
        try {
            Files.deleteIfExists(list);
        } catch (IOException e) {
            // It holds nothing of interest, and the next call has one of its own.
            return;
        }
    }

    @Override
    public String toString() {
        return "Ipmitool[" + endpoint + ", " + credentials + "]";
    }
}
