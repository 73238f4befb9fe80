package dev.tandem.agent;

import dev.tandem.agent.kube.OutOfServiceNotifier;
import dev.tandem.agent.kube.WriteProbe;
import dev.tandem.core.supervise.KubernetesReport;
import dev.tandem.host.pacemaker.NodeAttributes;
import dev.tandem.host.pacemaker.cib.CibPlan;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The node around its API server: whether it holds the address of the API, and where Pacemaker is
 * told whether the server writes.
 *
 * @param address of the API; empty while the plan has none
 */
record ApiPlacement(
        String self,
        String peer,
        Supplier<Optional<InetAddress>> address,
        NodeAttributes attributes,
        OutOfServiceNotifier.Source known,
        BooleanSupplier bothPresent,
        BooleanSupplier outOfReach)
        implements WriteProbe.LocalNode {
    @Override
    public boolean peerPresent() {
        return bothPresent.getAsBoolean();
    }

    @Override
    public boolean holdsAddress() {
        Optional<InetAddress> planned = address.get();
        try {
            return planned.isPresent() && NetworkInterface.getByInetAddress(planned.get()) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    @Override
    public boolean etcdServes() {
        return known.known().filter(KubernetesReport::etcdServes).isPresent();
    }

    @Override
    public boolean peerCanWrite() {
        return attributes
                .read(NodeAttributes.Lifetime.TRANSIENT, peer, CibPlan.CAN_WRITE)
                .known()
                .filter(CibPlan.CAN::equals)
                .isPresent();
    }

    @Override
    public boolean isOutOfReach() {
        return outOfReach.getAsBoolean();
    }

    @Override
    public void tell(boolean canWrite) {
        attributes.write(
                NodeAttributes.Lifetime.TRANSIENT,
                self,
                CibPlan.CAN_WRITE,
                canWrite ? CibPlan.CAN : CibPlan.CANNOT);
    }
}
