package dev.tandem.host.kube;

import dev.tandem.core.IpAddress;

/** Addresses of services inside Kubernetes: never seen outside, and of the nodes' family. */
enum ServiceRange {
    IPV4("10.96.0.0/16", "10.96.0.1"),
    IPV6("fd96::/112", "fd96::1");

    private final String range;
    private final String first;

    ServiceRange(String range, String first) {
        this.range = range;
        this.first = first;
    }

    static ServiceRange of(IpAddress node) {
        return node.isV6() ? IPV6 : IPV4;
    }

    String range() {
        return range;
    }

    /** The API's own service has it. */
    String first() {
        return first;
    }
}
