/** What the agent says of itself, of its peer, and of the next failure. */
@NullMarked
package dev.tandem.agent.status;

import org.jspecify.annotations.NullMarked;
