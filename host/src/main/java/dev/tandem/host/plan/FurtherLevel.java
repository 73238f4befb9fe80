package dev.tandem.host.plan;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One more way to switch a node off, after those by its BMC: a stock fence agent, for an outlet or
 * for a virtual machine.
 *
 * @param agent its program
 * @param parameters as its metadata names them; no secret is among them
 * @param passwordFile without, the agent is given no password
 * @param provesOff a person says that it is the power of this machine and of nothing else. The
 *     agent cannot tell, so without this a node that was switched off by it is not proven off
 */
public record FurtherLevel(
        String agent,
        Map<String, String> parameters,
        Optional<Path> passwordFile,
        boolean provesOff) {
    /** Each of them takes its time before the next is tried. */
    public static final int MOST = 2;

    static final Pattern AGENT = Pattern.compile("fence_[a-z0-9_]{1,58}");
    static final Pattern PARAMETER = Pattern.compile("[a-z][a-z0-9_]{0,63}");
    static final Pattern VALUE = Pattern.compile("\\P{Cntrl}{1,256}");

    /** Some are called so in one agent only; a path to a key is none. */
    private static final Pattern SECRET =
            Pattern.compile(
                    ".*(?:passw|passphrase|pwd|secret|token|credential|community|api_?key|access_?key).*"
                        + "|(?:.*_)?pass(?:_.*)?");

    /** With it some stock agents call a machine off that they cannot find. */
    public static final String MISSING_AS_OFF = "missing_as_off";

    /**
     * What Pacemaker or Tandem gives to the agent, what has passwords written to a journal, and
     * what makes an Off of no reading.
     */
    private static final List<String> RESERVED =
            List.of(
                    "action",
                    "option",
                    "nodename",
                    "delay",
                    "power_timeout",
                    "verbose",
                    "verbose_level",
                    "debug",
                    "debug_file",
                    MISSING_AS_OFF);

    /** Stock agents verify no certificate where it is given, whatever its value. */
    static final String UNVERIFIED = "ssl_insecure";

    /** Of stock fence_redfish, which Tandem runs with a trust of its own. */
    private static final String CERTIFICATE = "certificate";

    private static final List<String> YES = List.of("true", "yes", "on", "1");

    public FurtherLevel {
        parameters = Collections.unmodifiableMap(new TreeMap<>(parameters));
        if (!AGENT.matcher(agent).matches()) {
            throw new IllegalArgumentException("not the name of a fence agent: " + agent);
        }
    }

    /** Whether a parameter holds something that must not stand in a plan. */
    static boolean isSecret(String parameter) {
        return SECRET.matcher(parameter).matches();
    }

    static boolean isReserved(String parameter) {
        return RESERVED.contains(parameter)
                || parameter.startsWith("pcmk_")
                || parameter.startsWith("tandem_");
    }

    /** By what parameter the device is not verified, if that is known. */
    static Optional<String> unverifiedBy(String agent, Map<String, String> parameters) {
        if (parameters.containsKey(UNVERIFIED)) {
            return Optional.of(UNVERIFIED);
        }
        return agent.equals("fence_redfish") && "unverified".equals(parameters.get(CERTIFICATE))
                ? Optional.of(CERTIFICATE + ": unverified")
                : Optional.empty();
    }

    /** Whether it says what {@link #UNVERIFIED} does. */
    static boolean isYes(String value) {
        return YES.contains(value.toLowerCase(Locale.ROOT));
    }

    /**
     * What a person states with {@link #provesOff}, as a digest: this agent with these parameters.
     * A record of a fence carries it, for the parameters may be corrected before it is found.
     */
    public Optional<String> statement() {
        return provesOff
                ? Optional.of(
                        PlanDigest.hex(
                                Stream.concat(
                                                Stream.of(agent),
                                                parameters.entrySet().stream()
                                                        .map(Map.Entry::toString))
                                        .collect(Collectors.joining("\n"))))
                : Optional.empty();
    }

    /** Whether it would switch the same. */
    boolean isSameAs(FurtherLevel other) {
        return agent.equals(other.agent) && parameters.equals(other.parameters);
    }

    /**
     * With its file at its place on a node.
     *
     * @param owner what the file is called after
     */
    FurtherLevel installed(Path etc, String owner) {
        return new FurtherLevel(
                agent,
                parameters,
                passwordFile.map(_ -> InstalledPasswords.file(etc, owner, "password")),
                provesOff);
    }
}
