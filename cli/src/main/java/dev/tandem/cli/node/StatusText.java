package dev.tandem.cli.node;

import dev.tandem.agentapi.AbdicationKind;
import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.AgentStatus.DeviceUse;
import dev.tandem.agentapi.KubernetesState;
import dev.tandem.agentapi.PeerChannelKind;
import dev.tandem.agentapi.PeerReadiness;
import dev.tandem.agentapi.ReplicaKind;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.health.EtcdAlarm;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The status of a node as people read it: the sentence first, then what it stands on. */
final class StatusText {
    private static final long JUST_NOW_MILLIS = 5_000;

    private StatusText() {}

    /** What to do about something is printed once, wherever it comes first. */
    private static final class Fixes {
        private final StringBuilder text;
        private final String sentence;
        private final Set<String> told = new HashSet<>();

        Fixes(StringBuilder text, String sentence) {
            this.text = text;
            this.sentence = sentence;
        }

        void add(String indent, String what, @Nullable String words) {
            if (words != null && !sentence.contains(words) && told.add(words)) {
                text.append(indent).append(what).append(": ").append(words).append('\n');
            }
        }
    }

    static String of(AgentStatus status) {
        StringBuilder text = new StringBuilder();
        Fixes fixes = new Fixes(text, status.sentence());
        text.append(status.sentence()).append("\n");
        if (status.ageMillis() > 0) {
            text.append("  what follows is from ")
                    .append(seconds(status.ageMillis()))
                    .append(" ago\n");
        }
        AgentStatus.PendingLine pending = status.pending();
        if (pending != null) {
            pending(text, fixes, pending);
        }
        unknownAlarm(text, status);
        String trouble = status.trouble();
        if (trouble != null) {
            text.append("  failed, and will be retried")
                    .append(status.sentence().contains(trouble) ? "" : ": " + trouble)
                    .append('\n');
        }
        for (AgentStatus.ImpedimentLine impediment : status.recovery().impediments()) {
            impediment(text, fixes, "no automatic recovery", impediment);
        }
        for (AgentStatus.ImpedimentLine warning : status.recovery().warnings()) {
            impediment(text, fixes, "needs repair", warning);
        }
        text.append('\n');
        for (AgentStatus.NodeLine node : status.nodes()) {
            node(text, node);
        }
        text.append('\n');
        for (AgentStatus.FencingLine bmc : status.fencing()) {
            bmc(text, bmc);
        }
        pacemaker(text, status.pacemaker());
        text.append("  agents     ")
                .append(
                        status.agentsTalkOver() == PeerChannelKind.NONE
                                ? "the peer's agent does not answer"
                                : "talk over " + status.agentsTalkOver())
                .append('\n');
        notTold(text, status);
        AgentStatus.KubernetesLine kubernetes = status.kubernetes();
        if (kubernetes != null) {
            text.append("  kubernetes ")
                    .append(kubernetes.sentence())
                    // How long nothing has been wrong is of no use to anybody.
                    .append(
                            kubernetes.state() == KubernetesState.IN_SERVICE
                                    ? ""
                                    : ", for " + seconds(kubernetes.sinceMillis()))
                    .append('\n');
        }
        prediction(text, status);
        return text.toString();
    }

    /** Not wrong, and a person who plans an upgrade wants to know. */
    private static void notTold(StringBuilder text, AgentStatus status) {
        if (status.recovery().peerSays() == PeerReadiness.NOT_TOLD) {
            text.append("  unknown    whether ")
                    .append(status.peer())
                    .append(" would recover from a failure of ")
                    .append(status.node())
                    .append(": its tandem-agent is of an older release\n");
        }
    }

    /** The sentence tells those that are known. */
    private static void unknownAlarm(StringBuilder text, AgentStatus status) {
        if (status.alarms().contains(EtcdAlarm.UNKNOWN)) {
            text.append(
                    "  etcd has raised an alarm that this release does not know; to list it:"
                            + " etcdctl --endpoints https://127.0.0.1:2379 --cacert"
                            + " /etc/tandem/pki/ca.pem --cert /etc/tandem/pki/etcd-client.pem --key"
                            + " /etc/tandem/pki/etcd-client.key alarm list\n");
        }
    }

    private static void pacemaker(StringBuilder text, AgentStatus.PacemakerLine pacemaker) {
        text.append("  pacemaker  ")
                .append(
                        !pacemaker.known()
                                ? "corosync does not answer"
                                : (pacemaker.quorate() ? "quorate" : "not quorate")
                                        + ", peer "
                                        + (pacemaker.peerPresent() ? "present" : "absent")
                                        + (pacemaker.waitsForAll() ? ", waits for all nodes" : ""))
                .append('\n');
    }

    private static void impediment(
            StringBuilder text, Fixes fixes, String head, AgentStatus.ImpedimentLine impediment) {
        String sentence = impediment.sentence();
        text.append(
                impediment.sentenceTellsDuration()
                        ? "  %s: %s%n".formatted(head, sentence)
                        : "  %s: %s, for %s%n"
                                .formatted(head, sentence, seconds(impediment.sinceMillis())));
        fixes.add("    ", "fix", impediment.remedy());
        fixes.add("    ", "runbook", impediment.runbook());
    }

