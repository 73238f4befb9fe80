@NullMarked
package dev.tandem.lab.drill;

import org.jspecify.annotations.NullMarked;
