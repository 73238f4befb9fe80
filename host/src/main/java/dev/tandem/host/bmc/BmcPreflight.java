package dev.tandem.host.bmc;

import dev.tandem.core.Failure;
import dev.tandem.host.Secrets;
import dev.tandem.host.pki.Fingerprint;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.plan.ClusterPlan;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Proves, before anything depends on it, that a node can be fenced by the BMC the plan names: the
 * login works, the account may switch power, the power state can be read, and the machine behind it
 * is the node. Asks only; switches nothing.
 */
public final class BmcPreflight {

    /**
     * What was learned of a BMC that can fence its node.
     *
     * @param rights what the account may do; BMCs that do not tell leave that to a drill
     * @param identity why the BMC is held to be the node's; empty when the node is not known yet
     */
    public record Proof(
            String node, PowerState power, BmcRights.MayReset rights, Optional<String> identity) {}

    private BmcPreflight() {}

    /** A client for the BMC of a node, with the secret read from where the plan says. */
    public static RedfishClient connect(ClusterPlan.Node node) {
        ClusterPlan.Bmc bmc = node.bmc();
        return new RedfishClient(
                new RedfishEndpoint(
                        URI.create(bmc.address().serviceUrl()),
                        Optional.of(bmc.address().systemPath()),
                        trust(bmc.verification())),
                new BmcCredentials(bmc.username(), Secrets.read(bmc.passwordFile())));
    }

    private static TlsTrust trust(ClusterPlan.Verification verification) {
        return switch (verification) {
            case ClusterPlan.Verification.SystemTrust() -> new TlsTrust.SystemAuthorities();
            case ClusterPlan.Verification.None() -> new TlsTrust.Anybody();
            case ClusterPlan.Verification.Pinned(String sha256) ->
                    new TlsTrust.Pinned(Fingerprint.parse(sha256));
            case ClusterPlan.Verification.Authorities(Path file) ->
                    new TlsTrust.Authorities(Pem.readCertificates(file));
        };
    }

    /**
     * Asks the BMC of a node.
     *
     * @param itself who the node says it is; while that is not known, identity stays unproven
     * @throws Failure when the BMC could not fence the node, or would fence another machine
     */
    public static Proof check(ClusterPlan.Node node, Optional<HardwareIdentity> itself) {
        try (RedfishClient bmc = connect(node)) {
            PowerState power = known(node, "power state", bmc.read());
            BmcRights.MayReset rights = known(node, "privileges", bmc.rights()).mayReset();
            if (rights == BmcRights.MayReset.NO) {
                throw new Failure(
                        "the BMC of " + node.name() + " cannot fence it",
                        "the account " + node.bmc().username() + " may log in but not switch power",
                        "give the account the role Operator or Administrator in the BMC");
            }
            Optional<String> identity = Optional.empty();
            if (itself.isPresent()) {
                identity =
                        Optional.of(
                                same(node, known(node, "identity", bmc.identity()), itself.get()));
            }
            return new Proof(node.name(), power, rights, identity);
        }
    }

    private static String same(
            ClusterPlan.Node node, HardwareIdentity bmc, HardwareIdentity itself) {
        return switch (IdentityCheck.compare(bmc, itself)) {
            case IdentityCheck.Verdict.Same(String reason) -> reason;
            case IdentityCheck.Verdict.Different(String reason) ->
                    throw new Failure(
                            "the BMC of " + node.name() + " is not that of " + node.name(),
                            reason,
                            "the addresses or credentials of the BMCs are probably swapped in the"
                                    + " plan: correct them");
            case IdentityCheck.Verdict.Incomparable(String reason) ->
                    throw new Failure(
                            "the BMC of " + node.name() + " cannot be shown to belong to it",
                            reason,
                            "check on the machine that it is the right one, then copy what the BMC"
                                    + " shows into the plan: identity: {systemUuid: ...}");
        };
    }

    private static <T> T known(ClusterPlan.Node node, String what, BmcAnswer<T> answer) {
        return switch (answer) {
            case BmcAnswer.Read<T> read -> read.value();
            case BmcAnswer.Unknown<T>(BmcFault fault) ->
                    throw new Failure(
                            "the BMC of " + node.name() + " does not report its " + what,
                            fault.sentence(),
                            remedy(node, fault));
        };
    }

    private static String remedy(ClusterPlan.Node node, BmcFault fault) {
        return switch (fault) {
            case BmcFault.Denied _ ->
                    "correct username and passwordFile of " + node.name() + " in the plan";
            case BmcFault.Untrusted _ ->
                    "check the certificate, then pin it in the plan: certificate:"
                            + " sha256:FINGERPRINT";
            case BmcFault.Unreachable _ ->
                    "check address and network: curl -k "
                            + node.bmc().address().serviceUrl()
                            + "/redfish/v1/";
            case BmcFault.Busy _, BmcFault.Rejected _, BmcFault.Unintelligible _ ->
                    "look at the BMC's own log, then run this again";
        };
    }
}
