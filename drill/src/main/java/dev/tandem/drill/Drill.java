package dev.tandem.drill;

import dev.tandem.cli.Interruption;
import dev.tandem.core.Failure;
import dev.tandem.drill.agents.AgentKiller;
import dev.tandem.drill.audit.Audit;
import dev.tandem.drill.audit.HealthWatch;
import dev.tandem.drill.audit.Moment;
import dev.tandem.drill.report.Outcome;
import dev.tandem.drill.scenario.Scenario;
import dev.tandem.drill.scenario.ScenarioContext;
import dev.tandem.drill.secret.SecretWatch;
import dev.tandem.lab.ExpectationFailed;
import dev.tandem.lab.Lab;
import dev.tandem.lab.NodeHandle;
import dev.tandem.lab.image.ProgressListener;
import dev.tandem.lab.kube.KubePrograms;
import dev.tandem.lab.kube.LabKube;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.pair.Writer;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.LabSpec;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Plays scenarios one after the other on one pair. A scenario that fails does not end the drill:
 * the pair is repaired, and where that does not help, set up again. So it is where the next
 * scenario needs Kubernetes or a second link and the pair has none, or the other way round.
 */
public final class Drill implements AutoCloseable {
    /** Of the client: enough to have a write under way at any moment. */
    private static final int PARALLEL_WRITES = 2;

    private static final Duration MENDED = Duration.ofMinutes(3);

    /** In each scenario, if at all. */
    private static final int AGENT_KILLS = 12;

    private final LabSpec spec;
    private final String profile;
    private final Optional<RandomGenerator> agentKills;
    private final Consumer<String> listener;
    private @Nullable Pair made;

    /**
     * @param spec two nodes
     * @param agentKills the moments at which agents are killed in every scenario. What a scenario
     *     expects is then told and not judged; what must hold after every incident is
     * @param listener hears each step
     */
    public Drill(
            LabSpec spec,
            String profile,
            Optional<RandomGenerator> agentKills,
            Consumer<String> listener) {
        this.spec = spec;
        this.profile = profile;
        this.agentKills = agentKills;
        this.listener = listener;
    }

    /** Plays a scenario and audits what it leaves. */
    public Outcome run(Scenario scenario) throws IOException, InterruptedException {
        Pair pair = settledPair(scenario.needs());
        pair.lab().beginScenario(scenario.name());
        Moment began = Moment.now();
        List<String> findings = new ArrayList<>();
        Outcome outcome;
        boolean settled;
        try (Writer writer = pair.write(PARALLEL_WRITES);
                HealthWatch watch = new HealthWatch(pair, writer);
                SecretWatch secrets = new SecretWatch(pair);
                AgentKiller killer = new AgentKiller(pair, AGENT_KILLS, scenario.expected())) {
            Audit audit = Audit.begin(pair, writer, watch, secrets, began);
            ScenarioContext context = new ScenarioContext(pair, writer, secrets, began, listener);
            agentKills.ifPresent(killer::begin);
            run(scenario, context, watch, findings);
            killer.end();
            killer.failures().forEach(why -> context.step("an agent could not be killed: " + why));
            findings.addAll(0, context.findings());
            if (agentKills.isPresent()) {
                findings.forEach(finding -> context.step("not judged: " + finding));
                findings.clear();
            }
            if (Interruption.underWay()) {
                throw new Failure(
                        "interrupted in " + scenario.name(),
                        "the drill was interrupted",
                        "run it again");
            }
            listener.accept("audit");
            mend(pair.lab(), findings);
            if (!findings.isEmpty() || agentKills.isPresent()) {
                letItSettle(context);
            }
            Audit.Result found = audit.end(context.excuses().withKills(killer.kills()), MENDED);
            found.unpromised().forEach(context::figureOfUnpromised);
            findings.addAll(found.findings());
            settled = found.settled();
            outcome =
                    new Recording(pair, began)
                            .outcome(
                                    scenario,
                                    context,
                                    writer,
                                    watch,
                                    killer.kills().size(),
                                    found,
                                    findings);
            if (!findings.isEmpty()) {
                pair.lab().collect();
            }
        }
        if (!settled) {
            end();
        }
        return outcome;
    }

    private static void run(
            Scenario scenario, ScenarioContext context, HealthWatch watch, List<String> findings)
            throws InterruptedException {
        try {
            watch.awaitFirstLooks();
            context.awaitWrites();
            scenario.body().run(context);
        } catch (InterruptedException e) {
            throw e;
        } catch (ExpectationFailed e) {
            findings.add(String.valueOf(e.getMessage()));
        } catch (Failure e) {
            findings.add(e.what() + ": " + e.why());
        } catch (Exception e) {
            findings.add(String.valueOf(e));
        }
    }

    /**
     * A scenario that failed may have left in the middle of a take-over, when both nodes still say
     * that all is well: audited then, the worst would not have happened yet.
     */
    private static void letItSettle(ScenarioContext context) {
        try {
            context.awaitSteady();
        } catch (ExpectationFailed e) {
            // The audit finds the same, and says it.
        }
    }

    /** Takes back every fault, and switches on what is off. */
    private static void mend(Lab lab, List<String> findings) {
        try {
            lab.heal();
            for (NodeHandle node : lab.nodes()) {
                if (node.isOff()) {
                    node.power(LabRequest.PowerAction.ON);
                }
            }
        } catch (Failure e) {
            findings.add("the lab cannot be healed: " + e.what() + ": " + e.why());
        }
    }

    private Pair settledPair(Scenario.Needs needs) throws IOException, InterruptedException {
        Pair now = made;
        if (now != null && !needs.metBy(now.lab().layout().spec(), spec)) {
            listener.accept("this one needs another pair");
            end();
            now = null;
        }
        if (now != null) {
            try {
                now.awaitEitherCanFail(MENDED);
                return now;
            } catch (ExpectationFailed e) {
                listener.accept("the pair is no longer healthy and is set up again");
                end();
            }
        }
        try {
            Pair fresh = make(needs);
            made = fresh;
            fresh.awaitEitherCanFail(MENDED);
            return fresh;
        } catch (ExpectationFailed e) {
            throw new Failure(
                    "cannot set up a pair for the drill",
                    String.valueOf(e.getMessage()),
                    "look at what was collected, then try a pair alone: tandem lab up",
                    e);
        }
    }

    private Pair make(Scenario.Needs needs) throws IOException, InterruptedException {
        listener.accept("starting lab " + spec.name());
        Lab lab = Lab.start(specFor(needs));
        try {
            listener.accept("making a pair of it");
            return Pair.setUp(lab, profile);
        } catch (IOException | RuntimeException e) {
            try (lab) {
                throw e;
            }
        }
    }

    private LabSpec specFor(Scenario.Needs needs) throws IOException, InterruptedException {
        return switch (needs) {
            case PAIR, NO_KUBERNETES -> spec;
            case KUBERNETES -> withKubernetes();
            case TWO_LINKS -> spec.withLinks(2);
            case TWO_WAYS_TO_A_BMC -> spec.withBmc(LabSpec.BmcProtocol.BOTH);
            case IPMI_ALONE -> spec.withBmc(LabSpec.BmcProtocol.IPMI);
        };
    }

    private LabSpec withKubernetes() throws IOException, InterruptedException {
        return LabKube.with(
                spec, KubePrograms.ofHost().ensure(Optional.empty(), ProgressListener.SILENT));
    }

    private void end() throws IOException {
        Pair now = made;
        made = null;
        if (now != null) {
            now.lab().close();
        }
    }

    @Override
    public void close() throws IOException {
        end();
    }
}
