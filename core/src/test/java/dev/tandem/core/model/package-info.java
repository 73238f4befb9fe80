/**
 * A model of two nodes, their disks, network, power and people, in which the decisions of the
 * product run unchanged and every interleaving is tried.
 */
@NullMarked
package dev.tandem.core.model;

import org.jspecify.annotations.NullMarked;
