package dev.tandem.core.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.check.Step.Kind;
import dev.tandem.core.peer.PeerMessage;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What the checker found, each with its shortest story. */
class FindingsTest {

    /** M1: Pacemaker took the peer for fenced, and nobody fenced it again. */
    @Test
    void aFenceThatProvesNothingIsNoSuccess() {
        Scene scene = Scenes.named("a node loses power");
        MemoizedSupervisors nodes = scene.nodes();
        Model model = new Model(nodes, scene);
        World world = scene.start(nodes);
        play(model, world, Kind.POWER_CUT, 0);
        play(model, world, Kind.NOTICE, 1);
        play(model, world, Kind.POWER_ON, 0);
        play(model, world, Kind.FENCE_ORDER, 1);
        play(model, world, Kind.ASK, 0);
        play(model, world, Kind.FENCE_OFF, 1);
        assertThat(model.acknowledged()).as("Pacemaker was told of success").isFalse();
        assertThat(world.nodes[1].fenceDone).as("it fences no more").isFalse();
    }

    /** The peer booted while its fence was ordered, and nobody served for half a minute. */
    @Test
    void anOrderThatIsRenewedForABootProvesTheEndOfThatBoot() {
        Scene scene = Scenes.named("a node loses power");
        MemoizedSupervisors nodes = scene.nodes();
        Model model = new Model(nodes, scene);
        World world = scene.start(nodes);
        play(model, world, Kind.POWER_CUT, 0);
        play(model, world, Kind.NOTICE, 1);
        play(model, world, Kind.FENCE_ORDER, 1);
        assertThat(model.apply(world, Step.code(Kind.FENCE_RENEW, 1, 0)))
                .as("a silent peer is in no newer boot")
                .isFalse();
        play(model, world, Kind.POWER_ON, 0);
        play(model, world, Kind.ASK, 0);
        play(model, world, Kind.FENCE_RENEW, 1);
        play(model, world, Kind.FENCE_OFF, 1);
        assertThat(model.acknowledged()).as("Pacemaker was told of success").isTrue();
        play(model, world, Kind.ORDER, 1);
        assertThat(model.takesOver(world.nodes[1])).isTrue();
    }

    private static void play(Model model, World world, Kind kind, int node) {
        assertThat(model.apply(world, Step.code(kind, node, 0))).as(kind + " of " + node).isTrue();
    }

    /** M2: the resource agent stopped it while no agent ran, and the next agent started it. */
    @Test
    void aStopByTheResourceAgentIsNotUndone() {
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
                .isEmpty();
    }

    /** M3: a node that stood down and took over by an accepted loss ended its own server. */
    @Test
    void aTakeOverAfterAStandDownGoesOn() {
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
                .isEmpty();
    }

    /** M4: a stop made a node that takes over tell its old facts again. */
    @Test
    void aStopWhileATakeOverIsUnderWayTellsNothing() {
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
        MemoizedSupervisors nodes = scene.nodes();
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
        assertThat(says(nodes, world)).isInstanceOf(PeerMessage.Hello.class);
    }

    /** M5: Pacemaker took the peer for one that had left, and nobody ordered its fence. */
    @Test
    void aNodeThatLeftWithoutAHandOverIsFenced() {
        assertThat(
                        law(
                                Scene.of(
                                                "M5",
                                                Beginning.HEALTHY,
                                                0,
                                                Fault.STOP,
                                                1,
                                                Fault.AGENT_DIES,
                                                1)
                                        .plain(),
                                1))
                .isEmpty();
    }

    private static PeerMessage says(MemoizedSupervisors nodes, World world) {
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
