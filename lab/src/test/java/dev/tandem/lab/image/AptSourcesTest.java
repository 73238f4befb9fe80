package dev.tandem.lab.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AptSourcesTest {
    @Test
    void readsOneLineEntriesWithOptionsAndComments() {
        assertThat(
                        AptSources.parseLines(
                                """
                                # deb http://commented.example/debian trixie main
                                deb [arch=amd64 signed-by=/a/b.gpg] http://one.example/debian/ bookworm main contrib
                                deb-src http://one.example/debian bookworm main
                                deb cdrom:[Debian] bookworm main
                                deb https://two.example/debian-security bookworm-security main # ours
                                """))
                .containsExactly(
                        new AptSources.Entry(URI.create("http://one.example/debian"), "bookworm"),
                        new AptSources.Entry(
                                URI.create("https://two.example/debian-security"),
                                "bookworm-security"));
    }

    @Test
    void readsStanzasWithContinuedFieldsAndSkipsDisabledOnes() {
        assertThat(
                        AptSources.parseStanzas(
                                """
                                Types: deb deb-src
                                # where it came from
                                URIs: http://one.example/debian
                                Suites: bookworm
                                 bookworm-updates
                                Components: main

                                Types: deb
                                URIs: http://off.example/debian
                                Suites: bookworm
                                Enabled: no

                                Types: deb-src
                                URIs: http://src.example/debian
                                Suites: bookworm
                                """))
                .containsExactly(
                        new AptSources.Entry(URI.create("http://one.example/debian"), "bookworm"),
                        new AptSources.Entry(
                                URI.create("http://one.example/debian"), "bookworm-updates"));
    }

    @Test
    void onlyDebianArchivesOfTheHostCount(@TempDir Path apt) throws Exception {
        Files.createDirectories(apt.resolve("sources.list.d"));
        Files.writeString(
                apt.resolve("sources.list.d/site.list"),
                """
                deb http://mirror.example/debian bookworm main
                deb http://mirror.example/debian-security bookworm-security main
                deb http://packages.example/node_20.x nodistro main
                """);

        AptSources sources = AptSources.read(apt, Map.of());

        assertThat(sources.archives()).containsExactly(URI.create("http://mirror.example/debian"));
        assertThat(sources.securityArchives())
                .containsExactly(URI.create("http://mirror.example/debian-security"));
    }

    @Test
    void aHostWithoutDebianSourcesHasNoneUnlessOneIsNamed(@TempDir Path apt) {
        AptSources named =
                AptSources.read(apt, Map.of(AptSources.MIRROR, "http://mirror.example/debian/"));

        assertThat(AptSources.read(apt, Map.of()).archives()).isEmpty();
        assertThat(named.archives()).containsExactly(URI.create("http://mirror.example/debian"));
        assertThat(named.securityArchives())
                .containsExactly(URI.create("http://mirror.example/debian-security"));
    }
}
