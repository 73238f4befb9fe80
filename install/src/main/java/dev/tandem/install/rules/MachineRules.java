package dev.tandem.install.rules;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.IpAddress;
import dev.tandem.core.MacAddress;
import dev.tandem.core.topology.Shape;
import dev.tandem.install.check.Code;
import dev.tandem.install.check.Findings;
import dev.tandem.install.check.Schemas;
import dev.tandem.install.config.AgentConfig;
import dev.tandem.install.config.Duplicates;
import dev.tandem.install.config.InstallConfig.Baremetal;
import dev.tandem.install.config.InstallConfig.Credential;
import dev.tandem.install.config.InstallConfig.Host;
import dev.tandem.install.config.InstallConfig.Pool;
import dev.tandem.install.config.InstallMethod;
import dev.tandem.install.config.Release;
import dev.tandem.install.yaml.Place;
import dev.tandem.install.yaml.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How many machines of which kind there are: control plane, arbiter, hosts, roles. */
public final class MachineRules {
    static final List<Rule> ALL =
            List.of(
                    MachineRules::arbiterPlatform,
                    MachineRules::arbiterName,
                    MachineRules::arbiterEmpty,
                    MachineRules::arbiterNeedsPair,
                    MachineRules::noControlPlane,
                    MachineRules::hostsMissing,
                    MachineRules::tooFewHosts,
                    MachineRules::agentCount,
                    MachineRules::agentOneArbiter,
                    MachineRules::agentSingleNode,
                    MachineRules::hostRoles,
                    MachineRules::tooManyHosts,
                    MachineRules::rendezvousWorker,
                    MachineRules::rendezvousNobody,
                    MachineRules::bootMacMissing,
                    MachineRules::assistedCount,
                    MachineRules::assistedArbiter,
                    MachineRules::agentHostNames,
                    MachineRules::detachedHosts,
                    MachineRules::hostNameOfHost,
                    MachineRules::sharedHosts,
                    MachineRules::unusableHosts,
                    MachineRules::twoBmcs);

    private MachineRules() {}

    private static void arbiterPlatform(CheckContext subject, Findings findings) {
        Pool arbiter = subject.config().arbiter();
        if (arbiter.given() && subject.platformClear() && !subject.platformSupported()) {
            findings.add(
                    Code.A1,
                    arbiter.place(),
                    "an arbiter is given, and the platform has none",
                    "no machine of this platform would ever take the arbiter's role",
                    "use platform none, baremetal or external, or remove the arbiter");
        }
    }

    private static void arbiterName(CheckContext subject, Findings findings) {
        Value<String> name = subject.config().arbiter().name();
        if (name.is(text -> !text.equals("arbiter"))) {
            findings.add(
                    Code.A2,
                    name.place(),
                    "the arbiter pool has another name than arbiter",
                    "labels, taints and pools are all derived from that name",
                    "write name: arbiter, or remove name");
        }
    }

    private static void arbiterEmpty(CheckContext subject, Findings findings) {
        Pool arbiter = subject.config().arbiter();
        if (arbiter.given() && arbiter.replicas().value() == 0) {
            findings.add(
                    Code.A3,
                    arbiter.replicas().place(),
                    "the arbiter pool has no machines",
                    "the count is not assumed, because it decides the topology",
                    "write replicas: 1, or remove the arbiter");
        }
    }

    private static void arbiterNeedsPair(CheckContext subject, Findings findings) {
        Value<Integer> replicas = subject.config().controlPlane().replicas();
        boolean fewer = !replicas.given() || replicas.value() < 2;
        boolean single = replicas.given() && replicas.value() == 1;
        boolean toldByAgentRule = single && subject.method().delaysBootstrap();
        if (subject.arbiterEnabled() && fewer && !toldByAgentRule) {
            findings.add(
                    Code.A4,
                    subject.config().arbiter().replicas().place(),
                    replicas.given()
                            ? "an arbiter beside %d control-plane nodes".formatted(replicas.value())
                            : "an arbiter beside an unstated number of control-plane nodes",
                    "an arbiter completes the majority of at least two",
                    "write controlPlane.replicas: 2");
        }
    }

