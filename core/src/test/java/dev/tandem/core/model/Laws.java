package dev.tandem.core.model;

import java.util.List;

/** What is checked, in words, for the report and the page. */
final class Laws {
    static final List<String> ALL =
            List.of(
                    "never two writable histories",
                    "no node serves without a write that was acknowledged, unless a person gave it"
                            + " up",
                    "a replica with acknowledged writes its peer lacks, or the only complete one,"
                            + " is never given up for a join",
                    "data are never overwritten or erased",
                    "recovery never begins an empty cluster",
                    "only a complete voter's replica goes on alone",
                    "two different logs never carry the same lineage",
                    "at most one node has the right to go on alone",
                    "a learner gets a vote only when it holds every acknowledged write",
                    "health is never claimed for a server that is down",
                    "a server that refuses its own agent is never ended, stood down or set aside"
                            + " for that, and forced only when the peer is proven off",
                    "once faults stop, two voters serve again without a person",
                    "where one node is gone for good, the other serves or names what a person must"
                            + " state");

    private Laws() {}
}
