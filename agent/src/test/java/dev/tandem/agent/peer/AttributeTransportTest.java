package dev.tandem.agent.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.RecoveryReadiness;
import dev.tandem.core.peer.PeerMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Messages between two agents, over a map that is replicated at once. */
class AttributeTransportTest {
    private static final NodeName NORTH = new NodeName("north");
    private static final NodeName SOUTH = new NodeName("south");
    private static final PeerMessages.Envelope NORTHS =
            new PeerMessages.Envelope(
                    new PeerMessage.Hello(new BootId("boot-north")),
                    new RecoveryReadiness.Automatic());
    private static final PeerMessages.Envelope SOUTHS =
            new PeerMessages.Envelope(
                    new PeerMessage.Hello(new BootId("boot-south")),
                    new RecoveryReadiness.Impeded(List.of(Impediment.Cause.BMC_UNREACHABLE)));

    private static final PeerTransport.Reply ANSWERED =
            new PeerTransport.Reply.Answered(PeerMessages.Received.of(SOUTHS));

    private final Map<NodeName, String> attributes = new ConcurrentHashMap<>();
    private final List<Long> taken = new ArrayList<>();
    private volatile long southsLateness;
    private final AttributeTransport north =
            new AttributeTransport(
                    SOUTH, attributes(NORTH, SOUTH), (_, _) -> Optional.empty(), System::nanoTime);
    private final AttributeTransport south =
            new AttributeTransport(
                    NORTH,
                    attributes(SOUTH, NORTH),
                    this::southTakes,
                    () -> System.nanoTime() + southsLateness);

    private AttributeTransport.Attributes attributes(NodeName mine, NodeName theirs) {
        return new AttributeTransport.Attributes() {
            @Override
            public Optional<String> readPeers() {
                return Optional.ofNullable(attributes.get(theirs));
            }

            @Override
            public void writeOwn(String text) {
                attributes.put(mine, text);
            }
        };
    }

    private Optional<PeerMessages.Envelope> southTakes(long number, PeerMessages.Received theirs) {
        assertThat(theirs).isEqualTo(PeerMessages.Received.of(NORTHS));
        taken.add(number);
        return Optional.of(SOUTHS);
    }

    @Test
    void anAnswerRepeatsTheNumberOfItsQuestionAndIsGivenOnce() throws InterruptedException {
        Thread listener = Thread.ofVirtual().start(this::southListens);
        try {
            assertThat(north.ask(7, NORTHS)).isEqualTo(ANSWERED);
            assertThat(north.ask(8, NORTHS)).isEqualTo(ANSWERED);
        } finally {
            listener.interrupt();
            listener.join();
        }
        assertThat(taken).containsExactly(7L, 8L);
    }

    private void southListens() {
        try {
            while (true) {
                south.listen();
                Thread.sleep(AttributeTransport.LOOK);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aQuestionThatWasReadTooLateIsNotTaken() {
        south.listen();
        assertThat(north.ask(7, NORTHS)).isInstanceOf(PeerTransport.Reply.Silent.class);

        southsLateness = 5_000_000_000L;
        south.listen();

        assertThat(taken).isEmpty();
    }

    @Test
    void withoutAMessageOfThePeerNothingIsAsked() {
        assertThat(north.ask(7, NORTHS)).isInstanceOf(PeerTransport.Reply.Silent.class);
        assertThat(attributes).isEmpty();
    }
}
