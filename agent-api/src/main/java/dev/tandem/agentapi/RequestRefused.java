package dev.tandem.agentapi;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tandem.core.Failure;
import org.jspecify.annotations.Nullable;

/** The agent's answer to what it does not do, with the reason and what can be done about it. */
public record RequestRefused(
        int version,
        @Nullable String what,
        @Nullable String why,
        @JsonProperty("do") @Nullable String remedy) {

    public static RequestRefused of(Failure failure) {
        return new RequestRefused(
                AgentMessages.VERSION, failure.what(), failure.why(), failure.remedy());
    }

    public Failure asFailure() {
        return new Failure(
                what == null ? "tandem-agent refused" : what,
                why == null ? "it did not say why" : why,
                remedy == null ? "see its log: journalctl -u tandem-agent" : remedy);
    }
}
