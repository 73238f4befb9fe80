/**
 * Situations in a few words, for tests. They stand in the main tree, as {@code redfishsim.testing}
 * does, because tests of other modules then use them like any class, without a second artifact; no
 * program may, and a test holds that.
 */
@NullMarked
package dev.tandem.core.testing;

import org.jspecify.annotations.NullMarked;
