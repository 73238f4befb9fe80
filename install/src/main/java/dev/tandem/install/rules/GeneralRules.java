package dev.tandem.install.rules;

import dev.tandem.core.Nearest;
import dev.tandem.install.check.Code;
import dev.tandem.install.check.Findings;
import dev.tandem.install.check.Schemas;
import dev.tandem.install.config.InstallConfig;
import dev.tandem.install.config.InstallConfig.Credential;
import dev.tandem.install.config.InstallConfig.Features;
import dev.tandem.install.config.InstallConfig.Pool;
import dev.tandem.install.config.Release;
import dev.tandem.install.yaml.Place;
import dev.tandem.install.yaml.Secret;
import dev.tandem.install.yaml.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The file as a whole, its pools and its feature gates. */
public final class GeneralRules {
    private static final Pattern LABEL = Pattern.compile("[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?");
    private static final Pattern GATE = Pattern.compile("([A-Za-z][A-Za-z0-9]*)=(true|false)");

    /** Room for the suffixes that other components append to the name. */
    private static final int CLUSTER_NAME_LIMIT = 54;

    public static final String CLUSTER_NAME_HINT =
            "use lower-case letters, digits and dashes, such as store-17";
    public static final String DOMAIN_HINT =
            "use lower-case letters, digits, dashes and dots, such as example.com";

    static final List<Rule> ALL =
            List.of(
                    GeneralRules::requiredKeys,
                    GeneralRules::apiVersion,
                    GeneralRules::names,
                    GeneralRules::onePlatform,
                    GeneralRules::supportedPlatform,
                    GeneralRules::arbiterSpelling,
                    GeneralRules::placeholders,
                    GeneralRules::impossiblePools,
                    GeneralRules::featureGates,
                    GeneralRules::renamedGates,
                    GeneralRules::releaseTooOld);

    private GeneralRules() {}

    public static boolean isClusterName(String text) {
        return isDnsName(text) && text.length() <= CLUSTER_NAME_LIMIT;
    }

    public static boolean isDnsName(String text) {
        if (text.length() > 253) {
            return false;
        }
        for (String label : text.split("\\.", -1)) {
            if (!LABEL.matcher(label).matches()) {
                return false;
            }
        }
        return true;
    }

    private static void requiredKeys(CheckContext subject, Findings findings) {
        InstallConfig config = subject.config();
        List<Value<?>> wanted = new ArrayList<>();
        wanted.add(config.apiVersion());
        wanted.add(config.baseDomain());
        wanted.add(config.name());
        wanted.add(new Value<>("", config.platform().place(), config.platform().given()));
        wanted.add(new Value<>("", config.controlPlane().place(), config.controlPlane().given()));
        for (Value<?> value : wanted) {
            if (!value.given()) {
                findings.add(
                        Code.K5,
                        value.place(),
                        value.place().path() + " is missing",
                        "nothing can be generated without it",
                        "add it, or begin with a file that has everything: tandem install-config"
                                + " create --file new.yaml");
            }
        }
    }

    private static void apiVersion(CheckContext subject, Findings findings) {
        Value<String> version = subject.config().apiVersion();
        if (version.is(text -> !text.equals("v1"))) {
            findings.add(
                    Code.K6,
                    version.place(),
                    "apiVersion is not v1",
                    "no other version of the install-config exists",
                    "write apiVersion: v1");
        }
    }

    private static void names(CheckContext subject, Findings findings) {
        Value<String> domain = subject.config().baseDomain();
        if (domain.is(text -> !isDnsName(text))) {
            findings.add(
                    Code.K7,
                    domain.place(),
                    "baseDomain is not a DNS name",
                    "every address of the cluster ends with it",
                    DOMAIN_HINT);
        }
        Value<String> name = subject.config().name();
        if (name.is(text -> !isClusterName(text))) {
            findings.add(
                    Code.K7,
                    name.place(),
                    "the cluster's name is not a DNS name of at most %d characters"
                            .formatted(CLUSTER_NAME_LIMIT),
                    "it becomes part of host names and object names",
                    CLUSTER_NAME_HINT);
        }
    }

