package dev.tandem.redfishsim;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Who is logged in. Sessions end by logout, by disuse, or when the password changes. */
final class Sessions {
    static final Duration IDLE_LIMIT = Duration.ofMinutes(30);

    private static final SecureRandom RANDOM = new SecureRandom();

    record Session(String id, String token, String user, Instant created, String origin) {
        @Override
        public String toString() {
            return "Session[" + id + ", " + user + "]";
        }
    }

    private final InstantSource clock;
    private final Map<String, Session> byToken = new LinkedHashMap<>();
    private final Map<String, Instant> lastUse = new LinkedHashMap<>();
    private long count;

    Sessions(InstantSource clock) {
        this.clock = clock;
    }

    /** Empty when the limit is reached. */
    synchronized Optional<Session> open(String user, String origin, int limit) {
        dropIdle();
        if (byToken.size() >= limit) {
            return Optional.empty();
        }
        byte[] secret = new byte[24];
        RANDOM.nextBytes(secret);
        count++;
        Session session =
                new Session(
                        String.valueOf(count),
                        Base64.getUrlEncoder().withoutPadding().encodeToString(secret),
                        user,
                        clock.instant(),
                        origin);
        byToken.put(session.token(), session);
        lastUse.put(session.token(), session.created());
        return Optional.of(session);
    }

    /** The session of a token; looking it up is use. */
    synchronized Optional<Session> byToken(String token) {
        dropIdle();
        Session session = byToken.get(token);
        if (session != null) {
            lastUse.put(token, clock.instant());
        }
        return Optional.ofNullable(session);
    }

    synchronized List<Session> all() {
        dropIdle();
        return List.copyOf(byToken.values());
    }

    synchronized void close(Session session) {
        byToken.remove(session.token());
        lastUse.remove(session.token());
    }

    synchronized void closeAll() {
        byToken.clear();
        lastUse.clear();
    }

    synchronized void closeAllOf(String user) {
        all().stream().filter(s -> s.user().equals(user)).forEach(this::close);
    }

    private void dropIdle() {
        Instant oldest = clock.instant().minus(IDLE_LIMIT);
        lastUse.values().removeIf(use -> use.isBefore(oldest));
        byToken.keySet().retainAll(lastUse.keySet());
    }
}
