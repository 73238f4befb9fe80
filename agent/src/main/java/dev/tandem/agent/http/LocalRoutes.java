package dev.tandem.agent.http;

import dev.tandem.agent.bmc.BmcChanges;
import dev.tandem.agent.cluster.BootGate;
import dev.tandem.agent.ocf.FenceActions;
import dev.tandem.agent.ocf.OcfActions;
import dev.tandem.agent.plan.PlanChanges;
import dev.tandem.agent.state.Journal;
import dev.tandem.agent.status.StatusReport;
import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.AgentRoutes;
import dev.tandem.agentapi.FencingChangeRequest;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.agentapi.plan.PlanUse;
import dev.tandem.core.Failure;
import java.util.stream.Collectors;

/** Who answers which path of the local sockets. */
public final class LocalRoutes {
    /** What can be woken from outside. */
    public interface Wakes {
        /** Something happened in the cluster: all that depends on it is looked at again. */
        void alerted();

        void lookAtCluster();
    }

    private final OcfActions ocf;
    private final FenceActions fencing;
    private final StatusReport report;
    private final Journal journal;
    private final BootGate gate;
    private final StatementRoutes statements;
    private final BmcChanges changes;
    private final PlanChanges plans;
    private final Wakes wakes;

    public LocalRoutes(
            OcfActions ocf,
            FenceActions fencing,
            StatusReport report,
            Journal journal,
            BootGate gate,
            StatementRoutes statements,
            BmcChanges changes,
            PlanChanges plans,
            Wakes wakes) {
        this.ocf = ocf;
        this.fencing = fencing;
        this.report = report;
        this.journal = journal;
        this.gate = gate;
        this.statements = statements;
        this.changes = changes;
        this.plans = plans;
        this.wakes = wakes;
    }

    /**
     * The socket of Pacemaker's alerts. Its callers are not root, so all they can do is make it
     * look.
     */
    public LocalServer.Answer alert(String method, String path, String body) {
        wakes.alerted();
        return LocalServer.Answer.text("");
    }

    /** The socket that is root's alone. */
    public LocalServer.Answer answer(String method, String path, String body)
            throws InterruptedException {
        if (path.startsWith(AgentRoutes.OCF_ETCD)) {
            return LocalServer.Answer.text(
                    ocf.run(path.substring(AgentRoutes.OCF_ETCD.length()), body).text());
        }
        if (path.startsWith(AgentRoutes.FENCE)) {
            return LocalServer.Answer.text(
                    fencing.run(path.substring(AgentRoutes.FENCE.length()), body));
        }
        return switch (method + " " + path) {
            case "POST " + AgentRoutes.SECOND_LEVEL ->
                    LocalServer.Answer.text(fencing.secondLevelMay(body.strip()));
            case "POST " + AgentRoutes.SECOND_LEVEL_LOOK ->
                    LocalServer.Answer.text(fencing.secondLevelMayLook(body.strip()));
            case "GET " + AgentRoutes.ROOT -> LocalServer.Answer.text("tandem-agent\n");
            case "GET " + AgentRoutes.STATUS -> LocalServer.Answer.json(report.ask());
            case "GET " + AgentRoutes.JOURNAL -> journalAnswer();
            case "GET " + AgentRoutes.AWAIT_STABLE_LINK ->
                    LocalServer.Answer.text(gate.await() + "\n");
            case "POST " + AgentRoutes.CONFIRM_PEER_OFF -> {
                LocalServer.Answer taken = statements.peerIsOff(body);
                wakes.lookAtCluster();
                yield taken;
            }
            case "POST " + AgentRoutes.KEEP_HISTORY -> statements.keepPeersHistory(body);
            case "POST " + AgentRoutes.CHANGE_FENCING ->
                    LocalServer.Answer.json(changes.change(fencingChange(body)));
            case "POST " + AgentRoutes.TAKE_PLAN ->
                    LocalServer.Answer.json(plans.take(planRequest(body)));
            case "POST " + AgentRoutes.ALERT -> alert(method, path, body);
            default -> new LocalServer.Answer(404, "text/plain", "there is no " + path + "\n");
        };
    }

    private static FencingChangeRequest fencingChange(String body) {
        try {
            return AgentMessages.readExactly(body, FencingChangeRequest.class);
        } catch (IllegalArgumentException e) {
            // Without its message, which repeats what was sent: there is a password in it.
            throw notUnderstood("the change was not understood");
        }
    }

    private static PlanUse.Request planRequest(String body) {
        try {
            return AgentMessages.readExactly(body, PlanUse.Request.class);
        } catch (IllegalArgumentException e) {
            throw notUnderstood("the plan was not understood");
        }
    }

    private static Failure notUnderstood(String what) {
        return new Failure(
                what,
                "it is not what this version of tandem-agent expects",
                "use the command line of the same version as the agent; after an upgrade:"
                        + " systemctl restart tandem-agent");
    }

    private LocalServer.Answer journalAnswer() {
        return new LocalServer.Answer(
                200,
                "application/json",
                "{\"version\":%d,\"lines\":[%s]}\n"
                        .formatted(
                                AgentMessages.VERSION,
                                journal.last(JournalLine.MOST_TOLD).stream()
                                        .map(JournalLine::asJson)
                                        .collect(Collectors.joining(","))));
    }
}
