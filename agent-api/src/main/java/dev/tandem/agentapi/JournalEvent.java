package dev.tandem.agentapi;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.tandem.agentapi.plan.PlanUse;
import dev.tandem.core.BmcName;
import dev.tandem.core.BootId;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.LeaderDecision;
import dev.tandem.core.decision.OwnLog;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.replica.Epoch;
import dev.tandem.core.replica.Replica;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What an agent writes into its journal. The names in the file stand here and nowhere else, and do
 * not follow the names of the classes: a journal outlives the program that wrote it.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
    @JsonSubTypes.Type(name = "agent-started", value = JournalEvent.AgentStarted.class),
    @JsonSubTypes.Type(name = "membership", value = JournalEvent.MembershipChanged.class),
    @JsonSubTypes.Type(name = "talk", value = JournalEvent.PeerChannelChanged.class),
    @JsonSubTypes.Type(name = "heard", value = JournalEvent.PeerHeard.class),
    @JsonSubTypes.Type(name = "peer-not-understood", value = JournalEvent.PeerNotUnderstood.class),
    @JsonSubTypes.Type(
            name = "attribute-message-refused",
            value = JournalEvent.AttributeMessageRefused.class),
    @JsonSubTypes.Type(name = JournalEvent.DECISION, value = JournalEvent.Decided.class),
    @JsonSubTypes.Type(name = "start-requested", value = JournalEvent.StartRequested.class),
    @JsonSubTypes.Type(name = "stop-requested", value = JournalEvent.StopRequested.class),
    @JsonSubTypes.Type(name = "stopped", value = JournalEvent.EtcdStopped.class),
    @JsonSubTypes.Type(name = "etcd-ended", value = JournalEvent.EtcdExited.class),
    @JsonSubTypes.Type(name = "etcd-hangs", value = JournalEvent.EtcdHung.class),
    @JsonSubTypes.Type(name = "serving", value = JournalEvent.Serving.class),
    @JsonSubTypes.Type(name = "complete", value = JournalEvent.ReplicaComplete.class),
    @JsonSubTypes.Type(name = "installed", value = JournalEvent.Installed.class),
    @JsonSubTypes.Type(name = "failed", value = JournalEvent.ActionFailed.class),
    @JsonSubTypes.Type(name = "take-over", value = JournalEvent.TakeOver.class),
    @JsonSubTypes.Type(name = "lone-start", value = JournalEvent.LoneStart.class),
    @JsonSubTypes.Type(name = "departure", value = JournalEvent.DepartureAsked.class),
    @JsonSubTypes.Type(name = "leadership", value = JournalEvent.LeadershipHandedOver.class),
    @JsonSubTypes.Type(name = "member-urls", value = JournalEvent.MemberUrlsListed.class),
    @JsonSubTypes.Type(
            name = "peer-connections-closed",
            value = JournalEvent.PeerConnectionsClosed.class),
    @JsonSubTypes.Type(name = "led", value = JournalEvent.MembershipStep.class),
    @JsonSubTypes.Type(name = "seat-given-back", value = JournalEvent.AnotherSeatRequested.class),
    @JsonSubTypes.Type(name = "learner-unheard", value = JournalEvent.LearnerRestarted.class),
    @JsonSubTypes.Type(name = "calm-awaited", value = JournalEvent.StableLinkAwaited.class),
    @JsonSubTypes.Type(name = "calm", value = JournalEvent.StableLinkWaitEnded.class),
    @JsonSubTypes.Type(name = "split-delay", value = JournalEvent.SplitDelay.class),
    @JsonSubTypes.Type(name = "isolation-delay", value = JournalEvent.IsolationDelay.class),
    @JsonSubTypes.Type(name = "fence-ordered", value = JournalEvent.FenceOrdered.class),
    @JsonSubTypes.Type(name = "fence-requested", value = JournalEvent.FenceRequested.class),
    @JsonSubTypes.Type(name = "fence-answered", value = JournalEvent.FenceAnswered.class),
    @JsonSubTypes.Type(name = "fence-lapsed", value = JournalEvent.FenceLapsed.class),
    @JsonSubTypes.Type(name = "fence-renewed", value = JournalEvent.FenceRenewed.class),
    @JsonSubTypes.Type(name = "switched-off", value = JournalEvent.SwitchedOff.class),
    @JsonSubTypes.Type(name = "fenced", value = JournalEvent.Fenced.class),
    @JsonSubTypes.Type(
            name = "fence-proves-nothing",
            value = JournalEvent.FenceProvesNothing.class),
    @JsonSubTypes.Type(name = "off-not-believed", value = JournalEvent.OffNotBelieved.class),
    @JsonSubTypes.Type(name = "second-level-refused", value = JournalEvent.LevelTwoRefused.class),
    @JsonSubTypes.Type(
            name = "bmc-settings-changed",
            value = JournalEvent.BmcSettingsChanged.class),
    @JsonSubTypes.Type(name = "bmc-settings-differ", value = JournalEvent.BmcSettingsDiffer.class),
    @JsonSubTypes.Type(name = "plan-taken", value = JournalEvent.PlanTaken.class),
    @JsonSubTypes.Type(name = "proofs-ended", value = JournalEvent.ProofsVoid.class),
    @JsonSubTypes.Type(name = "stated", value = JournalEvent.Stated.class),
    @JsonSubTypes.Type(name = "node-marked", value = JournalEvent.NodeMarked.class),
    @JsonSubTypes.Type(name = "node-cleared", value = JournalEvent.NodeCleared.class),
    @JsonSubTypes.Type(name = "leases-freed", value = JournalEvent.LeasesFreed.class),
    @JsonSubTypes.Type(name = "pods-not-ready", value = JournalEvent.PodsNotReady.class),
    @JsonSubTypes.Type(name = "kubernetes-waits", value = JournalEvent.KubernetesNotTold.class),
    @JsonSubTypes.Type(name = "api-can-write", value = JournalEvent.ApiWritability.class),
    @JsonSubTypes.Type(name = "api-write-untested", value = JournalEvent.ApiNotTested.class),
    @JsonSubTypes.Type(name = "not-stored", value = JournalEvent.NotStored.class),
    @JsonSubTypes.Type(name = "stored-again", value = JournalEvent.StoredAgain.class),
    @JsonSubTypes.Type(name = "log-lacks-entries", value = JournalEvent.LogLacksEntries.class),
})
public sealed interface JournalEvent {
    /** The name of {@link Decided}. */
    String DECISION = "decision";

