package dev.tandem.core.supervise;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;

/**
 * All that a node's supervisor knows.
 *
 * <p>A crash of the agent within a boot leaves {@code stored} and nothing of {@code live}: the next
 * agent begins with {@link Supervisor#begin} on what the disk says. A crash of the node leaves
 * {@link DurableState#in} of it. While a write is under way the disk may hold either the old or the
 * new content.
 *
 * @param stored what is known to be on the disk. Only this is told to the peer, to Pacemaker and to
 *     people as done
 * @param live the rest, which ends with the agent
 */
public record State(Node node, DurableState stored, VolatileState live) {

    /** Who this is; it does not change while the agent runs. */
    public record Node(NodeName self, NodeName peer, BootId boot) {}
}
