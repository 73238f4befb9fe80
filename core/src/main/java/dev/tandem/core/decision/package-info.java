/**
 * How etcd may run on this node: what a node knows (facts, proof, membership), what is decided from
 * it, and what the two nodes tell each other. Both nodes run these functions on their own
 * knowledge.
 *
 * <p>The argument that carries the package: a replica with two voters acknowledges nothing alone,
 * so only a take-over can make a second history, and a take-over needs proof that the peer can no
 * longer take over itself. The peer loses that ability by being switched off (it forgets what it
 * heard, and hears it again only from this node) or by giving it up in a durable {@link
 * dev.tandem.core.peer.Abdication}.
 */
@NullMarked
package dev.tandem.core.decision;

import org.jspecify.annotations.NullMarked;
