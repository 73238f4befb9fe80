/** Messages to and from the peer's agent. */
@NullMarked
package dev.tandem.agent.peer;

import org.jspecify.annotations.NullMarked;
