package dev.tandem.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;

/**
 * One node as Pacemaker sees it.
 *
 * @param addresses Corosync's links; the first one is also where etcd's peer listens
 * @param conditions see {@link NodeCondition}; all of them
 * @param fencingAgents those that can switch <em>this</em> node off, wherever they run. An empty
 *     list is sent too: that nobody can fence a node is the news
 */
public record PacemakerNode(
        @JsonPropertyDescription("Name of the node, as in the Kubernetes API.")
                @Required
                @Size(min = 1, max = 253)
                @ValidationRule(
                        value = "!format.dns1123Subdomain().validate(self).hasValue()",
                        message =
                                "a node name is a lower-case RFC 1123 subdomain: letters a to z,"
                                        + " digits, - and ., and a letter or digit at both ends")
                String nodeName,
        @JsonPropertyDescription(
                        "Addresses of the node in Corosync; etcd's peer URL uses the first one.")
                @Required
                @Size(min = 1, max = 8)
                List<NodeAddress> addresses,
        @JsonPropertyDescription("The state of this node.")
                @Required
                @Size(min = NodeCondition.COUNT, max = 16)
                List<Condition> conditions,
        @JsonPropertyDescription("What Pacemaker runs on this node: Kubelet and Etcd, both.")
                @Required
                @Size(min = 2, max = 8)
                @ValidationRule(
                        value = "self.exists(r, r.name == 'Kubelet')",
                        message =
                                "resources lack Kubelet: report it on every node, also when it is"
                                        + " stopped")
                @ValidationRule(
                        value = "self.exists(r, r.name == 'Etcd')",
                        message =
                                "resources lack Etcd: report it on every node, also when it is"
                                        + " stopped")
                List<PacemakerResource> resources,
        @JsonPropertyDescription("Fence devices that can switch this node off.")
                @Required
                @Size(max = 8)
                @ValidationRule(
                        value = "self.all(a, self.exists_one(b, b.name == a.name))",
                        message = "two fencing agents have one name: name each device once")
                List<FencingAgent> fencingAgents) {

    public PacemakerNode {
        addresses = List.copyOf(addresses);
        conditions = List.copyOf(conditions);
        resources = List.copyOf(resources);
        fencingAgents = List.copyOf(fencingAgents);
    }
}
