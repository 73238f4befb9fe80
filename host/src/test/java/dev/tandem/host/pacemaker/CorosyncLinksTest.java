package dev.tandem.host.pacemaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.IpAddress;
import dev.tandem.host.pacemaker.CorosyncLinks.Lost;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Corosync 3.1.9 with two links. In {@code one-link-lost} nothing arrives over the second, and the
 * interfaces of both nodes have their carrier.
 */
class CorosyncLinksTest {
    private static final Lost SECOND = new Lost(address("10.91.0.10"), address("10.91.0.11"));

    private static IpAddress address(String text) {
        return IpAddress.parse(text).orElseThrow();
    }

    private static List<Lost> lost(String nodes, String knet) {
        RecordedCommands corosync =
                new RecordedCommands()
                        .answer("corosync-cmapctl nodelist.", 0, nodes, "")
                        .answer("corosync-cmapctl -m stats stats.knet.node", 0, knet, "");
        return new CorosyncLinks(corosync, "node-0", "node-1").lost();
    }

    private static String nodes() {
        return Recording.read("set-up/cmapctl-nodelist.txt");
    }

    @Test
    void bothLinksReachThePeer() {
        assertThat(lost(nodes(), Recording.read("set-up/cmapctl-knet.txt"))).isEmpty();
    }

    /** The entry of the node itself is a loopback, and always connected. */
    @Test
    void aLinkThatDoesNotReachThePeerIsLost() {
        String knet = Recording.read("one-link-lost/cmapctl-knet.txt");

        assertThat(lost(nodes(), knet)).containsExactly(SECOND);
        assertThat(lost(nodes().replace("10.91.0.11", "2001:DB8:0::11"), knet))
                .containsExactly(new Lost(SECOND.own(), address("2001:db8::11")));
    }

    /** It was switched off, and its links are as good as before. */
    @Test
    void aPeerThatIsGoneHasLostNoLink() {
        assertThat(lost(nodes(), Recording.read("peer-gone/cmapctl-knet.txt"))).isEmpty();
    }

    @Test
    void ofACorosyncThatDoesNotAnswerNothingIsSaid() {
        assertThat(lost("", "")).isEmpty();
        assertThat(lost(nodes(), "")).isEmpty();
        assertThat(lost(nodes().replace("node-1", "node-7"), "x")).isEmpty();
    }
}
