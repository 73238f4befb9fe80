package dev.tandem.core;

/** The name a node has in the cluster. Compared whole, never by substring. */
public record NodeName(String value) implements Comparable<NodeName> {
    public NodeName {
        if (value.isBlank()) {
            throw new IllegalArgumentException("a node has a name");
        }
    }

    @Override
    public int compareTo(NodeName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
