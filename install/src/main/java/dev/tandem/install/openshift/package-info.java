/**
 * OpenShift's kinds that the Kubernetes model has no type for, as far as manifests need them.
 * Components stand in the order in which they are written.
 */
@NullMarked
package dev.tandem.install.openshift;

import org.jspecify.annotations.NullMarked;
