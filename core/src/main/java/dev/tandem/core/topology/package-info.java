/**
 * What the number of machines implies: the topology's name, how etcd may grow and shrink while a
 * cluster is born, and how many of everything there must be. Pure tables and verdicts.
 */
@NullMarked
package dev.tandem.core.topology;

import org.jspecify.annotations.NullMarked;
