/**
 * The commands around one install-config: judge it, explain it, write one, make manifests of it.
 */
@NullMarked
package dev.tandem.cli.install;

import org.jspecify.annotations.NullMarked;
