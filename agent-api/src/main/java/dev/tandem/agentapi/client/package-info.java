/** How programs on a node ask the agent. */
@NullMarked
package dev.tandem.agentapi.client;

import org.jspecify.annotations.NullMarked;
