/** etcd's API: its calls, its answers, its members. */
@NullMarked
package dev.tandem.host.etcd.api;

import org.jspecify.annotations.NullMarked;
