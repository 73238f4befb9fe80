/** Threads of the agent: one that decides, loops that observe. */
@NullMarked
package dev.tandem.agent.thread;

import org.jspecify.annotations.NullMarked;
