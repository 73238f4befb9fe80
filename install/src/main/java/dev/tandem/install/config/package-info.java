/** The install-config as typed values. */
@NullMarked
package dev.tandem.install.config;

import org.jspecify.annotations.NullMarked;
