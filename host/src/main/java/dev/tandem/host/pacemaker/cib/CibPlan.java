package dev.tandem.host.pacemaker.cib;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.BmcName;
import dev.tandem.host.NodePaths;
import dev.tandem.host.pacemaker.cib.CibObject.Agent;
import dev.tandem.host.pacemaker.cib.CibObject.Alert;
import dev.tandem.host.pacemaker.cib.CibObject.AttributeLocation;
import dev.tandem.host.pacemaker.cib.CibObject.Clone;
import dev.tandem.host.pacemaker.cib.CibObject.Colocation;
import dev.tandem.host.pacemaker.cib.CibObject.FencingLevel;
import dev.tandem.host.pacemaker.cib.CibObject.Location;
import dev.tandem.host.pacemaker.cib.CibObject.Operation;
import dev.tandem.host.pacemaker.cib.CibObject.Order;
import dev.tandem.host.pacemaker.cib.CibObject.Primitive;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.FurtherLevel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What Tandem wants in Pacemaker's configuration: its properties and its objects, and nothing about
 * anything else.
 */
public record CibPlan(Map<String, String> properties, List<CibObject> objects) {
    /** How long the second level may take to switch a node off and on. */
    public static final Duration LEVEL_TWO_LIMIT = Duration.ofMinutes(2);

    /** The question to tandem-agent, the starts of the stock agent, and the second reading. */
    private static final Duration AROUND_LEVEL_TWO = Duration.ofSeconds(40);

    public static final String ETCD = "etcd";
    public static final String ETCD_CLONE = "etcd-clone";
    public static final String KUBELET = "kubelet";
    public static final String KUBELET_CLONE = "kubelet-clone";

    /** The address of the API, on the node that serves it. */
    public static final String API_ADDRESS = "tandem-api-address";

    /**
     * The attribute by which the agent of a node says whether its API server writes: {@link #CAN}
     * or {@link #CANNOT}. A node that has not spoken since it joined has none.
     */
    public static final String CAN_WRITE = "tandem-can-write";

    public static final String CAN = "1";
    public static final String CANNOT = "0";

    private static final int STICKINESS = 1000;

    /**
     * For the API's address on a node that can write: more than the stickiness, so that the address
     * leaves a node that cannot write for one that can.
     */
    public static final int WRITES_SCORE = 2 * STICKINESS;

    private static final String OWN_PREFIX = "tandem-";
    private static final String OVER_REDFISH = "redfish-";
    private static final String OVER_IPMI = "ipmilan-";
    private static final String FURTHER_SHIM = "fence_tandem_further";
    private static final Set<String> OWN_RESOURCES =
            Set.of(ETCD, ETCD_CLONE, KUBELET, KUBELET_CLONE);

    /** Where the shims of the package lie. */
    private static final String ALERT_AGENT = "/usr/share/tandem/alert";

    private static final String PASSWORD_SCRIPT = "/usr/share/tandem/bmc-password";

    public CibPlan {
        properties = Collections.unmodifiableMap(new TreeMap<>(properties));
        objects = List.copyOf(objects);
    }

    /** Whether an id is one that Tandem gives: such an object goes when it is no longer wanted. */
    public static boolean owns(String id) {
        return id.startsWith(OWN_PREFIX) || OWN_RESOURCES.contains(id);
    }

    /** The fence device of the first level: through tandem-agent. */
    public static String deviceOf(String node) {
        return OWN_PREFIX + "fence-" + node;
    }

    /**
     * The fence device of the second level: the stock agent, in a shim that leaves a record of what
     * it did, for when tandem-agent is down.
     */
    public static String stockDeviceOf(String node, BmcAddress bmc) {
        return OWN_PREFIX + (bmc.isIpmi() ? OVER_IPMI : OVER_REDFISH) + node;
    }

    /** All that it may be called, while it is not known what the BMC of the node speaks. */
    public static List<String> stockDevicesOf(String node) {
        return List.of(OWN_PREFIX + OVER_REDFISH + node, OWN_PREFIX + OVER_IPMI + node);
    }

