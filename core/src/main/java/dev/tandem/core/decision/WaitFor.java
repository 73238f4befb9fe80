package dev.tandem.core.decision;

import dev.tandem.core.Runbook;
import java.time.Duration;

/** What a node waits for, who owes it, and until when that is in order. */
public enum WaitFor {
    PEER_FACTS(
            Runbook.AGENT_SILENT,
            Owner.PEER,
            Duration.ofSeconds(60),
            "{peer} is there; {self} waits for what it knows of its own replica"),
    PEER_RETURN(
            Runbook.PEER_NOT_BACK,
            Owner.PERSON,
            Duration.ofMinutes(10),
            "{self} has not met {peer} since it booted and starts nothing; switch {peer} on, or"
                    + " state that it is off"),
    /**
     * Pacemaker gives a fence action 60 s unless told otherwise (stonith-timeout); wait longer than
     * it does.
     */
    FENCING(
            Runbook.PEER_NOT_CONFIRMED_OFF,
            Owner.FENCING,
            Duration.ofSeconds(70),
            "{peer} is silent; {self} takes over once {peer} is confirmed off"),
    PEER_SERVES(
            Runbook.PEER_DOES_NOT_SERVE,
            Owner.PEER,
            Duration.ofMinutes(2),
            "{peer} has the history that counts; {self} waits until {peer} serves and invites it"),
    PEER_STANDS_DOWN(
            Runbook.PEER_DOES_NOT_STAND_DOWN,
            Owner.PEER,
            Duration.ofSeconds(60),
            "{self} leads the recovery and waits until {peer} has stopped its etcd"),
    /**
     * Shorter than the stop action's limit, so that a silent peer does not get this node fenced.
     */
    DEPARTURE_ANSWER(
            Runbook.DEPARTURE_UNANSWERED,
            Owner.PEER,
            Duration.ofSeconds(30),
            "{self} asked to leave and waits until {peer} has taken it off the member list");

    /** Who has to act. */
    public enum Owner {
        PEER,
        FENCING,
        PERSON
    }

    private final Runbook runbook;
    private final Owner owner;
    private final Duration limit;
    private final String template;

    WaitFor(Runbook runbook, Owner owner, Duration limit, String template) {
        this.runbook = runbook;
        this.owner = owner;
        this.limit = limit;
        this.template = template;
    }

    /** What a person does once it is overdue. */
    public Runbook runbook() {
        return runbook;
    }

    public Owner owner() {
        return owner;
    }

    /** Counted on this node's own monotonic clock from when the wait began. */
    public Duration limit() {
        return limit;
    }

    String template() {
        return template;
    }

    public Decision decision() {
        return new Decision.Wait(this);
    }
}
