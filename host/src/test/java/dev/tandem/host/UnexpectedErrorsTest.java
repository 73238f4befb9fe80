package dev.tandem.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.Failure;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class UnexpectedErrorsTest {
    @Test
    void theLogNamesTheKindOfAnErrorAlsoWhereItHasNoWords() {
        List<LogRecord> written =
                logged(() -> UnexpectedErrors.log("the loop etcd", new ArithmeticException()));

        assertThat(written)
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.getMessage())
                            .isEqualTo(
                                    "unexpected error in the loop etcd:"
                                            + " java.lang.ArithmeticException");
                    assertThat(line.getThrown()).isInstanceOf(ArithmeticException.class);
                });
    }

    @Test
    void aStatusNamesNoClassAndTheLogDoes() {
        assertThat(words(new NoClassDefFoundError("dev/tandem/Gone")))
                .isEqualTo("unexpected error; see: journalctl -u tandem-agent");
    }

    @Test
    void whatWasWrittenForPeopleIsKept() {
        assertThat(words(new Failure("cannot start etcd", "the disk is full", "free space")))
                .isEqualTo("cannot start etcd: the disk is full");
        assertThat(words(new ExecutionException(new Failure("no start", "no room", "free space"))))
                .isEqualTo("no start: no room");
        assertThat(words(new UncheckedIOException(new NoSuchFileException("/var/lib/tandem/x"))))
                .isEqualTo("/var/lib/tandem/x does not exist");
    }

    /** What the status says of it, after the log was told of the same. */
    private static String words(Throwable fault) {
        List<String> words = new ArrayList<>();
        assertThat(logged(() -> words.add(UnexpectedErrors.words("an order to etcd", fault))))
                .singleElement()
                .satisfies(line -> assertThat(line.getThrown()).isSameAs(fault));
        return words.getFirst();
    }

    private static List<LogRecord> logged(Runnable work) {
        List<LogRecord> written = new ArrayList<>();
        Handler keeping = keepingIn(written);
        Logger log = Logger.getLogger("tandem-agent");
        log.addHandler(keeping);
        log.setUseParentHandlers(false);
        try {
            work.run();
        } finally {
            log.setUseParentHandlers(true);
            log.removeHandler(keeping);
        }
        return written;
    }

    private static Handler keepingIn(List<LogRecord> written) {
        return new Handler() {
            @Override
            public void publish(LogRecord line) {
                written.add(line);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }
}
