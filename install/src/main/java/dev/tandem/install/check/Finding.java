package dev.tandem.install.check;

import dev.tandem.install.yaml.Place;

/**
 * One thing about a file that its writer should know.
 *
 * @param what what is wrong, a sentence without its full stop
 * @param why why it matters
 * @param remedy how to mend it
 */
public record Finding(Code code, Place place, String what, String why, String remedy) {

    public Severity severity() {
        return code.severity();
    }
}
