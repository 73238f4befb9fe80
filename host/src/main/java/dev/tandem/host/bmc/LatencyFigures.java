package dev.tandem.host.bmc;

import java.time.Duration;

/** How long a BMC takes to answer, over its last answers. */
public record LatencyFigures(
        int count, Duration latest, Duration median, Duration ninetieth, Duration longest) {}
