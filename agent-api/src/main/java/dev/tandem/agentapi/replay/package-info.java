/** What an agent has recorded of its events, and what this version makes of them. */
@NullMarked
package dev.tandem.agentapi.replay;

import org.jspecify.annotations.NullMarked;
