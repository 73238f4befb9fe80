@NullMarked
package dev.tandem.agent.kube;

import org.jspecify.annotations.NullMarked;
