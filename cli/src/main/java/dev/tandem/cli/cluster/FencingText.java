package dev.tandem.cli.cluster;

import dev.tandem.host.bmc.check.BmcPreflight;
import java.util.Locale;

/** What a BMC has proven, in a sentence. */
final class FencingText {
    private FencingText() {}

    static String of(BmcPreflight.Proof proof) {
        String rights =
                switch (proof.rights()) {
                    case YES -> "may switch power";
                    case NO -> "may not switch power";
                    case NOT_TOLD -> "does not report its privileges, which only a drill can show";
                };
        return "BMC of %s: reads %s, %s, %s"
                .formatted(
                        proof.node(),
                        proof.power().toString().toLowerCase(Locale.ROOT),
                        rights,
                        proof.identity()
                                .map(reason -> "is its own (" + reason + ")")
                                .orElse("not yet proven to be its own"));
    }
}
