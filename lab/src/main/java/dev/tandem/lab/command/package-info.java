/** The commands of the lab. */
@NullMarked
package dev.tandem.lab.command;

import org.jspecify.annotations.NullMarked;
