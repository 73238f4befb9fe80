package dev.tandem.install.config;

import dev.tandem.install.yaml.Place;
import dev.tandem.install.yaml.Value;
import java.util.List;

/** The second file of the agent-based installer, as far as its hosts concern the topology. */
public record AgentConfig(Value<String> rendezvousIp, Place hostsPlace, List<Host> hosts) {
    /** What findings about it call it, beside those about the install-config. */
    public static final String PLACE = "agentConfig";

    public AgentConfig {
        hosts = List.copyOf(hosts);
    }

    /** A machine; the addresses are those that its network configuration fixes. */
    public record Host(
            Place place,
            Value<String> hostname,
            Value<String> role,
            List<Value<String>> macAddresses,
            List<Value<String>> ipAddresses) {
        public Host {
            macAddresses = List.copyOf(macAddresses);
            ipAddresses = List.copyOf(ipAddresses);
        }
    }
}
