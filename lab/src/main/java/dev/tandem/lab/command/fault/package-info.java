/** Commands that do something to a lab: power, network, disk, processes, BMCs. */
@NullMarked
package dev.tandem.lab.command.fault;

import org.jspecify.annotations.NullMarked;
