package dev.tandem.drill.secret;

import java.util.LinkedHashMap;
import java.util.Map;

/** All that is looked for; it may grow while it is. */
final class KnownSecrets {
    private volatile Map<String, Secret> byForm = Map.of();

    /** The first that has a form keeps it. */
    synchronized void add(Secret secret) {
        Map<String, Secret> more = new LinkedHashMap<>(byForm);
        secret.forms().forEach(form -> more.putIfAbsent(form, secret));
        byForm = Map.copyOf(more);
    }

    /** Each way in which one of them may be written, and whose it is. */
    Map<String, Secret> byForm() {
        return byForm;
    }
}