    private static String stockDeviceOf(ClusterPlan.Node node) {
        return stockDeviceOf(node.name(), node.bmc().address());
    }

    /**
     * By what a node is fenced after tandem-agent itself, in turn. IPMI goes before the stock agent
     * for Redfish: it still works where Redfish does not, and that has just failed.
     */
    public static List<ClusterPlan.Node> stockLevels(ClusterPlan.Node node) {
        return Stream.concat(
                        node.bySecond().stream(),
                        Stream.of(node).filter(one -> one.bmc().hasStockAgent()))
                .toList();
    }

    /** What runs where such a BMC is asked: the shim, and the stock agent in it. */
    public static List<String> programsOf(BmcAddress bmc) {
        return bmc.isIpmi()
                ? List.of("fence_tandem_ipmilan", "fence_ipmilan")
                : List.of("fence_tandem_redfish", "fence_redfish");
    }

    /** What runs a further level: the shim, and in it the agent of the plan. */
    public static List<String> programsOf(FurtherLevel level) {
        return List.of(FURTHER_SHIM, level.agent());
    }

    /** The fence device of a further level, by its number among them, from 1 on. */
    public static String furtherDeviceOf(String node, int number) {
        return "%sfurther%d-%s".formatted(OWN_PREFIX, number, node);
    }

    /** Those of as many further levels. */
    public static List<String> furtherDevicesOf(String node, int levels) {
        return IntStream.rangeClosed(1, levels)
                .mapToObj(number -> furtherDeviceOf(node, number))
                .toList();
    }

    /** The devices of a node that the plan wants, in the order of their levels. */
    public static List<String> devicesOf(ClusterPlan.Node node) {
        return Stream.of(
                        List.of(deviceOf(node.name())),
                        stockLevels(node).stream().map(CibPlan::stockDeviceOf).toList(),
                        furtherDevicesOf(node.name(), node.bmc().further().size()))
                .flatMap(List::stream)
                .toList();
    }

    public static CibPlan of(ClusterPlan wanted) {
        // Fence devices read files where they lie on a node.
        ClusterPlan plan = wanted.installed(NodePaths.CONFIGURATION);
        List<CibObject> objects = new ArrayList<>();
        if (plan.kubelet()) {
            objects.add(kubelet());
        }
        objects.add(etcd());
        if (plan.kubelet()) {
            // Optional: the order counts when both start or stop together. A kubelet that is merely
            // restarted must not take etcd down with it.
            objects.add(
                    new Order("tandem-kubelet-then-etcd", KUBELET_CLONE, ETCD_CLONE, "Optional"));
            objects.add(
                    new Colocation(
                            "tandem-etcd-with-kubelet", ETCD_CLONE, KUBELET_CLONE, "INFINITY"));
        }
        plan.api().ifPresent(api -> objects.addAll(apiAddress(api)));
        for (ClusterPlan.Node node : plan.nodes()) {
            boolean preferred = node.equals(plan.preferred());
            objects.add(device(plan, node, preferred));
            for (ClusterPlan.Node level : stockLevels(node)) {
                objects.add(stockDevice(plan, level, preferred));
            }
            for (int i = 0; i < node.bmc().further().size(); i++) {
                objects.add(
                        furtherDevice(plan, node, node.bmc().further().get(i), i + 1, preferred));
            }
            List<String> devices = devicesOf(node);
            for (int i = 0; i < devices.size(); i++) {
                // A device is watched and used from the other node. By its own device a node would
                // switch itself off and nobody would switch it on.
                objects.add(elsewhere(devices.get(i), node.name()));
                objects.add(level(node.name(), i + 1, devices.get(i)));
            }
        }
        objects.add(
                new Alert(
                        "tandem-alert",
                        ALERT_AGENT,
                        Map.of("timeout", "5s"),
                        List.of("fencing", "nodes")));
        return new CibPlan(properties(plan.timing()), objects);
    }

