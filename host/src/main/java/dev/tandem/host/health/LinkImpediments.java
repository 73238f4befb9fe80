package dev.tandem.host.health;

import dev.tandem.core.IpAddress;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.host.pacemaker.cib.CibPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a node has lost of its links. The pair still recovers; a second failure may separate it. */
public final class LinkImpediments {
    private LinkImpediments() {}

    public static Impediments of(LinkWatch.Seen seen, String self) {
        List<Impediment> warnings = new ArrayList<>();
        if (!seen.down().isEmpty()) {
            warnings.add(
                    warning(
                            Cause.LINK_DOWN,
                            self,
                            "a link of %s is down: no connected interface has the address %s"
                                    .formatted(self, list(seen.down(), " or ")),
                            "check cable, switch port and interface; to see which links work:"
                                    + " corosync-cfgtool -s"));
        }
        if (!seen.lost().isEmpty()) {
            warnings.add(
                    warning(
                            Cause.LINK_LOST,
                            self,
                            "%s does not reach its peer over %s: Corosync hears nothing there, and goes on over the other links"
                                    .formatted(
                                            self,
                                            seen.lost().stream()
                                                    .map(link ->
                                                            "the link from %s to %s"
                                                                    .formatted(
                                                                            link.own(),
                                                                            link.peers()))
                                                    .collect(Collectors.joining(" and "))),
                            "check what lies between the two (switch, VLAN, firewall), and the"
                                    + " interface of the peer; to see which links work:"
                                    + " corosync-cfgtool -s"));
        }
        if (!seen.withoutEtcd().isEmpty()) {
            warnings.add(
                    warning(
                            Cause.ETCD_NOT_ON_ALL_LINKS,
                            self,
                            "etcd on %s does not listen on %s: its peer cannot reach it over that link"
                                    .formatted(self, list(seen.withoutEtcd(), " and ")),
                            "restart etcd on %1$s while both nodes serve: pcs resource restart %2$s %1$s"
                                    .formatted(self, CibPlan.ETCD_CLONE)));
        }
        return new Impediments(List.of(), warnings);
    }

    private static String list(List<IpAddress> addresses, String last) {
        return addresses.stream().map(IpAddress::toString).collect(Collectors.joining(last));
    }

    private static Impediment warning(Cause cause, String node, String sentence, String remedy) {
        return new Impediment(cause, node, Optional.empty(), sentence, remedy, Optional.empty());
    }
}
