package dev.tandem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertsCommandTest {
    @TempDir private Path directory = Path.of("");

    private ScreenTerminal create(int expected, String... more) {
        ScreenTerminal screen = ScreenTerminal.unattended();
        String[] arguments = new String[more.length + 4];
        arguments[0] = "certs";
        arguments[1] = "create";
        arguments[2] = "--dir";
        arguments[3] = directory.resolve("site").toString();
        System.arraycopy(more, 0, arguments, 4, more.length);
        assertThat(screen.run(arguments)).as(screen.err()).isEqualTo(expected);
        return screen;
    }

    @Test
    void aDryRunMakesNothing() {
        assertThat(create(ExitCode.FINE, "--kubernetes", "--dry-run").out())
                .contains("Would make ca.pem")
                .contains("Would make the CAs of Kubernetes");
        assertThat(directory.resolve("site")).doesNotExist();
    }

    @Test
    void aSiteGetsItsKubernetesLaterAndKeepsItsAuthority() throws IOException {
        create(ExitCode.FINE);
        String authority = Files.readString(directory.resolve("site/ca.pem"));

        assertThat(create(ExitCode.FINE, "--kubernetes").out())
                .contains("Made the CAs of Kubernetes")
                .doesNotContain("ca.pem");

        assertThat(directory.resolve("site/ca.pem")).hasContent(authority);
        assertThat(directory.resolve("site/kubernetes/ca.key")).exists();
    }

    @Test
    void whatIsThereIsNotMadeAgain() throws IOException {
        create(ExitCode.FINE, "--kubernetes");
        String key = Files.readString(directory.resolve("site/kubernetes/ca.key"));

        assertThat(create(ExitCode.COULD_NOT_ASK, "--kubernetes").err())
                .contains("nodes may depend on what it holds");
        assertThat(create(ExitCode.COULD_NOT_ASK).err()).contains("ca.pem is there already");
        assertThat(create(ExitCode.COULD_NOT_ASK, "--dry-run").err())
                .contains("ca.pem is there already");
        assertThat(directory.resolve("site/kubernetes/ca.key")).hasContent(key);
    }

    @Test
    void whoHasNoAuthorityIsToldHowToCreateIt() throws IOException {
        ScreenTerminal example = ScreenTerminal.unattended();
        example.run("cluster", "plan", "example");
        Path plan = Files.writeString(directory.resolve("plan.yaml"), example.out());
        Path site = directory.resolve("site");
        String[] issue = {"certs", "issue", plan.toString(), "--dir", site.toString()};

        ScreenTerminal without = ScreenTerminal.unattended();
        assertThat(without.run(issue)).isEqualTo(ExitCode.COULD_NOT_ASK);
        assertThat(without.err())
                .contains("cause: there is no authority in " + site)
                .contains("tandem certs create --dir " + site);

        create(ExitCode.FINE);
        assertThat(ScreenTerminal.unattended().run(issue)).isEqualTo(ExitCode.FINE);
        Files.delete(site.resolve("ca.key"));
        ScreenTerminal keyless = ScreenTerminal.unattended();
        assertThat(keyless.run(issue)).isEqualTo(ExitCode.COULD_NOT_ASK);
        assertThat(keyless.err()).contains("has ca.pem but not its key, ca.key");
    }

    private Path plan(String from, String to) throws IOException {
        ScreenTerminal example = ScreenTerminal.unattended();
        example.run("cluster", "plan", "example");
        assertThat(example.out()).contains(from);
        return Files.writeString(
                directory.resolve("plan.yaml"), example.out().replaceFirst(from, to));
    }

    private ScreenTerminal issue(int expected, Path plan) {
        ScreenTerminal screen = ScreenTerminal.unattended();
        assertThat(
                        screen.run(
                                "certs",
                                "issue",
                                plan.toString(),
                                "--dir",
                                directory.resolve("site").toString()))
                .as(screen.err())
                .isEqualTo(expected);
        return screen;
    }

    /** The keys of such a node would lie where the CAs of Kubernetes do. */
    @Test
    void aNodeCalledKubernetesDoesNotDestroyAnAuthority() throws IOException {
        create(ExitCode.FINE, "--kubernetes");
        String authority = Files.readString(directory.resolve("site/kubernetes/ca.pem"));

        assertThat(issue(ExitCode.COULD_NOT_ASK, plan("name: node-1", "name: kubernetes")).err())
                .contains("no node can be called kubernetes");

        assertThat(directory.resolve("site/kubernetes/ca.pem")).hasContent(authority);
        assertThat(directory.resolve("site/node-0")).doesNotExist();
    }

    @Test
    void noNodesKeysAreWrittenOverAnAuthority() throws IOException {
        create(ExitCode.FINE);
        Path other = Files.createDirectory(directory.resolve("site/node-1"));
        Files.writeString(other.resolve("ca.key"), "another site's");

        assertThat(issue(ExitCode.COULD_NOT_ASK, plan("node-0", "node-0")).err())
                .contains("the key of a certificate authority is there");
        assertThat(directory.resolve("site/node-0")).doesNotExist();
        assertThat(other).isDirectoryNotContaining("glob:**.pem");
    }

    @Test
    void whoWantsKubernetesAndHasNoAuthoritiesOfItIsWarned() throws IOException {
        create(ExitCode.FINE);
        Path plan = plan("#kubelet: true", "kubelet: true");

        assertThat(issue(ExitCode.FINE, plan).err())
                .contains("kubelet: true")
                .contains("tandem certs create --dir " + directory.resolve("site"))
                .contains("--kubernetes");

        create(ExitCode.FINE, "--kubernetes");
        assertThat(issue(ExitCode.FINE, plan).err()).isEmpty();
    }

    @Test
    void whoHasAuthoritiesOfKubernetesAndDoesNotStartItIsWarned() throws IOException {
        create(ExitCode.FINE, "--kubernetes");

        assertThat(issue(ExitCode.FINE, plan("node-0", "node-0")).err())
                .contains("Warning: there are CAs of Kubernetes in " + directory.resolve("site"))
                .contains("fix: add kubelet: true and api to " + directory.resolve("plan.yaml"));
    }

    @Test
    void whoWantsKubernetesAndHasNoAuthorityCreatesBothAtOnce() throws IOException {
        assertThat(issue(ExitCode.COULD_NOT_ASK, plan("#kubelet: true", "kubelet: true")).err())
                .contains(
                        "tandem certs create --dir "
                                + directory.resolve("site")
                                + " --kubernetes\n");
    }

    /** Secrets that were sealed with the lost key cannot be read with a new one. */
    @Test
    void aLostPartOfTheAuthoritiesOfKubernetesIsRestored() throws IOException {
        create(ExitCode.FINE, "--kubernetes");
        Files.delete(directory.resolve("site/kubernetes/encryption.yaml"));

        for (String told :
                new String[] {
                    create(ExitCode.COULD_NOT_ASK, "--kubernetes").err(),
                    issue(ExitCode.COULD_NOT_ASK, plan("#kubelet: true", "kubelet: true")).err()
                }) {
            assertThat(told).contains("lacks encryption.yaml").contains("from its backup");
        }
        assertThat(directory.resolve("site/node-0")).doesNotExist();
    }

    @Test
    void aDirectoryIsToldInFull() {
        ScreenTerminal screen = ScreenTerminal.unattended();

        assertThat(screen.run("certs", "create", "--dir", ".", "--kubernetes", "--dry-run"))
                .isEqualTo(ExitCode.FINE);
        assertThat(screen.out())
                .contains("in " + Path.of("").toAbsolutePath() + ". ")
                .contains("in " + Path.of("kubernetes").toAbsolutePath() + ". ");
    }

    @Test
    void aSiteHasAName() {
        assertThat(create(ExitCode.USAGE, "--site", " ").err())
                .contains("fix: give the site a name");
    }
}