    private static void onePlatform(CheckContext subject, Findings findings) {
        InstallConfig.Platform platform = subject.config().platform();
        if (platform.given() && platform.kinds().size() != 1) {
            findings.add(
                    Code.K8,
                    platform.place(),
                    "platform names %d platforms".formatted(platform.kinds().size()),
                    "a cluster has exactly one",
                    "keep one of none, baremetal and external");
        }
    }

    /** Where fencing or an arbiter is what the platform lacks, the rule for those says so. */
    private static void supportedPlatform(CheckContext subject, Findings findings) {
        boolean toldElsewhere =
                subject.config().controlPlane().fencing().given()
                        || subject.config().arbiter().given();
        if (subject.platformClear() && !subject.platformSupported() && !toldElsewhere) {
            findings.add(
                    Code.G10,
                    subject.config().platform().kinds().getFirst().place(),
                    "this platform is not one Tandem installs on",
                    "two-node clusters need machines that can be fenced, or an arbiter beside them",
                    "use none, baremetal or external");
        }
    }

    private static void arbiterSpelling(CheckContext subject, Findings findings) {
        InstallConfig.Extras extras = subject.config().extras();
        if (extras.bothArbiterSpellings()) {
            findings.add(
                    Code.K10,
                    extras.arbiterNodePlace(),
                    "arbiterNode is given as well as arbiter",
                    "they are two spellings of one thing",
                    "keep arbiter and delete arbiterNode");
        } else if (extras.arbiterNodeSpelling()) {
            findings.add(
                    Code.K9,
                    extras.arbiterNodePlace(),
                    "arbiterNode is read as arbiter",
                    "the installer knows the new spelling only",
                    "rename it to arbiter before another tool reads this file");
        }
    }

    private static void placeholders(CheckContext subject, Findings findings) {
        List<Value<String>> texts = new ArrayList<>();
        texts.add(subject.config().baseDomain());
        texts.add(subject.config().name());
        texts.addAll(subject.config().platform().baremetal().apiVips());
        texts.addAll(subject.config().platform().baremetal().ingressVips());
        for (Credential credential : subject.credentials()) {
            texts.add(credential.hostName());
            texts.add(credential.address());
            texts.add(credential.username());
            Value<Secret> password = credential.password();
            texts.add(new Value<>(password.value().reveal(), password.place(), password.given()));
        }
        for (Value<String> text : texts) {
            if (text.is(value -> value.matches("<[^<>]*>") || value.contains("://<"))) {
                findings.add(
                        Code.K11,
                        text.place(),
                        "this is still the placeholder of an example",
                        "it would be taken literally",
                        "put the real value in place of the angle brackets");
            }
        }
    }

    private static void impossiblePools(CheckContext subject, Findings findings) {
        InstallConfig config = subject.config();
        List<Pool> pools = new ArrayList<>(config.compute());
        pools.add(config.controlPlane());
        if (config.arbiter().given()) {
            pools.add(config.arbiter());
        }
        for (Pool pool : pools) {
            if (pool.replicas().value() < 0) {
                impossible(
                        findings,
                        pool.replicas().place(),
                        "replicas is below zero",
                        "write how many machines there are");
            }
            oneOf(findings, pool.hyperthreading(), List.of("Enabled", "Disabled"));
            oneOf(findings, pool.architecture(), Schemas.ARCHITECTURES);
            for (Value<String> platform : pool.platforms()) {
                if (subject.platformClear()
                        && !platform.value().equalsIgnoreCase(subject.platform())) {
                    impossible(
                            findings,
                            platform.place(),
                            "the pool has settings of another platform than the cluster's",
                            "remove them, or write them under "
                                    + (subject.platformSupported()
                                            ? subject.platform()
                                            : "the cluster's platform"));
                }
            }
            boolean controlPlane = pool.equals(config.controlPlane());
            if (!controlPlane && pool.etcdDisk().isPresent()) {
                impossible(
                        findings,
                        pool.etcdDisk().get(),
                        "a disk for etcd outside the control plane",
                        "move it to controlPlane.diskSetup");
            }
        }
    }

