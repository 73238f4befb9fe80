package dev.tandem.host.bmc.check;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.Failure;
import dev.tandem.host.NodePaths;
import dev.tandem.host.bmc.Bmc;
import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcPrivileges;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.RedfishEndpoint;
import dev.tandem.host.bmc.TlsTrust;
import dev.tandem.host.bmc.check.BmcTarget.Machine;
import dev.tandem.host.bmc.ipmi.IpmiEndpoint;
import dev.tandem.host.bmc.login.DeniedLogins;
import dev.tandem.host.bmc.login.LoginBackoff;
import dev.tandem.host.bmc.login.SessionStore;
import dev.tandem.host.credential.PasswordSource;
import dev.tandem.host.pki.Fingerprint;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.NodePasswords;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Proves, before anything depends on it, that a node can be fenced by the BMC that a file names:
 * the login works, the account may switch power, the power state can be read, and the machine
 * behind it is the node. Asks only; switches nothing.
 */
public final class BmcPreflight {

    /**
     * What was learned of a BMC that can fence its node.
     *
     * @param rights whether the account may switch power, by the name that it has in what commands
     *     print; where a BMC does not tell, only a drill shows it
     * @param identity why the BMC is held to be the node's; empty when the node is not known yet
     * @param overIpmi whether it was asked over IPMI, which may stand beside Redfish
     */
    public record Proof(
            String node,
            PowerState power,
            BmcPrivileges.MayReset rights,
            Optional<String> identity,
            boolean overIpmi) {}

    /**
     * All that a BMC told.
     *
     * @param machine that it controls
     * @param identity why that is held to be the node; empty where nothing could be compared
     * @param failure why it could not fence its node; empty when it could
     */
    public record Report(
            String node,
            Optional<PowerState> power,
            Optional<HardwareIdentity> machine,
            Optional<String> identity,
            Optional<BmcPrivileges.MayReset> rights,
            Optional<Failure> failure) {

        private static Report failed(String node, Failure failure) {
            return new Report(
                    node,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(failure));
        }

        private Report with(Failure instead) {
            return new Report(node, power, machine, identity, rights, Optional.of(instead));
        }
    }

    /** What a BMC is asked, each question on its own: a slow one is asked no more than needed. */
    record Questions(
            Supplier<BmcAnswer<PowerState>> power,
            Supplier<BmcAnswer<HardwareIdentity>> identity,
            Supplier<BmcAnswer<BmcPrivileges>> privileges,
            Supplier<BmcAnswer<List<String>>> systems) {

        /** The power state; where the BMC has no such system, with those that it has. */
        private BmcAnswer<PowerState> powerOrSystems() {
            BmcAnswer<PowerState> answer = power.get();
            return answer instanceof BmcAnswer.Unknown<PowerState>(BmcFault fault)
                            && fault instanceof BmcFault.Rejected(int status, String why)
                            && status == NOT_FOUND
                    ? systems.get()
                            .known()
                            .filter(found -> !found.isEmpty())
                            .<BmcAnswer<PowerState>>map(found ->
                                    new BmcAnswer.Unknown<>(
                                            new BmcFault.Rejected(
                                                    status,
                                                    "%s; the systems that it has: %s"
                                                            .formatted(
                                                                    why,
                                                                    String.join(", ", found)))))
                            .orElse(answer)
                    : answer;
        }
    }

    private static final int NOT_FOUND = 404;

    /** Some requests for each of them. */
    private static final Duration ALL_CARDS_OR_ACCOUNTS = Bmc.REQUEST_LIMIT.multipliedBy(10);

    private BmcPreflight() {}

    /** A client for the BMC of a node, for a program that is there for long. */
    public static Bmc connect(
            ClusterPlan.Node node,
            BmcCredentials credentials,
            LoginBackoff backoff,
            SessionStore sessions) {
        return endpoint(node.bmc()).connect(credentials, backoff, sessions);
    }

    private static Bmc.Endpoint endpoint(ClusterPlan.Bmc bmc) {
        return switch (bmc.verification()) {
            case ClusterPlan.Verification.SystemTrust() ->
                    RedfishEndpoint.of(bmc.address(), new TlsTrust.SystemAuthorities());
            case ClusterPlan.Verification.None() ->
                    RedfishEndpoint.of(bmc.address(), new TlsTrust.Anybody());
            case ClusterPlan.Verification.Pinned(String sha256) ->
                    RedfishEndpoint.of(
                            bmc.address(), new TlsTrust.Pinned(Fingerprint.parse(sha256)));
            case ClusterPlan.Verification.Authorities(Path file) ->
                    RedfishEndpoint.of(
                            bmc.address(), new TlsTrust.Authorities(Pem.readCertificates(file)));
            case ClusterPlan.Verification.SharedPassword() -> IpmiEndpoint.of(bmc.address());
        };
    }

