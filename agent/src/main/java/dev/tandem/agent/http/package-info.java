/** The local API of the agent. */
@NullMarked
package dev.tandem.agent.http;

import org.jspecify.annotations.NullMarked;
