package dev.tandem.host.bmc.ipmi;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What ipmitool makes of a machine's FRU data. */
final class FruText {
    /**
     * The serial number of the product is what the machine tells as its own; those of chassis and
     * board are others.
     */
    private static final Pattern PRODUCT_SERIAL =
            Pattern.compile(" Product Serial        : (\\p{Print}{1,64})");

    private FruText() {}

    /** Empty unless there is exactly one. */
    static Optional<String> productSerial(List<String> lines) {
        List<String> found =
                lines.stream()
                        .map(PRODUCT_SERIAL::matcher)
                        .filter(Matcher::matches)
                        .map(line -> line.group(1))
                        .toList();
        return found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
    }
}
