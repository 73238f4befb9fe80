package dev.tandem.core.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.check.Step.Kind;
import dev.tandem.core.peer.PeerMessage;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * What the checker found and is not mended yet. The model carries an exemption for each, marked
 * with its number; when one of these tests fails, the exemption goes too.
 */
class FindingsTest {

    /** M1: Pacemaker takes the peer for fenced, and nobody fences it again. */
    @Test
    void aFenceThatProvesNothingIsAcknowledgedAsSuccess() {
        Scene scene = Scenes.named("a node loses power");
        Nodes nodes = scene.nodes();
        Model model = new Model(nodes, scene);
        World world = scene.start(nodes);
        play(model, world, Kind.POWER_CUT, 0);
        play(model, world, Kind.NOTICE, 1);
        play(model, world, Kind.POWER_ON, 0);
        play(model, world, Kind.FENCE_ORDER, 1);
        play(model, world, Kind.ASK, 0);
        play(model, world, Kind.FENCE_OFF, 1);
        assertThat(model.acknowledged()).as("Pacemaker was told of success").isTrue();
        assertThat(world.nodes[1].fenceDone).as("the fence proves something").isFalse();
    }

    private static void play(Model model, World world, Kind kind, int node) {
        assertThat(model.apply(world, Step.code(kind, node, 0))).as(kind + " of " + node).isTrue();
    }

    /** M2: the resource agent stopped it while no agent ran, and the next agent starts it. */
    @Test
    void aStopByTheResourceAgentIsUndone() {
        assertThat(
                        law(
                                Scene.of(
                                                "M2",
                                                Beginning.HEALTHY,
                                                0,
                                                Fault.STOP,
                                                1,
                                                Fault.AGENT_DIES,
                                                1)
                                        .plain(),
                                0))
                .contains("although Pacemaker was told that it has stopped");
    }

    /** M3: a node that stood down and takes over by an accepted loss ends its own server. */
    @Test
    void aTakeOverAfterAStandDownIsEnded() {
        assertThat(
                        law(
                                Scene.of(
                                                "M3",
                                                Beginning.HEALTHY,
                                                0,
                                                Fault.PORTS_CUT,
                                                1,
                                                Fault.TIME,
                                                2)
                                        .plain(),
                                1))
                .contains("waits for nobody who could help");
    }

    /** M4: a stop makes a node that takes over tell its old facts again. */
    @Test
    void aStopWhileATakeOverIsUnderWayTellsOldFacts() {
        Scene scene =
                Scene.of(
                                "M4",
                                Beginning.HEALTHY,
                                0,
                                Fault.STOP,
                                1,
                                Fault.POWER_CUT,
                                1,
                                Fault.FENCE,
                                1)
                        .plain();
        Nodes nodes = scene.nodes();
        Model model = new Model(nodes, scene);
        World world = scene.start(nodes);
        play(model, world, Kind.POWER_CUT, 0);
        play(model, world, Kind.NOTICE, 1);
        play(model, world, Kind.FENCE_ORDER, 1);
        play(model, world, Kind.FENCE_OFF, 1);
        play(model, world, Kind.ORDER, 1);
        assertThat(model.takesOver(world.nodes[1])).isTrue();
        assertThat(says(nodes, world)).isInstanceOf(PeerMessage.Hello.class);
        play(model, world, Kind.STOP, 1);
        assertThat(model.takesOver(world.nodes[1])).as("it is still under way").isTrue();
        assertThat(says(nodes, world)).isInstanceOf(PeerMessage.Facts.class);
    }

    private static PeerMessage says(Nodes nodes, World world) {
        return nodes.messages.value(nodes.agent(world.nodes[1].agent).message(nodes));
    }

    private static String law(Scene scene, int progressEvery) {
        Explorer.Violation violation =
                new Explorer(
                                scene,
                                scene.nodes(),
                                new Explorer.Limits(
                                        50_000, Duration.ofMinutes(10), 1, progressEvery))
                        .explore()
                        .violation();
        return violation == null ? "" : violation.law();
    }
}
