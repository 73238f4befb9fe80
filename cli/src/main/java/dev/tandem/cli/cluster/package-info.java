/** Setting a pair up: {@code tandem cluster} and {@code tandem certs}. */
@NullMarked
package dev.tandem.cli.cluster;

import org.jspecify.annotations.NullMarked;
