package dev.tandem.agentapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The programs in shell ask by the paths that the agent answers. */
class AgentRoutesTest {
    private static final Path ROOT = Path.of("../packaging/src/root");

    @ParameterizedTest
    @CsvSource({
        "usr/share/tandem/alert, http://tandem" + AgentRoutes.ALERT,
        "usr/share/tandem/await-stable-link, http://tandem" + AgentRoutes.AWAIT_STABLE_LINK,
        "usr/sbin/fence_tandem, http://tandem" + AgentRoutes.FENCE + "$action",
        "usr/sbin/fence_tandem_redfish, http://tandem" + AgentRoutes.SECOND_LEVEL + ")",
        "usr/sbin/fence_tandem_redfish, http://tandem" + AgentRoutes.SECOND_LEVEL_LOOK + ")",
        "usr/lib/ocf/resource.d/tandem/etcd, http://tandem" + AgentRoutes.OCF_ETCD + "$1",
        "usr/lib/ocf/resource.d/tandem/etcd, http://tandem" + AgentRoutes.ROOT + ";"
    })
    void theyAgree(String program, String address) throws IOException {
        assertThat(Files.readString(ROOT.resolve(program))).contains(address);
    }
}
