/** YAML with the place of each value. */
@NullMarked
package dev.tandem.install.yaml;

import org.jspecify.annotations.NullMarked;
