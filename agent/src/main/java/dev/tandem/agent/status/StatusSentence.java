package dev.tandem.agent.status;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.PeerReadiness;
import dev.tandem.core.Runbook;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Health;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.health.EtcdAlarm;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.link.LinkStability;
import dev.tandem.host.etcd.NoSpaceToJoin;
import dev.tandem.host.health.Impediments;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The first line of the status: what is served, what is in the way, and what ends it.
 *
 * <p>It says that all is well in one case only, and there is no way to that but through every
 * other.
 *
 * @param well whether that was it
 */
record StatusSentence(String text, boolean well) {
    /** What a person does about something that ends automatically. */
    static final String ENDS_AUTOMATICALLY = "no action needed; it ends automatically";

    /**
     * What the line is made of.
     *
     * @param peerHealth by the peer's last report
     * @param peerFollows its server runs and follows the leader, by its last report
     * @param peerTalks its agent was heard just now
     * @param etcdRuns a start that was only ordered does not count
     * @param cannotBeEnded etcd here does not serve and cannot be ended
     * @param peersPower what the peer's BMC reads, where that is about the peer as it is now
     * @param words what else etcd reports
     * @param bootGate why Corosync is held back, if it is
     * @param doing what this node waits for or does
     * @param failedFence the last fence of the peer, where it failed
     */
    record Seen(
            String self,
            String peer,
            Health health,
            boolean peerPresent,
            Optional<Health> peerHealth,
            boolean peerFollows,
            boolean peerTalks,
            boolean etcdRuns,
            boolean cannotBeEnded,
            PowerReading peersPower,
            List<EtcdAlarm> alarms,
            String words,
            Optional<String> bootGate,
            String doing,
            Optional<String> trouble,
            Optional<Decision> decision,
            Optional<AgentStatus.PendingLine> pending,
            Optional<FailedFence> failedFence,
            AgentStatus.Recovery recovery) {}

    /**
     * A fence of the peer that failed.
     *
     * @param age since it was answered
     * @param remedy what ends the fault that its BMC answered with; empty where it answered none
     */
    record FailedFence(String why, Duration age, Optional<String> remedy) {}

    static StatusSentence of(Seen seen) {
        Optional<String> alarm = alarm(seen);
        if (alarm.isPresent()) {
            return new StatusSentence(alarm.get(), false);
        }
        return switch (seen.health()) {
            case REDUNDANT -> redundant(seen);
            case ALONE -> new StatusSentence(alone(seen), false);
            case LEARNING -> new StatusSentence(learning(seen), false);
            case UNSEEN -> new StatusSentence(unseen(seen), false);
            case DOWN -> new StatusSentence("No writes here: " + down(seen), false);
        };
    }

    /**
     * etcd tells its alarms with its status; under one of them it refuses writes, however well both
     * servers are otherwise.
     */
    private static Optional<String> alarm(Seen seen) {
        if (seen.health() == Health.DOWN) {
            return Optional.empty();
        }
        if (seen.alarms().contains(EtcdAlarm.NOSPACE)) {
            return Optional.of(
                    "etcd serves reads but refuses writes: its database has reached its quota."
                            + " Compact and defragment it"
                            + see(Runbook.DATABASE_FULL.path()));
        }
        if (seen.alarms().contains(EtcdAlarm.CORRUPT)) {
            return Optional.of(
                    "etcd refuses its clients: it found that the databases of its members differ"
                            + see(Runbook.DATABASES_DIFFER.path()));
        }
        return Optional.empty();
    }

