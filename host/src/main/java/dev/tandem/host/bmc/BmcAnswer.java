package dev.tandem.host.bmc;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/** What asking a BMC gave. Not to know is an answer, and never the same as Off. */
public sealed interface BmcAnswer<T> {

    /** The BMC said this, in answer to a request sent for it, which took this long. */
    record Read<T>(T value, Duration took) implements BmcAnswer<T> {}

    record Unknown<T>(BmcFault fault) implements BmcAnswer<T> {}

    default Optional<T> known() {
        return this instanceof Read<T>(T value, Duration _) ? Optional.of(value) : Optional.empty();
    }

    default <U> BmcAnswer<U> then(Function<? super T, BmcAnswer<U>> next) {
        return switch (this) {
            case Read<T>(T value, Duration _) -> next.apply(value);
            case Unknown<T>(BmcFault fault) -> new Unknown<>(fault);
        };
    }
}
