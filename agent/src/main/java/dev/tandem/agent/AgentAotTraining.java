package dev.tandem.agent;

import dev.tandem.agentapi.client.AgentClient;
import dev.tandem.host.Commands;
import dev.tandem.host.Deadline;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.Secrets;
import dev.tandem.host.pki.SitePki;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Starts an agent that has nothing to look after, while the JVM records what a start takes for its
 * ahead-of-time cache: when the package is installed, maybe beside the agent of a living cluster.
 * So nothing of this node is touched: it runs no command, its files are its own, its plan has only
 * loopback addresses, and whoever answered there would not know its keys.
 */
public final class AgentAotTraining {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private static final Duration PAUSE = Duration.ofMillis(100);

    private static final String NODE = "training-0";

    private static final String PLAN =
            """
            apiVersion: tandem.dev/v1
            kind: ClusterPlan
            name: training
            nodes:
              - name: training-0
                addresses: [127.4.4.10]
                bmc:
                  address: redfish+https://127.4.4.20:9/redfish/v1/Systems/1
                  username: nobody
                  passwordFile: password
                  certificate: unverified
              - name: training-1
                addresses: [127.4.4.11]
                bmc:
                  address: redfish+https://127.4.4.21:9/redfish/v1/Systems/1
                  username: nobody
                  passwordFile: password
                  certificate: unverified
            """;

    private AgentAotTraining() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("tandem-training");
        try {
            start(directory);
        } finally {
            delete(directory);
        }
    }

    /** A closed agent does not wait for those who write its journal and its recording. */
    private static void delete(Path directory) throws IOException, InterruptedException {
        Deadline deadline = Deadline.in(LIMIT);
        while (true) {
            try {
                DurableFiles.deleteTree(directory);
                return;
            } catch (IOException e) {
                if (deadline.passed()) {
                    throw e;
                }
            }
            deadline.pause(PAUSE);
        }
    }

    private static void start(Path directory) throws IOException {
        Path pki = directory.resolve("pki");
        SitePki.create(directory.resolve("ca"), "training", InstantSource.system());
        SitePki.load(directory.resolve("ca"), InstantSource.system())
                .issue(NODE, List.of("127.4.4.10"), pki);
        Path plan = directory.resolve("cluster.yaml");
        Files.writeString(plan, PLAN);
        Secrets.write(directory.resolve("password"), "none\n", "rw-------");
        Path run = Files.createDirectory(directory.resolve("run"));
        AgentPaths places =
                new AgentPaths(
                        plan,
                        Files.createDirectory(directory.resolve("state")),
                        run,
                        directory.resolve("etcd"),
                        pki,
                        directory.resolve("units"),
                        directory.resolve("no-kubernetes"),
                        directory.resolve("no-kubernetes-pki"),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.empty());
        try (Agent agent = new Agent(NODE, places, new NoCommands())) {
            agent.run();
            agent.alive(LIMIT);
            var _ = new AgentClient(run.resolve("agent.sock")).status();
        }
    }

    /** There is no program on this node. */
    private static final class NoCommands implements Commands {
        @Override
        public Output run(Duration limit, List<String> command, String stdin) {
            return new Output(Output.NOT_STARTED, "", command.getFirst() + " is not run here");
        }
    }
}