    private static StatusSentence redundant(Seen seen) {
        if (seen.peerPresent() && seen.peerHealth().filter(Health.UNSEEN::equals).isPresent()) {
            return new StatusSentence(
                    ("etcd is running here, but tandem-agent on %s cannot query its own etcd, so"
                         + " recovery from a failure is not assured. To find out why, on %s: tandem"
                         + " status")
                            .formatted(seen.peer(), seen.peer()),
                    false);
        }
        if (!seen.peerPresent() || seen.peerHealth().filter(Health.REDUNDANT::equals).isEmpty()) {
            return new StatusSentence(
                    seen.peerPresent()
                            ? ("etcd is running here, but %s is not known to be serving as a voter;"
                                   + " writes need both nodes. To find out why, on %s: tandem"
                                   + " status")
                                    .formatted(seen.peer(), seen.peer())
                            : ("etcd is running here, but %s is not in the cluster; writes need"
                                   + " both nodes. Waiting for fencing. To follow it: tandem"
                                   + " explain")
                                    .formatted(seen.peer()),
                    false);
        }
        List<AgentStatus.ImpedimentLine> impediments = seen.recovery().impediments();
        if (!impediments.isEmpty()) {
            AgentStatus.ImpedimentLine first = impediments.getFirst();
            if (first.cause() == Impediment.Cause.PEER_READINESS_UNKNOWN) {
                return new StatusSentence(
                        ("etcd is serving on %s and %s. Whether a failure of %s would be recovered"
                                                + " automatically is not known: %s.")
                                        .formatted(
                                                seen.self(),
                                                seen.peer(),
                                                seen.self(),
                                                lasting(first))
                                + remedy(first),
                        false);
            }
            String whose = first.failureOf();
            return new StatusSentence(
                    "etcd is serving on %s and %s, but if %s fails, %s: %s%s."
                                    .formatted(
                                            seen.self(),
                                            seen.peer(),
                                            whose == null ? "either node" : whose,
                                            isAboutTheApi(first)
                                                    ? "the API is not recovered automatically"
                                                    : "there is no automatic recovery",
                                            lasting(first),
                                            others(impediments))
                            + remedy(first),
                    false);
        }
        if (seen.peersPower() == PowerReading.OFF) {
            return new StatusSentence(
                    ("the BMC of %s reads Off; waiting for Corosync to declare it lost. No action"
                                    + " needed.")
                            .formatted(seen.peer()),
                    false);
        }
        Optional<AgentStatus.ImpedimentLine> doubt =
                seen.recovery().warnings().stream()
                        .filter(warning -> seen.self().equals(warning.failureOf()))
                        .findFirst();
        if (doubt.isPresent()) {
            return new StatusSentence(
                    ("etcd is serving on %s and %s. A failure of %s would be recovered"
                                            + " automatically; a failure of %s might not be: %s.")
                                    .formatted(
                                            seen.self(),
                                            seen.peer(),
                                            seen.peer(),
                                            seen.self(),
                                            lasting(doubt.get()))
                            + " To find out why, on %s: tandem status".formatted(seen.peer()),
                    false);
        }
        if (seen.recovery().peerSays() == PeerReadiness.NOT_TOLD) {
            return new StatusSentence(
                    ("etcd is serving on %s and %s; as far as %s knows, either node can fail"
                         + " without an outage. The older release on %s does not report whether it"
                         + " would recover from a failure of %s.")
                            .formatted(
                                    seen.self(),
                                    seen.peer(),
                                    seen.self(),
                                    seen.peer(),
                                    seen.self()),
                    true);
        }
        return new StatusSentence(
                "%s %s"
                        .formatted(
                                healthy(seen),
                                seen.recovery().warnings().isEmpty()
                                        ? "No action needed."
                                        : "There are warnings; see below."),
                true);
    }

    /** Nothing stands in the way of a recovery from the failure of either node. */
    private static String healthy(Seen seen) {
        return "etcd is serving on %s and %s; either node can fail without an outage."
                .formatted(seen.self(), seen.peer());
    }

    /** What the agent itself knows to be wrong with a certificate comes before where to look. */
    private static String unseen(Seen seen) {
        return "etcd on %s does not answer its own tandem-agent: %s. It may be serving others and is"
                        .formatted(seen.self(), seen.words())
                + " left running. "
                + first(seen, StatusSentence::isAboutACertificate)
                        .map(line -> "A likely cause: %s.".formatted(lasting(line)) + remedy(line))
                        .orElse(
                                "To find out why: systemctl status tandem-etcd (if it refuses the"
                                        + " certificate: tandem certs install DIR; systemctl"
                                        + " restart tandem-agent)");
    }

