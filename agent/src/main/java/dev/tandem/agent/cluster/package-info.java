/** Watches Corosync and Pacemaker. */
@NullMarked
package dev.tandem.agent.cluster;

import org.jspecify.annotations.NullMarked;
