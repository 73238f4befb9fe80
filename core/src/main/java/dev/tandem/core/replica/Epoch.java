package dev.tandem.core.replica;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;

/**
 * One stretch of history. A take-over begins a new one, and keeps its parent's log up to and with
 * {@code forkIndex}. The founder and its boot are part of the identity: two nodes that both took
 * over from epoch 4 founded two different epochs 5.
 */
public record Epoch(long number, NodeName founder, BootId founderBoot, long forkIndex) {
    public Epoch {
        if (number < 1) {
            throw new IllegalArgumentException(
                    "epoch " + number + " is below 1, the epoch of the installation");
        }
        if (forkIndex < 0) {
            throw new IllegalArgumentException("fork index " + forkIndex + " is negative");
        }
    }

    @Override
    public String toString() {
        return number + " (begun by " + founder + " after index " + forkIndex + ")";
    }
}
