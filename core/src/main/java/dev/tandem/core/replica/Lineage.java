package dev.tandem.core.replica;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import java.util.ArrayList;
import java.util.List;

/**
 * The epochs a replica went through, oldest first, stored with the data. etcd keeps its cluster id
 * through a forced restart, so the id alone cannot tell two histories apart; the epochs can.
 */
public record Lineage(String clusterId, List<Epoch> epochs) {
    /** A forced recovery is rare; a chain this long is a fault of ours, not a long life. */
    static final int LONGEST = 10_000;

    public Lineage {
        epochs = List.copyOf(epochs);
        if (epochs.isEmpty() || epochs.size() > LONGEST) {
            throw new IllegalArgumentException(
                    "a lineage has 1 to " + LONGEST + " epochs, not " + epochs.size());
        }
        for (int i = 1; i < epochs.size(); i++) {
            if (epochs.get(i).number() <= epochs.get(i - 1).number()
                    || epochs.get(i).forkIndex() < epochs.get(i - 1).forkIndex()) {
                throw new IllegalArgumentException(
                        "epoch " + epochs.get(i) + " does not follow " + epochs.get(i - 1));
            }
        }
    }

    /** The lineage of a cluster that was just installed. */
    public static Lineage installed(String clusterId, NodeName founder, BootId boot) {
        return new Lineage(clusterId, List.of(new Epoch(1, founder, boot, 0)));
    }

    public Epoch current() {
        return epochs.getLast();
    }

    /** The lineage after {@code founder} took over with a log that ends at {@code lastIndex}. */
    public Lineage takenOver(NodeName founder, BootId boot, long lastIndex) {
        List<Epoch> longer = new ArrayList<>(epochs);
        longer.add(new Epoch(current().number() + 1, founder, boot, lastIndex));
        return new Lineage(clusterId, longer);
    }

    /** How many epochs from the beginning both went through together. */
    public int shared(Lineage other) {
        if (!clusterId.equals(other.clusterId)) {
            return 0;
        }
        int most = Math.min(epochs.size(), other.epochs.size());
        int same = 0;
        while (same < most && epochs.get(same).equals(other.epochs.get(same))) {
            same++;
        }
        return same;
    }
}
