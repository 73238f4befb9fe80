/** When a node whose network was bad joins the cluster again after a boot (ADR 13). */
@NullMarked
package dev.tandem.core.link;

import org.jspecify.annotations.NullMarked;
