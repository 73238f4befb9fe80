package dev.tandem.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class UnexpectedErrorsTest {
    @Test
    void theLogNamesTheKindOfAnErrorAlsoWhereItHasNoWords() {
        List<LogRecord> written = new ArrayList<>();
        Handler keeping = keepingIn(written);
        Logger log = Logger.getLogger("tandem-agent");
        log.addHandler(keeping);
        log.setUseParentHandlers(false);
        try {
            UnexpectedErrors.log("the loop etcd", new ArithmeticException());
        } finally {
            log.setUseParentHandlers(true);
            log.removeHandler(keeping);
        }

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
