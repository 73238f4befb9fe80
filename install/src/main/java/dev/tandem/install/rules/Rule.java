package dev.tandem.install.rules;

import dev.tandem.install.check.Findings;

/**
 * Looks for one kind of fault. Rules see the whole file, do not see one another, and never fail.
 */
@FunctionalInterface
interface Rule {
    void check(CheckContext subject, Findings findings);
}
