/** Decides and carries out what becomes of etcd on this node. */
@NullMarked
package dev.tandem.agent.supervise;

import org.jspecify.annotations.NullMarked;
