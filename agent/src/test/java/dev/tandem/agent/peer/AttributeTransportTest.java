package dev.tandem.agent.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.FenceDelay;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.RecoveryReadiness;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.testing.Sketch;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.pki.TlsIdentity;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Messages between two agents, over a map that is replicated at once. */
class AttributeTransportTest {
    private static final NodeName NORTH = new NodeName("north");
    private static final NodeName SOUTH = new NodeName("south");
    private static final PeerMessages.Envelope NORTHS =
            new PeerMessages.Envelope(
                    new PeerMessage.Hello(new BootId("boot-north")),
                    new RecoveryReadiness.Automatic(),
                    Optional.empty(),
                    Optional.empty(),
                    FenceDelay.Link.UNKNOWN);
    private static final PeerMessages.Envelope SOUTHS =
            new PeerMessages.Envelope(
                    new PeerMessage.Hello(new BootId("boot-south")),
                    new RecoveryReadiness.Impeded(List.of(Impediment.Cause.BMC_UNREACHABLE)),
                    Optional.empty(),
                    Optional.empty(),
                    FenceDelay.Link.UNKNOWN);

    private static final PeerTransport.Reply ANSWERED =
            new PeerTransport.Reply.Answered(PeerMessages.Received.of(SOUTHS));

    /** Beyond every fork. */
    private static final long END = 1L << 40;

    private final Map<NodeName, String> attributes = new ConcurrentHashMap<>();
    private final List<Long> taken = new ArrayList<>();
    private final List<String> refused = new ArrayList<>();
    private LongSupplier clock = System::nanoTime;
    private volatile long southsLateness;
    private TestSite site;
    private SignedAttribute northsHand;
    private AttributeTransport north;
    private AttributeTransport south;

    @BeforeEach
    void begin(@TempDir Path directory) {
        site = new TestSite(directory);
        northsHand = hand(site.issued(NORTH, SitePki.Purpose.AGENT), "boot-north", SOUTH);
        north =
                new AttributeTransport(
                        SOUTH,
                        attributes(NORTH, SOUTH),
                        northsHand,
                        (_, _) -> Optional.empty(),
                        () -> clock.getAsLong());
        south =
                new AttributeTransport(
                        NORTH,
                        attributes(SOUTH, NORTH),
                        hand(site.issued(SOUTH, SitePki.Purpose.AGENT), "boot-south", NORTH),
                        this::southTakes,
                        () -> clock.getAsLong() + southsLateness);
    }

    private SignedAttribute hand(TlsIdentity identity, String boot, NodeName peer) {
        return new SignedAttribute(
                identity,
                new BootId(boot),
                site.authorities(),
                site.certificatesOf(peer),
                (why, soFar) -> refused.add(why + " " + soFar));
    }

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

