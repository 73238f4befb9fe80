package dev.tandem.api;

import java.util.List;

/** A condition that every status of its kind carries, and its words in the API. */
public sealed interface CarriedCondition
        permits ClusterCondition, NodeCondition, ResourceCondition {
    /** Type and reasons, as they stand in the API. */
    record Words(String type, String reasonWhenTrue, List<String> reasonsWhenFalse) {
        public Words {
            reasonsWhenFalse = List.copyOf(reasonsWhenFalse);
        }

        static Words of(String type, String reasonWhenTrue, String... reasonsWhenFalse) {
            return new Words(type, reasonWhenTrue, List.of(reasonsWhenFalse));
        }
    }

    Words words();

    default String type() {
        return words().type();
    }

    default String reasonWhenTrue() {
        return words().reasonWhenTrue();
    }

    default List<String> reasonsWhenFalse() {
        return words().reasonsWhenFalse();
    }
}
