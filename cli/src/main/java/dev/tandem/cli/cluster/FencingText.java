package dev.tandem.cli.cluster;

import dev.tandem.host.bmc.check.BmcPreflight;
import java.util.Locale;

/** What a BMC has proven, in a sentence. */
final class FencingText {
    private FencingText() {}

    static String of(BmcPreflight.Proof proof) {
        String rights =
                switch (proof.rights()) {
                    case YES -> "its account may switch power";
                    case NO -> "its account may not switch power";
                    case NOT_TOLD ->
                            "it does not report the privileges of its account; only a real fence"
                                    + " can show them";
                };
        return "BMC of %s%s: reads %s, %s; %s"
                .formatted(
                        proof.node(),
                        proof.overIpmi() ? " over IPMI" : "",
                        proof.power().toString().toLowerCase(Locale.ROOT),
                        proof.identity()
                                .map(reason -> "controls the right machine (" + reason + ")")
                                .orElse("not yet proven to control the right machine"),
                        rights);
    }
}
