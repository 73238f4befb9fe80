/**
 * A model checker that drives the supervisors of both nodes themselves. The world around them is
 * the model's: power, disks, etcd, Corosync, Pacemaker, BMCs, messages, people.
 */
@NullMarked
package dev.tandem.core.check;

import org.jspecify.annotations.NullMarked;
