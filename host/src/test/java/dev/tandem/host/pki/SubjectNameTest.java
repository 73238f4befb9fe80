package dev.tandem.host.pki;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SubjectNameTest {
    private static final Duration DAY = Duration.ofDays(1);
    private static final CertificateAuthority SITE =
            CertificateAuthority.create("site", DAY, InstantSource.system());

    private static Optional<String> nameOf(String commonName, String... organizations) {
        return SubjectName.commonName(
                SITE.issue(
                                new LeafProfile(
                                        commonName,
                                        List.of(organizations),
                                        Set.of(LeafProfile.Usage.CLIENT),
                                        List.of(),
                                        DAY))
                        .certificate());
    }

    @Test
    void aCommonNameIsReadAsItIsWritten() {
        assertThat(nameOf("node-0")).contains("node-0");
        assertThat(nameOf("node-0", "ops")).contains("node-0");
        assertThat(nameOf("odd, \"name\" + more\\")).contains("odd, \"name\" + more\\");
    }

    /** As a text this subject has ",CN=node-0" in it. */
    @Test
    void whatLooksLikeANameInAnotherAttributeIsNone() {
        assertThat(nameOf("somebody", "ops,CN=node-0")).contains("somebody");
        assertThat(nameOf("somebody,CN=node-0")).contains("somebody,CN=node-0");
        assertThat(nameOf("somebody", "ops\",CN=node-0,O=\"")).contains("somebody");
    }
}
