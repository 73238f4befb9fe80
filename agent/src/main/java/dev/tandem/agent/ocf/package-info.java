/** Answers Pacemaker's resource and fence agents. */
@NullMarked
package dev.tandem.agent.ocf;

import org.jspecify.annotations.NullMarked;
