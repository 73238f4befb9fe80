/** Keys and certificates: an authority of our own, files, and the TLS contexts made from them. */
@NullMarked
package dev.tandem.host.pki;

import org.jspecify.annotations.NullMarked;