    private static void oneOf(Findings findings, Value<String> value, List<String> known) {
        if (value.is(text -> !known.contains(text))) {
            String meant =
                    findings.nearest(value.value(), known)
                            .map(near -> "did you mean " + near + "?")
                            .orElse("write one of " + String.join(", ", known));
            impossible(
                    findings,
                    value.place(),
                    "this is not one of " + String.join(", ", known),
                    meant);
        }
    }

    private static void impossible(Findings findings, Place place, String what, String remedy) {
        findings.add(Code.A5, place, what, "the installer refuses the pool", remedy);
    }

    private static void featureGates(CheckContext subject, Findings findings) {
        Features features = subject.config().features();
        boolean custom = features.featureSet().value().equals("CustomNoUpgrade");
        if (!features.gates().isEmpty() && !custom) {
            findings.add(
                    Code.F19,
                    features.gatesPlace(),
                    "featureGates without featureSet CustomNoUpgrade",
                    "single features can be switched only in a cluster that gives up upgrades",
                    "set featureSet: CustomNoUpgrade, or remove featureGates");
        }
        for (Value<String> gate : features.gates()) {
            if (!GATE.matcher(gate.value()).matches()) {
                findings.add(
                        Code.F19,
                        gate.place(),
                        "this is not of the form name=true or name=false",
                        "a feature gate is switched on or off by name",
                        "write, for example, DualReplica=true");
            }
        }
    }

    private static void renamedGates(CheckContext subject, Findings findings) {
        for (Value<String> gate : subject.config().features().gates()) {
            if (gate.value().startsWith("DualReplicaTopology=")) {
                findings.add(
                        Code.T16,
                        gate.place(),
                        "the gate DualReplicaTopology is named DualReplica today",
                        "a gate of the old name switches nothing",
                        "write DualReplica=true");
            }
        }
    }

    /** The gates that the file switches by name. */
    public static Map<String, Boolean> switchedGates(Features features) {
        return features.gates().stream()
                .map(gate -> GATE.matcher(gate.value()))
                .filter(java.util.regex.Matcher::matches)
                .collect(
                        Collectors.toMap(
                                gate -> gate.group(1),
                                gate -> Boolean.parseBoolean(gate.group(2)),
                                (_, last) -> last));
    }

    private static void releaseTooOld(CheckContext subject, Findings findings) {
        if (subject.release().isEmpty()) {
            return;
        }
        Release release = subject.release().get();
        if (subject.arbiterEnabled() && subject.shape().controlPlanes() >= 2) {
            boolean none = subject.platform().equals("none");
            Release first = none ? Release.FENCING_BY_DEFAULT : Release.ARBITER;
            if (release.before(first)) {
                tooOld(findings, subject.config().arbiter().place(), "an arbiter", release, first);
            }
        } else if (subject.shape().isFencedPair() && release.before(Release.FENCING)) {
            tooOld(
                    findings,
                    subject.config().controlPlane().replicas().place(),
                    "a fenced pair",
                    release,
                    Release.FENCING);
        }
    }

    private static void tooOld(
            Findings findings, Place place, String what, Release release, Release first) {
        findings.add(
                Code.S1,
                place,
                "release %s has no support for %s here".formatted(release, what),
                "the cluster would not come up",
                "install %s or later".formatted(first));
    }

    /** The known word that was probably meant, as the end of a remedy. */
    static String meant(String word, List<String> known) {
        return word.length() > 40
                ? "write one of " + String.join(", ", known)
                : Nearest.to(word, known).stream()
                        .findFirst()
                        .map(near -> "did you mean " + near + "?")
                        .orElse("write one of " + String.join(", ", known));
    }
}