    private static void noControlPlane(CheckContext subject, Findings findings) {
        Value<Integer> replicas = subject.config().controlPlane().replicas();
        if (replicas.given() && replicas.value() == 0) {
            findings.add(
                    Code.A6,
                    replicas.place(),
                    "there is no control-plane node",
                    "a cluster needs at least one",
                    "write replicas: 2 for a pair");
        }
    }

    private static boolean onBaremetal(CheckContext subject) {
        return subject.platform().equals("baremetal");
    }

    private static void hostsMissing(CheckContext subject, Findings findings) {
        Baremetal baremetal = subject.config().platform().baremetal();
        if (onBaremetal(subject)
                && subject.method() == InstallMethod.INSTALLER
                && subject.config().extras().machineApi()
                && !baremetal.hostsGiven()) {
            findings.add(
                    Code.A7,
                    baremetal.hostsPlace(),
                    "the hosts are missing",
                    "the installer provisions these machines and has to know them",
                    "list them under platform.baremetal.hosts, or install by agent: --method"
                            + " agent");
        }
    }

    /** A role with the number of machines wanted for it. */
    private record Wanted(String role, int count) {}

    private static List<Wanted> wanted(Shape shape) {
        return List.of(
                new Wanted("master", shape.controlPlanes()),
                new Wanted("arbiter", shape.arbiters()),
                new Wanted("worker", shape.workers()));
    }

    /**
     * The role of each host. Those without one, or with one that nobody knows, become masters, then
     * arbiters, then workers, while any are wanted.
     */
    public static List<String> roles(Shape shape, List<String> given) {
        Map<String, Integer> missing = new HashMap<>();
        wanted(shape).forEach(wanted -> missing.put(wanted.role(), wanted.count()));
        given.forEach(role -> missing.merge(role, -1, Integer::sum));
        List<String> roles = new ArrayList<>();
        for (String role : given) {
            String filled = role;
            if (!Schemas.ROLES.contains(role)) {
                filled =
                        Schemas.ROLES.stream()
                                .filter(wanted -> missing.getOrDefault(wanted, 0) > 0)
                                .findFirst()
                                .orElse("worker");
                missing.merge(filled, -1, Integer::sum);
            }
            roles.add(filled);
        }
        return roles;
    }

    private static Map<String, Integer> filled(Shape shape, List<String> given) {
        Map<String, Integer> filled = new HashMap<>();
        roles(shape, given).forEach(role -> filled.merge(role, 1, Integer::sum));
        return filled;
    }

    private static void tooFewHosts(CheckContext subject, Findings findings) {
        Baremetal baremetal = subject.config().platform().baremetal();
        if (!onBaremetal(subject)
                || !baremetal.hostsGiven()
                || subject.method() != InstallMethod.INSTALLER) {
            return;
        }
        Map<String, Integer> filled =
                filled(
                        subject.shape(),
                        baremetal.hosts().stream().map(host -> host.role().value()).toList());
        for (Wanted wanted : wanted(subject.shape())) {
            int there = filled.getOrDefault(wanted.role(), 0);
            if (there < wanted.count()) {
                findings.add(
                        Code.A8,
                        baremetal.hostsPlace(),
                        "%d hosts for role %s, and %d are wanted"
                                .formatted(there, wanted.role(), wanted.count()),
                        "the installation would wait for machines that never come",
                        "list more hosts, or lower the replicas of that pool");
            }
        }
    }

    private static void agentCount(CheckContext subject, Findings findings) {
        Value<Integer> replicas = subject.config().controlPlane().replicas();
        if (subject.method() == InstallMethod.AGENT
                && (replicas.value() > 5 || replicas.value() < 0)) {
            findings.add(
                    Code.G1,
                    replicas.place(),
                    "%d control-plane nodes".formatted(replicas.value()),
                    "the agent-based installer knows 1, 3, 4 and 5, and 2 with an arbiter or"
                            + " fencing",
                    "choose one of those");
        }
    }

    private static void agentOneArbiter(CheckContext subject, Findings findings) {
        Pool arbiter = subject.config().arbiter();
        if (subject.method().delaysBootstrap()
                && subject.shape().controlPlanes() == 2
                && arbiter.replicas().value() > 1) {
            findings.add(
                    Code.G2,
                    arbiter.replicas().place(),
                    "%d arbiters beside two control-plane nodes"
                            .formatted(arbiter.replicas().value()),
                    "one completes the majority; a fourth voter makes it weaker, not stronger",
                    "write replicas: 1");
        }
    }

