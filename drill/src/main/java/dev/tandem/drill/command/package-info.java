/** The commands of drills and benchmarks. */
@NullMarked
package dev.tandem.drill.command;

import org.jspecify.annotations.NullMarked;
