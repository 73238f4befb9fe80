package dev.tandem.lab;

import dev.tandem.cli.Interruption;
import dev.tandem.host.Commands;
import dev.tandem.host.SystemCommands;
import dev.tandem.lab.spec.Json;
import dev.tandem.lab.spec.LabFiles;
import dev.tandem.lab.spec.LabLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps everything that tells what happened in a lab, in a directory of its own, and prints where.
 */
final class Artefacts {
    /** Names the directory for those of all labs. */
    private static final String DIRECTORY_PROPERTY = "tandem.lab.artefacts";

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private static final Map<String, List<String>> COLLECTED =
            Map.of(
                    "journal.txt",
                    List.of("journalctl", "--no-pager", "--output=short-iso-precise"),
                    "etcd.txt",
                    List.of(
                            "journalctl",
                            "--no-pager",
                            "--output=short-iso-precise",
                            "-u",
                            "tandem-etcd"),
                    "cib.xml",
                    List.of("cibadmin", "--query", "--local"),
                    "pcs-status.txt",
                    List.of("pcs", "status", "--full"),
                    "stonith-history.txt",
                    List.of("stonith_admin", "--history", "*", "--verbose"),
                    "quorum.txt",
                    List.of("corosync-quorumtool", "-s"),
                    "links.txt",
                    List.of("ip", "address"),
                    "processes.txt",
                    List.of("ps", "-eo", "pid,ppid,stat,etime,args"));

    private final LabLayout layout;
    private final LabClient client;
    private final Commands commands = new SystemCommands();

    Artefacts(LabLayout layout, LabClient client) {
        this.layout = layout;
        this.client = client;
    }

    /** Never fails: it is called when something else has. */
    void collect() {
        if (Interruption.underWay()) {
            // What fails now fails because the lab is being taken away.
            return;
        }
        LabFiles files = client.files();
        Path directory =
                Path.of(System.getProperty(DIRECTORY_PROPERTY, "target/lab-failures"))
                        .toAbsolutePath()
                        .resolve(files.name() + "-" + STAMP.format(Instant.now()));
        try {
            Files.createDirectories(directory);
            copy(files.timeline(), directory);
            copy(files.daemonLog(), directory);
            copy(files.run().resolve("ledger.json"), directory);
            Files.writeString(directory.resolve("status.json"), Json.line(client.status()));
            for (LabLayout.NodePlan node : layout.nodes()) {
                collect(
                        new NodeHandle(node, client, this),
                        Files.createDirectories(directory.resolve(node.name())));
            }
        } catch (IOException | RuntimeException e) {
            System.err.println("lab " + files.name() + ": not everything could be collected: " + e);
        }
        System.err.println("lab " + files.name() + ": all about it is in " + directory);
    }

    private void collect(NodeHandle node, Path into) throws IOException {
        copy(client.files().console(node.name()), into);
        Path disk = node.disk();
        if (node.isOff() || node.machine().frozen()) {
            // Nobody is in there to ask; the files of the journal can be read with --directory.
            copyTree(disk.resolve("var/log/journal"), into);
        } else {
            for (Map.Entry<String, List<String>> entry : COLLECTED.entrySet()) {
                Commands.Output output = node.commands().run(LIMIT, entry.getValue());
                Files.writeString(into.resolve(entry.getKey()), output.out() + output.err());
            }
        }
        for (String journal : List.of("journal.jsonl", "journal.jsonl.1")) {
            Optional<String> text = node.agentFile(journal);
            if (text.isPresent()) {
                Files.writeString(into.resolve(journal), text.get());
            }
        }
        copyTree(disk.resolve("var/log/pacemaker"), into);
        copyTree(disk.resolve("var/log/cluster"), into);
        copyTree(disk.resolve("var/log/tandem"), into);
        copyTree(disk.resolve("etc/corosync"), into);
    }

    private static void copy(Path file, Path into) throws IOException {
        if (Files.exists(file)) {
            Files.copy(file, into.resolve(file.getFileName()));
        }
    }

    private void copyTree(Path tree, Path into) {
        if (Files.isDirectory(tree)) {
            var _ =
                    commands.run(
                            LIMIT, List.of("cp", "--recursive", tree.toString(), into.toString()));
        }
    }
}
