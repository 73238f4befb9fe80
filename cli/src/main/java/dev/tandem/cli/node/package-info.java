/** Commands about the node they run on, answered by its agent while no Kubernetes is needed. */
@NullMarked
package dev.tandem.cli.node;

import org.jspecify.annotations.NullMarked;
