/** What a lab should be, what it is, and what can be asked of it. */
@NullMarked
package dev.tandem.lab.spec;

import org.jspecify.annotations.NullMarked;
