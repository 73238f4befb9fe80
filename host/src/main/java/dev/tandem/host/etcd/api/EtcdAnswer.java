package dev.tandem.host.etcd.api;

import java.util.Optional;
import java.util.function.Function;

/**
 * What came of asking etcd. The four ways of not getting a value differ in the one thing that
 * matters after a change was asked for: whether it can have happened.
 */
public sealed interface EtcdAnswer<T> {

    record Ok<T>(T value) implements EtcdAnswer<T> {}

    /** etcd answers, but its cluster has no leader. Nothing was changed. */
    record NoLeader<T>(String said) implements EtcdAnswer<T> {}

    /** etcd understood and said no. Nothing was changed. */
    record Refused<T>(int code, String said) implements EtcdAnswer<T> {}

    /** No connection came about, or not one we trust. Nothing was changed. */
    record Unreachable<T>(String why, boolean timedOut) implements EtcdAnswer<T> {
        public Unreachable(String why) {
            this(why, false);
        }
    }

    /** The question was sent and no clear answer came: it may have taken effect. Look again. */
    record Unclear<T>(String why, boolean timedOut) implements EtcdAnswer<T> {
        public Unclear(String why) {
            this(why, false);
        }
    }

    /**
     * Whether nothing came back within the limit. Anything else is a sign of life, or of its end.
     */
    default boolean timedOut() {
        return false;
    }

    default Optional<T> toOptional() {
        return this instanceof Ok<T>(T value) ? Optional.of(value) : Optional.empty();
    }

    default boolean isOk() {
        return this instanceof Ok<T>;
    }

    default <R> EtcdAnswer<R> map(Function<? super T, ? extends R> mapping) {
        return flatMap(value -> new Ok<>(mapping.apply(value)));
    }

    /** Goes on with the value, if there is one; an answer without one stays what it is. */
    default <R> EtcdAnswer<R> flatMap(Function<? super T, EtcdAnswer<R>> next) {
        return switch (this) {
            case Ok<T>(T value) -> next.apply(value);
            case NoLeader<T>(String said) -> new NoLeader<>(said);
            case Refused<T>(int code, String said) -> new Refused<>(code, said);
            case Unreachable<T>(String why, boolean timedOut) -> new Unreachable<>(why, timedOut);
            case Unclear<T>(String why, boolean timedOut) -> new Unclear<>(why, timedOut);
        };
    }

    /** The answer in words, for a status line. */
    default String words() {
        return switch (this) {
            case Ok<T>(T value) -> String.valueOf(value);
            case NoLeader<T>(String said) -> "no leader (" + said + ")";
            case Refused<T>(int code, String said) -> "refused: " + said;
            case Unreachable<T>(String why, boolean _) -> "unreachable: " + why;
            case Unclear<T>(String why, boolean _) -> "no clear answer: " + why;
        };
    }
}
