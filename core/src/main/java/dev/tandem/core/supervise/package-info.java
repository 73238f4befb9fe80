/**
 * The supervisor of etcd as a function: what is known, what happened, and what is to be done about
 * it. {@link dev.tandem.core.supervise.Supervisor#on} is all of it; nothing here has a clock, a
 * thread, a file or a logger.
 */
@NullMarked
package dev.tandem.core.supervise;

import org.jspecify.annotations.NullMarked;