    /** What happened, for a person. */
    String sentence();

    record AgentStarted(BootId boot) implements JournalEvent {
        @Override
        public String sentence() {
            return "tandem-agent started";
        }
    }

    /** Corosync's membership as this node sees it. */
    record MembershipChanged(boolean peerPresent, boolean quorate) implements JournalEvent {
        @Override
        public String sentence() {
            return "the peer is %s the membership, and this node is %s"
                    .formatted(peerPresent ? "in" : "not in", quorate ? "quorate" : "not quorate");
        }
    }

    record PeerChannelChanged(PeerChannelKind over) implements JournalEvent {
        @Override
        public String sentence() {
            return over == PeerChannelKind.NONE
                    ? "the peer's agent does not answer"
                    : "the agents of both nodes exchange messages over " + over;
        }
    }

    /** For the first time in a boot of the peer. */
    record PeerHeard(NodeFacts peer) implements JournalEvent {
        @Override
        public String sentence() {
            return "%s sent its first message since it booted: %s"
                    .formatted(peer.node(), JournalPhrases.replica(peer));
        }
    }

    /**
     * The peer's agent is of another release, and this one does not understand all of its messages.
     *
     * @param messageVersion of the peer's messages
     * @param parts what was not understood, and counts as not said
     */
    record PeerNotUnderstood(int messageVersion, List<String> parts) implements JournalEvent {
        public PeerNotUnderstood {
            parts = List.copyOf(parts);
        }

        @Override
        public String sentence() {
            return "this agent does not understand all of the peer's messages (version %d): %s"
                    .formatted(messageVersion, JournalPhrases.shortened(String.join("; ", parts)));
        }
    }