    private static void agentSingleNode(CheckContext subject, Findings findings) {
        Value<Integer> replicas = subject.config().controlPlane().replicas();
        if (subject.method().delaysBootstrap()
                && replicas.given()
                && replicas.value() == 1
                && subject.arbiterEnabled()) {
            findings.add(
                    Code.G5,
                    subject.config().arbiter().replicas().place(),
                    "a single node with an arbiter",
                    "two voters are worse than one: either being away stops etcd",
                    "remove the arbiter, or write controlPlane.replicas: 2");
        }
    }

    private static void hostRoles(CheckContext subject, Findings findings) {
        List<Value<String>> roles = new ArrayList<>();
        subject.config().platform().baremetal().hosts().forEach(host -> roles.add(host.role()));
        subject.agent().ifPresent(agent -> agent.hosts().forEach(host -> roles.add(host.role())));
        for (Value<String> role : roles) {
            if (role.is(text -> !text.isEmpty() && !Schemas.ROLES.contains(text))) {
                findings.add(
                        Code.G6,
                        role.place(),
                        "the role is not one of master, arbiter and worker",
                        "the host would get no role, and the count of another would be wrong",
                        GeneralRules.meant(role.value(), Schemas.ROLES));
            }
        }
    }

    /** The hosts that count: those of the agent configuration, where there is one with hosts. */
    private static List<Value<String>> roles(CheckContext subject) {
        return subject.agent()
                .filter(agent -> !agent.hosts().isEmpty())
                .map(agent -> agent.hosts().stream().map(AgentConfig.Host::role).toList())
                .orElseGet(() ->
                        subject.config().platform().baremetal().hosts().stream()
                                .map(Host::role)
                                .toList());
    }

    private static void tooManyHosts(CheckContext subject, Findings findings) {
        if (!subject.method().delaysBootstrap()) {
            return;
        }
        List<Value<String>> roles = roles(subject);
        Map<String, Integer> filled =
                filled(subject.shape(), roles.stream().map(Value::value).toList());
        for (Wanted wanted : wanted(subject.shape())) {
            int there = filled.getOrDefault(wanted.role(), 0);
            if (there > wanted.count()) {
                Place place =
                        roles.stream()
                                .filter(role -> role.value().equals(wanted.role()))
                                .reduce((_, last) -> last)
                                .orElse(roles.getLast())
                                .place();
                findings.add(
                        Code.G7,
                        place,
                        "%d hosts for role %s, and %d are wanted"
                                .formatted(there, wanted.role(), wanted.count()),
                        "the installation waits for exactly the wanted number",
                        "remove a host, change its role, or raise the replicas of that pool");
            }
        }
    }

    private static void rendezvousWorker(CheckContext subject, Findings findings) {
        subject.agent()
                .ifPresent(agent ->
                        agent.hosts().stream()
                                .filter(host -> host.role().value().equals("worker"))
                                .filter(host -> hasAddress(host, agent.rendezvousIp()))
                                .forEach(host ->
                                        findings.add(
                                                Code.G8,
                                                host.role().place(),
                                                "the rendezvous address belongs to" + " a worker",
                                                "the rendezvous host becomes a"
                                                        + " control-plane node",
                                                "choose the address of a host of"
                                                        + " role master, or change"
                                                        + " this role")));
    }

    private static boolean hasAddress(AgentConfig.Host host, Value<String> wanted) {
        Optional<IpAddress> address = IpAddress.parse(wanted.value());
        return address.isPresent()
                && host.ipAddresses().stream()
                        .flatMap(ip -> IpAddress.parse(ip.value()).stream())
                        .anyMatch(address.get()::equals);
    }

    /** The host that bootstraps: masters and arbiters first, then those without a role. */
    static Optional<String> rendezvous(AgentConfig agent) {
        if (!agent.rendezvousIp().value().isEmpty()) {
            return Optional.of(agent.rendezvousIp().value());
        }
        for (List<String> roles : List.of(List.of("master", "arbiter"), List.of(""))) {
            for (AgentConfig.Host host : agent.hosts()) {
                if (roles.contains(host.role().value()) && !host.ipAddresses().isEmpty()) {
                    return Optional.of(host.ipAddresses().getFirst().value());
                }
            }
        }
        return Optional.empty();
    }