    /** With the secret read from where the plan says. */
    public static BmcCredentials credentials(ClusterPlan.Node node) {
        return new BmcCredentials(node.bmc().username(), new NodePasswords().of(node));
    }

    /**
     * Asks the BMC of a node, for a command that anybody may repeat: with a login that it has just
     * denied, to this command or to the agent, it is not tried again.
     *
     * @param itself who the node says it is; while that is not known, identity stays unproven
     * @param self the node that this runs on
     * @throws Failure when the BMC could not fence the node, or would fence another machine
     */
    public static Proof check(Way way, Optional<HardwareIdentity> itself, String self) {
        return check(way, itself, self, new DeniedLogins(NodePaths.RUN, System::nanoTime));
    }

    /** The same with denials that are kept elsewhere. */
    public static Proof check(
            Way way, Optional<HardwareIdentity> itself, String self, DeniedLogins denied) {
        ClusterPlan.Node node = way.node();
        BmcCredentials credentials = credentials(node);
        DeniedLogins those =
                way.second()
                        ? new DeniedLogins(
                                denied.run().resolve(DeniedLogins.SECOND), denied.nanos())
                        : denied;
        return check(
                node,
                credentials,
                itself,
                new WordsOfAPlan(node),
                new LoginBackoff(
                        // As the agent beside it, whose tries the BMC counts too.
                        node.name().equals(self)
                                        && Files.exists(
                                                denied.run().resolve(NodePaths.AGENT_SOCKET))
                                ? LoginBackoff.OWN
                                : LoginBackoff.SOON,
                        denied.nanos(),
                        those.ofCommands(
                                node.name(),
                                node.bmc().address(),
                                credentials.user(),
                                credentials.password())));
    }

    /**
     * One of the ways in which a node is switched.
     *
     * @param node with that way as its BMC
     */
    public record Way(ClusterPlan.Node node, boolean second) {}

    /** Each way in which the nodes of a plan are switched. */
    public static List<Way> ways(ClusterPlan plan) {
        return plan.nodes().stream()
                .flatMap(node ->
                        Stream.concat(
                                Stream.of(new Way(node, false)),
                                node.bySecond().map(second -> new Way(second, true)).stream()))
                .toList();
    }

    /** Asks with a login that somebody is about to set, whatever was denied before. */
    public static Proof check(
            ClusterPlan.Node node, BmcCredentials credentials, Optional<HardwareIdentity> itself) {
        return check(
                node,
                credentials,
                itself,
                new WordsOfAPlan(
                        node,
                        "give the username and password that are set in the BMC now; to use new"
                                + " ones, change them in the BMC first"),
                new LoginBackoff());
    }

    private static Proof check(
            ClusterPlan.Node node,
            BmcCredentials credentials,
            Optional<HardwareIdentity> itself,
            BmcTarget.Words words,
            LoginBackoff backoff) {
        Report report =
                examine(
                        new BmcTarget(
                                node.name(),
                                endpoint(node.bmc()),
                                credentials,
                                itself.<Machine>map(Machine.Known::new)
                                        .orElse(new Machine.NotKnown()),
                                words,
                                backoff));
        if (report.failure().isPresent()) {
            throw report.failure().get();
        }
        return new Proof(
                node.name(),
                report.power().orElseThrow(),
                report.rights().orElseThrow(),
                report.identity(),
                node.bmc().address().isIpmi());
    }

    /**
     * Asks all of them at once, and waits for none longer than the limit. A BMC that answers may
     * still be the wrong one: the machines are compared with one another too.
     */
    public static List<Report> examine(List<BmcTarget> targets, Duration limit) {
        List<Report> reports = new ArrayList<>();
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Report>> futures =
                    executor.invokeAll(
                            targets.stream()
                                    .map(target -> (Callable<Report>) () -> examine(target))
                                    .toList(),
                            limit.toMillis(),
                            TimeUnit.MILLISECONDS);
            for (int i = 0; i < targets.size(); i++) {
                reports.add(report(targets.get(i), futures.get(i), limit));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure(
                    "the BMCs were not all asked",
                    "the command was interrupted",
                    "run it again",
                    e);
        }
        return compared(targets, reports);
    }

    private static Report report(BmcTarget target, Future<Report> future, Duration limit)
            throws InterruptedException {
        try {
            return future.get();
        } catch (CancellationException e) {
            BmcFault late =
                    new BmcFault.Unreachable("no answer within " + limit.toSeconds() + " s");
            return Report.failed(target.node(), target.words().unanswered("power state", late));
        } catch (ExecutionException e) {
            throw new IllegalStateException("asking the BMC of " + target.node(), e.getCause());
        }
    }

