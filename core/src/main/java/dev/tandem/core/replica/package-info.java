/** What a replica of etcd is, and which history it belongs to. */
@NullMarked
package dev.tandem.core.replica;

import org.jspecify.annotations.NullMarked;