    /** Only the leader's agent can make a learner a voter. */
    private static String learning(Seen seen) {
        String state =
                "%s is catching up from %s and cannot take over yet"
                        .formatted(seen.self(), seen.peer());
        return first(seen, line -> line.cause() == Impediment.Cause.PEER_AGENT_SILENT)
                .map(line ->
                        "%s, nor become a voter: %s.".formatted(state, lasting(line))
                                + remedy(line))
                .orElse(state + ". No action needed.");
    }

    private static String alone(Seen seen) {
        // Where the API has nobody left to serve it, that comes before the risk of the next
        // failure.
        Optional<AgentStatus.ImpedimentLine> api =
                first(
                        seen,
                        line ->
                                isAboutTheApi(line)
                                        && !(line.cause() == Impediment.Cause.API_ADDRESS_BANNED
                                                && line.node().equals(seen.peer())));
        if (api.isPresent()) {
            return "etcd is serving on %s alone, and the API may be unreachable: %s."
                            .formatted(seen.self(), lasting(api.get()))
                    + remedy(api.get());
        }
        return "etcd is serving on %s alone, so a failure of %s would be an outage; %s"
                .formatted(seen.self(), seen.self(), returnOfThePeer(seen));
    }

    private static String returnOfThePeer(Seen seen) {
        String peer = seen.peer();
        if (!seen.peerPresent()) {
            return seen.peerTalks()
                    ? ("%s is up, but not in the cluster yet. If that lasts more than %d minutes:"
                                    + " pcs cluster start %s")
                            // Until then its boot gate may hold Corosync back.
                            .formatted(peer, LinkStability.LIMIT.toMinutes(), peer)
                    : peer + " does not answer. If it is not booting, switch it on.";
        }
        if (seen.peerFollows()) {
            return peer + " is catching up. No action needed.";
        }
        Optional<AgentStatus.ImpedimentLine> hindrance =
                first(
                        seen,
                        line ->
                                line.cause() == Impediment.Cause.PEER_AGENT_SILENT
                                        || (keepsFromStarting(line)
                                                && !isOnlyAbout(line, seen.self())));
        return hindrance
                .map(line -> "%s cannot join: %s.".formatted(peer, lasting(line)) + remedy(line))
                .orElse(
                        "waiting for %s to join. If that lasts, on %s: tandem status"
                                .formatted(peer, peer));
    }

