package dev.tandem.host.pki;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SignedTextTest {
    private static final Duration DAY = Duration.ofDays(1);
    private static final byte[] CONTENT = "uuid=1;serial=2".getBytes(StandardCharsets.UTF_8);
    private static final CertificateAuthority SITE = authority();
    private static final TlsIdentity NODE = SITE.issue(LeafProfile.client("node-0", DAY));
    private static final SiteTrust TRUST = SiteTrust.anybody(List.of(SITE.certificate()));

    private static CertificateAuthority authority() {
        return CertificateAuthority.create("site", DAY, InstantSource.system());
    }

    private static Optional<String> verified(String text) {
        return SignedText.verify(text, "test", TRUST)
                .map(found -> new String(found.content(), StandardCharsets.UTF_8));
    }

    @Test
    void whatWasSignedIsReadAgain() {
        String text = SignedText.sign(NODE, "test", CONTENT);

        assertThat(text).matches("[A-Za-z0-9._-]+");
        assertThat(verified(text)).contains("uuid=1;serial=2");
    }

    /** Law: no text that differs in one character is taken for the same. */
    @Test
    void aChangeAnywhereIsNoticed() {
        String text = SignedText.sign(NODE, "test", CONTENT);
        for (int i = 0; i < text.length(); i++) {
            String changed =
                    text.substring(0, i)
                            + (text.charAt(i) == 'A' ? 'Q' : 'A')
                            + text.substring(i + 1);
            assertThat(SignedText.verify(changed, "test", TRUST))
                    .as("changed at %d", i)
                    .satisfies(found ->
                            // The last character of a part has bits that mean nothing.
                            assertThat(found.map(SignedText.Verified::content))
                                    .matches(content ->
                                            content.isEmpty()
                                                    || Arrays.equals(content.get(), CONTENT)));
        }
    }

    @Test
    void itIsNotTakenForSomethingElseNorFromSomebodyElse() {
        assertThat(verified(SignedText.sign(NODE, "another", CONTENT))).isEmpty();
        assertThat(
                        verified(
                                SignedText.sign(
                                        authority().issue(LeafProfile.client("node-0", DAY)),
                                        "test",
                                        CONTENT)))
                .isEmpty();
        SiteTrust nobody =
                new SiteTrust(List.of(SITE.certificate()), _ -> Optional.of("not the peer"));
        assertThat(SignedText.verify(SignedText.sign(NODE, "test", CONTENT), "test", nobody))
                .isEmpty();
    }

    /** The certificate of one node with the signature of another. */
    @Test
    void aBorrowedCertificateDoesNotHelp() {
        TlsIdentity other = SITE.issue(LeafProfile.client("node-1", DAY));
        String[] mine = SignedText.sign(NODE, "test", CONTENT).split("\\.", -1);
        String[] theirs = SignedText.sign(other, "test", CONTENT).split("\\.", -1);

        assertThat(verified(String.join(".", mine[0], theirs[1], mine[2]))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a.b.c", "%.%.%", "uuid=1;macs=;serial="})
    void whatIsNoSignedTextIsNone(String text) {
        assertThat(verified(text)).isEmpty();
    }
}
