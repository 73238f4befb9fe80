/**
 * Values and decisions. Nothing here touches a file, a socket, a process, a clock or a random
 * number.
 */
@NullMarked
package dev.tandem.core;

import org.jspecify.annotations.NullMarked;
