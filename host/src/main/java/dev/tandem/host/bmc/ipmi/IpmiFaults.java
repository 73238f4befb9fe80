package dev.tandem.host.bmc.ipmi;

import dev.tandem.host.Commands;
import dev.tandem.host.bmc.BmcFault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Why a BMC that speaks IPMI could not be asked, from what ipmitool 1.8.19 says of it. */
final class IpmiFaults {
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;

    /** How soon a BMC without a free session, or one that is busy, is asked again. */
    private static final Duration A_MOMENT = Duration.ofSeconds(1);

    /** Of words that are not known, for a person to read. */
    private static final int LONGEST_WORDS = 200;

    private static final Pattern REFUSED_BY_BMC =
            Pattern.compile(
                    "(?:> )?(?:Error in open session response message|RAKP [24] message indicates"
                            + " an error) : (.*)");

    private static final Pattern NO_SUCH_NAME = Pattern.compile("Address lookup for .* failed");

    /** ipmitool's last line whenever there was no session, after the reason. */
    private static final String NO_SESSION = "Error: Unable to establish IPMI v2 / RMCP+ session";

    /** Status codes of RMCP+, for an algorithm that the BMC does not have or does not allow. */
    private static final int NO_AUTHENTICATION = 0x04;

    private static final int NO_INTEGRITY = 0x05;
    private static final int NO_CONFIDENTIALITY = 0x10;

    private IpmiFaults() {}

    static boolean isNoSuchSuite(int status) {
        return status == NO_AUTHENTICATION
                || status == NO_INTEGRITY
                || status == NO_CONFIDENTIALITY;
    }

    /** Empty if a session was opened, whatever came of it. */
    static Optional<BmcFault> noSession(
            Commands.Output output, IpmiEndpoint endpoint, Duration limit) {
        if (output.exitCode() == Commands.Output.NOT_STARTED) {
            return unreachable("ipmitool cannot be run; install the package ipmitool");
        }
        if (output.exitCode() == Commands.Output.TIMED_OUT) {
            return unreachable("no answer within %.1f s".formatted(limit.toMillis() / 1000.0));
        }
        List<String> lines = output.err().lines().map(String::strip).toList();
        if (lines.stream().noneMatch(NO_SESSION::equals)) {
            return Optional.empty();
        }
        for (String line : lines) {
            Optional<BmcFault> fault = reason(line, endpoint);
            if (fault.isPresent()) {
                return fault;
            }
        }
        return unreachable(
                "no IPMI session with port %d of %s".formatted(endpoint.port(), endpoint.host()));
    }

    private static Optional<BmcFault> reason(String line, IpmiEndpoint endpoint) {
        Matcher refused = REFUSED_BY_BMC.matcher(line);
        if (refused.matches()) {
            return Optional.of(refused(refused.group(1).strip(), endpoint));
        }
        // The BMC's answer does not fit the password: one of both has another.
        if (line.endsWith("RAKP 2 HMAC is invalid")) {
            return denied(UNAUTHORIZED, "wrong password");
        }
        if (line.startsWith("Set Session Privilege Level to ") && line.contains(" failed")) {
            return denied(FORBIDDEN, "the account may not have the level OPERATOR");
        }
        return NO_SUCH_NAME.matcher(line).matches()
                ? unreachable("the name %s cannot be resolved".formatted(endpoint.host()))
                : Optional.empty();
    }

    /** The status codes of RMCP+, in ipmitool's words. */
    private static BmcFault refused(String words, IpmiEndpoint endpoint) {
        return switch (words) {
            case "unauthorized name" -> new BmcFault.Denied(UNAUTHORIZED, "no such user");
            case "invalid integrity check value", "unauthorized GUID" ->
                    new BmcFault.Denied(UNAUTHORIZED, "wrong password");
            case "unauthorized role requested", "invalid role" ->
                    new BmcFault.Denied(FORBIDDEN, "the account may not have the level OPERATOR");
            case "insufficient resources for session", "insufficient resources for role" ->
                    new BmcFault.Busy(A_MOMENT, "all its IPMI sessions are in use");
            case "invalid authentication algorithm" -> noSuchSuite(NO_AUTHENTICATION, endpoint);
            case "invalid integrity algorithm" -> noSuchSuite(NO_INTEGRITY, endpoint);
            case "invalid confidentiality algorithm" -> noSuchSuite(NO_CONFIDENTIALITY, endpoint);
            default ->
                    new BmcFault.Unintelligible(
                            "no session: "
                                    + words.substring(0, Math.min(words.length(), LONGEST_WORDS)));
        };
    }

    private static BmcFault noSuchSuite(int status, IpmiEndpoint endpoint) {
        return new BmcFault.Rejected(
                status, "it does not accept cipher suite " + endpoint.cipherSuite().id());
    }

    /** Of a completion code, within a session. */
    static BmcFault refused(int completionCode) {
        return switch (completionCode) {
            case 0xd4 -> new BmcFault.Denied(FORBIDDEN, "insufficient privilege level");
            case 0xc0, 0xc3, 0xce -> new BmcFault.Busy(A_MOMENT, "it cannot answer just now");
            default ->
                    new BmcFault.Rejected(
                            completionCode,
                            "IPMI completion code 0x%02x".formatted(completionCode));
        };
    }

    private static Optional<BmcFault> unreachable(String why) {
        return Optional.of(new BmcFault.Unreachable(why));
    }

    private static Optional<BmcFault> denied(int status, String why) {
        return Optional.of(new BmcFault.Denied(status, why));
    }
}