    private static Map<String, String> properties(ClusterPlan.Timing timing) {
        Map<String, String> properties = new TreeMap<>();
        properties.put("stonith-enabled", "true");
        // A partition that may not act stops what it has. A lone node after a cold start is such a
        // one (wait_for_all), and it never fences.
        properties.put("no-quorum-policy", "stop");
        // No failure is final: a failed start is tried again on the same node, and there is no
        // other one to go to.
        properties.put("start-failure-is-fatal", "false");
        // How long a starting node waits for others to answer. 20 s, the default, is most of a cold
        // start; a node whose peer is slower joins it a moment later.
        properties.put("dc-deadtime", timing.dcDeadtime().toSeconds() + "s");
        // For an action on a device without a time of its own.
        properties.put("stonith-timeout", "120s");
        // A node that learns it was fenced and is alive has a BMC that lied, or a person who erred:
        // it must not write one more byte.
        properties.put("fence-reaction", "panic");
        // After ten failures in a row the fencer is only asked again by a new transition; this
        // is the beat of retrying until the BMC is repaired. Also forgets old failures in time.
        properties.put("cluster-recheck-interval", "60s");
        return properties;
    }

    private static Clone etcd() {
        return new Clone(
                ETCD_CLONE,
                // Interleave: else an instance would wait for, and restart with, its peer's.
                Map.of("interleave", "true", "notify", "true"),
                new Primitive(
                        ETCD,
                        Agent.ocf("tandem", "etcd"),
                        Map.of(),
                        Map.of("failure-timeout", "15min"),
                        List.of(
                                // Short: while a start is under way no new transition begins, and
                                // so
                                // no fencing either. Longer work goes on after it in tandem-agent.
                                new Operation("start", "0s", Map.of("timeout", "60s")),
                                new Operation(
                                        "stop", "0s", Map.of("timeout", "90s", "on-fail", "fence")),
                                new Operation("notify", "0s", Map.of("timeout", "20s")),
                                new Operation("monitor", "10s", Map.of("timeout", "20s")))));
    }

    private static Clone kubelet() {
        return new Clone(
                KUBELET_CLONE,
                Map.of("interleave", "true"),
                new Primitive(
                        KUBELET,
                        Agent.systemd("kubelet"),
                        Map.of(),
                        Map.of("failure-timeout", "15min"),
                        List.of(
                                new Operation("start", "0s", Map.of("timeout", "100s")),
                                new Operation(
                                        "stop",
                                        "0s",
                                        Map.of("timeout", "100s", "on-fail", "fence")),
                                new Operation("monitor", "10s", Map.of("timeout", "20s")))));
    }

    /**
     * The address of the API. As any resource it leaves a silent node only when that is fenced: two
     * nodes with one address would answer in turn, one of them with what was true once.
     */
    private static List<CibObject> apiAddress(ClusterPlan.Api api) {
        Map<String, String> parameters = new TreeMap<>();
        parameters.put("ip", api.address().toString());
        api.prefix().ifPresent(bits -> parameters.put("cidr_netmask", String.valueOf(bits)));
        api.networkInterface().ifPresent(name -> parameters.put("nic", name));
        if (api.address().isV6()) {
            // The fence has made sure that nobody else has it; looking for one takes a second.
            parameters.put("nodad", "true");
        }
        return List.of(
                new Primitive(
                        API_ADDRESS,
                        Agent.ocf("heartbeat", "IPaddr2"),
                        parameters,
                        // A peer that comes back is no reason to cut everybody's connections.
                        Map.of(
                                "failure-timeout",
                                "15min",
                                "resource-stickiness",
                                String.valueOf(STICKINESS)),
                        List.of(
                                new Operation("start", "0s", Map.of("timeout", "20s")),
                                new Operation(
                                        "stop", "0s", Map.of("timeout", "20s", "on-fail", "fence")),
                                new Operation("monitor", "10s", Map.of("timeout", "20s")))),
                // Optional: the API server runs on without kubelet, and a kubelet that is merely
                // restarted must not take the address down with it.
                new Order("tandem-kubelet-then-api", KUBELET_CLONE, API_ADDRESS, "Optional"),
                new Order("tandem-etcd-then-api", ETCD_CLONE, API_ADDRESS, "Mandatory"),
                new Colocation("tandem-api-with-kubelet", API_ADDRESS, KUBELET_CLONE, "INFINITY"),
                new Colocation("tandem-api-with-etcd", API_ADDRESS, ETCD_CLONE, "INFINITY"),
                // Never less than nothing: Pacemaker runs no resource where its score is negative,
                // so when no node can write the address would be stopped, and a take-over after a
                // fence would wait for the agent.
                new AttributeLocation(
                        "tandem-api-where-written",
                        API_ADDRESS,
                        CAN_WRITE,
                        CAN,
                        String.valueOf(WRITES_SCORE)));
    }

