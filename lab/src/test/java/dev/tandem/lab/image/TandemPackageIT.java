package dev.tandem.lab.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.Runbook;
import dev.tandem.lab.NodeHandle;
import dev.tandem.lab.SharedLab;
import dev.tandem.lab.spec.LabSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tandem's package on a node that never had it: it comes, is upgraded, and goes without a trace.
 */
class TandemPackageIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final String PLACE = "/root/tandem.deb";
    private static final String RUNBOOKS = "/usr/share/doc/tandem/runbooks";

    @RegisterExtension
    static final SharedLab SHARED = SharedLab.of(LabSpec.twoNodes("it").withLinks(2));

    private final NodeHandle node = SHARED.lab().node("node-1");

    @Test
    void thePackageInstallsUpgradesAndPurgesCleanly() throws Exception {
        Path deb =
                TandemPackage.find(null)
                        .orElseThrow(() ->
                                new AssertionError(
                                        "packaging/target holds no package: build it with"
                                                + " mvn -pl packaging -am package"));
        node.copy(deb, PLACE, "600");
        Set<String> before = files();

        node.must(LIMIT, "dpkg", "--install", PLACE);
        assertThat(node.must(LIMIT, "tandem", "version")).startsWith("tandem ");
        assertThat(startOfTheAgentWithItsCache())
                .as("how the agent starts where it has no plan")
                .contains("/etc/tandem/cluster.yaml");
        assertThat(node.must(LIMIT, "find", RUNBOOKS, "-type", "f", "-printf", "%p %m\\n").lines())
                .as("the pages that the status names")
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Runbook.values()).map(page -> page.path() + " 644").toList());
        assertThat(node.must(LIMIT, "dpkg", "--verify", "tandem")).isEmpty();
        assertThat(node.must(LIMIT, "systemctl", "--failed", "--no-legend")).isEmpty();

        node.must(LIMIT, "dpkg", "--install", PLACE);
        assertThat(node.must(LIMIT, "dpkg-query", "--show", "--showformat=${Status}", "tandem"))
                .isEqualTo("install ok installed");
        assertThat(node.must(LIMIT, "tandem", "version")).startsWith("tandem ");

        node.must(LIMIT, "dpkg", "--purge", "tandem");
        Set<String> left = files();
        left.removeAll(before);
        assertThat(left).as("files left after the purge").isEmpty();
        assertThat(node.must(LIMIT, "systemctl", "--failed", "--no-legend")).isEmpty();
    }

    /** Insists on the cache, which an agent else does without when it does not fit. */
    private String startOfTheAgentWithItsCache() {
        return node.run(
                        LIMIT,
                        "env",
                        "JAVA_TOOL_OPTIONS=-XX:AOTMode=on",
                        "/usr/share/tandem/tandem-agent")
                .err();
    }

    /** Where a package may leave something; not where the running system writes by itself. */
    private Set<String> files() {
        Set<String> files = new TreeSet<>();
        // Some of these do not exist before or after, which find counts as a failure.
        node.run(
                        LIMIT,
                        "find",
                        "/etc",
                        "/usr",
                        "/opt",
                        "/srv",
                        "/var/lib/tandem",
                        "/var/log/tandem",
                        "/var/lib/dpkg/info",
                        "-xdev",
                        "-path",
                        "/etc/machine-id",
                        "-prune",
                        "-o",
                        "-print")
                .out()
                .lines()
                .forEach(files::add);
        return files;
    }
}
