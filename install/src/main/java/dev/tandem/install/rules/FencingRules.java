package dev.tandem.install.rules;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.IpNetwork;
import dev.tandem.core.MacAddress;
import dev.tandem.install.check.Code;
import dev.tandem.install.check.Findings;
import dev.tandem.install.config.Duplicates;
import dev.tandem.install.config.InstallConfig;
import dev.tandem.install.config.InstallConfig.Credential;
import dev.tandem.install.config.InstallConfig.Pool;
import dev.tandem.install.config.InstallMethod;
import dev.tandem.install.config.Release;
import dev.tandem.install.yaml.Place;
import dev.tandem.install.yaml.Value;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The credentials with which one node switches the other off. No finding shows a value of theirs:
 * the line is told instead.
 */
final class FencingRules {
    private static final int PAIR = 2;

    static final List<Rule> ALL =
            List.of(
                    FencingRules::addressMissing,
                    FencingRules::usernameMissing,
                    FencingRules::passwordMissing,
                    FencingRules::sameSystem,
                    FencingRules::sameHostName,
                    FencingRules::sameMacAddress,
                    FencingRules::noIdentifier,
                    FencingRules::badMacAddress,
                    FencingRules::certificateVerification,
                    FencingRules::badAddress,
                    FencingRules::platform,
                    FencingRules::exactlyTwo,
                    FencingRules::noneExpected,
                    FencingRules::besideArbiter,
                    FencingRules::underCompute,
                    FencingRules::underArbiter,
                    FencingRules::gateOff,
                    FencingRules::badHostName,
                    FencingRules::unusableCharacters,
                    FencingRules::unverified,
                    FencingRules::unencrypted,
                    FencingRules::nothingToVerify,
                    FencingRules::workers,
                    FencingRules::shortHostName,
                    FencingRules::bothIdentifiers);

    private FencingRules() {}

    private static void addressMissing(CheckContext subject, Findings findings) {
        for (Credential credential : subject.credentials()) {
            if (credential.address().value().isEmpty()) {
                missing(
                        findings,
                        Code.F1,
                        credential.address().place(),
                        "address",
                        "add the BMC's address, such as"
                                + " redfish+https://192.0.2.10/redfish/v1/Systems/1");
            }
        }
    }

    private static void usernameMissing(CheckContext subject, Findings findings) {
        for (Credential credential : subject.credentials()) {
            if (credential.username().value().isEmpty()) {
                missing(
                        findings,
                        Code.F2,
                        credential.username().place(),
                        "username",
                        "add a BMC user that may switch the power");
            }
        }
    }

    private static void passwordMissing(CheckContext subject, Findings findings) {
        for (Credential credential : subject.credentials()) {
            if (credential.password().value().isEmpty()) {
                missing(
                        findings,
                        Code.F3,
                        credential.password().place(),
                        "password",
                        "add the BMC user's password, in quotes");
            }
        }
    }

    private static void missing(
            Findings findings, Code code, Place place, String field, String remedy) {
        findings.add(
                code,
                place,
                "the " + field + " is missing",
                "without it this node cannot be fenced, and the pair cannot fail over",
                remedy);
    }

    private static void sameSystem(CheckContext subject, Findings findings) {
        Duplicates.of(
                subject.credentials().stream().map(Credential::address).toList(),
                address -> CheckContext.readable(address).map(BmcAddress::system),
                (address, earlier) ->
                        findings.add(
                                Code.F4,
                                address.place(),
                                "this leads to the same system as line " + earlier.place().line(),
                                "a node that wants to fence its peer would switch itself off",
                                "give each node the address of its own BMC and system"));
    }

    private static void sameHostName(CheckContext subject, Findings findings) {
        Duplicates.of(
                subject.credentials().stream().map(Credential::hostName).toList(),
                name -> Duplicates.unlessEmpty(name.value().toLowerCase(Locale.ROOT)),
                (name, earlier) -> repeated(findings, Code.F5, "hostName", name, earlier));
    }

    private static void sameMacAddress(CheckContext subject, Findings findings) {
        Duplicates.of(
                subject.credentials().stream().map(Credential::macAddress).toList(),
                mac -> MacAddress.parse(mac.value()).map(MacAddress::hex),
                (mac, earlier) -> repeated(findings, Code.F6, "macAddress", mac, earlier));
    }

