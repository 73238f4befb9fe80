package dev.tandem.install.config;

import dev.tandem.host.yaml.YamlNode;
import dev.tandem.install.config.InstallConfig.Baremetal;
import dev.tandem.install.config.InstallConfig.Credential;
import dev.tandem.install.config.InstallConfig.Extras;
import dev.tandem.install.config.InstallConfig.Features;
import dev.tandem.install.config.InstallConfig.Fencing;
import dev.tandem.install.config.InstallConfig.Host;
import dev.tandem.install.config.InstallConfig.Networking;
import dev.tandem.install.config.InstallConfig.Platform;
import dev.tandem.install.config.InstallConfig.Pool;
import dev.tandem.install.yaml.Place;
import dev.tandem.install.yaml.Value;
import dev.tandem.install.yaml.YamlView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes values of a file; never fails, because the rules want to see bad files too. */
public final class Decoder {
    private Decoder() {}

    public static InstallConfig installConfig(YamlNode.Mapping root) {
        YamlView file = YamlView.of(root, Place.FILE);
        boolean oldArbiter = file.at("arbiterNode").given();
        boolean newArbiter = file.at("arbiter").given();
        YamlView arbiter = oldArbiter && !newArbiter ? file.at("arbiterNode") : file.at("arbiter");
        List<Pool> compute = new ArrayList<>();
        YamlView computeView = file.at("compute");
        computeView.items().forEach(view -> compute.add(pool(view, InstallConfig.DEFAULT_WORKERS)));
        if (!computeView.given()) {
            compute.add(pool(computeView, InstallConfig.DEFAULT_WORKERS));
        }
        YamlView capabilities = file.at("capabilities");
        return new InstallConfig(
                file.at("apiVersion").text(),
                file.at("baseDomain").text(),
                file.at("metadata").at("name").text(),
                pool(file.at("controlPlane"), InstallConfig.DEFAULT_CONTROL_PLANES),
                pool(arbiter, 0),
                compute,
                platform(file.at("platform")),
                networking(file.at("networking")),
                new Features(
                        file.at("featureSet").text(),
                        file.at("featureGates").place(),
                        file.at("featureGates").texts()),
                new Extras(
                        file.at("fips").flag(),
                        file.at("sshKey").text(),
                        file.at("cpuPartitioningMode").text("None"),
                        capabilities.at("baselineCapabilitySet").text(),
                        capabilities.at("additionalEnabledCapabilities").texts(),
                        oldArbiter,
                        oldArbiter && newArbiter,
                        file.at("arbiterNode").place(),
                        root));
    }

    private static Pool pool(YamlView view, int defaultReplicas) {
        YamlView disks = view.at("diskSetup");
        Optional<Place> etcdDisk =
                disks.items().stream()
                        .filter(disk -> disk.at("type").text().value().equals("etcd"))
                        .map(YamlView::place)
                        .findFirst();
        return new Pool(
                view.place(),
                view.given(),
                view.at("name").text(),
                view.at("replicas").whole(defaultReplicas),
                view.at("architecture").text(),
                view.at("hyperthreading").text("Enabled"),
                kinds(view.at("platform")),
                fencing(view.at("fencing")),
                etcdDisk);
    }

    private static List<Value<String>> kinds(YamlView view) {
        List<Value<String>> kinds = new ArrayList<>();
        view.keys().forEach(key -> kinds.add(new Value<>(key, view.at(key).place(), true)));
        return kinds;
    }

    private static Fencing fencing(YamlView view) {
        return new Fencing(
                view.at("credentials").present() ? view.at("credentials").place() : view.place(),
                view.given(),
                view.at("credentials").items().stream().map(Decoder::credential).toList());
    }

    private static Credential credential(YamlView view) {
        return new Credential(
                view.place(),
                view.at("hostName").text(),
                view.at("macAddress").text(),
                view.at("address").text(),
                view.at("username").text(),
                view.at("password").secret(),
                view.at("certificateVerification").text());
    }

    private static Platform platform(YamlView view) {
        List<Value<String>> kinds =
                kinds(view).stream()
                        .map(kind -> new Value<>(canonical(kind.value()), kind.place(), true))
                        .toList();
        return new Platform(view.place(), view.given(), kinds, baremetal(view.at("baremetal")));
    }

    /** Keys are read whatever their capitals, so the kind is too. */
    private static String canonical(String kind) {
        return List.of("none", "baremetal", "external").stream()
                .filter(known -> known.equalsIgnoreCase(kind))
                .findFirst()
                .orElse(kind);
    }

    private static Baremetal baremetal(YamlView view) {
        List<Place> old = new ArrayList<>();
        List<Value<String>> api = vips(view, "apiVIPs", "apiVIP", old);
        List<Value<String>> ingress = vips(view, "ingressVIPs", "ingressVIP", old);
        YamlView hosts = view.at("hosts");
        return new Baremetal(
                view.place(),
                api,
                ingress,
                view.at("apiVIPs").place(),
                view.at("ingressVIPs").place(),
                old,
                hosts.given(),
                hosts.place(),
                hosts.items().stream().map(Decoder::host).toList());
    }

    private static List<Value<String>> vips(
            YamlView view, String name, String oldName, List<Place> oldSpellings) {
        YamlView single = view.at(oldName);
        if (!single.given()) {
            return view.at(name).texts();
        }
        oldSpellings.add(single.place());
        List<Value<String>> listed = view.at(name).texts();
        return listed.isEmpty() ? List.of(single.text()) : listed;
    }

    private static Host host(YamlView view) {
        YamlView bmc = view.at("bmc");
        return new Host(
                view.place(),
                view.at("name").text(),
                view.at("role").text(),
                bmc.at("address").text(),
                bmc.at("username").text(),
                bmc.at("password").secret(),
                bmc.at("disableCertificateVerification").flag(),
                view.at("bootMACAddress").text(),
                view.at("bootMode").text(),
                view.at("rootDeviceHints"),
                view.at("networkConfig"));
    }

    private static Networking networking(YamlView view) {
        List<Value<String>> machine = cidrs(view.at("machineNetwork"));
        Value<String> oldMachine = view.at("machineCIDR").text();
        return new Networking(
                machine.isEmpty() && oldMachine.given() ? List.of(oldMachine) : machine,
                cidrs(view.at("clusterNetwork")),
                view.at("serviceNetwork").texts());
    }

    private static List<Value<String>> cidrs(YamlView view) {
        return view.items().stream()
                .map(item -> item.at("cidr").text())
                .filter(Value::given)
                .toList();
    }

    public static AgentConfig agentConfig(YamlNode.Mapping root) {
        YamlView file = YamlView.of(root, Place.FILE.child(AgentConfig.PLACE));
        return new AgentConfig(
                file.at("rendezvousIP").text(),
                file.at("hosts").place(),
                file.at("hosts").items().stream().map(Decoder::agentHost).toList());
    }

    private static AgentConfig.Host agentHost(YamlView view) {
        List<Value<String>> addresses = new ArrayList<>();
        for (YamlView card : view.at("networkConfig").at("interfaces").items()) {
            for (String family : List.of("ipv4", "ipv6")) {
                card.at(family).at("address").items().stream()
                        .map(address -> address.at("ip").text())
                        .filter(Value::given)
                        .forEach(addresses::add);
            }
        }
        return new AgentConfig.Host(
                view.place(),
                view.at("hostname").text(),
                view.at("role").text(),
                view.at("interfaces").items().stream()
                        .map(card -> card.at("macAddress").text())
                        .filter(Value::given)
                        .toList(),
                addresses);
    }
}
