/** etcd's write-ahead log and snapshots, read as they lie on disk. */
@NullMarked
package dev.tandem.host.etcd.wal;

import org.jspecify.annotations.NullMarked;
