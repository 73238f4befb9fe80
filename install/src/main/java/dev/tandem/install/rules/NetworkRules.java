package dev.tandem.install.rules;

import dev.tandem.core.IpAddress;
import dev.tandem.core.IpNetwork;
import dev.tandem.install.check.Code;
import dev.tandem.install.check.Findings;
import dev.tandem.install.config.InstallConfig.Baremetal;
import dev.tandem.install.config.InstallConfig.Networking;
import dev.tandem.install.yaml.Place;
import dev.tandem.install.yaml.Value;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Virtual addresses and networks. */
final class NetworkRules {
    static final List<Rule> ALL =
            List.of(
                    NetworkRules::vipsMissing,
                    NetworkRules::vipsUnusable,
                    NetworkRules::vipsOutside,
                    NetworkRules::vipsEqual,
                    NetworkRules::vipsTooMany,
                    NetworkRules::networksMalformed,
                    NetworkRules::networksOverlap,
                    NetworkRules::oldSpelling);

    private NetworkRules() {}

    private static boolean onBaremetal(CheckContext subject) {
        return subject.platform().equals("baremetal");
    }

    private static List<Value<String>> vips(CheckContext subject) {
        Baremetal baremetal = subject.config().platform().baremetal();
        List<Value<String>> all = new ArrayList<>(baremetal.apiVips());
        all.addAll(baremetal.ingressVips());
        return all;
    }

    private static void vipsMissing(CheckContext subject, Findings findings) {
        Baremetal baremetal = subject.config().platform().baremetal();
        if (!onBaremetal(subject)) {
            return;
        }
        if (baremetal.apiVips().isEmpty()) {
            missing(findings, baremetal.apiVipsPlace(), "apiVIPs");
        }
        if (baremetal.ingressVips().isEmpty()) {
            missing(findings, baremetal.ingressVipsPlace(), "ingressVIPs");
        }
    }

    private static void missing(Findings findings, Place place, String name) {
        findings.add(
                Code.N1,
                place,
                name + " is missing",
                "the address that follows the serving node would not exist",
                "add a free address of the machine network");
    }

    private static void vipsUnusable(CheckContext subject, Findings findings) {
        for (Value<String> vip : vips(subject)) {
            boolean usable =
                    IpAddress.parse(vip.value()).filter(IpAddress::isGlobalUnicast).isPresent();
            if (!usable && !vip.value().startsWith("<")) {
                findings.add(
                        Code.N2,
                        vip.place(),
                        "this is not an IP address that clients could reach",
                        "the API and ingress are served on it",
                        "write an address such as 192.0.2.5: no name, no prefix, no loopback or"
                                + " link-local address");
            }
        }
    }

    private static void vipsOutside(CheckContext subject, Findings findings) {
        List<IpNetwork> machine =
                subject.config().networking().machine().stream()
                        .flatMap(network -> IpNetwork.parse(network.value()).stream())
                        .toList();
        if (machine.isEmpty()) {
            return;
        }
        for (Value<String> vip : vips(subject)) {
            Optional<IpAddress> address = IpAddress.parse(vip.value());
            if (address.isPresent()
                    && machine.stream().noneMatch(network -> network.contains(address.get()))) {
                findings.add(
                        Code.N3,
                        vip.place(),
                        "the virtual address is outside networking.machineNetwork",
                        "the nodes could not answer for it",
                        "choose an address within the machine network, or correct the network");
            }
        }
    }

    private static void vipsEqual(CheckContext subject, Findings findings) {
        Baremetal baremetal = subject.config().platform().baremetal();
        for (Value<String> ingress : baremetal.ingressVips()) {
            for (Value<String> api : baremetal.apiVips()) {
                Optional<IpAddress> address = IpAddress.parse(ingress.value());
                if (address.isPresent() && address.equals(IpAddress.parse(api.value()))) {
                    findings.add(
                            Code.N4,
                            ingress.place(),
                            "API and ingress have the same virtual address (line %d)"
                                    .formatted(api.place().line()),
                            "each moves on its own, so one would take the other's traffic away",
                            "use two addresses");
                }
            }
        }
    }

    private static void vipsTooMany(CheckContext subject, Findings findings) {
        Baremetal baremetal = subject.config().platform().baremetal();
        families(findings, baremetal.apiVips(), baremetal.apiVipsPlace());
        families(findings, baremetal.ingressVips(), baremetal.ingressVipsPlace());
    }

    private static void families(Findings findings, List<Value<String>> vips, Place place) {
        long six = vips.stream().filter(vip -> vip.value().contains(":")).count();
        long four = vips.size() - six;
        if (six > 1 || four > 1) {
            findings.add(
                    Code.N5,
                    place,
                    "%d virtual addresses, %d of IPv4 and %d of IPv6"
                            .formatted(vips.size(), four, six),
                    "one address per family is served",
                    "keep one of each family");
        }
    }

    private static List<Value<String>> networks(CheckContext subject) {
        Networking networking = subject.config().networking();
        List<Value<String>> all = new ArrayList<>(networking.machine());
        all.addAll(networking.cluster());
        all.addAll(networking.service());
        return all;
    }

    private static void networksMalformed(CheckContext subject, Findings findings) {
        for (Value<String> network : networks(subject)) {
            if (IpNetwork.parse(network.value()).isEmpty()) {
                findings.add(
                        Code.N6,
                        network.place(),
                        "this is not a network in CIDR notation",
                        "addresses are taken from it",
                        "write it like 192.0.2.0/24");
            }
        }
    }

    /** A network with its place. */
    private record Placed(IpNetwork network, Place place) {}

    private static void networksOverlap(CheckContext subject, Findings findings) {
        List<Placed> sorted =
                networks(subject).stream()
                        .flatMap(text ->
                                IpNetwork.parse(text.value()).stream()
                                        .map(network -> new Placed(network, text.place())))
                        .sorted(Comparator.comparing(Placed::network, IpNetwork.BY_FIRST_ADDRESS))
                        .toList();
        Optional<Placed> widest = Optional.empty();
        for (Placed next : sorted) {
            if (widest.isPresent() && widest.get().network().overlaps(next.network())) {
                findings.add(
                        Code.N7,
                        next.place(),
                        "this network overlaps the one of line " + widest.get().place().line(),
                        "some addresses would belong to two things",
                        "choose networks that do not share addresses");
            } else {
                widest = Optional.of(next);
            }
        }
    }

    private static void oldSpelling(CheckContext subject, Findings findings) {
        for (Place place : subject.config().platform().baremetal().oldSpellings()) {
            findings.add(
                    Code.N8,
                    place,
                    "this is the old way to give a virtual address",
                    "the installer reads it for now",
                    "use the plural with a list");
        }
    }
}
