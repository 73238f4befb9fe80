/** Findings about a file: codes, schemas, and the words for them. */
@NullMarked
package dev.tandem.install.check;

import org.jspecify.annotations.NullMarked;