    private static void rendezvousNobody(CheckContext subject, Findings findings) {
        subject.agent()
                .filter(agent -> rendezvous(agent).isEmpty())
                .ifPresent(agent ->
                        findings.add(
                                Code.G9,
                                agent.rendezvousIp().place(),
                                "no host can be the rendezvous host",
                                "rendezvousIP is absent, and no host but workers has a"
                                        + " fixed address",
                                "add rendezvousIP, or a networkConfig with an address to"
                                        + " a host of role master"));
    }

    private static void bootMacMissing(CheckContext subject, Findings findings) {
        boolean hostsFromAgent = subject.agent().filter(a -> !a.hosts().isEmpty()).isPresent();
        if (subject.method() != InstallMethod.AGENT || hostsFromAgent) {
            return;
        }
        for (Host host : subject.config().platform().baremetal().hosts()) {
            if (host.bootMacAddress().value().isEmpty()) {
                findings.add(
                        Code.G11,
                        host.bootMacAddress().place(),
                        "the host has no bootMACAddress",
                        "an agent that starts on the machine knows itself by it",
                        "add the address of the card it boots from");
            }
        }
    }

    private static void assistedCount(CheckContext subject, Findings findings) {
        if (subject.method() != InstallMethod.ASSISTED) {
            return;
        }
        Value<Integer> replicas = subject.config().controlPlane().replicas();
        Release release = subject.release().orElse(Release.FENCING_BY_DEFAULT);
        int count = replicas.value();
        boolean single = count == 1;
        boolean ok;
        String range;
        if (release.before(new Release(4, 18))) {
            ok = count == 3 || single;
            range = "exactly 3";
        } else {
            int least = release.before(Release.ARBITER) ? 3 : 2;
            ok = (count >= least && count <= 5) || single;
            range = least + " to 5";
        }
        if (!ok && count > 0) {
            findings.add(
                    Code.S2,
                    replicas.place(),
                    "%d control-plane nodes".formatted(count),
                    "the assisted service of release %s installs %s, or a single one"
                            .formatted(release, range),
                    "choose a count within that range");
        }
    }

    private static void assistedArbiter(CheckContext subject, Findings findings) {
        if (subject.method() == InstallMethod.ASSISTED
                && subject.arbiterEnabled()
                && subject.platform().equals("external")) {
            findings.add(
                    Code.S3,
                    subject.config().arbiter().place(),
                    "assisted installation has no arbiter on platform external",
                    "the assisted service would refuse the host's role",
                    "use platform baremetal, or none from 4.22 on, or another method");
        }
    }

    private static void agentHostNames(CheckContext subject, Findings findings) {
        List<String> names =
                subject.agent().stream()
                        .flatMap(agent -> agent.hosts().stream())
                        .map(host -> host.hostname().value())
                        .filter(name -> !name.isEmpty())
                        .toList();
        if (names.isEmpty() || !subject.shape().isFencedPair()) {
            return;
        }
        for (Credential credential : subject.credentials()) {
            if (credential.hostName().is(name -> !name.isEmpty() && !names.contains(name))) {
                findings.add(
                        Code.S17,
                        credential.hostName().place(),
                        "hostName is not the hostname of any host in the agent configuration",
                        "names are compared letter by letter, and the credential would wait for a"
                                + " host that never reports",
                        "write it exactly as there, or use macAddress");
            }
        }
    }

    private static void detachedHosts(CheckContext subject, Findings findings) {
        Baremetal baremetal = subject.config().platform().baremetal();
        if (onBaremetal(subject) && subject.shape().isFencedPair() && baremetal.hostsGiven()) {
            findings.add(
                    Code.T9,
                    baremetal.hostsPlace(),
                    "the hosts of a fenced pair are detached once they are provisioned",
                    "two controllers of one power switch would undo each other's work: after the"
                            + " installation only fencing may switch these machines",
                    "no action needed");
        }
    }