    /** Nothing where nothing is to be recovered: the peer is gone, or nobody serves. */
    private static void prediction(StringBuilder text, AgentStatus status) {
        AgentStatus.Prediction prediction = status.prediction();
        if (prediction != null) {
            text.append("  recovery   about ")
                    .append(seconds(prediction.millis()))
                    .append(" if the peer loses power");
            if (!prediction.withinObjective()) {
                text.append(" (longer than the objective of ")
                        .append(seconds(prediction.objectiveMillis()))
                        .append(')');
            }
            Long hung = prediction.hungMillis();
            if (hung != null && hung != prediction.millis()) {
                text.append(", ")
                        .append(seconds(hung))
                        .append(" if it hangs")
                        .append(prediction.switchOffMeasured() ? "" : " (by the plan's bmcOff)");
            }
            Long api = prediction.apiMillis();
            if (api != null) {
                text.append("; the API follows ")
                        .append(seconds(api - prediction.millis()))
                        .append(" later");
            }
            text.append(" (profile ").append(status.profile()).append(')');
            text.append('\n');
        } else if (!status.recovery().automatic()) {
            text.append("  recovery   none: a person would be needed; see above\n");
        }
    }

    private static void pending(StringBuilder text, Fixes fixes, AgentStatus.PendingLine pending) {
        text.append("  for ").append(seconds(pending.sinceMillis()));
        WaitFor.Owner owner = pending.owner();
        if (owner != null) {
            text.append(", waiting for ")
                    .append(
                            switch (owner) {
                                case PEER -> "the peer";
                                case PERSON -> "a person";
                                case FENCING -> "fencing";
                            });
        }
        Long limit = pending.limitMillis();
        if (limit != null) {
            text.append(pending.overdue() ? "; overdue after " : "; normal up to ")
                    .append(seconds(limit));
        }
        text.append('\n');
        if (pending.missing() != null) {
            text.append("  missing: ").append(pending.missing()).append('\n');
        }
        // A refusal has no limit.
        if (pending.overdue() || limit == null) {
            fixes.add("  ", "fix", pending.remedy());
            fixes.add("  ", "runbook", pending.runbook());
        } else if (owner == WaitFor.Owner.PERSON) {
            fixes.add("  ", "fix", pending.remedy());
        } else {
            text.append("  No action needed before ").append(seconds(limit)).append(".\n");
        }
    }

    private static void node(StringBuilder text, AgentStatus.NodeLine node) {
        text.append(
                "  %-10s %-14s %-11s %-10s epoch %d, term %d, index %d%s%s%s%n"
                        .formatted(
                                node.name(),
                                etcd(node),
                                word(
                                        node.replica() == ReplicaKind.INTACT
                                                ? node.role()
                                                : node.replica()),
                                node.complete() ? "complete" : "incomplete",
                                node.epoch(),
                                node.term(),
                                node.index(),
                                node.lag() > 0 ? ", " + node.lag() + " behind" : "",
                                abdicated(node.abdicated()),
                                heard(node.heardMillis())));
    }

    /** Of a node that is gone these are its last words; an older agent had no field for them. */
    private static String etcd(AgentStatus.NodeLine node) {
        return node.present()
                ? word(node.etcd())
                : "was " + word(node.lastEtcd() == null ? node.etcd() : node.lastEtcd());
    }

    private static String abdicated(@Nullable AbdicationKind kind) {
        return switch (kind) {
            case null -> "";
            case UNKNOWN -> ", gave up its right to take over in an unknown way";
            case DEPARTED, STOOD_DOWN -> ", " + word(kind);
        };
    }

    private static String heard(@Nullable Long millis) {
        return millis == null
                ? ", not heard"
                : millis > JUST_NOW_MILLIS ? ", heard " + seconds(millis) + " ago" : "";
    }

    private static void bmc(StringBuilder text, AgentStatus.FencingLine bmc) {
        Long checked = bmc.checkedMillisAgo();
        text.append(
                "  %s of %-10s reads %-8s %s%s%s%n"
                        .formatted(
                                Boolean.TRUE.equals(bmc.second()) ? "ipmi" : "bmc",
                                bmc.node(),
                                word(bmc.power()),
                                checked == null
                                        ? "not checked yet"
                                        : "checked " + seconds(checked) + " ago",
                                bmc.latencyMillis() == null
                                        ? ""
                                        : ", answers in " + bmc.latencyMillis() + " ms",
                                !bmc.faultSentence().isEmpty()
                                        ? ", " + bmc.faultSentence()
                                        : ", identity " + bmc.identitySentence()));
        List<AgentStatus.DeviceLine> devices = bmc.devices();
        for (AgentStatus.DeviceLine device :
                devices == null ? List.<AgentStatus.DeviceLine>of() : devices) {
            text.append(
                    "    level %d   %s, %s%n"
                            .formatted(device.level(), device.device(), use(device.usable())));
        }
    }

    private static String use(DeviceUse use) {
        return switch (use) {
            case USABLE -> "could be used";
            case MISSING -> "missing from Pacemaker";
            case FAILED -> "marked as failed";
            case STOPPED -> "not started on the node that would use it";
            case BROKEN -> "would fail";
            case DISABLED, BLOCKED -> word(use);
            case UNKNOWN -> "not known whether it could be used";
        };
    }

    /** What a newer agent says may have no name here. */
    private static String word(@Nullable Enum<?> value) {
        return value == null ? "unknown" : value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    static String seconds(long millis) {
        return millis < 10_000
                ? String.format(Locale.ROOT, "%.1f s", millis / 1000.0)
                : millis / 1000 + " s";
    }
}
