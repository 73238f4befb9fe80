package dev.tandem.core.decision;

import dev.tandem.core.NodeName;
import dev.tandem.core.Runbook;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a node waits for, who has to act, and when that is overdue. */
public enum WaitFor {
    PEER_FACTS(
            Runbook.AGENT_SILENT,
            Owner.PEER,
            Duration.ofSeconds(60),
            "{peer} is up; waiting for it to report the state of its replica"),
    PEER_RETURN(
            Runbook.PEER_NOT_BACK,
            Owner.PERSON,
            Duration.ofMinutes(10),
            "{self} has booted and has not met {peer} since, so it does not start etcd alone",
            "switch {peer} on, or, if you have seen that it is off: tandem confirm-peer-off"
                    + " {peer}"),
    /**
     * Pacemaker gives a fence action 60 s unless told otherwise (stonith-timeout); wait longer than
     * it does.
     */
    FENCING(
            Runbook.PEER_NOT_CONFIRMED_OFF,
            Owner.FENCING,
            Duration.ofSeconds(70),
            "{peer} is silent; {self} takes over once {peer} is confirmed off",
            "if you have seen that {peer} is off: tandem confirm-peer-off {peer}"),
    PEER_SERVES(
            Runbook.PEER_DOES_NOT_SERVE,
            Owner.PEER,
            Duration.ofMinutes(2),
            "{peer} has the authoritative data; waiting for it to start and admit {self}"),
    /** A pair that is being set up: one of the two creates the cluster. */
    PEER_INSTALLS(
            Runbook.INSTALLATION_CLOSED,
            Owner.PEER,
            Duration.ofMinutes(2),
            "the pair is new; waiting for {peer} to create the etcd cluster, or to leave that to"
                    + " {self}"),
    PEER_STANDS_DOWN(
            Runbook.PEER_DOES_NOT_STAND_DOWN,
            Owner.PEER,
            Duration.ofSeconds(60),
            "{self} is the one to take over; waiting for {peer} to stop its etcd"),
    /**
     * Shorter than the stop action's limit, so that a silent peer does not get this node fenced.
     */
    DEPARTURE_ANSWER(
            Runbook.DEPARTURE_UNANSWERED,
            Owner.PEER,
            Duration.ofSeconds(30),
            "{self} is leaving; waiting for {peer} to remove it from the member list");

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
    private final @Nullable String remedy;

    WaitFor(Runbook runbook, Owner owner, Duration limit, String template) {
        this(runbook, owner, limit, template, null);
    }

    WaitFor(
            Runbook runbook,
            Owner owner,
            Duration limit,
            String template,
            @Nullable String remedy) {
        this.runbook = runbook;
        this.owner = owner;
        this.limit = limit;
        this.template = template;
        this.remedy = remedy;
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

    /** What a person who is there can do, ready to paste; empty where there is nothing to do. */
    public Optional<String> remedy(NodeName self, NodeName peer) {
        return Optional.ofNullable(remedy).map(text -> Text.fill(text, self, peer));
    }

    public Decision decision() {
        return new Decision.Wait(this);
    }
}