    /**
     * A message in the peer's attribute of the cluster was not heard.
     *
     * @param soFar how many were refused for this reason since the agent started: the 1st, 10th,
     *     100th and so on are recorded
     */
    record AttributeMessageRefused(Fault fault, long soFar) implements JournalEvent {
        public enum Fault {
            TOO_LONG("it is longer than any that an agent writes"),
            NOT_SIGNED("it is not signed by the peer's agent"),
            OLD("it is older than one that was heard before"),
            NOT_UNDERSTOOD("it is signed by the peer's agent, and not understood");

            private final String words;

            Fault(String words) {
                this.words = words;
            }
        }

        @Override
        public String sentence() {
            return "a message over cluster attributes is ignored: %s (%d so far)"
                    .formatted(fault.words, soFar);
        }
    }

    /**
     * What was decided, from what.
     *
     * @param said the decision as a sentence, as the release of that day put it
     * @param log what this node's log had to say about it; the first lines do not tell
     */
    record Decided(
            @JsonProperty("sentence") String said,
            Decision decision,
            Situation situation,
            OwnLog log)
            implements JournalEvent {
        @Override
        public String sentence() {
            return "the decision is: " + said;
        }

        /** What the decision was made from, a line each. */
        public List<String> reasons() {
            return JournalPhrases.reasons(situation);
        }
    }

    record StartRequested() implements JournalEvent {
        @Override
        public String sentence() {
            return "Pacemaker asks to start etcd here";
        }
    }

    record StopRequested() implements JournalEvent {
        @Override
        public String sentence() {
            return "Pacemaker asks to stop etcd here";
        }
    }

    record EtcdStopped() implements JournalEvent {
        @Override
        public String sentence() {
            return "etcd has been stopped";
        }
    }

    /**
     * The process ended although nobody had asked for it.
     *
     * @param deathsInARow without having served in between
     */
    record EtcdExited(int deathsInARow, int lately) implements JournalEvent {
        @Override
        public String sentence() {
            return "etcd exited unexpectedly; exits in the last two minutes: " + lately;
        }
    }

    record EtcdHung(String words) implements JournalEvent {
        @Override
        public String sentence() {
            return "etcd hangs: " + words;
        }
    }

    /** etcd serves, for the first time since it was started. */
    record Serving(EtcdState server, Replica replica) implements JournalEvent {
        @Override
        public String sentence() {
            return "etcd is serving, %s, %s"
                    .formatted(
                            JournalPhrases.name(server),
                            replica instanceof Replica.Intact intact
                                    ? JournalPhrases.name(intact.role())
                                    : "role not known");
        }
    }

    record ReplicaComplete(Replica replica) implements JournalEvent {
        @Override
        public String sentence() {
            return "this replica holds everything that was acknowledged";
        }
    }

    record Installed() implements JournalEvent {
        @Override
        public String sentence() {
            return "the installation is complete: etcd has its data";
        }
    }

    record ActionFailed(String what, String why, @JsonProperty("do") String remedy)
            implements JournalEvent {
        @Override
        public String sentence() {
            return "an action failed: %s: %s".formatted(what, why);
        }
    }

    /** A new history of one voter. */
    record TakeOver(Phase phase, Epoch epoch) implements JournalEvent {
        public enum Phase {
            /** etcd is ended, so that the end of its log can be read. */
            STOPPING,
            /** From here on there is a new epoch. */
            FORCING,
            STARTED
        }

        @Override
        public String sentence() {
            return switch (phase) {
                case STOPPING -> "take-over: this node stops etcd to read the end of its log";
                case FORCING ->
                        "take-over: this node keeps its whole log and starts etcd as the only"
                                + " voter";
                case STARTED -> "take-over: etcd has been started";
            };
        }

        /** The moment from which there may be two histories, if it was wrong. */
        public boolean forces() {
            return phase == Phase.FORCING;
        }
    }

    record LoneStart(boolean peerHeldOff) implements JournalEvent {
        @Override
        public String sentence() {
            return "this node starts etcd alone: the peer is held off, and this node served last";
        }
    }

