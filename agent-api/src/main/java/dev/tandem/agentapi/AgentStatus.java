package dev.tandem.agentapi;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.decision.WaitFor.Owner;
import dev.tandem.core.health.EtcdAlarm;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.replica.Replica.MemberRole;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of a node, for people and programs; its first field is a sentence.
 *
 * <p>The defaults are for a writer that is older or newer than the reader, and none of them makes a
 * node look better than it may be.
 *
 * @param health what the node's etcd does, by its own probe alone
 * @param eitherNodeCanFail without an outage, by all that is known here
 * @param alarms those of the node's etcd; one that the reader does not know is unknown, not absent
 * @param ageMillis how old this is: more than 0 while the agent is busy with an action
 * @param recovery whether a failure would be recovered without a person
 * @param prediction absent where no failure would be recovered without a person
 * @param kubernetes what the API knows of the peer; absent where the agent has no access to it
 * @param incident what a person's statement would be bound to
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AgentStatus(
        int version,
        String sentence,
        long ageMillis,
        String node,
        String peer,
        NodeHealth health,
        boolean eitherNodeCanFail,
        List<EtcdAlarm> alarms,
        List<NodeLine> nodes,
        List<FencingLine> fencing,
        PacemakerLine pacemaker,
        PeerChannelKind agentsTalkOver,
        Recovery recovery,
        @Nullable Prediction prediction,
        @Nullable PendingLine pending,
        @Nullable String trouble,
        @Nullable KubernetesLine kubernetes,
        String incident,
        String profile,
        AgentLine agent) {

    public AgentStatus {
        version = version == 0 ? AgentMessages.VERSION : version;
        sentence = text(sentence);
        node = text(node);
        peer = text(peer);
        health = health == null ? NodeHealth.UNKNOWN : health;
        alarms = alarms(alarms);
        nodes = copy(nodes);
        fencing = copy(fencing);
        pacemaker = pacemaker == null ? PacemakerLine.UNKNOWN : pacemaker;
        agentsTalkOver = agentsTalkOver == null ? PeerChannelKind.NONE : agentsTalkOver;
        recovery = recovery == null ? Recovery.NOT_TOLD : recovery;
        incident = text(incident);
        profile = text(profile);
        agent = agent == null ? new AgentLine(0) : agent;
    }

    /**
     * For a judge of the node that is of the same release as its agent.
     *
     * @throws IllegalArgumentException where any of it is not understood
     */
    public static AgentStatus readExactly(String text) {
        AgentStatus status = AgentMessages.readExactly(text, AgentStatus.class);
        if (status.health() == NodeHealth.UNKNOWN) {
            throw new IllegalArgumentException("no health that is known in " + text.strip());
        }
        if (status.alarms().contains(EtcdAlarm.UNKNOWN)
                || status.nodes().stream()
                        .anyMatch(node -> node.abdicated() == AbdicationKind.UNKNOWN)) {
            throw new IllegalArgumentException(
                    "an alarm or abdication that is unknown in " + text.strip());
        }
        return status;
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }

    private static List<EtcdAlarm> alarms(@Nullable List<EtcdAlarm> told) {
        // As below.
        return told == null
                ? List.of()
                : told.stream()
                        .map(alarm -> Objects.requireNonNullElse(alarm, EtcdAlarm.UNKNOWN))
                        .toList();
    }

    private static <T> List<T> copy(@Nullable List<T> list) {
        // A value of an enum that the reader does not know is null here.
        return list == null ? List.of() : list.stream().filter(Objects::nonNull).toList();
    }

    /** Whether it says that the node would go on without a person if the peer failed now. */
    public boolean promisesRecovery() {
        return health == NodeHealth.REDUNDANT && recovery.automatic();
    }

    /** The line of the node that says all this; absent only where the agent did not tell it. */
    public Optional<NodeLine> own() {
        return nodes.stream().filter(line -> line.name().equals(node)).findFirst();
    }

    /**
     * What is left of it while the agent is busy. Whether etcd serves cannot be told then: the
     * action may be the very end of it.
     */
    public AgentStatus aged(long millis) {
        return new AgentStatus(
                version,
                "The agent is busy with an action; whether etcd serves will be known when that"
                        + " ends.",
                millis,
                node,
                peer,
                NodeHealth.BUSY,
                false,
                alarms,
                nodes,
                fencing,
                pacemaker,
                agentsTalkOver,
                recovery,
                prediction,
                pending,
                trouble,
                kubernetes,
                incident,
                profile,
                agent);
    }

    /**
     * A node and its replica.
     *
     * @param heardMillis how old this is; 0 for this node, absent if it was never heard
     * @param etcd absent where it is not known: of a node that is not in the cluster, or where the
     *     reader does not know what was written
     * @param lastEtcd of a node that is not in the cluster: what it said last
     * @param role what the member list of a readable replica says of its node
     * @param lag entries behind the other replica; a leader is behind nobody
     * @param abdicated how it gave up its right to take over; absent where it did not
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record NodeLine(
            String name,
            boolean present,
            @Nullable Long heardMillis,
            @Nullable EtcdState etcd,
            @Nullable EtcdState lastEtcd,
            ReplicaKind replica,
            @Nullable MemberRole role,
            boolean complete,
            long epoch,
            long term,
            long index,
            long lag,
            @Nullable AbdicationKind abdicated,
            String memberId) {
        public NodeLine {
            name = text(name);
            replica = replica == null ? ReplicaKind.UNKNOWN : replica;
            memberId = text(memberId);
        }
    }

    /**
     * A BMC as this node sees it.
     *
     * @param fault absent where there is none
     * @param faultSentence the same for people; empty where there is none
     * @param identitySentence for people: the identity, and why
     * @param second true of the second of a node's BMC, which is IPMI beside Redfish; absent of the
     *     first
     * @param nextLoginMillis until a login that was denied is tried again; absent where none was
     * @param devices the fence devices that use this way to the BMC, and after those of the first
     *     the ones of further levels, which use none; absent in the words of an older agent
     * @param switchOffMillis how long it took to switch its node off, at most in the last fences by
     *     this node; absent where that was not measured
     * @param bmcOffSeconds the {@code bmcOff} of a plan that fits that and its answers; absent
     *     where that was not measured
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record FencingLine(
            String node,
            PowerReading power,
            @Nullable Long checkedMillisAgo,
            @Nullable Long latencyMillis,
            @Nullable BmcFaultKind fault,
            String faultSentence,
            BmcIdentity identity,
            String identitySentence,
            @Nullable Boolean second,
            @Nullable Long nextLoginMillis,
            @Nullable List<DeviceLine> devices,
            @Nullable Long switchOffMillis,
            @Nullable Long bmcOffSeconds) {
        public FencingLine {
            node = text(node);
            power = power == null ? PowerReading.UNKNOWN : power;
            faultSentence = text(faultSentence);
            fault = fault == null && !faultSentence.isEmpty() ? BmcFaultKind.UNKNOWN : fault;
            identity = identity == null ? BmcIdentity.UNKNOWN : identity;
            identitySentence = text(identitySentence);
            devices = devices == null ? null : copy(devices);
        }
    }

    /** Whether a fence device could be used, apart from what its BMC answers. */
    public enum DeviceUse {
        USABLE,
        MISSING,
        DISABLED,
        BLOCKED,
        /** Pacemaker asks it all the same, and it may fail again. */
        FAILED,
        /** Not started on the node that would use it: a constraint bans it there. */
        STOPPED,
        /** A file or a program that it needs is missing or cannot be read. */
        BROKEN,
        /** Pacemaker does not answer; or a word of another release. */
        UNKNOWN
    }

    /**
     * A fence device of Pacemaker.
     *
     * @param level which is tried in turn, from 1
     */
    public record DeviceLine(String device, int level, DeviceUse usable) {
        public DeviceLine {
            device = text(device);
            usable = usable == null ? DeviceUse.UNKNOWN : usable;
        }
    }

    /**
     * What Kubernetes has been told of the peer.
     *
     * @param state absent where the reader does not know what was written
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record KubernetesLine(
            @Nullable KubernetesState state, String sentence, long sinceMillis) {
        public KubernetesLine {
            sentence = text(sentence);
        }
    }

    /** The cluster manager in one line. */
    public record PacemakerLine(
            boolean known, boolean quorate, boolean peerPresent, boolean waitsForAll) {
        private static final PacemakerLine UNKNOWN = new PacemakerLine(false, false, false, false);
    }

    /**
     * Whether a failure would be recovered without a person, and why not.
     *
     * @param automatic whichever of the two nodes fails, by all that both say
     * @param warnings something needs repair, but recovery would work
     * @param peerSays whether the peer would recover from this node's failure; absent where an
     *     older agent did not write it
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Recovery(
            boolean automatic,
            List<ImpedimentLine> impediments,
            List<ImpedimentLine> warnings,
            @Nullable PeerReadiness peerSays) {
        private static final Recovery NOT_TOLD = new Recovery(false, List.of(), List.of(), null);

        public Recovery {
            impediments = copy(impediments);
            warnings = copy(warnings);
        }
    }

    /**
     * A known reason why recovery from a failure would need a person.
     *
     * @param cause absent where the reader does not know what was written; the sentence has it
     * @param node what the cause is about
     * @param failureOf from whose failure there is no automatic recovery; absent for either node's
     * @param runbook the page about it, on this node; absent where the remedy is one command
     * @param reportedBy the node that found it; absent where this node did
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record ImpedimentLine(
            @Nullable Cause cause,
            String node,
            @Nullable String failureOf,
            String sentence,
            String remedy,
            long sinceMillis,
            @Nullable String runbook,
            @Nullable String reportedBy) {
        public ImpedimentLine {
            node = text(node);
            sentence = text(sentence);
            remedy = text(remedy);
        }

        /** Whether the sentence says for how long; else {@link #sinceMillis} does. */
        public boolean sentenceTellsDuration() {
            return cause != null && reportedBy == null && cause.sentenceTellsDuration();
        }
    }

    /**
     * How long a failure of the peer would stop writes, as of now.
     *
     * @param millis if it lost its power, and its BMC reads Off
     * @param hungMillis if it hung: it is switched off first; absent in the word of an older agent
     * @param apiMillis until the API writes again after a loss of power; absent where the API has
     *     no address
     * @param switchOffMeasured whether the peer was fenced before, so that its time to switch off
     *     is a measured one, not the plan's
     * @param parts by name, each in milliseconds
     */
    public record Prediction(
            long millis,
            @Nullable Long hungMillis,
            @Nullable Long apiMillis,
            boolean switchOffMeasured,
            Map<String, Long> parts,
            long objectiveMillis) {
        public Prediction {
            parts = parts == null ? Map.of() : parts;
        }

        public boolean withinObjective() {
            return millis <= objectiveMillis;
        }
    }

    /**
     * What the node waits for, who has to act, after how long that is overdue, and what a person
     * may do.
     *
     * @param waitsFor absent where nothing is waited for
     * @param refuses why etcd is not started, where that was refused
     * @param owner who has to act; absent where it is the agent itself
     * @param runbook the page about it, on this node
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record PendingLine(
            String sentence,
            long sinceMillis,
            @Nullable WaitFor waitsFor,
            @Nullable Refusal refuses,
            @Nullable Owner owner,
            @Nullable Long limitMillis,
            boolean overdue,
            @Nullable String missing,
            @Nullable String remedy,
            @Nullable String runbook) {
        public PendingLine {
            sentence = text(sentence);
        }
    }

    /** The agent itself. */
    public record AgentLine(long uptimeMillis) {}
}
