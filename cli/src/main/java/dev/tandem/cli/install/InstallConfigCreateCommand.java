package dev.tandem.cli.install;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.core.BmcAddress;
import dev.tandem.core.Failure;
import dev.tandem.install.config.InstallConfigTemplate;
import dev.tandem.install.config.InstallMethod;
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
        description =
                "Prompts for what the options leave out; without a terminal all are required.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem install-config create --file site.yaml",
            "  tandem install-config create --file site.yaml --name store-17 --base-domain"
                    + " example.com \\",
            "    --platform none --node node-0 --node node-1 --bmc-username fence \\",
            "    --bmc redfish+https://192.0.2.10/redfish/v1/Systems/1 --bmc-password-file bmc-0"
                    + " \\",
            "    --bmc redfish+https://192.0.2.11/redfish/v1/Systems/1 --bmc-password-file bmc-1"
        })
final class InstallConfigCreateCommand implements Callable<Integer> {
    private static final int NODES = 2;

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
            description = "Its user; one for both, or two.")
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
            description = "Who may log in to the nodes.")
    private Optional<Path> sshKeyFile = Optional.empty();

    private boolean asked;

    InstallConfigCreateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        String cluster = answer(name, "--name", "Name of the cluster:", text -> !text.isEmpty());
        String domain =
                answer(baseDomain, "--base-domain", "Base domain:", text -> !text.isEmpty());
        String kind =
                answer(
                        platform,
                        "--platform",
                        "Platform (none, baremetal, external):",
                        Set.of("none", "baremetal", "external")::contains);
        List<String> names = new ArrayList<>(nodes);
        for (int i = names.size(); i < NODES; i++) {
            names.add(answer("", "--node", "Name of node %d:".formatted(i), t -> !t.isEmpty()));
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
                        sshKeyFile.map(InstallConfigCreateCommand::firstLine).orElse(""));
        String text = draft.text();
        InstallConfigCheck.Result result =
                new InstallConfigCheck(InstallMethod.AGENT, Optional.empty())
                        .check(text.getBytes(StandardCharsets.UTF_8));
        write(text);
        Verdict verdict = Verdict.of(ConfigFile.written(file), result, List.of());
        terminal.out().println(verdict.asText());
        return verdict.good() ? ExitCode.FINE : ExitCode.FINDING;
    }

    private boolean wantsArbiter() {
        return terminal.ask("Is there a third, small machine for an arbiter? [y/N]")
                .map(answer -> answer.equalsIgnoreCase("y") || answer.equalsIgnoreCase("yes"))
                .orElse(false);
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
                            text -> BmcAddress.read(text) instanceof BmcAddress.Reading.Good);
            String user =
                    answer(
                            forNode(bmcUsernames, i).orElse(""),
                            "--bmc-username",
                            "BMC user name:",
                            text -> !text.isEmpty());
            Secret password =
                    forNode(bmcPasswordFiles, i)
                            .map(path -> new Secret(firstLine(path)))
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
                ? List.of(answer("", option, question, text -> !text.isEmpty()))
                : given;
    }

    /** Three tries, because a person mistypes; a script has none. */
    private String answer(String given, String option, String question, Predicate<String> fits) {
        if (!given.isEmpty()) {
            return given;
        }
        requirePerson(option);
        asked = true;
        for (int attempt = 0; attempt < 3; attempt++) {
            Optional<String> answer = terminal.ask(question);
            if (answer.isEmpty()) {
                break;
            }
            if (fits.test(answer.get())) {
                return answer.get();
            }
            terminal.err().println("Not a valid answer, please try again.");
        }
        throw new Failure(
                "no file was written",
                "there was no usable answer to: " + question,
                "start again, or give " + option);
    }

    private void requirePerson(String option) {
        if (!terminal.interactive()) {
            throw new Failure(
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

    private static String firstLine(Path path) {
        return new String(ConfigFile.bytes(path), StandardCharsets.UTF_8)
                .lines()
                .findFirst()
                .orElse("");
    }

    private void write(String text) {
        try {
            Files.createFile(
                    file,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, text, StandardOpenOption.WRITE);
        } catch (FileAlreadyExistsException e) {
            throw new Failure(
                    "no file was written",
                    file + " exists already",
                    "name another one, or move it away",
                    e);
        } catch (IOException e) {
            throw new Failure(
                    "cannot write " + file,
                    String.valueOf(e.getMessage()),
                    "check that the directory exists and may be written to",
                    e);
        }
    }
}
