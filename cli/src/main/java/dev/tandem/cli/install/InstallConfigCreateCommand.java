package dev.tandem.cli.install;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.cli.UsageException;
import dev.tandem.core.BmcAddress;
import dev.tandem.core.Failure;
import dev.tandem.core.IpAddress;
import dev.tandem.install.config.InstallConfigTemplate;
import dev.tandem.install.config.InstallMethod;
import dev.tandem.install.rules.GeneralRules;
import dev.tandem.install.rules.InstallConfigCheck;
import dev.tandem.install.yaml.Secret;
import java.io.Console;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Asks what a site is like, as far as the options did not say, and writes the file. */
@Command(
        name = "create",
        header = "Write a commented install-config for a two-node or 2 + 1 site.",
        description = {
            "Prompts for what the options leave out; without a terminal all are required. The file"
                    + " is written only if it is valid.",
            "It is for OpenShift's own installers; by default for the agent-based one, which finds"
                + " the machines when they boot its image. The installer that provisions them"
                + " through their BMCs needs platform.baremetal.hosts, too, which this command does"
                + " not ask for. Add your pullSecret yourself.",
            "A Tandem pair is made from a plan instead, which begins with:",
            "  tandem cluster plan example > plan.yaml"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem install-config create --file site.yaml",
            "  tandem install-config create --file site.yaml --name store-17 \\",
            "    --base-domain example.com --platform none \\",
            "    --node node-0 --node node-1 --bmc-username fence \\",
            "    --bmc redfish+https://192.0.2.10/redfish/v1/Systems/1 \\",
            "    --bmc-password-file bmc-0 \\",
            "    --bmc redfish+https://192.0.2.11/redfish/v1/Systems/1 \\",
            "    --bmc-password-file bmc-1"
        })
final class InstallConfigCreateCommand implements Callable<Integer> {
    private static final int NODES = 2;

    /** The one for which a file without bare-metal hosts is whole. */
    private static final InstallMethod METHOD = InstallMethod.AGENT;

    /** Tells what would fit, where something does not. */
    private interface Answer {
        Optional<String> fault(String text);

        static Answer that(Predicate<String> fits, String hint) {
            return text -> fits.test(text) ? Optional.empty() : Optional.of(hint);
        }
    }

    private static final Answer CLUSTER_NAME =
            Answer.that(GeneralRules::isClusterName, GeneralRules.CLUSTER_NAME_HINT);
    private static final Answer DOMAIN =
            Answer.that(GeneralRules::isDnsName, GeneralRules.DOMAIN_HINT);
    private static final Answer PLATFORM =
            Answer.that(
                    Set.of("none", "baremetal", "external")::contains,
                    "use none, baremetal or external");
    private static final Answer NODE_NAME =
            Answer.that(
                    GeneralRules::isDnsName,
                    "use lower-case letters, digits, dashes and dots, such as node-0");
    private static final Answer USER_NAME =
            Answer.that(
                    text -> !text.isEmpty() && text.indexOf(':') < 0,
                    "a user name is not empty and has no colon");
    private static final Answer ADDRESS =
            Answer.that(
                    text -> IpAddress.parse(text).isPresent(),
                    "use an IP address, such as 192.0.2.5");
    private static final Set<String> YES = Set.of("y", "yes");
    private static final Answer YES_OR_NO =
            Answer.that(
                    text ->
                            YES.contains(text.toLowerCase(Locale.ROOT))
                                    || Set.of("", "n", "no")
                                            .contains(text.toLowerCase(Locale.ROOT)),
                    "answer y or n");
    private static final Answer BMC_ADDRESS =
            text ->
                    BmcAddress.readRedfish(text)
                                    instanceof BmcAddress.Reading.Bad(BmcAddress.Fault fault)
                            ? Optional.of(fault.why() + "; " + fault.remedy())
                            : Optional.empty();

    private final Terminal terminal;

    @Option(
            names = "--file",
            required = true,
            paramLabel = "FILE",
            description = "Where to write; must not exist.")
    private Path file = Path.of("");

    @Option(
            names = "--name",
            defaultValue = "",
            paramLabel = "NAME",
            description = "The cluster's name.")
    private String name = "";

    @Option(
            names = "--base-domain",
            defaultValue = "",
            paramLabel = "DOMAIN",
            description = "The base domain.")
    private String baseDomain = "";

    @Option(
            names = "--platform",
            defaultValue = "",
            paramLabel = "PLATFORM",
            description = "none, baremetal or external.")
    private String platform = "";

    @Option(names = "--node", paramLabel = "NAME", description = "A control-plane node; give two.")
    private List<String> nodes = new ArrayList<>();

    @Option(names = "--arbiter", description = "Two nodes and an arbiter instead of a fenced pair.")
    private boolean arbiter;