    record DepartureAsked(Abdication abdication) implements JournalEvent {
        @Override
        public String sentence() {
            return "this node asks the peer to remove it from the member list";
        }
    }

    record LeadershipHandedOver(String outcome) implements JournalEvent {
        @Override
        public String sentence() {
            return "this node transfers etcd leadership to the peer: "
                    + JournalPhrases.shortened(outcome);
        }
    }

    record MemberUrlsListed(String outcome) implements JournalEvent {
        @Override
        public String sentence() {
            return "this node lists all URLs of its etcd member, one for each link: "
                    + JournalPhrases.shortened(outcome);
        }
    }

    /**
     * etcd had no leader although the peer is present, and its connections were closed.
     *
     * @param problem why not all of them could be; empty otherwise
     */
    record PeerConnectionsClosed(int connections, String problem) implements JournalEvent {
        @Override
        public String sentence() {
            return "etcd has no leader although the peer is present; "
                    + (problem.isEmpty()
                            ? connections
                                    + " of its connections to the peer were closed, so that it"
                                    + " tries every link"
                            : "its connections to the peer could not be closed: "
                                    + JournalPhrases.shortened(problem));
        }
    }

    /** A step of the leader about its peer's place in the member list. */
    record MembershipStep(LeaderDecision.Step step, String outcome) implements JournalEvent {
        @Override
        public String sentence() {
            return "as leader, this node %s: %s"
                    .formatted(JournalPhrases.step(step), JournalPhrases.shortened(outcome));
        }
    }

    record AnotherSeatRequested(long memberId) implements JournalEvent {
        @Override
        public String sentence() {
            return "this node asks to be added again as a learner: its current data cannot be used";
        }
    }

    record LearnerRestarted() implements JournalEvent {
        @Override
        public String sentence() {
            return "this node restarts etcd, which has caught up but not published its client URLs";
        }
    }

    record StableLinkAwaited(long seconds) implements JournalEvent {
        @Override
        public String sentence() {
            return "this node joins the cluster once the link to the peer has been stable for %d s"
                    .formatted(seconds);
        }
    }

    /** Why a freshly booted node no longer waits before it joins the cluster. */
    record StableLinkWaitEnded(Verdict verdict) implements JournalEvent {
        public enum Verdict {
            STABLE,
            PEER_AWAY,
            TIME_IS_UP
        }

        @Override
        public String sentence() {
            return switch (verdict) {
                case STABLE -> "the link to the peer is stable: this node joins the cluster";
                case PEER_AWAY ->
                        "the peer does not answer, so this node stops waiting and joins the"
                                + " cluster";
                case TIME_IS_UP ->
                        "the link to the peer is still unstable, but the wait is over: this node"
                                + " joins the cluster";
            };
        }
    }

    record SplitDelay(long seconds) implements JournalEvent {
        @Override
        public String sentence() {
            return "this node waits %d s before it fences: in a split the peer fences first"
                    .formatted(seconds);
        }
    }

    record IsolationDelay(long seconds) implements JournalEvent {
        @Override
        public String sentence() {
            return ("all cluster links of this node are down: it waits %d s before it fences, so"
                            + " that a peer that is still connected fences first")
                    .formatted(seconds);
        }
    }

    record FenceOrdered(String target, String action) implements JournalEvent {
        @Override
        public String sentence() {
            return "Pacemaker orders fencing of " + target;
        }
    }

    /** This node orders what it waits for, since nobody else does. */
    record FenceRequested(String target) implements JournalEvent {
        @Override
        public String sentence() {
            return "%s left the cluster without handing over, and Pacemaker does not fence it: this node orders its fence"
                    .formatted(target);
        }
    }

    record FenceAnswered(int exitCode, String said) implements JournalEvent {
        @Override
        public String sentence() {
            return exitCode == 0
                    ? "the fence order was carried out"
                    : "the fence order failed: " + JournalPhrases.shortened(said);
        }
    }

    /** Nothing was switched, because the order no longer stood. */
    record FenceLapsed(String target, Cause reason) implements JournalEvent {
        /** Why it did not. */
        public enum Cause {
            /** Its caller had stopped waiting. */
            EXPIRED,
            /** The node is in a newer boot. */
            OVERTAKEN
        }

