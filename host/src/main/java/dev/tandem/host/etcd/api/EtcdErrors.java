package dev.tandem.host.etcd.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * What an error of etcd, or of the way to it, says about the request: that it was refused, never
 * sent, or that its outcome is open.
 */
final class EtcdErrors {
    // gRPC's codes, as the gateway passes them on.
    private static final int CANCELLED = 1;
    private static final int UNKNOWN = 2;
    private static final int DEADLINE_EXCEEDED = 4;
    private static final int INTERNAL = 13;
    private static final int UNAVAILABLE = 14;

    /** "Unavailable" covers timeouts, whose outcome is open, and these, where nothing was done. */
    private static final List<String> CLEAR_REFUSALS =
            List.of("not supported for learner", "unhealthy cluster", "not capable");

    /**
     * etcd 3.5 gives some of its refusals no code ("unknown"), for example that of removing the
     * last voter. Its own words are then a plain no, unless they are one of these.
     */
    private static final List<String> OPEN_OUTCOMES =
            List.of("timed out", "leader changed", "stopped", "cancel", "deadline", "connection");

    private EtcdErrors() {}

    /** The error that the gateway answered instead of what was asked for. */
    static <T> EtcdAnswer<T> answered(JsonNode answer) {
        int code = answer.has("code") ? answer.path("code").asInt() : UNKNOWN;
        if (answer.has("grpc_code")) {
            code = answer.path("grpc_code").asInt();
        }
        String said = answer.path("message").asText(answer.path("error").asText("no reason"));
        if (code == UNAVAILABLE && said.contains("no leader")) {
            return new EtcdAnswer.NoLeader<>(said);
        }
        boolean plainNo =
                code == UNKNOWN
                        ? said.startsWith("etcdserver: ")
                                && OPEN_OUTCOMES.stream().noneMatch(said::contains)
                        : CLEAR_REFUSALS.stream().anyMatch(said::contains);
        return switch (code) {
            case CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, INTERNAL, UNAVAILABLE ->
                    plainNo ? new EtcdAnswer.Refused<>(code, said) : new EtcdAnswer.Unclear<>(said);
            default -> new EtcdAnswer.Refused<>(code, said);
        };
    }

    /** Why no answer came. Without a connection, and in the handshake, no request was sent. */
    static <T> EtcdAnswer<T> onTheWay(Object endpoint, Throwable cause) {
        String why = cause.getMessage() == null ? "the connection broke" : cause.getMessage();
        boolean neverSent =
                cause instanceof ConnectException
                        || cause instanceof HttpConnectTimeoutException
                        || cause instanceof SSLException;
        boolean timedOut = cause instanceof HttpTimeoutException;
        return neverSent
                ? new EtcdAnswer.Unreachable<>(endpoint + ": " + why, timedOut)
                : new EtcdAnswer.Unclear<>(endpoint + ": " + why, timedOut);
    }
}