    static List<Report> compared(List<BmcTarget> targets, List<Report> reports) {
        List<Report> compared = new ArrayList<>();
        for (int i = 0; i < reports.size(); i++) {
            Report report = reports.get(i);
            BmcTarget.Words words = targets.get(i).words();
            compared.add(
                    reports.subList(0, i).stream()
                            .filter(earlier -> sameMachine(earlier, report))
                            .findFirst()
                            .map(earlier -> report.with(words.sameMachineAs(earlier.node())))
                            .orElse(report));
        }
        return compared;
    }

    /** Without the cards: some BMCs list one of their own, and it has the same address anywhere. */
    private static boolean sameMachine(Report one, Report other) {
        return one.machine().isPresent()
                && other.machine().isPresent()
                && IdentityCheck.compare(
                                one.machine().get().withoutMacs(),
                                other.machine().get().withoutMacs())
                        instanceof IdentityCheck.Verdict.Same;
    }

    private static Report examine(BmcTarget target) {
        try (Bmc bmc =
                target.endpoint()
                        .connect(target.credentials(), target.backoff(), SessionStore.NONE)) {
            return examine(
                    target,
                    new Questions(
                            bmc::read,
                            () -> bmc.identity(ALL_CARDS_OR_ACCOUNTS),
                            () -> bmc.privileges(ALL_CARDS_OR_ACCOUNTS),
                            bmc::systems));
        }
    }

    static Report examine(BmcTarget target, Questions bmc) {
        Optional<PowerState> power = Optional.empty();
        Optional<HardwareIdentity> machine = Optional.empty();
        Optional<String> identity = Optional.empty();
        Optional<BmcPrivileges.MayReset> rights = Optional.empty();
        Optional<Failure> failure = Optional.empty();
        try {
            power = Optional.of(known(target, "power state", bmc.powerOrSystems()));
            if (!(target.machine() instanceof Machine.NotKnown)) {
                machine = Optional.of(known(target, "identity", bmc.identity().get()));
            }
            rights = Optional.of(known(target, "privileges", bmc.privileges().get()).mayReset());
            if (machine.isPresent()) {
                identity = identity(target, machine.get());
            }
            if (rights.get() == BmcPrivileges.MayReset.NO) {
                throw target.words().mayNotSwitch();
            }
        } catch (Failure unfit) {
            failure = Optional.of(unfit);
        }
        return new Report(target.node(), power, machine, identity, rights, failure);
    }

    /** Why the machine behind the BMC is the node; empty where that need not be shown. */
    private static Optional<String> identity(BmcTarget target, HardwareIdentity machine) {
        return switch (target.machine()) {
            case Machine.NotKnown() -> Optional.empty();
            case Machine.Described(HardwareIdentity description) ->
                    switch (IdentityCheck.compare(machine, description)) {
                        case IdentityCheck.Verdict.Same(_, String reason) -> Optional.of(reason);
                        case IdentityCheck.Verdict.Incomparable _ -> Optional.empty();
                        case IdentityCheck.Verdict.Different other ->
                                throw target.words().notItsMachine(other);
                    };
            case Machine.Known(HardwareIdentity itself) ->
                    switch (IdentityCheck.compare(machine, itself)) {
                        case IdentityCheck.Verdict.Same(_, String reason) -> Optional.of(reason);
                        case IdentityCheck.Verdict other ->
                                throw target.words().notItsMachine(other);
                    };
        };
    }

    private static <T> T known(BmcTarget target, String question, BmcAnswer<T> answer) {
        return switch (answer) {
            case BmcAnswer.Read<T> read -> read.value();
            case BmcAnswer.Unknown<T>(BmcFault fault) ->
                    throw target.words().unanswered(question, fault);
        };
    }

    /**
     * A plan names the BMC.
     *
     * @param refused what to do where the login is refused
     */
    record WordsOfAPlan(ClusterPlan.Node node, String refused) implements BmcTarget.Words {
        private static final String GIVE_THE_ROLE =
                "give the account the role Operator or Administrator in the BMC";

        WordsOfAPlan(ClusterPlan.Node node) {
            this(
                    node,
                    "correct the username of "
                            + node.name()
                            + "'s BMC in the plan, or the password "
                            + (node.bmc().password() instanceof PasswordSource.Fetched fetched
                                    ? "in " + fetched.origin().words()
                                    : "in the file that passwordFile names")
                            + "; what was denied is tried again later, and at once by: tandem"
                            + " fencing set %s --password-stdin".formatted(node.name()));
        }