    private static void repeated(
            Findings findings,
            Code code,
            String field,
            Value<String> value,
            Value<String> earlier) {
        findings.add(
                code,
                value.place(),
                "%s is the same as in line %d".formatted(field, earlier.place().line()),
                "one node would have two BMCs and the other none",
                "each credential belongs to one node: give each its own " + field);
    }

    private static void noIdentifier(CheckContext subject, Findings findings) {
        for (Credential credential : subject.credentials()) {
            if (credential.hostName().value().isEmpty()
                    && credential.macAddress().value().isEmpty()) {
                findings.add(
                        Code.F7,
                        credential.place(),
                        "this credential has neither hostName nor macAddress",
                        "nothing tells which node it switches off",
                        "add hostName with the node's name, or macAddress with one of its cards");
            }
        }
    }

    private static void badMacAddress(CheckContext subject, Findings findings) {
        for (Credential credential : subject.credentials()) {
            Value<String> mac = credential.macAddress();
            if (!mac.value().isEmpty() && MacAddress.parse(mac.value()).isEmpty()) {
                findings.add(
                        Code.F8,
                        mac.place(),
                        "macAddress is not the address of a network card",
                        "the node is found by it: six octets, and not a multicast address",
                        "write it like 52:54:00:12:34:56");
            }
        }
    }

    private static void certificateVerification(CheckContext subject, Findings findings) {
        for (Credential credential : subject.credentials()) {
            Value<String> wanted = credential.certificateVerification();
            if (wanted.is(text -> !text.isEmpty() && !text.matches("Enabled|Disabled"))) {
                findings.add(
                        Code.F9,
                        wanted.place(),
                        "certificateVerification is neither Enabled nor Disabled",
                        "anything else would be guessed at when the node has to be fenced",
                        "write Enabled or Disabled, or remove it: Enabled is the default");
            }
        }
    }

    private static void badAddress(CheckContext subject, Findings findings) {
        for (Credential credential : subject.credentials()) {
            Value<String> address = credential.address();
            if (address.value().isEmpty()) {
                continue;
            }
            if (BmcAddress.readRedfish(address.value())
                    instanceof BmcAddress.Reading.Bad(BmcAddress.Fault fault)) {
                findings.add(
                        code(fault),
                        address.place(),
                        "this BMC address cannot be used: " + fault.why(),
                        "the node could not be fenced",
                        fault.remedy());
            }
        }
    }

    private static Code code(BmcAddress.Fault fault) {
        return switch (fault) {
            case NOT_A_URL -> Code.F10;
            case NOT_REDFISH, UNKNOWN_SCHEME, IPMI_WITH_PATH, NO_SUCH_CIPHER_SUITE -> Code.F11;
            case NO_PORT -> Code.F12;
            case NO_SYSTEM, EXTRA_PARTS -> Code.T1;
            case CARRIES_CREDENTIALS -> Code.T2;
        };
    }

    private static void platform(CheckContext subject, Findings findings) {
        boolean fencing = subject.config().controlPlane().fencing().given();
        if (fencing && subject.platformClear() && !subject.platformSupported()) {
            findings.add(
                    Code.F13,
                    subject.config().controlPlane().fencing().place(),
                    "fencing is given, and the platform has none",
                    "machines of this platform have no BMC that Tandem could reach",
                    "use platform none, baremetal or external, or remove fencing");
        } else if (fencing
                && subject.method() == InstallMethod.ASSISTED
                && subject.platform().equals("external")) {
            findings.add(
                    Code.S4,
                    subject.config().controlPlane().fencing().place(),
                    "assisted installation has no fencing on platform external",
                    "the assisted service would refuse the credentials",
                    "use platform none or baremetal, or another method");
        }
    }

    private static void exactlyTwo(CheckContext subject, Findings findings) {
        int count = subject.credentials().size();
        boolean pair = subject.shape().controlPlanes() == PAIR && !subject.arbiterEnabled();
        // An arbiter pool without machines is reported as such; it was not meant to be fenced.
        boolean arbiterMeant = subject.config().arbiter().given() && count == 0;
        if (pair && !arbiterMeant && count != PAIR) {
            findings.add(
                    Code.F14,
                    subject.config().controlPlane().fencing().place(),
                    "two control-plane nodes need exactly two fencing credentials; found %d"
                            .formatted(count),
                    "without fencing a pair cannot tell a dead peer from a cut cable, and would"
                            + " stop at the first failure",
                    "give one credential per node under controlPlane.fencing.credentials, or add"
                            + " an arbiter");
        }
    }