    /**
     * The device that fences {@code node}. The fence of the preferred node is the late one, so that
     * it survives a split.
     */
    private static Primitive device(ClusterPlan plan, ClusterPlan.Node node, boolean preferred) {
        Map<String, String> parameters = new TreeMap<>();
        parameters.put("pcmk_host_list", node.name());
        parameters.put("pcmk_host_check", "static-list");
        // Pacemaker names the node only when it fences; monitoring shall ask this BMC too, no
        // other.
        parameters.put("plug", node.name());
        // It fails for good reason only; the second level is the second attempt.
        parameters.put("pcmk_reboot_retries", "1");
        parameters.put("pcmk_off_retries", "1");
        FenceLimits limits = FenceLimits.of(plan, preferred);
        parameters.put("power_timeout", String.valueOf(limits.power().toSeconds()));
        parameters.put("limit", String.valueOf(limits.shim().toSeconds()));
        parameters.put("pcmk_reboot_timeout", limits.pacemaker().toSeconds() + "s");
        parameters.put("pcmk_off_timeout", limits.pacemaker().toSeconds() + "s");
        // tandem-agent waits that long only when both nodes may be alive.
        parameters.put(
                "split_delay", String.valueOf(preferred ? plan.splitDelay().toSeconds() : 0));
        return new Primitive(
                deviceOf(node.name()),
                Agent.stonith("fence_tandem"),
                parameters,
                Map.of("failure-timeout", "15min"),
                watched("30s"));
    }

    /** How the device of the second level reaches a node's BMC, apart from the password. */
    public static Map<String, String> stockParametersOfTheBmc(ClusterPlan.Node node) {
        return reaching(node.bmc());
    }

    private static Map<String, String> reaching(ClusterPlan.Bmc bmc) {
        BmcAddress address = bmc.address();
        Map<String, String> parameters = new TreeMap<>();
        parameters.put("ipport", String.valueOf(address.port()));
        parameters.put("username", bmc.username());
        if (address.cipherSuite().isPresent()) {
            // It is an argument of ipmitool there, which knows no brackets.
            parameters.put("ip", address.host());
            parameters.put("cipher", String.valueOf(address.cipherSuite().get().id()));
        } else {
            parameters.put("ip", address.bracketedHost());
            parameters.put("systems_uri", address.systemPath());
        }
        return parameters;
    }

    /**
     * How long the shim of the second level waits on a node whose links and agent are down: twice
     * what the other's second level waits, which it reckons as the power's limit and 5 s. It asks
     * for the power before, for 10 s at most.
     */
    private static Duration isolatedAtLevelTwo(Duration power) {
        return power.plusSeconds(10).multipliedBy(2);
    }

    /** By what the stock agent believes a BMC; {@code fence-redfish} sees to the certificate. */
    private static Map<String, String> believing(ClusterPlan.Verification verification) {
        return switch (verification) {
            case ClusterPlan.Verification.SystemTrust() -> Map.of("certificate", "system");
            case ClusterPlan.Verification.Authorities(Path file) ->
                    Map.of("certificate", file.toString());
            case ClusterPlan.Verification.Pinned(String sha256) ->
                    Map.of("certificate", "sha256:" + sha256);
            case ClusterPlan.Verification.None() -> Map.of("certificate", "unverified");
            // Without lanplus it would speak IPMI 1.5, which encrypts nothing. The level is the
            // least that switches power; the agent's default is an administrator's.
            case ClusterPlan.Verification.SharedPassword() ->
                    Map.of("lanplus", "1", "privlvl", "operator");
        };
    }