        @Override
        public Failure unanswered(String question, BmcFault fault) {
            String what = subject() + " " + headline(question, fault);
            return switch (fault) {
                // The headline has told that already.
                case BmcFault.Unreachable(String why) -> new Failure(what, why, remedy(fault));
                case BmcFault.Denied(int status, String _) ->
                        new Failure(what, fault.sentence(), remedy(fault), new LoginDenied(status));
                default -> new Failure(what, fault.sentence(), remedy(fault));
            };
        }

        /** A plan may have IPMI beside Redfish, so it is said which of them is meant. */
        private String subject() {
            return (node.bmc().address().isIpmi() ? "over IPMI, the BMC of " : "the BMC of ")
                    + node.name();
        }

        private static String headline(String question, BmcFault fault) {
            return switch (fault) {
                case BmcFault.Unreachable _ -> "cannot be reached";
                case BmcFault.Untrusted _ -> "has a certificate that is not trusted";
                case BmcFault.Denied(int status, String _) ->
                        status == 403
                                ? "does not give the account enough privileges"
                                : "refuses the password";
                case BmcFault.NoPassword _ -> "was not asked";
                case BmcFault.Busy _, BmcFault.Rejected _, BmcFault.Unintelligible _ ->
                        "does not report its " + question;
            };
        }

        private String remedy(BmcFault fault) {
            return switch (fault) {
                case BmcFault.Denied(int status, String _) ->
                        status == 403 ? GIVE_THE_ROLE : refused;
                case BmcFault.Untrusted(String _, Optional<Fingerprint> shown) ->
                        shown.map(fingerprint ->
                                        ("compare the fingerprint with the one that the BMC itself"
                                             + " shows; if it is the same, pin it in the plan, in"
                                             + " bmc of %s: certificate: sha256:%s")
                                                .formatted(node.name(), fingerprint))
                                .orElse(
                                        "check the certificate that the BMC uses, and the field"
                                                + " certificate under bmc of "
                                                + node.name()
                                                + " in the plan");
                case BmcFault.Unreachable _ -> howToReach(node.bmc());
                case BmcFault.NoPassword(String _, String remedy) -> remedy;
                case BmcFault.Rejected(int status, String _) when status == NOT_FOUND ->
                        "correct the path in the BMC's address of " + node.name() + " in the plan";
                case BmcFault.Rejected(int status, String _)
                        when node.bmc().address().isIpmi()
                                && IpmiEndpoint.refusesCipherSuite(status) ->
                        "enable cipher suite 17 or 3 for IPMI over LAN in the BMC; if it has only 3, write into the plan, in bmc of %s: address: ipmi://%s?cipherSuite=3"
                                .formatted(node.name(), node.bmc().address().host());
                case BmcFault.Busy _ ->
                        "run this again in a minute; if it lasts, restart the BMC itself, which"
                                + " does not switch its machine";
                case BmcFault.Rejected _, BmcFault.Unintelligible _ ->
                        "look at the BMC's own log, then run this again";
            };
        }

        private static String howToReach(ClusterPlan.Bmc bmc) {
            BmcAddress address = bmc.address();
            return address.isIpmi()
                    ? ("check address and network, and that IPMI over LAN is enabled in the BMC;"
                           + " with the password typed in: ipmitool -I lanplus -H %s -p %d -U %s -L"
                           + " OPERATOR -a chassis power status")
                            .formatted(address.host(), address.port(), bmc.username())
                    : "check address and network: curl -k " + address.serviceUrl() + "/redfish/v1/";
        }

        @Override
        public Failure mayNotSwitch() {
            return new Failure(
                    subject() + " cannot fence it",
                    "the account " + node.bmc().username() + " may log in but not switch power",
                    GIVE_THE_ROLE);
        }

        @Override
        public Failure notItsMachine(IdentityCheck.Verdict verdict) {
            return verdict instanceof IdentityCheck.Verdict.Incomparable
                    ? new Failure(
                            subject() + " cannot be shown to belong to it",
                            verdict.reason(),
                            "check on the machine that it is the right one, then copy what the BMC"
                                    + " shows into the plan: identity: {systemUuid: ...}")
                    : new Failure(
                            subject() + " is not that of " + node.name(),
                            verdict.reason(),
                            "the addresses or credentials of the BMCs are probably swapped in the"
                                    + " plan: correct them");
        }

        @Override
        public Failure sameMachineAs(String otherNode) {
            return new Failure(
                    subject() + " is not that of " + node.name(),
                    "it controls the same machine as the BMC of " + otherNode,
                    "give each node of the plan the address of its own BMC");
        }
    }
}
