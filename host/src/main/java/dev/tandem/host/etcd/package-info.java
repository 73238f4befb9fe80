/**
 * etcd on this node: its write-ahead log, its data directory, its unit and its API.
 *
 * <p>Whatever is said about a replica here was read from the replica itself. A poller's memory of
 * an index, or what the peer says about ours, is never an input.
 */
@NullMarked
package dev.tandem.host.etcd;

import org.jspecify.annotations.NullMarked;
