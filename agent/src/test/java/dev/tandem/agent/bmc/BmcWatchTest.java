package dev.tandem.agent.bmc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BmcWatchTest {
    private static final Duration CERTAIN = Duration.ofMinutes(1);

    /** All but that of the peer are silent until the test ends. */
    private static final class Silence implements BmcWatch.Questions {
        private final CountDownLatch end = new CountDownLatch(1);
        private final boolean oneAccount;
        private final AtomicInteger peers = new AtomicInteger();
        private final CompletableFuture<Integer> seconds = new CompletableFuture<>();
        private final AtomicInteger unanswered = new AtomicInteger();

        private Silence(boolean oneAccount) {
            this.oneAccount = oneAccount;
        }

        @Override
        public void askPeers() {
            peers.incrementAndGet();
        }

        @Override
        public boolean waysShareALogin() {
            return oneAccount;
        }

        @Override
        public void askOwn() {
            silent();
        }

        @Override
        public void askPeersSecond() {
            seconds.complete(peers.get());
            silent();
        }

        @Override
        public void askOwnSecond() {
            silent();
        }

        @Override
        public void askRights() {
            silent();
        }

        private void silent() {
            unanswered.incrementAndGet();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public boolean mayAskRights() {
            return true;
        }

        @Override
        public boolean peerMayBeHeldOff() {
            return false;
        }
    }

    /** One dead switch: then this node's own is silent too, and four others would take minutes. */
    @Test
    void thePeersIsAskedWhateverElseIsSilent() throws InterruptedException {
        Silence silence = new Silence(false);
        BmcWatch watch = new BmcWatch(silence);
        Thread looks =
                Thread.ofVirtual()
                        .start(() -> {
                            for (int i = 0; i < 3; i++) {
                                watch.look();
                            }
                        });

        try {
            assertThat(looks.join(CERTAIN)).as("no look waits for another BMC").isTrue();
            assertThat(silence.peers).hasValue(3);
            assertThat(silence.unanswered)
                    .as("what does not answer is not asked once more meanwhile")
                    .hasValueLessThanOrEqualTo(3);
        } finally {
            silence.end.countDown();
        }
    }

    /** A password that was changed would be wrong twice at once, and the account locked sooner. */
    @Test
    void twoWaysWithOneAccountAreAskedInTurn() {
        assertThat(peersBeforeTheSecond(true)).isEqualTo(1);
        assertThat(peersBeforeTheSecond(false)).as("of two accounts").isZero();
    }

    /** What is asked beside it has its answer before anything else happens. */
    private static int peersBeforeTheSecond(boolean oneAccount) {
        Silence silence = new Silence(oneAccount);
        silence.end.countDown();
        BmcWatch watch =
                new BmcWatch(
                        silence,
                        (name, question) -> {
                            question.run();
                            return Thread.ofVirtual().name(name).unstarted(question);
                        });

        watch.look();

        return silence.seconds.join();
    }
}