    private static String down(Seen seen) {
        if (seen.bootGate().isPresent()) {
            return seen.bootGate().get() + ". No action needed.";
        }
        if (seen.cannotBeEnded()) {
            return "etcd on %s does not serve and cannot be ended: the kernel holds its process. "
                            .formatted(seen.self())
                    + (seen.peerPresent()
                                    ? "%s is to fence this node. To follow it: tandem explain"
                                    : "%s is not in the cluster, so nobody fences this node: bring"
                                          + " %1$s back, or reset this node by its power button or"
                                          + " BMC")
                            .formatted(seen.peer())
                    + see(Runbook.ETCD_CANNOT_BE_ENDED.path());
        }
        if (seen.decision().filter(new Decision.Wait(WaitFor.FENCING)::equals).isPresent()) {
            Optional<AgentStatus.ImpedimentLine> hindrance =
                    first(
                            seen,
                            line ->
                                    keepsFromFencing(line)
                                            && !isOnlyAbout(line, seen.self())
                                            && concernsAFailureOf(line, seen.peer()));
            if (hindrance.isPresent()) {
                return "%s is silent and cannot be fenced, because %s. Fix: %s"
                                .formatted(
                                        seen.peer(),
                                        lasting(hindrance.get()),
                                        hindrance.get().remedy())
                        + orConfirm(seen)
                        + see(WaitFor.FENCING.runbook().path());
            }
            if (seen.failedFence().isPresent()) {
                return couldNotBeFenced(seen, seen.failedFence().get());
            }
        }
        boolean decided = seen.decision().filter(Decision.Refuse.class::isInstance).isPresent();
        Optional<AgentStatus.ImpedimentLine> systemd =
                first(seen, line -> line.cause() == Impediment.Cause.SYSTEMD_SILENT);
        if (!seen.etcdRuns() && !decided && systemd.isPresent()) {
            // Whatever was tried failed for that. Its remedy, a fence, is right only beside a peer
            // that has everything: the runbook says how to tell.
            return "%setcd is not running on %s, and %s. Runbook: %s"
                    .formatted(
                            whoServes(seen),
                            seen.self(),
                            lasting(systemd.get()),
                            Runbook.SYSTEMD_SILENT.path());
        }
        if (!seen.etcdRuns() && !decided && seen.trouble().isEmpty()) {
            Optional<AgentStatus.ImpedimentLine> hindrance =
                    first(
                            seen,
                            line ->
                                    keepsFromStarting(line)
                                            // A node without quorum waits for the peer, and says
                                            // so.
                                            && line.cause() != Impediment.Cause.NO_QUORUM
                                            && !isOnlyAbout(line, seen.peer()));
            if (hindrance.isPresent()) {
                return "etcd is not started on %s, because %s."
                                .formatted(seen.self(), lasting(hindrance.get()))
                        + remedy(hindrance.get());
            }
        }
        boolean overdue = seen.pending().filter(AgentStatus.PendingLine::overdue).isPresent();
        String doing = whoServes(seen) + seen.doing() + (overdue ? " (overdue)" : "");
        Optional<AgentStatus.ImpedimentLine> silent =
                first(seen, line -> line.cause() == Impediment.Cause.PEER_AGENT_SILENT);
        if (silent.isPresent() && (overdue || waitsForPeer(seen))) {
            return "%s; %s.".formatted(doing, lasting(silent.get())) + remedy(silent.get());
        }
        return doing + "." + forAPerson(seen, decided);
    }

    /** What only the fence has found: reading a BMC shows less than switching by it. */
    private static String couldNotBeFenced(Seen seen, FailedFence fence) {
        return "%s is silent and could not be fenced: %s (%d s ago)."
                        .formatted(seen.peer(), fence.why(), fence.age().toSeconds())
                + fence.remedy()
                        .map(remedy -> remedy + orConfirm(seen))
                        .or(() -> seen.pending().map(AgentStatus.PendingLine::remedy))
                        .map(remedy -> " Fix: " + remedy)
                        .orElse("")
                + see(WaitFor.FENCING.runbook().path());
    }

    /** A statement is refused while the BMC reads On. */
    private static String orConfirm(Seen seen) {
        return seen.peersPower() == PowerReading.ON
                ? ""
                : "; or, if you have seen that %s is off: tandem confirm-peer-off %s"
                        .formatted(seen.peer(), seen.peer());
    }

    /** Whoever reads of a failure wants to know first whether it is an outage. */
    private static String whoServes(Seen seen) {
        return seen.trouble().isPresent()
                        && seen.peerPresent()
                        && seen.peerHealth().filter(Health.ALONE::equals).isPresent()
                ? "etcd is serving on %s alone; ".formatted(seen.peer())
                : "";
    }

