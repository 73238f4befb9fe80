/** YAML with the place of each value: the only reader and the only writer of files for people. */
@NullMarked
package dev.tandem.host.yaml;

import org.jspecify.annotations.NullMarked;