        @Override
        public String sentence() {
            return switch (reason) {
                case EXPIRED ->
                        "%s was not switched off: the order came too late, and nobody waits for it"
                                .formatted(target);
                case OVERTAKEN ->
                        "%s was not switched off: it has booted since the order was given"
                                .formatted(target);
            };
        }
    }

    /** The node has booted since the order was given, and who gave it still waits. */
    record FenceRenewed(String target) implements JournalEvent {
        @Override
        public String sentence() {
            return "%s has booted since Pacemaker ordered its fence, and Pacemaker still waits: the new boot is fenced"
                    .formatted(target);
        }
    }

    record SwitchedOff(String node, long tookMillis) implements JournalEvent {
        @Override
        public String sentence() {
            return "the BMC of %s read Off after %d ms".formatted(node, tookMillis);
        }
    }

    record Fenced(PeerProof.Fenced receipt) implements JournalEvent {
        @Override
        public String sentence() {
            return "the peer is fenced: its BMC read Off (%s)".formatted(receipt.method());
        }
    }

    record FenceProvesNothing(
            String method, PowerReading observed, Proofs.Machine machine, String orderedForBoot)
            implements JournalEvent {
        @Override
        public String sentence() {
            return "the peer's BMC read Off (%s), but the peer has booted since the order, or its boot was not known: this fence proves nothing"
                    .formatted(method);
        }
    }

    record OffNotBelieved(String method, Reason reason) implements JournalEvent {
        public enum Reason {
            ANOTHER_MACHINE,
            MACHINE_NOT_TOLD,
            NOT_STATED,
            UNKNOWN_BMC,
            OFF_WHILE_ALIVE,
            ALIVE_SINCE,
            READ_ONCE,
            OTHER_BOOT,
            NOT_OFF
        }

        @Override
        public String sentence() {
            return switch (reason) {
                case ANOTHER_MACHINE ->
                        "the peer's BMC controls another machine: its Off is not believed";
                case MACHINE_NOT_TOLD ->
                        "the peer's BMC does not report which machine it controls: its Off is not"
                                + " believed";
                case NOT_STATED ->
                        "%s read Off, and the plan does not say that this is the peer's power (provesOff): its Off is not believed"
                                .formatted(method);
                case UNKNOWN_BMC ->
                        "the second fencing level read Off, but nobody knows whether from the"
                                + " peer's BMC: this Off is not believed";
                case OFF_WHILE_ALIVE ->
                        "the peer's BMC reads Off while the peer is alive: its Off is not believed";
                case ALIVE_SINCE ->
                        "the peer gave a sign of life after its BMC had read Off: this Off is not"
                                + " believed";
                case OTHER_BOOT ->
                        "the peer has booted since the fence was ordered: this Off proves nothing"
                                + " about its current boot";
                case NOT_OFF -> "the peer's BMC does not read Off";
                case READ_ONCE ->
                        "the peer's BMC read Off only once and had not accepted the power-off: its"
                                + " Off is not believed";
            };
        }
    }

    /**
     * Somebody changed how a BMC is reached or logged in to.
     *
     * @param target by {@link BmcName}
     */
    record BmcSettingsChanged(
            String target, List<FencingChange.Setting> changed, long changeNumber, String person)
            implements JournalEvent {
        public BmcSettingsChanged {
            changed = List.copyOf(changed);
        }

        @Override
        public String sentence() {
            return "%s changed the settings for %s: %s"
                    .formatted(
                            person,
                            BmcName.words(target),
                            changed.stream()
                                    .map(one -> one.name().toLowerCase(Locale.ROOT))
                                    .collect(Collectors.joining(", ")));
        }
    }

    record BmcSettingsDiffer(String target, long peersChangeNumber) implements JournalEvent {
        @Override
        public String sentence() {
            return "the two nodes have different settings for %s, changed while they could not reach each other; on the node whose settings are wrong: tandem fencing set %s, with the right ones"
                    .formatted(BmcName.words(target), BmcName.arguments(target));
        }
    }

