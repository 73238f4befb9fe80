/**
 * What a fence means to Kubernetes, told to its API: afterwards, in its own time, and never as a
 * part of recovery. etcd is recovered whether an API server is there or not.
 */
@NullMarked
package dev.tandem.agent.kube;

import org.jspecify.annotations.NullMarked;