    private static void noneExpected(CheckContext subject, Findings findings) {
        int count = subject.credentials().size();
        boolean other = subject.shape().controlPlanes() != PAIR && !subject.arbiterEnabled();
        if (other && count > 0) {
            findings.add(
                    Code.F15,
                    subject.config().controlPlane().fencing().place(),
                    "%d fencing credentials for %d control-plane nodes"
                            .formatted(count, subject.shape().controlPlanes()),
                    "only a pair is fenced; other sizes rely on etcd's majority",
                    "set controlPlane.replicas: 2, or remove fencing");
        }
    }

    private static void besideArbiter(CheckContext subject, Findings findings) {
        if (subject.arbiterEnabled() && !subject.credentials().isEmpty()) {
            findings.add(
                    Code.F16,
                    subject.config().controlPlane().fencing().place(),
                    "fencing credentials are not used beside an arbiter",
                    "with an arbiter etcd's own majority decides, so no Secret is made of them",
                    "remove fencing, or remove the arbiter to get a fenced pair");
        }
    }

    private static void underCompute(CheckContext subject, Findings findings) {
        for (Pool pool : subject.config().compute()) {
            if (pool.fencing().given()) {
                findings.add(
                        Code.F17,
                        pool.fencing().place(),
                        "fencing stands under compute",
                        "only control-plane nodes are fenced",
                        "move it to controlPlane.fencing");
            }
        }
    }

    private static void underArbiter(CheckContext subject, Findings findings) {
        if (subject.config().arbiter().fencing().given()) {
            findings.add(
                    Code.T3,
                    subject.config().arbiter().fencing().place(),
                    "fencing stands under arbiter",
                    "an arbiter is never fenced, and the password would lie around unused",
                    "remove it");
        }
    }

    /**
     * On by default since 4.22; before that, and where a file switches it off, it must be asked
     * for.
     */
    private static void gateOff(CheckContext subject, Findings findings) {
        InstallConfig.Features features = subject.config().features();
        Map<String, Boolean> switched = GeneralRules.switchedGates(features);
        boolean custom = features.featureSet().value().equals("CustomNoUpgrade");
        boolean preview = features.featureSet().value().matches("(?:Tech|Dev)PreviewNoUpgrade");
        boolean byDefault =
                subject.release()
                        .map(release -> !release.before(Release.FENCING_BY_DEFAULT))
                        .orElse(true);
        boolean on =
                custom ? switched.getOrDefault("DualReplica", byDefault) : preview || byDefault;
        if (subject.config().controlPlane().fencing().given() && !on) {
            findings.add(
                    Code.F18,
                    features.featureSet().given()
                            ? features.featureSet().place()
                            : subject.config().controlPlane().fencing().place(),
                    "fencing is given while the feature gate DualReplica is off",
                    "the API would refuse the topology",
                    "set featureSet: TechPreviewNoUpgrade, or install 4.22 or later, or do not"
                            + " switch DualReplica off");
        }
    }

    private static void badHostName(CheckContext subject, Findings findings) {
        for (Credential credential : subject.credentials()) {
            Value<String> name = credential.hostName();
            boolean placeholder = name.value().startsWith("<");
            if (!name.value().isEmpty() && !placeholder && !GeneralRules.isDnsName(name.value())) {
                findings.add(
                        Code.T4,
                        name.place(),
                        "hostName is not a node name",
                        "the credential is stored and found under this name",
                        "use the name the cluster will show: lower-case letters, digits, dashes"
                                + " and dots");
            }
        }
    }

    /** Fence agents read their parameters a line each, and Redfish carries these in a header. */
    private static void unusableCharacters(CheckContext subject, Findings findings) {
        for (Credential credential : subject.credentials()) {
            String password = credential.password().value().reveal();
            if (hasControl(credential.username().value())
                    || credential.username().value().contains(":")) {
                unusable(findings, credential.username().place(), "username");
            }
            if (hasControl(password)) {
                unusable(findings, credential.password().place(), "password");
            }
        }
    }

