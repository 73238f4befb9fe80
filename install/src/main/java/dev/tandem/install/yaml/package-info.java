/** Values of a file together with their places, for rules that have something to say of them. */
@NullMarked
package dev.tandem.install.yaml;

import org.jspecify.annotations.NullMarked;
