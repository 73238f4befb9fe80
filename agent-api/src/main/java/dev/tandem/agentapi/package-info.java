/**
 * What the agent of a node says and is asked; for the command line, drills, and whatever else
 * speaks to it.
 */
@NullMarked
package dev.tandem.agentapi;

import org.jspecify.annotations.NullMarked;
