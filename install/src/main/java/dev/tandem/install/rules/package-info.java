/** What an install-config has to obey. */
@NullMarked
package dev.tandem.install.rules;

import org.jspecify.annotations.NullMarked;
