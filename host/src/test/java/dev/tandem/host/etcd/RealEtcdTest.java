package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RealEtcdTest {
    @Test
    void theArchiveIsFoundInBothFormatsOfApt() {
        String fields =
                """
                Types: deb
                URIs: http://other.invalid/x
                Suites: nodistro
                Components: main

                Types: deb
                # URIs: http://commented.invalid/debian
                URIs: http://mirror.invalid/debian
                Suites: bookworm bookworm-updates
                Components: main
                """;
        String lines =
                """
                # deb http://commented.invalid/debian bookworm main
                deb [arch=amd64 signed-by=/x.gpg] http://mirror.invalid/debian bookworm main contrib
                """;

        assertThat(RealEtcd.archive("a.sources", fields, "bookworm"))
                .contains("http://mirror.invalid/debian");
        assertThat(RealEtcd.archive("sources.list", lines, "bookworm"))
                .contains("http://mirror.invalid/debian");
        assertThat(RealEtcd.archive("sources.list", lines, "trixie")).isEmpty();
    }
}
