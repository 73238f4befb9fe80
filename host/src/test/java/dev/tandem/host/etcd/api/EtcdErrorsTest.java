package dev.tandem.host.etcd.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EtcdErrorsTest {
    private static final String SERVER = "https://10.0.0.1:2379";

    /** Only a refusal says that nothing was done. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    14 | etcdserver: no leader                                  | NoLeader
                    14 | etcdserver: request timed out                          | Unclear
                    14 | etcdserver: leader changed                             | Unclear
                    14 | etcdserver: rpc not supported for learner              | Refused
                    14 | etcdserver: unhealthy cluster                          | Refused
                    4  | context deadline exceeded                              | Unclear
                    1  | context canceled                                       | Unclear
                    13 | stream terminated                                      | Unclear
                    2  | etcdserver: re-configuration failed, not enough voters | Refused
                    2  | etcdserver: request timed out                          | Unclear
                    2  | something else                                         | Unclear
                    5  | etcdserver: member not found                           | Refused
                    9  | etcdserver: can only promote a learner member          | Refused
                    """)
    void anAnswerIsARefusalOnlyWhenNothingWasDone(int code, String said, String kind) {
        ObjectNode answer = EtcdJson.object().put("code", code).put("message", said);

        EtcdAnswer<EtcdApi.Done> error = EtcdErrors.answered(answer);

        assertThat(error.getClass().getSimpleName()).isEqualTo(kind);
        assertThat(error.words()).contains(said);
    }

    @Test
    void anAnswerWithoutACodeIsOpen() {
        assertThat(EtcdErrors.answered(EtcdJson.object().put("error", "who knows")))
                .isEqualTo(new EtcdAnswer.Unclear<>("who knows"));
    }

    @Test
    void onlyWhatWasNeverSentIsUnreachable() {
        assertThat(onTheWay(new ConnectException("refused")))
                .isEqualTo(new EtcdAnswer.Unreachable<>(SERVER + ": refused"));
        assertThat(onTheWay(new HttpConnectTimeoutException("late")))
                .isInstanceOf(EtcdAnswer.Unreachable.class);
        assertThat(onTheWay(new SSLException("bad certificate")))
                .isInstanceOf(EtcdAnswer.Unreachable.class);
        assertThat(onTheWay(new HttpTimeoutException("late")))
                .isInstanceOf(EtcdAnswer.Unclear.class);
        assertThat(onTheWay(new IOException("cut"))).isInstanceOf(EtcdAnswer.Unclear.class);
    }

    @Test
    void onlySilenceHasTimedOut() {
        assertThat(onTheWay(new HttpTimeoutException("late")).timedOut()).isTrue();
        assertThat(onTheWay(new HttpConnectTimeoutException("late")).timedOut()).isTrue();
        assertThat(onTheWay(new ConnectException("refused")).timedOut()).isFalse();
        assertThat(onTheWay(new SSLException("bad certificate")).timedOut()).isFalse();
        assertThat(onTheWay(new IOException("cut")).timedOut()).isFalse();
    }

    @Test
    void anErrorWithoutWordsShowsNoClassName() {
        assertThat(onTheWay(new ClosedChannelException()))
                .isEqualTo(new EtcdAnswer.Unclear<>(SERVER + ": the connection broke"));
    }

    private static EtcdAnswer<EtcdApi.Done> onTheWay(Exception cause) {
        return EtcdErrors.onTheWay(SERVER, cause);
    }
}
