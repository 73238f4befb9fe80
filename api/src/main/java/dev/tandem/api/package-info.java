/** Kubernetes objects of the two-node topology: types, definitions and admission policies. */
@NullMarked
package dev.tandem.api;

import org.jspecify.annotations.NullMarked;
