/** A real Kubernetes for the lab's nodes. */
@NullMarked
package dev.tandem.lab.kube;

import org.jspecify.annotations.NullMarked;