    private static boolean hasControl(String text) {
        return text.chars().anyMatch(Character::isISOControl);
    }

    private static void unusable(Findings findings, Place place, String field) {
        findings.add(
                Code.T5,
                place,
                "the %s holds a line break, a control character%s"
                        .formatted(field, field.equals("username") ? " or a colon" : ""),
                "no fence agent can pass it on to the BMC",
                "check the quotes and indentation around it, or choose another " + field);
    }

    private static void unverified(CheckContext subject, Findings findings) {
        for (Credential credential : subject.credentials()) {
            if (disabled(credential)) {
                findings.add(
                        Code.T6,
                        credential.certificateVerification().place(),
                        "the BMC's certificate is not verified",
                        "whoever can answer in its place gets the password and can claim that a"
                                + " running node is off",
                        "install a certificate on the BMC and write Enabled, or keep the BMCs on a"
                                + " network of their own");
            }
        }
    }

    private static boolean plainHttp(Credential credential) {
        return CheckContext.readable(credential.address())
                .filter(address -> address.transport() == BmcAddress.Transport.HTTP)
                .isPresent();
    }

    private static void unencrypted(CheckContext subject, Findings findings) {
        for (Credential credential : subject.credentials()) {
            if (plainHttp(credential) && disabled(credential)) {
                findings.add(
                        Code.T7,
                        credential.address().place(),
                        "the BMC is spoken to without encryption",
                        "the password can be read on the way, and fence_redfish, the second level"
                                + " of fencing, speaks HTTPS only",
                        "use redfish+https");
            }
        }
    }

    /** Without encryption there is no certificate, and the agent's client refuses the pair. */
    private static void nothingToVerify(CheckContext subject, Findings findings) {
        for (Credential credential : subject.credentials()) {
            if (plainHttp(credential) && !disabled(credential)) {
                findings.add(
                        Code.T17,
                        credential.address().place(),
                        "the address is unencrypted, and the BMC's certificate is to be verified",
                        "there is no certificate without encryption, so the BMC would never be"
                                + " called",
                        "use redfish+https; only in a lab write certificateVerification: Disabled");
            }
        }
    }

    private static boolean disabled(Credential credential) {
        return credential.certificateVerification().value().equals("Disabled");
    }

    private static void workers(CheckContext subject, Findings findings) {
        if (!subject.shape().isFencedPair() || subject.shape().workers() == 0) {
            return;
        }
        Pool first = subject.config().compute().getFirst();
        boolean omitted = subject.config().compute().size() == 1 && !first.given();
        findings.add(
                Code.T8,
                first.given() ? first.replicas().place() : first.place(),
                omitted
                        ? "compute is missing, which means %d workers"
                                .formatted(subject.shape().workers())
                        : "a fenced pair with %d workers".formatted(subject.shape().workers()),
                "the pair is meant to carry the workloads itself; workers are not fenced",
                "write replicas: 0 for the worker pool");
    }

    private static void shortHostName(CheckContext subject, Findings findings) {
        boolean six =
                subject.config().networking().machine().stream()
                        .flatMap(network -> IpNetwork.parse(network.value()).stream())
                        .anyMatch(network -> network.address().isV6());
        for (Credential credential : subject.credentials()) {
            Value<String> name = credential.hostName();
            if (six
                    && !name.value().isEmpty()
                    && !name.value().contains(".")
                    && credential.macAddress().value().isEmpty()) {
                findings.add(
                        Code.T11,
                        name.place(),
                        "hostName is short, and the machines have IPv6 addresses",
                        "such nodes often register with their full domain name, and the credential"
                                + " is then not found by name",
                        "write the full name, or add macAddress");
            }
        }
    }

    private static void bothIdentifiers(CheckContext subject, Findings findings) {
        for (Credential credential : subject.credentials()) {
            if (!credential.hostName().value().isEmpty()
                    && !credential.macAddress().value().isEmpty()) {
                findings.add(
                        Code.T12,
                        credential.macAddress().place(),
                        "hostName and macAddress are both given",
                        "the Secret is named after hostName; macAddress still helps to find the"
                                + " node",
                        "no action needed");
            }
        }
    }
}
