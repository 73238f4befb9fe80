package dev.tandem.core.decision;

import dev.tandem.core.NodeName;

/** Puts the names of the two nodes into a sentence. */
final class Text {
    private Text() {}

    static String fill(String template, NodeName self, NodeName peer) {
        return template.replace("{self}", self.value()).replace("{peer}", peer.value());
    }
}
