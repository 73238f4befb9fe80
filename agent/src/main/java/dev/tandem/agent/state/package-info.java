/** What the agent keeps: across its own restarts, or across those of the node. */
@NullMarked
package dev.tandem.agent.state;

import org.jspecify.annotations.NullMarked;
