package dev.tandem.drill.command;

import dev.tandem.cli.UsageException;

/** Numbers of an option, refused before a lab is started for them. */
final class Numbers {
    private Numbers() {}

    /**
     * Refuses one that is below 1 or above the most.
     *
     * @param example a command that would be right
     */
    static void check(String what, int number, int most, String example) {
        if (number < 1 || number > most) {
            throw new UsageException(
                    "invalid number of %s: %d".formatted(what, number),
                    "it must be 1 to " + most,
                    "for example: " + example);
        }
    }
}
