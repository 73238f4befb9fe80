/** The command: what a person types, and what it answers. */
@NullMarked
package dev.tandem.cli;

import org.jspecify.annotations.NullMarked;
