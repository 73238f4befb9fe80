package dev.tandem.agent.bmc;

import dev.tandem.agent.bmc.BmcChangeMessage.Reply;
import dev.tandem.core.BmcName;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.NodeIdentities;
import dev.tandem.host.bmc.check.BmcPreflight;
import dev.tandem.host.pacemaker.Pacemaker;
import dev.tandem.host.pacemaker.cib.CibPlan;
import dev.tandem.host.plan.ClusterPlan;
import java.util.Optional;
import java.util.function.Function;

/**
 * The BMCs, Pacemaker and the peer, as a change of settings needs them.
 *
 * @param machines which machine a node is, as it published itself
 */
public record BmcSurroundings(
        BmcSessions sessions,
        Function<String, Optional<HardwareIdentity>> machines,
        Pacemaker pacemaker,
        Function<BmcChangeMessage, Optional<Reply>> peer)
        implements BmcChanges.Surroundings {
    private BmcSessions by(String bmc) {
        return BmcName.isSecond(bmc) ? sessions.second().orElseThrow() : sessions;
    }

    @Override
    public BmcPreflight.Proof check(ClusterPlan.Node node, BmcSettings settings) {
        return BmcPreflight.check(
                node,
                settings.credentials(),
                NodeIdentities.planned(node).or(() -> machines.apply(node.name())));
    }

    @Override
    public void accepted(String bmc) {
        by(bmc).onAccepted(BmcName.nodeOf(bmc));
    }

    @Override
    public BmcCredentials credentials(String bmc) {
        return by(bmc).credentials(BmcName.nodeOf(bmc));
    }

    @Override
    public boolean secondDiffers(ClusterPlan.Node node) {
        return sessions.secondDiffers(node);
    }

    @Override
    public void use(ClusterPlan.Node node) {
        sessions.replace(node);
    }

    @Override
    public void useSecond(ClusterPlan.Node node) {
        sessions.replaceSecond(node);
    }

    @Override
    public void onNewSource(ClusterPlan.Node node) {
        sessions.onNewSource(node);
    }

    @Override
    public void configureSecondLevel(ClusterPlan plan, String bmc) {
        ClusterPlan.Node node = plan.by(bmc).orElseThrow();
        if (!node.bmc().hasStockAgent()) {
            return;
        }
        pacemaker.setParameters(
                CibPlan.stockDeviceOf(node.name(), node.bmc().address()),
                CibPlan.stockParametersOfTheBmc(node));
    }

    @Override
    public Optional<Reply> askPeer(BmcChangeMessage message) {
        return peer.apply(message);
    }
}
