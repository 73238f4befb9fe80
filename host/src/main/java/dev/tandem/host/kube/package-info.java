/** A Kubernetes control plane beside etcd: its keys, its settings and its units on one node. */
@NullMarked
package dev.tandem.host.kube;

import org.jspecify.annotations.NullMarked;
