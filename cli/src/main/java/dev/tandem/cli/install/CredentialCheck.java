package dev.tandem.cli.install;

import dev.tandem.core.Failure;
import dev.tandem.core.MacAddress;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.RedfishEndpoint;
import dev.tandem.host.bmc.TlsTrust;
import dev.tandem.host.bmc.check.BmcPreflight;
import dev.tandem.host.bmc.check.BmcTarget;
import dev.tandem.host.bmc.check.IdentityCheck;
import dev.tandem.install.config.FencingCredential;
import dev.tandem.install.config.InstallConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Logs in to the BMCs of an install-config and asks what they switch. */
final class CredentialCheck {
    /** Several requests of a slow BMC fit in; a person still waits for it. */
    static final Duration LIMIT = Duration.ofSeconds(40);

    private CredentialCheck() {}

    /** The outcome for one node. */
    record Report(
            String node,
            String address,
            boolean fine,
            String power,
            Optional<String> uuid,
            Optional<String> serial,
            String what,
            String remedy) {

        private static Report of(FencingCredential credential, BmcPreflight.Report found) {
            Optional<HardwareIdentity> machine = found.machine();
            return new Report(
                    credential.node(),
                    credential.address().toString(),
                    found.failure().isEmpty(),
                    found.power().map(power -> power.name().toLowerCase(Locale.ROOT)).orElse(""),
                    machine.flatMap(HardwareIdentity::uuid).map(UUID::toString),
                    machine.flatMap(HardwareIdentity::serial),
                    found.failure().map(Failure::why).orElseGet(() -> named(machine)),
                    found.failure().map(Failure::remedy).orElse(""));
        }

        private static String named(Optional<HardwareIdentity> machine) {
            return machine.flatMap(HardwareIdentity::uuid)
                    .map(uuid -> "system UUID " + uuid)
                    .or(() ->
                            machine.flatMap(HardwareIdentity::serial)
                                    .map(serial -> "serial " + serial))
                    .orElse("it reports no identity");
        }

        String asText() {
            return fine
                    ? "BMC of %s (%s): login works, power %s, %s"
                            .formatted(node, address, power, what)
                    : "BMC of %s (%s): %s%n  fix:   %s%n".formatted(node, address, what, remedy);
        }
    }

    /**
     * Whom a BMC is to switch, as far as the file says.
     *
     * @param card of the machine: of the credential itself, or of the bare-metal host of that name
     */
    record Question(FencingCredential credential, Optional<MacAddress> card) {
        static List<Question> of(InstallConfig config) {
            List<InstallConfig.Host> hosts = config.platform().baremetal().hosts();
            return FencingCredential.of(config).stream()
                    .map(credential -> new Question(credential, card(credential, hosts)))
                    .toList();
        }

        private static Optional<MacAddress> card(
                FencingCredential credential, List<InstallConfig.Host> hosts) {
            return credential
                    .macAddress()
                    .or(() ->
                            hosts.stream()
                                    .filter(host ->
                                            credential
                                                    .hostName()
                                                    .filter(name ->
                                                            isSame(name, host.name().value()))
                                                    .isPresent())
                                    .findFirst()
                                    .flatMap(host ->
                                            MacAddress.parse(host.bootMacAddress().value())));
        }

        /** A host may be called by the first part of its name alone. */
        private static boolean isSame(String one, String other) {
            return one.equals(other) || one.startsWith(other + ".") || other.startsWith(one + ".");
        }
    }

    static List<Report> all(List<Question> questions, Duration limit) {
        List<BmcPreflight.Report> found =
                BmcPreflight.examine(
                        questions.stream().map(CredentialCheck::target).toList(), limit);
        List<Report> reports = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            reports.add(Report.of(questions.get(i).credential(), found.get(i)));
        }
        return reports;
    }

    private static BmcTarget target(Question question) {
        FencingCredential credential = question.credential();
        TlsTrust trust =
                credential.verifyCertificate()
                        ? new TlsTrust.SystemAuthorities()
                        : new TlsTrust.Anybody();
        Set<String> card = question.card().map(MacAddress::toString).map(Set::of).orElse(Set.of());
        return new BmcTarget(
                credential.node(),
                RedfishEndpoint.of(credential.address(), trust),
                new BmcCredentials(credential.username(), credential.password().reveal()),
                new BmcTarget.Machine.Described(
                        new HardwareIdentity(Optional.empty(), Optional.empty(), card)),
                new WordsOfAnInstallConfig(credential, question.card()));
    }

    /** An install-config names the BMC. */
    private record WordsOfAnInstallConfig(FencingCredential credential, Optional<MacAddress> named)
            implements BmcTarget.Words {
        private Failure failure(String why, String remedy) {
            return new Failure("the BMC of " + credential.node() + " cannot fence it", why, remedy);
        }

        @Override
        public Failure unanswered(String question, BmcFault fault) {
            return failure(
                    fault.sentence(),
                    switch (fault) {
                        case BmcFault.Denied _ ->
                                "correct username and password of " + credential.node();
                        case BmcFault.Untrusted _ ->
                                "let this machine trust the authority that signed the certificate,"
                                        + " or write certificateVerification: Disabled";
                        case BmcFault.Unreachable _ ->
                                "check the address and the network between here and the BMC: curl"
                                        + " -k "
                                        + credential.address().serviceUrl()
                                        + "/redfish/v1/";
                        case BmcFault.NoPassword(String _, String remedy) -> remedy;
                        case BmcFault.Busy _, BmcFault.Rejected _, BmcFault.Unintelligible _ ->
                                "look at the BMC's own log, then run this again";
                    });
        }

        @Override
        public Failure mayNotSwitch() {
            return failure(
                    "its user may log in but not switch the power",
                    "give the user the privilege ConfigureComponents (role Operator or"
                            + " Administrator)");
        }

        @Override
        public Failure notItsMachine(IdentityCheck.Verdict verdict) {
            return failure(
                    named.map(card -> "the machine it controls has no network card " + card)
                            .orElse(verdict.reason()),
                    "either the BMC addresses of two machines are swapped, or the card is another"
                            + " machine's: correct the file");
        }

        @Override
        public Failure sameMachineAs(String otherNode) {
            return failure(
                    "it controls the same machine as the BMC of " + otherNode,
                    "give each node the address of its own BMC");
        }
    }
}