    private static void hostNameOfHost(CheckContext subject, Findings findings) {
        List<Host> hosts = subject.config().platform().baremetal().hosts();
        if (!onBaremetal(subject) || hosts.isEmpty() || subject.credentials().size() != 2) {
            return;
        }
        for (Credential credential : subject.credentials()) {
            Value<String> name = credential.hostName();
            boolean matches =
                    hosts.stream().anyMatch(host -> sameNode(host.name().value(), name.value()));
            if (!name.value().isEmpty() && !matches) {
                findings.add(
                        Code.T10,
                        name.place(),
                        "hostName is not the name of any host under platform.baremetal.hosts",
                        "host and node usually bear one name, and the credential is found by it",
                        "check the spelling, or use macAddress");
            }
        }
    }

    private static boolean sameNode(String host, String node) {
        return host.equals(node) || node.startsWith(host + ".") || host.startsWith(node + ".");
    }

    private static void sharedHosts(CheckContext subject, Findings findings) {
        List<Host> hosts = subject.config().platform().baremetal().hosts();
        Duplicates.of(
                hosts.stream().map(Host::name).toList(),
                name -> Duplicates.unlessEmpty(name.value()),
                (name, earlier) -> shared(findings, "name", name, earlier));
        Duplicates.of(
                hosts.stream().map(Host::bootMacAddress).toList(),
                mac -> MacAddress.parse(mac.value()).map(MacAddress::hex),
                (mac, earlier) -> shared(findings, "bootMACAddress", mac, earlier));
        Duplicates.of(
                hosts.stream().map(Host::bmcAddress).toList(),
                address -> CheckContext.readable(address).map(BmcAddress::system),
                (address, earlier) -> shared(findings, "bmc.address", address, earlier));
    }

    private static void shared(
            Findings findings, String field, Value<String> value, Value<String> earlier) {
        findings.add(
                Code.T13,
                value.place(),
                "%s is the same as in line %d".formatted(field, earlier.place().line()),
                "two hosts would be one machine",
                "give each host its own");
    }

    private static void unusableHosts(CheckContext subject, Findings findings) {
        for (Host host : subject.config().platform().baremetal().hosts()) {
            boolean badName = !GeneralRules.isDnsName(host.name().value());
            boolean badCard =
                    host.bootMacAddress()
                            .is(mac -> !mac.isEmpty() && MacAddress.parse(mac).isEmpty());
            if (badName) {
                unusable(
                        findings,
                        host.name().given() ? host.name().place() : host.place(),
                        "the host has no usable name",
                        "use lower-case letters, digits, dashes and dots");
            }
            if (badCard) {
                unusable(
                        findings,
                        host.bootMacAddress().place(),
                        "bootMACAddress is not the address of a network card",
                        "write it like 52:54:00:12:34:56");
            }
            Value<String> address = host.bmcAddress();
            if (address.given()
                    && BmcAddress.readRedfish(address.value())
                            instanceof BmcAddress.Reading.Bad(BmcAddress.Fault fault)
                    && (fault == BmcAddress.Fault.NOT_A_URL
                            || fault == BmcAddress.Fault.CARRIES_CREDENTIALS)) {
                unusable(
                        findings,
                        address.place(),
                        "the host's BMC address cannot be used: " + fault.why(),
                        fault.remedy());
            }
        }
    }

    private static void unusable(Findings findings, Place place, String what, String remedy) {
        findings.add(Code.T14, place, what, "the host could not be provisioned", remedy);
    }

    private static void twoBmcs(CheckContext subject, Findings findings) {
        if (!subject.shape().isFencedPair() || subject.credentials().size() != 2) {
            return;
        }
        for (Credential credential : subject.credentials()) {
            for (Host host : subject.config().platform().baremetal().hosts()) {
                Optional<BmcAddress> fencing = CheckContext.readable(credential.address());
                Optional<BmcAddress> provisioning = CheckContext.readable(host.bmcAddress());
                boolean named =
                        !credential.hostName().value().isEmpty()
                                && sameNode(host.name().value(), credential.hostName().value());
                if (named
                        && fencing.isPresent()
                        && provisioning.isPresent()
                        && !fencing.get().sameSystemAs(provisioning.get())) {
                    findings.add(
                            Code.T15,
                            credential.address().place(),
                            "the node is provisioned through the BMC of line %d and fenced through"
                                            .formatted(host.bmcAddress().place().line())
                                    + " another",
                            "if the credentials are swapped, fencing switches off the wrong node",
                            "check both addresses; log in to them with: tandem install-config"
                                    + " validate FILE --check-bmcs");
                }
            }
        }
    }
}