    @Option(
            names = "--bmc",
            paramLabel = "ADDRESS",
            description = "A node's BMC; give two, in the order of the nodes.")
    private List<String> bmcs = new ArrayList<>();

    @Option(
            names = "--bmc-username",
            paramLabel = "USER",
            description = "User name at the BMC; one for both, or two.")
    private List<String> bmcUsernames = new ArrayList<>();

    @Option(
            names = "--bmc-password-file",
            paramLabel = "FILE",
            description = "A file whose first line is the password; one for both, or two.")
    private List<Path> bmcPasswordFiles = new ArrayList<>();

    @Option(names = "--bmc-insecure", description = "Do not verify the BMCs' certificates.")
    private boolean insecure;

    @Option(names = "--api-vip", paramLabel = "IP", description = "The API's address (baremetal).")
    private List<String> apiVips = new ArrayList<>();

    @Option(
            names = "--ingress-vip",
            paramLabel = "IP",
            description = "The address of ingress (baremetal).")
    private List<String> ingressVips = new ArrayList<>();

    @Option(
            names = "--machine-network",
            paramLabel = "CIDR",
            description = "The machines' network.")
    private List<String> machineNetworks = new ArrayList<>();

    @Option(
            names = "--ssh-key-file",
            paramLabel = "FILE",
            description = "SSH public key that may log in to the nodes.")
    private Optional<Path> sshKeyFile = Optional.empty();

    private boolean asked;

    InstallConfigCreateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        refuseToOverwrite();
        requireAllWithoutAPerson();
        String cluster = answer(name, "--name", "Name of the cluster:", CLUSTER_NAME);
        String domain = answer(baseDomain, "--base-domain", "Base domain:", DOMAIN);
        String kind =
                answer(platform, "--platform", "Platform (none, baremetal, external):", PLATFORM);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < Math.max(NODES, nodes.size()); i++) {
            names.add(
                    answer(
                            i < nodes.size() ? nodes.get(i) : "",
                            "--node",
                            "Name of node %d:".formatted(i),
                            NODE_NAME));
        }
        // With --node given twice the site was described by options: an arbiter is asked for only
        // of a person who is being asked anyway.
        boolean withArbiter = arbiter || (asked && bmcs.isEmpty() && wantsArbiter());
        List<InstallConfigTemplate.Bmc> access = withArbiter ? List.of() : bmcs(names);
        boolean baremetal = kind.equals("baremetal");
        InstallConfigTemplate draft =
                new InstallConfigTemplate(
                        cluster,
                        domain,
                        kind,
                        names,
                        access,
                        withArbiter ? "arbiter" : "",
                        vips(baremetal, apiVips, "--api-vip", "Address of the API:"),
                        vips(baremetal, ingressVips, "--ingress-vip", "Address of ingress:"),
                        machineNetworks,
                        sshKeyFile.map(path -> firstLine(InputFile.SSH_KEY, path)).orElse(""));
        String text = draft.text();
        InstallConfigCheck.Result result =
                new InstallConfigCheck(METHOD, Optional.empty())
                        .check(text.getBytes(StandardCharsets.UTF_8));
        Verdict verdict = Verdict.of(ConfigFile.written(file), result, List.of());
        if (!verdict.good()) {
            terminal.out().println(verdict.asText());
            terminal.err().println("No file was written.");
            return ExitCode.FINDING;
        }
        write(text);
        terminal.out().println(verdict.asText());
        terminal.out()
                .println(
                        "It is meant for the agent-based installer. To check it again: tandem"
                                + " install-config validate %s --method agent".formatted(file));
        return ExitCode.FINE;
    }

    /** Whoever answers fifteen questions shall not learn at the end that it was for nothing. */
    private void refuseToOverwrite() {
        if (Files.exists(file)) {
            throw existsAlready();
        }
    }

    private Failure existsAlready() {
        return new Failure(
                "no file was written", file + " exists already", "name another one with --file");
    }

    private boolean wantsArbiter() {
        String answer =
                answer(
                        "",
                        "--arbiter",
                        "Is there a third, small machine for an arbiter? [y/N]",
                        YES_OR_NO);
        return YES.contains(answer.toLowerCase(Locale.ROOT));
    }

    private List<InstallConfigTemplate.Bmc> bmcs(List<String> names) {
        List<InstallConfigTemplate.Bmc> access = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            String of = names.get(i);
            String address =
                    answer(
                            i < bmcs.size() ? bmcs.get(i) : "",
                            "--bmc",
                            "BMC of %s (such as redfish+https://192.0.2.10/redfish/v1/Systems/1):"
                                    .formatted(of),
                            BMC_ADDRESS);
            String user =
                    answer(
                            forNode(bmcUsernames, i).orElse(""),
                            "--bmc-username",
                            "BMC user name:",
                            USER_NAME);
            Secret password =
                    forNode(bmcPasswordFiles, i)
                            .map(path -> new Secret(firstLine(InputFile.BMC_PASSWORD, path)))
                            .orElseGet(this::askPassword);
            access.add(new InstallConfigTemplate.Bmc(address, user, password, !insecure));
        }
        return access;
    }

    /** The node's own value, or the one that was given for both. */
    private static <T> Optional<T> forNode(List<T> values, int node) {
        return values.isEmpty()
                ? Optional.empty()
                : Optional.of(values.get(Math.min(node, values.size() - 1)));
    }

    private List<String> vips(
            boolean baremetal, List<String> given, String option, String question) {
        return given.isEmpty() && baremetal
                ? List.of(answer("", option, question, ADDRESS))
                : given;
    }

    /** Three tries, because a person mistypes; a script has none. */
    private String answer(String given, String option, String question, Answer wanted) {
        if (!given.isEmpty()) {
            requireValid(given, option, wanted);
            return given;
        }
        requirePerson(option);
        asked = true;
        for (int attempt = 0; attempt < 3; attempt++) {
            Optional<String> answer = terminal.ask(question);
            if (answer.isEmpty()) {
                break;
            }
            Optional<String> fault = wanted.fault(answer.get());
            if (fault.isEmpty()) {
                return answer.get();
            }
            terminal.err().println("Not valid: " + fault.get());
        }
        throw new Failure(
                "no file was written",
                "there was no usable answer to: " + question,
                "start again, or give " + option);
    }

    private static void requireValid(String given, String option, Answer wanted) {
        wanted.fault(given)
                .ifPresent(fault -> {
                    throw new UsageException(
                            "no file was written",
                            "the value of " + option + " is not valid",
                            fault);
                });
    }

    /** A script learns in one run what it has to give. */
    private void requireAllWithoutAPerson() {
        if (terminal.interactive()) {
            return;
        }
        List<String> missing = new ArrayList<>();
        given(name, "--name", CLUSTER_NAME, missing);
        given(baseDomain, "--base-domain", DOMAIN, missing);
        given(platform, "--platform", PLATFORM, missing);
        two(nodes, "--node", NODE_NAME, missing);
        if (!arbiter) {
            two(bmcs, "--bmc", BMC_ADDRESS, missing);
            given(forNode(bmcUsernames, 0).orElse(""), "--bmc-username", USER_NAME, missing);
            if (bmcPasswordFiles.isEmpty()) {
                missing.add("--bmc-password-file");
            }
        }
        if (platform.equals("baremetal")) {
            given(forNode(apiVips, 0).orElse(""), "--api-vip", ADDRESS, missing);
            given(forNode(ingressVips, 0).orElse(""), "--ingress-vip", ADDRESS, missing);
        }
        if (!missing.isEmpty()) {
            throw new UsageException(
                    "no file was written",
                    "there is no terminal to ask, and these are missing: "
                            + String.join(", ", missing),
                    "give them all%s; an example: tandem install-config create --help"
                            .formatted(
                                    arbiter || !bmcs.isEmpty()
                                            ? ""
                                            : ", or --arbiter instead of the BMCs"));
        }
    }

    private static void given(String value, String option, Answer wanted, List<String> missing) {
        if (value.isEmpty()) {
            missing.add(option);
        } else {
            requireValid(value, option, wanted);
        }
    }

    private static void two(
            List<String> values, String option, Answer wanted, List<String> missing) {
        values.forEach(value -> requireValid(value, option, wanted));
        if (values.size() < NODES) {
            missing.add((values.isEmpty() ? "two " : "a second ") + option);
        }
    }

    private void requirePerson(String option) {
        if (!terminal.interactive()) {
            throw new UsageException(
                    "no file was written",
                    option + " is missing, and there is no terminal to ask",
                    "give " + option + "; see tandem install-config create --help");
        }
    }

    private Secret askPassword() {
        requirePerson("--bmc-password-file");
        return Optional.ofNullable(System.console())
                .filter(Console::isTerminal)
                .map(console -> console.readPassword("Its password (not shown): "))
                .map(typed -> new Secret(new String(typed)))
                .orElseGet(() -> new Secret(terminal.ask("Its password:").orElse("")));
    }

    private static String firstLine(InputFile kind, Path path) {
        return new String(kind.read(path), StandardCharsets.UTF_8).lines().findFirst().orElse("");
    }

    private void write(String text) {
        try {
            Files.createFile(
                    file,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, text, StandardOpenOption.WRITE);
        } catch (FileAlreadyExistsException e) {
            throw existsAlready();
        } catch (IOException e) {
            throw new Failure(
                    "cannot write " + file,
                    String.valueOf(e.getMessage()),
                    "check that the directory exists and may be written to",
                    e);
        }
    }
}
