package dev.tandem.host;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One request over the JDK's client, with a limit for all of the answer. The limit that a request
 * carries ends with the headers: of a server that stops in the middle of a body nothing would ever
 * be heard again.
 */
public final class BoundedHttp {
    private BoundedHttp() {}

    /**
     * Sends it and waits for the whole answer.
     *
     * @throws HttpTimeoutException if it is not complete within the limit; the connection is closed
     */
    public static <T> HttpResponse<T> send(
            HttpClient client,
            HttpRequest request,
            HttpResponse.BodyHandler<T> body,
            Duration limit)
            throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<T>> answer = client.sendAsync(request, body);
        try {
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new HttpTimeoutException("no answer within " + limit.toMillis() + " ms");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failed
                    ? failed
                    : new IOException(e.getCause());
        } finally {
            // A caller that gives up closes the connection.
            answer.cancel(true);
        }
    }
}
