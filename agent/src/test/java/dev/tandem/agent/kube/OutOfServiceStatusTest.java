package dev.tandem.agent.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agentapi.KubernetesState;
import dev.tandem.core.BootId;
import dev.tandem.core.supervise.KubernetesReport.PeerState;
import org.junit.jupiter.api.Test;

class OutOfServiceStatusTest {
    private static final PeerState ALIVE = new PeerState.Alive(new BootId("boot"));
    private static final PeerState OFF = new PeerState.Off(new BootId("boot"));

    private static String words(KubernetesState state, PeerState peer, String why) {
        return new OutOfServiceStatus(state, peer, 0, why).words("node-0");
    }

    @Test
    void aPeerThatWasNeverAwayIsNotSaidToBeBack() {
        assertThat(
                        words(
                                KubernetesState.WAITS_FOR_API,
                                ALIVE,
                                OutOfServiceNotifier.DOES_NOT_ANSWER))
                .isEqualTo("this node's API server does not answer yet");
        assertThat(words(KubernetesState.WAITS_FOR_API, ALIVE, "forbidden"))
                .isEqualTo(
                        "the Kubernetes API is still to be updated: both nodes are in service"
                                + " (forbidden)");
        assertThat(words(KubernetesState.IN_SERVICE, ALIVE, "")).isEqualTo("both nodes in service");
    }

    @Test
    void aPeerThatIsOffHasToBeTold() {
        assertThat(words(KubernetesState.WAITS_FOR_API, OFF, OutOfServiceNotifier.DOES_NOT_ANSWER))
                .isEqualTo(
                        "the Kubernetes API is still to be updated: node-0 is off (it does not"
                                + " answer)");
    }
}
