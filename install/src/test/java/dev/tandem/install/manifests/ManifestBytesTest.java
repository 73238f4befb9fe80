package dev.tandem.install.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.install.check.Code;
import dev.tandem.install.config.InstallMethod;
import dev.tandem.install.config.Release;
import dev.tandem.install.rules.InstallConfigCheck;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * One digest for all that is made from each rule's accepted file, by every method that accepts it,
 * for two releases, with and without a root CA: what the examples leave out changes as little
 * unseen as they do. {@code -Dgolden.update} rewrites.
 */
class ManifestBytesTest {
    private static final Path RESOURCES = Path.of("src/test/resources");
    private static final Path DIGESTS = RESOURCES.resolve("manifests/accepted.sha256");

    @Test
    void everyByteIsAsBefore() throws IOException {
        List<String> digests = new ArrayList<>();
        digests.add(digest(RESOURCES.resolve("manifests/everything.yaml")) + " everything");
        for (Code code : Code.values()) {
            Path file = RESOURCES.resolve("rules").resolve(code.name()).resolve("accepted.yaml");
            digests.add(digest(file) + " " + code);
        }
        if (System.getProperty("golden.update") != null) {
            Files.write(DIGESTS, digests);
        }

        assertThat(digests).isEqualTo(Files.readAllLines(DIGESTS));
    }

    /** Of all files with their names and modes. */
    private static String digest(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        StringBuilder all = new StringBuilder();
        for (InstallMethod method : InstallMethod.values()) {
            for (Optional<Release> release :
                    List.of(Optional.<Release>empty(), Release.parse("4.19"))) {
                InstallConfigCheck.Result result =
                        new InstallConfigCheck(method, release).check(bytes);
                if (result.good()) {
                    for (Optional<String> rootCa :
                            List.of(Optional.<String>empty(), Optional.of("an authority"))) {
                        Manifests.of(result.config().orElseThrow(), method, release, rootCa)
                                .forEach(manifest ->
                                        all.append(manifest.path())
                                                .append(manifest.secret() ? " (0600)\n" : "\n")
                                                .append(manifest.content()));
                    }
                }
            }
        }
        return sha256(all.toString()).substring(0, 16);
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(
                            MessageDigest.getInstance("SHA-256")
                                    .digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