    /** The agent runs by another plan than before. */
    record PlanTaken(List<PlanUse.Setting> changed, String person) implements JournalEvent {
        public PlanTaken {
            changed = List.copyOf(changed);
        }

        @Override
        public String sentence() {
            return "the plan that %s applied is in use: %s"
                    .formatted(
                            person,
                            changed.stream()
                                    .map(PlanUse.Setting::words)
                                    .collect(Collectors.joining(", ")));
        }
    }

    record LevelTwoRefused(String target, String why) implements JournalEvent {
        @Override
        public String sentence() {
            return "fencing level 2 was refused: " + why;
        }
    }

    record ProofsVoid(String how, List<PeerProof> proofs) implements JournalEvent {
        public ProofsVoid {
            proofs = List.copyOf(proofs);
        }

        @Override
        public String sentence() {
            return "the peer is alive (%s): proofs that it was off are void".formatted(how);
        }
    }

    record Stated(PeerProof.Stated statement) implements JournalEvent {
        @Override
        public String sentence() {
            return "%s stated: %s"
                    .formatted(
                            statement.person(),
                            switch (statement.statement()) {
                                case PEER_IS_OFF -> "the peer is off";
                                case PEER_IS_OFF_LOSS_ACCEPTED ->
                                        "the peer is off, and what it may have written alone is"
                                                + " given up";
                                case KEEP_PEERS_HISTORY ->
                                        "the peer's history is kept, and this node's is set aside";
                            });
        }
    }

    record NodeMarked(String node, BootId boot) implements JournalEvent {
        @Override
        public String sentence() {
            return ("node %s has been marked out of service in Kubernetes (taint"
                            + " node.kubernetes.io/out-of-service)")
                    .formatted(node);
        }
    }

    record NodeCleared(String node) implements JournalEvent {
        @Override
        public String sentence() {
            return "the out-of-service taint of node %s has been removed".formatted(node);
        }
    }

    record LeasesFreed(String node, List<String> leases) implements JournalEvent {
        public LeasesFreed {
            leases = List.copyOf(leases);
        }

        @Override
        public String sentence() {
            return "leases held by %s have been released: %s"
                    .formatted(node, String.join(", ", leases));
        }
    }

    record PodsNotReady(String node, long pods) implements JournalEvent {
        @Override
        public String sentence() {
            return "%d pods of %s have been marked not Ready".formatted(pods, node);
        }
    }

    record KubernetesNotTold(String why) implements JournalEvent {
        @Override
        public String sentence() {
            return "the Kubernetes API cannot be updated yet: " + JournalPhrases.shortened(why);
        }
    }

    record ApiWritability(boolean writes, String why) implements JournalEvent {
        @Override
        public String sentence() {
            return "the API server of this node %s accept writes: %s"
                    .formatted(writes ? "can" : "cannot", JournalPhrases.shortened(why));
        }
    }

    record ApiNotTested(String why) implements JournalEvent {
        @Override
        public String sentence() {
            return "the API server of this node cannot be tested, so etcd's state counts instead: "
                    + JournalPhrases.shortened(why);
        }
    }

    record NotStored(String why) implements JournalEvent {
        @Override
        public String sentence() {
            return "this node cannot store its state: " + JournalPhrases.shortened(why);
        }
    }

    record StoredAgain() implements JournalEvent {
        @Override
        public String sentence() {
            return "this node can store its state again";
        }
    }

    record LogLacksEntries(long lastIndex, long peerCommit) implements JournalEvent {
        @Override
        public String sentence() {
            return "the log of this node ends at entry %d, but the peer has reported entry %d as committed"
                    .formatted(lastIndex, peerCommit);
        }
    }

    /**
     * A line of a newer or older agent, or a torn one. Nothing may be concluded from it, least of
     * all that something did not happen.
     *
     * @param event its name in the file; empty where not even that can be read
     */
    record Unreadable(String event, String why) implements JournalEvent {
        @Override
        public String sentence() {
            return "%s (this line cannot be read: %s)"
                    .formatted(
                            event.isEmpty() ? "unknown" : event.replace('-', ' '),
                            JournalPhrases.shortened(why));
        }
    }
}