    /** What the password of a BMC is called on a node. */
    private static String ownerOf(ClusterPlan plan, ClusterPlan.Node node) {
        return plan.nodesBySecond().contains(node) ? node.name() + BmcName.SECOND : node.name();
    }

    private static Primitive stockDevice(
            ClusterPlan plan, ClusterPlan.Node node, boolean preferred) {
        ClusterPlan.Bmc bmc = node.bmc();
        Map<String, String> parameters = new TreeMap<>(reaching(bmc));
        parameters.put("password_script", PASSWORD_SCRIPT + " " + ownerOf(plan, node));
        parameters.putAll(believing(bmc.verification()));
        parameters.putAll(aroundStock(plan, node, preferred));
        return withoutAgent(stockDeviceOf(node), programsOf(bmc.address()).getFirst(), parameters);
    }

    /** What is no BMC; only the agent itself knows what its parameters mean. */
    private static Primitive furtherDevice(
            ClusterPlan plan,
            ClusterPlan.Node node,
            FurtherLevel level,
            int number,
            boolean preferred) {
        String name = BmcName.further(node.name(), number);
        Map<String, String> parameters = new TreeMap<>(level.parameters());
        parameters.put("tandem_agent", level.agent());
        parameters.put("tandem_level", name);
        level.statement().ifPresent(statement -> parameters.put("tandem_stated", statement));
        level.passwordFile()
                .ifPresent(_ -> parameters.put("password_script", PASSWORD_SCRIPT + " " + name));
        parameters.putAll(aroundStock(plan, node, preferred));
        return withoutAgent(furtherDeviceOf(node.name(), number), FURTHER_SHIM, parameters);
    }

    /** How Pacemaker uses a level that does without tandem-agent. */
    private static Map<String, String> aroundStock(
            ClusterPlan plan, ClusterPlan.Node node, boolean preferred) {
        Map<String, String> parameters = new TreeMap<>();
        parameters.put("pcmk_host_list", node.name());
        parameters.put("pcmk_host_check", "static-list");
        // A second try at once would log in with the same password, and BMCs lock accounts.
        parameters.put("pcmk_reboot_retries", "1");
        parameters.put("pcmk_off_retries", "1");
        Duration power = plan.powerLimit();
        Duration waits = isolatedAtLevelTwo(power);
        parameters.put("pcmk_reboot_timeout", LEVEL_TWO_LIMIT.plus(waits).toSeconds() + "s");
        parameters.put("power_timeout", String.valueOf(power.toSeconds()));
        parameters.put(
                "pcmk_off_timeout", power.plus(AROUND_LEVEL_TWO).plus(waits).toSeconds() + "s");
        if (preferred) {
            // On this level nobody can tell a split from a crash, nor whether the other node fences
            // by this level too. As a map of the one node: the
            // fencer of Pacemaker 3.0.0 heeds a plain value too, and calls it a broken map in the
            // log, several times in each fencing.
            parameters.put(
                    "pcmk_delay_base",
                    "%s:%ds".formatted(node.name(), plan.levelTwoSplitDelay().toSeconds()));
        }
        return parameters;
    }

    private static Primitive withoutAgent(
            String device, String shim, Map<String, String> parameters) {
        return new Primitive(
                device,
                Agent.stonith(shim),
                parameters,
                Map.of("failure-timeout", "15min"),
                // Each look costs a second of Python; tandem-agent checks the BMC far more often.
                watched("300s"));
    }

    /**
     * A failure of watching is told and otherwise ignored. Recovering a fence device would mean to
     * start it over and over while its BMC is silent, a new transition each time; banning it would
     * take it from the fencer when it is needed.
     */
    private static List<Operation> watched(String interval) {
        return List.of(
                new Operation("start", "0s", Map.of("timeout", "60s", "on-fail", "ignore")),
                new Operation("monitor", interval, Map.of("timeout", "60s", "on-fail", "ignore")));
    }

    private static Location elsewhere(String device, String node) {
        return new Location(device + "-elsewhere", device, node, "-INFINITY");
    }

    private static FencingLevel level(String node, int index, String device) {
        return new FencingLevel(
                OWN_PREFIX + "level-" + node + "-" + index, node, index, List.of(device));
    }
}
