@NullMarked
package dev.tandem.agent;

import org.jspecify.annotations.NullMarked;
