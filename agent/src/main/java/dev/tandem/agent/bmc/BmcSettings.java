package dev.tandem.agent.bmc;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tandem.core.BmcAddress;
import dev.tandem.core.BmcName;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.plan.ClusterPlan;

/**
 * How the BMC of a node is reached and logged in to. The password appears in no text made by this
 * class.
 *
 * @param bmc by {@link BmcName}; an agent of an earlier release knows no node of that name
 * @param changeNumber counts the changes at run time; of two settings the higher one is the newer
 * @param address as a plan has it
 * @param person who changed it
 */
public record BmcSettings(
        @JsonProperty("node") String bmc,
        long changeNumber,
        String address,
        String username,
        String password,
        String person) {

    BmcAddress where() {
        return BmcAddress.of(address);
    }

    BmcCredentials credentials() {
        return new BmcCredentials(username, password);
    }

    /** As people call it. */
    String words() {
        return BmcName.words(bmc);
    }

    /** The plan with this in it. */
    ClusterPlan in(ClusterPlan plan) {
        return plan.withBmc(bmc, where(), username);
    }

    boolean saysTheSameAs(BmcSettings other) {
        return bmc.equals(other.bmc)
                && where().equals(other.where())
                && username.equals(other.username)
                && password.equals(other.password);
    }

    /** The same, set by that person. */
    BmcSettings by(String somebody) {
        return new BmcSettings(bmc, changeNumber, address, username, password, somebody);
    }

    BmcSettings as(long newer) {
        return new BmcSettings(bmc, newer, address, username, password, person);
    }

    BmcSettings withPassword(String other) {
        return new BmcSettings(bmc, changeNumber, address, username, other, person);
    }

    @Override
    public String toString() {
        return "BmcSettings[%s, %d, %s, %s]".formatted(bmc, changeNumber, address, username);
    }
}
