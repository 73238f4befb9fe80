package dev.tandem.drill.scenario;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.PeerChannelKind;
import dev.tandem.host.Commands;
import dev.tandem.lab.ExpectationFailed;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.pair.Writer;
import dev.tandem.lab.spec.LabRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** What a scenario does to the pair, beside the faults that the lab injects. */
interface Actions extends Observations {
    String FIRST = Pair.NODES.getFirst();
    String CHANGED_PLAN = Pair.SITE + "changed.yaml";

    Writer writer();

    /** What comes back after this did not come back without a person. */
    void personActs(String what);

    /** From now on the audit looks for this too, where it may not stand. */
    void keepsSecret(String what, String value);

    default void powerOn(String node) {
        node(node).power(LabRequest.PowerAction.ON);
    }

    /** The node is asked to shut down and does so in its own time. */
    default void shutDown(String node) {
        node(node).run(SHORT, "systemctl", "poweroff", "--no-block");
    }

    /**
     * A person gives up what was acknowledged since a moment: it is not missed afterwards, and
     * revisions may begin again below it.
     */
    default void lossIsAccepted(long sinceNanos) {
        writer().forgetSince(sinceNanos);
    }

    /** Applies the plan of the site with one more line; with none it is the old one again. */
    default void apply(String line) {
        node(FIRST).write(CHANGED_PLAN, "0600", node(FIRST).read(Pair.PLAN) + line + "\n");
        must(FIRST, "tandem", "cluster", "apply", "--yes", CHANGED_PLAN);
    }

    /** Runs a program in a node that has to succeed. */
    default String must(String node, String... command) {
        return node(node).must(Duration.ofMinutes(2), command);
    }

    /** A person states on {@code self}, in the present incident, that its peer is off. */
    default void confirmPeerOff(String self, String... more) {
        String peer = Pair.peerOf(self);
        lab().await(
                        "the agent of %s is silent".formatted(peer),
                        SHORT,
                        () ->
                                pair().status(self)
                                        .map(AgentStatus::agentsTalkOver)
                                        .filter(PeerChannelKind.NONE::equals)
                                        .isPresent());
        personActs("confirm-peer-off");
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "tandem",
                                "confirm-peer-off",
                                peer,
                                "--incident",
                                pair().status(self).orElseThrow().incident(),
                                "--typed",
                                peer));
        command.addAll(List.of(more));
        AtomicReference<String> said = new AtomicReference<>("");
        try {
            // One that answered a moment ago is not off, whatever a person says: who has switched
            // it off is told to state it again.
            lab().await(
                            "the statement about %s is accepted".formatted(peer),
                            SHORT,
                            () -> {
                                Commands.Output output =
                                        node(self).commands().run(Duration.ofMinutes(2), command);
                                said.set(output.out() + output.err());
                                return output.exitCode() == 0;
                            });
        } catch (ExpectationFailed e) {
            throw new ExpectationFailed(e.getMessage() + ": " + said.get(), e);
        }
    }

    /** A person on {@code self} would keep its peer's history; without more, nobody is asked. */
    default Commands.Output keepHistory(String self, String... more) {
        personActs("keep-history");
        List<String> command =
                new ArrayList<>(List.of("tandem", "keep-history", Pair.peerOf(self)));
        command.addAll(List.of(more));
        return node(self).commands().run(Duration.ofMinutes(2), command);
    }

    /** A person tells a node the password that the BMC of a node has now. */
    default Commands.Output setBmcPassword(String self, String bmcOf, String password) {
        keepsSecret("a password for the BMC of " + bmcOf, password);
        return node(self)
                .commands()
                .run(
                        Duration.ofMinutes(2),
                        List.of("tandem", "fencing", "set", bmcOf, "--password-stdin", "--yes"),
                        password + "\n");
    }

    /** The power of a node fails and stays away until {@link #plugIn}. */
    default void plugOut(String node) {
        node(node).crash(LabRequest.CrashKind.PLUG);
    }

    /** Takes every fault back, and switches the node on. */
    default void plugIn(String node) {
        lab().heal();
        powerOn(node);
    }

    /** Both nodes lose power at the same moment, and nobody is writing. */
    default void bothOffQuietly() {
        writer().pause();
        Pair.NODES.forEach(node -> node(node).cutPower());
        writer().resume();
    }
}
