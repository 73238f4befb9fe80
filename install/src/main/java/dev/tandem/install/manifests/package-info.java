/** What a valid install-config becomes. */
@NullMarked
package dev.tandem.install.manifests;

import org.jspecify.annotations.NullMarked;