    /** What a person does, where the node itself cannot go on or should have done so by now. */
    private static String forAPerson(Seen seen, boolean decided) {
        // The supervisor keeps a failed action as text, without what to do about it.
        if (seen.trouble().filter(NoSpaceToJoin::isTold).isPresent()) {
            return " Fix: " + NoSpaceToJoin.REMEDY;
        }
        if (seen.pending().isPresent()) {
            return seen.pending()
                    .filter(line ->
                            decided || line.overdue() || line.owner() == WaitFor.Owner.PERSON)
                    .map(StatusSentence::whatToDo)
                    .orElse("");
        }
        // Pacemaker has not asked yet, and does not before the peer is there.
        return first(
                        seen,
                        line -> line.cause() == Impediment.Cause.NO_QUORUM && !seen.peerPresent())
                .map(line -> remedy(line) + see(WaitFor.PEER_RETURN.runbook().path()))
                .orElse("");
    }

    private static String whatToDo(AgentStatus.PendingLine line) {
        if (line.runbook() == null) {
            return line.remedy() == null ? "" : " Fix: " + line.remedy();
        }
        return line.remedy() == null
                ? " Runbook: " + line.runbook()
                : " Fix: " + line.remedy() + see(line.runbook());
    }

    /** In parentheses: a shell refuses a command that is pasted with them, and runs nothing. */
    private static String see(String runbook) {
        return " (runbook " + runbook + ")";
    }

    private static boolean waitsForPeer(Seen seen) {
        return seen.decision()
                .filter(decision ->
                        decision instanceof Decision.Wait(WaitFor what)
                                && what.owner() == WaitFor.Owner.PEER)
                .isPresent();
    }

    /** A device that fences this node is no reason why its peer is not fenced. */
    private static boolean concernsAFailureOf(AgentStatus.ImpedimentLine line, String node) {
        return line.failureOf() == null || line.failureOf().equals(node);
    }

    private static boolean isOnlyAbout(AgentStatus.ImpedimentLine line, String node) {
        return (line.cause() == Impediment.Cause.NODE_STANDBY
                        || line.cause() == Impediment.Cause.NODE_MAINTENANCE)
                && line.node().equals(node);
    }

    private static boolean isAboutTheApi(AgentStatus.ImpedimentLine line) {
        Impediment.Cause cause = line.cause();
        return cause != null && cause.isAboutTheApi();
    }

    private static boolean isAboutACertificate(AgentStatus.ImpedimentLine line) {
        Impediment.Cause cause = line.cause();
        return cause != null && cause.isAboutACertificate();
    }

    private static boolean keepsFromStarting(AgentStatus.ImpedimentLine line) {
        Impediment.Cause cause = line.cause();
        return cause != null && cause.keepsFromStarting();
    }

    private static boolean keepsFromFencing(AgentStatus.ImpedimentLine line) {
        Impediment.Cause cause = line.cause();
        return cause != null && cause.keepsFromFencing();
    }

    private static Optional<AgentStatus.ImpedimentLine> first(
            Seen seen, Predicate<AgentStatus.ImpedimentLine> which) {
        return seen.recovery().impediments().stream()
                // What the peer finds keeps the peer from acting, not this node.
                .filter(line -> line.reportedBy() == null)
                .filter(StatusSentence::isMoreThanABeginning)
                .filter(which)
                .findFirst();
    }

    /** While a node or its agent starts, nobody has answered yet, and that is no cause. */
    private static boolean isMoreThanABeginning(AgentStatus.ImpedimentLine line) {
        return switch (line.cause()) {
            case COROSYNC_SILENT, PACEMAKER_SILENT, BMC_NOT_CHECKED ->
                    line.sinceMillis() >= Impediments.OLD_STATUS.toMillis();
            case null, default -> true;
        };
    }

    /** The cause, and for how long; some tell that themselves. */
    private static String lasting(AgentStatus.ImpedimentLine line) {
        return line.sentenceTellsDuration()
                ? line.sentence()
                : "%s (for %d s)".formatted(line.sentence(), line.sinceMillis() / 1000);
    }

    private static String others(List<AgentStatus.ImpedimentLine> impediments) {
        return impediments.size() == 1
                ? ""
                : " (and %d more, below)".formatted(impediments.size() - 1);
    }

    private static String remedy(AgentStatus.ImpedimentLine line) {
        return " Fix: " + line.remedy();
    }
}
