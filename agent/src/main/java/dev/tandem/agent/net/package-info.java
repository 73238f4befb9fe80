/** What all listeners of the agent share: bounds in size, number and time of what comes in. */
@NullMarked
package dev.tandem.agent.net;

import org.jspecify.annotations.NullMarked;
