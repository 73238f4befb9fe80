package dev.tandem.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/** One address of a node. The rules are those of {@link dev.tandem.core.IpAddress}. */
public record NodeAddress(
        @JsonPropertyDescription("What the address is for.") @Required Type type,
        @JsonPropertyDescription("An IPv4 or IPv6 address in canonical form.")
                @Required
                // An IPv6 address with all its 32 digits and seven colons.
                @Size(min = 1, max = 39)
                @ValidationRule(
                        value = "isIP(self)",
                        message =
                                "not an IP address: give an IPv4 or IPv6 address, no name and no"
                                        + " port")
                @ValidationRule(
                        value = "!isIP(self) || ip.isCanonical(self)",
                        message =
                                "not the canonical form: write IPv4 without leading zeros and IPv6"
                                        + " in lower case and shortened, as in 2001:db8::1")
                @ValidationRule(
                        value = "!isIP(self) || ip(self).isGlobalUnicast()",
                        message =
                                "not an address the peer can reach: loopback, link-local, multicast"
                                        + " and unspecified addresses do not lead to a node")
                String address) {

    /** Only one kind so far. */
    public enum Type {
        @JsonProperty("InternalIP")
        INTERNAL_IP
    }
}
