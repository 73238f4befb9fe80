/** Keys and certificates: an authority of our own, files, and the TLS contexts made from them. */
@NullMarked
package dev.tandem.host.tls;

import org.jspecify.annotations.NullMarked;