    /** However long it takes here: their clocks stand still meanwhile. */
    @Test
    @Timeout(120)
    void anAnswerRepeatsTheNumberOfItsQuestionAndIsGivenOnce() throws InterruptedException {
        long now = System.nanoTime();
        clock = () -> now;
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

    /** What a member of haclient could write: a question that is well formed, and whose? */
    @Test
    void aQuestionThatThePeerHasNotSignedIsNotHeard() {
        south.listen();
        AttributeMessage forged = askingSouth(7);
        List<String> attempts =
                List.of(
                        Base64.getUrlEncoder().encodeToString(forged.bytes()),
                        hand(site.issued(SOUTH, SitePki.Purpose.AGENT), "boot-north", SOUTH)
                                .write(forged),
                        hand(site.issued(NORTH, SitePki.Purpose.API_SERVER), "boot-north", SOUTH)
                                .write(forged),
                        changed(northsHand.write(forged)));
        for (String attempt : attempts) {
            attributes.put(NORTH, attempt);
            south.listen();
            // It stays there, and is read again and again.
            south.listen();
        }

        assertThat(taken).isEmpty();
        assertThat(refused).containsExactly("NOT_SIGNED 1");

        attributes.put(NORTH, northsHand.write(askingSouth(8)));
        south.listen();
        assertThat(taken).containsExactly(8L);
    }

    @Test
    void refusalsAreCountedAndToldOfNowAndThen() {
        for (int i = 0; i < 250; i++) {
            attributes.put(NORTH, "forged " + i);
            south.listen();
        }

        assertThat(refused).containsExactly("NOT_SIGNED 1", "NOT_SIGNED 10", "NOT_SIGNED 100");
    }

    @Test
    void whatWasHeardOnceIsNotHeardAgainAfterSomethingNewer() {
        south.listen();
        String older = northsHand.write(askingSouth(7));
        String newer = northsHand.write(askingSouth(8));
        attributes.put(NORTH, newer);
        south.listen();
        attributes.put(NORTH, older);
        south.listen();

        assertThat(taken).containsExactly(8L);
        assertThat(refused).containsExactly("OLD 1");
    }

    @Test
    void anEarlierBootOfThePeerIsNotHeardAfterALaterOne() {
        south.listen();
        attributes.put(NORTH, northsHand.write(askingSouth(7)));
        south.listen();
        SignedAttribute rebooted =
                hand(site.issued(NORTH, SitePki.Purpose.AGENT), "boot-north-2", SOUTH);
        attributes.put(NORTH, rebooted.write(askingSouth(8)));
        south.listen();
        attributes.put(NORTH, northsHand.write(askingSouth(9)));
        south.listen();

        assertThat(taken).containsExactly(7L, 8L);
        assertThat(refused).containsExactly("OLD 1");
    }

    /** An attribute is an argument of a program, and Linux allows 128 KiB for one. */
    @Test
    void aLineageOf600EpochsTravels() {
        Lineage lineage = Lineage.installed("5f1d", NORTH, randomBoot());
        for (int i = 1; i < 600; i++) {
            lineage = lineage.takenOver(i % 2 == 0 ? NORTH : SOUTH, randomBoot(), i * 1_000_003L);
        }
        NodeFacts facts = withLineage(Sketch.north("two 1:7 following"), lineage);
        PeerMessages.Envelope told =
                new PeerMessages.Envelope(
                        new PeerMessage.Facts(facts, Sketch.SOUTH_BOOT),
                        new RecoveryReadiness.Automatic(),
                        Optional.empty(),
                        Optional.empty(),
                        FenceDelay.Link.UNKNOWN);
        AttributeMessage message =
                new AttributeMessage(
                        4,
                        Optional.of(AttributeMessage.asking(7, 3, told)),
                        Optional.of(AttributeMessage.answering(6, told)));

        assertThat(message.bytes().length).isGreaterThan(SignedAttribute.LONGEST);
        String text = northsHand.write(message);
        assertThat(text.length()).isLessThan(SignedAttribute.LONGEST / 2);
        assertThat(text).matches("[A-Za-z0-9._-]+");
        assertThat(
                        hand(site.issued(SOUTH, SitePki.Purpose.AGENT), "boot-south", NORTH)
                                .read(text)
                                .orElseThrow()
                                .message())
                .isEqualTo(message);
    }

    @Test
    void aMessageThatDoesNotFitIsNotSentAndThatIsSaid() {
        Lineage lineage = Lineage.installed("5f1d", NORTH, randomBoot());
        for (int i = 1; i < 9_000; i++) {
            lineage = lineage.takenOver(NORTH, randomBoot(), i * 1_000_003L);
        }
        PeerMessages.Envelope told =
                new PeerMessages.Envelope(
                        new PeerMessage.Facts(
                                withLineage(Sketch.north("two 1:7 following"), lineage),
                                Sketch.SOUTH_BOOT),
                        new RecoveryReadiness.Automatic(),
                        Optional.empty(),
                        Optional.empty(),
                        FenceDelay.Link.UNKNOWN);
        south.listen();

        assertThat(north.ask(7, told))
                .isInstanceOfSatisfying(
                        PeerTransport.Reply.Silent.class,
                        silent -> assertThat(silent.why()).contains("more than"));
        assertThat(attributes).doesNotContainKey(NORTH);
    }

    /** A question that south takes: it names what south wrote last. */
    private AttributeMessage askingSouth(long number) {
        long stamp =
                northsHand
                        .read(Objects.requireNonNull(attributes.get(SOUTH)))
                        .orElseThrow()
                        .message()
                        .stamp();
        return new AttributeMessage(
                number,
                Optional.of(AttributeMessage.asking(number, stamp, NORTHS)),
                Optional.empty());
    }

    private static String changed(String text) {
        int middle = text.indexOf('.') / 2;
        char there = text.charAt(middle);
        return text.substring(0, middle) + (there == 'A' ? 'B' : 'A') + text.substring(middle + 1);
    }

    private static BootId randomBoot() {
        return new BootId(UUID.randomUUID().toString());
    }

    private static NodeFacts withLineage(NodeFacts facts, Lineage lineage) {
        Replica.Intact log = (Replica.Intact) facts.replica();
        return new NodeFacts(
                facts.node(),
                facts.boot(),
                new Replica.Intact(
                        lineage, log.term(), END, END, log.role(), log.complete(), log.memberId()),
                facts.server(),
                facts.abdication(),
                facts.claim(),
                facts.released(),
                facts.offer());
    }
}
