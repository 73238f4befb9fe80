/** Clients of Kubernetes during an incident. */
@NullMarked
package dev.tandem.drill.client;

import org.jspecify.annotations.NullMarked;
