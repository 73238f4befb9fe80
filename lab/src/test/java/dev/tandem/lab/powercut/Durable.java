package dev.tandem.lab.powercut;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agent.bmc.BmcChanges;
import dev.tandem.agent.bmc.BmcSettings;
import dev.tandem.agent.bmc.BmcSettingsStore;
import dev.tandem.agent.state.DurableStore;
import dev.tandem.agent.state.Journal;
import dev.tandem.agent.state.PeerIdentityFile;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Lineage;
import dev.tandem.host.Commands;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.InstallationMark;
import dev.tandem.host.Secrets;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.credential.SealedPassword;
import dev.tandem.host.etcd.BoltFile;
import dev.tandem.host.etcd.CommitTail;
import dev.tandem.host.etcd.LineageFile;
import dev.tandem.host.etcd.ReplicaDirectory;
import dev.tandem.host.etcd.wal.ReplicaLog;
import dev.tandem.host.etcd.wal.WriteAheadLog;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.pki.TlsIdentity;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.NodePasswords;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Something that a node writes so that a power cut takes none of it back: what is there before,
 * what is done, and what may be there afterwards.
 */
enum Durable {
    FIRST_STATE {
        @Override
        void prepare(Path root) {
            // The directory is missing too, as before the first start.
        }

        @Override
        void act(Path root) {
            store(root).write(store(root).read(BOOT).with(draft -> draft.lastAbdication = 7));
        }

        @Override
        void verify(Path root, boolean done) {
            oneOf(store(root).read(BOOT).lastAbdication(), 0L, 7L, done);
        }
    },

    CLAIM {
        @Override
        void prepare(Path root) {
            store(root).write(store(root).read(BOOT));
        }

        @Override
        void act(Path root) {
            store(root).write(store(root).read(BOOT).with(draft -> draft.claim = CLAIMED));
        }

        @Override
        void verify(Path root, boolean done) {
            oneOf(store(root).read(BOOT).claim(), Claim.none(), CLAIMED, done);
        }
    },

    LINEAGE {
        @Override
        void prepare(Path root) {
            replica(root).writeLineage(FOUNDED);
        }

        @Override
        void act(Path root) {
            replica(root).writeLineage(TAKEN_OVER);
        }

        @Override
        void verify(Path root, boolean done) {
            oneOf(
                    replica(root).inspect().lineage(),
                    new LineageFile.Known(FOUNDED),
                    new LineageFile.Known(TAKEN_OVER),
                    done);
        }
    },

    /** The one append that a take-over rests on. */
    LOG {
        @Override
        void prepare(Path root) throws IOException {
            EtcdFiles.writeLog(root);
        }

        @Override
        void act(Path root) {
            commit(root);
        }

        @Override
        void verify(Path root, boolean done) {
            ReplicaLog log = WriteAheadLog.read(root);
            assertThat(log.verdict())
                    .isInstanceOfAny(ReplicaLog.Complete.class, ReplicaLog.TornTail.class);
            assertThat(log.lastIndex()).isEqualTo(3);
            oneOf(log.hardState().commit(), 2L, 3L, done);
            commit(root);
            assertThat(WriteAheadLog.read(root).hardState().commit()).isEqualTo(3);
        }

        private void commit(Path root) {
            CommitTail tail = new CommitTail(root);
            if (tail.plan() instanceof CommitTail.Append append) {
                assertThat(tail.carryOut(append).after().commit()).isEqualTo(3);
            }
        }
    },

    JUMP_OWED {
        @Override
        void prepare(Path root) throws IOException {
            writeData(replica(root));
        }

        @Override
        void act(Path root) {
            replica(root).oweRevisionJump("history goes on from older data");
        }

        @Override
        void verify(Path root, boolean done) {
            oneOf(replica(root).owesRevisionJump(), false, true, done);
        }
    },

    /** The numbers that make a store jump. */
    JUMP {
        @Override
        void prepare(Path root) throws IOException {
            EtcdFiles.writeDatabase(root.resolve("db"), "meta", "rev", new byte[] {1, 1});
        }

        @Override
        void act(Path root) throws IOException {
            try (BoltFile database = BoltFile.open(root.resolve("db"))) {
                database.overwrite(value(database), new byte[] {2, 2});
            }
        }

        @Override
        void verify(Path root, boolean done) throws IOException {
            try (BoltFile database = BoltFile.open(root.resolve("db"))) {
                oneOf(
                        List.of(value(database).bytes()[0], value(database).bytes()[1]),
                        List.of((byte) 1, (byte) 1),
                        List.of((byte) 2, (byte) 2),
                        done);
            }
        }

        private BoltFile.Value value(BoltFile database) throws IOException {
            return database.find("meta", "rev".getBytes(StandardCharsets.UTF_8)).orElseThrow();
        }
    },

    /** Of a BMC, as it was read from its source. */
    KEPT_PASSWORD {
        @Override
        void prepare(Path root) {
            SEALED.write(SealedPassword.file(root, "north"), "old");
        }

        @Override
        void act(Path root) {
            SEALED.write(SealedPassword.file(root, "north"), "new");
        }

        @Override
        void verify(Path root, boolean done) {
            oneOf(SEALED.read(SealedPassword.file(root, "north")), "old", "new", done);
        }
    },

    INSTALLATION_MARK {
        @Override
        void prepare(Path root) {
            // There is none.
        }

        @Override
        void act(Path root) throws IOException {
            installation(root).set();
        }

        @Override
        void verify(Path root, boolean done) {
            oneOf(installation(root).isSet(), false, true, done);
        }
    },

    INSTALLATION_MARK_REMOVED {
        @Override
        void prepare(Path root) throws IOException {
            installation(root).set();
        }

        @Override
        void act(Path root) throws IOException {
            installation(root).remove();
        }

        @Override
        void verify(Path root, boolean done) {
            oneOf(installation(root).isSet(), true, false, done);
        }
    },

    REPLICA_INCOMPLETE {
        @Override
        void prepare(Path root) throws IOException {
            writeData(replica(root));
        }

        @Override
        void act(Path root) {
            replica(root).markIncomplete("it learns");
        }

        @Override
        void verify(Path root, boolean done) {
            oneOf(
                    replica(root).inspect().incomplete(),
                    Optional.empty(),
                    Optional.of("it learns"),
                    done);
        }
    },

    REPLICA_COMPLETE {
        @Override
        void prepare(Path root) throws IOException {
            REPLICA_INCOMPLETE.prepare(root);
            REPLICA_INCOMPLETE.act(root);
        }

        @Override
        void act(Path root) {
            replica(root).markComplete();
        }

        @Override
        void verify(Path root, boolean done) {
            oneOf(
                    replica(root).inspect().incomplete(),
                    Optional.of("it learns"),
                    Optional.empty(),
                    done);
        }
    },

    REPLICA_SET_ASIDE {
        @Override
        void prepare(Path root) throws IOException {
            REPLICA_COMPLETE.prepare(root);
        }

        @Override
        void act(Path root) {
            replica(root).setAside("joined again");
        }

        @Override
        void verify(Path root, boolean done) {
            List<ReplicaDirectory.Kept> kept = replica(root).kept();
            boolean there = Files.exists(replica(root).current());
            assertThat(kept).as("it is in one place, and there whole").hasSize(there ? 0 : 1);
            whole(there ? replica(root).current() : kept.getFirst().directory());
            if (!there) {
                assertThat(kept.getFirst().reason()).isEqualTo("joined again");
            }
            oneOf(there, true, false, done);
        }
    },

    PARTIAL_REPLICA_ERASED {
        @Override
        void prepare(Path root) throws IOException {
            REPLICA_COMPLETE.prepare(root);
        }

        @Override
        void act(Path root) {
            replica(root).makeRoom(Long.MAX_VALUE);
        }

        // A part of it must not pass for a replica that is complete.
        @Override
        void verify(Path root, boolean done) {
            boolean there = Files.exists(replica(root).current());
            if (there) {
                whole(replica(root).current());
            }
            oneOf(there, true, false, done);
        }
    },

    KEPT_PARTIAL_REPLICA_ERASED {
        @Override
        void prepare(Path root) throws IOException {
            REPLICA_SET_ASIDE.prepare(root);
            REPLICA_SET_ASIDE.act(root);
        }

        @Override
        void act(Path root) {
            replica(root).prunePartial(0);
        }

        @Override
        void verify(Path root, boolean done) {
            List<ReplicaDirectory.Kept> kept = replica(root).kept();
            kept.forEach(one -> whole(one.directory()));
            oneOf(kept.size(), 1, 0, done);
        }
    },

    /** A kept replica takes the place of the current one: {@code tandem replicas restore}. */
    REPLICA_RESTORED {
        @Override
        void prepare(Path root) throws IOException {
            writeReplica(replica(root), "chosen");
            replica(root).setAside("joined again");
            writeReplica(replica(root), "other");
        }

        @Override
        void act(Path root) {
            replica(root).restore(replica(root).kept().getFirst());
        }

        // In between there may be none in place: the command is given once more then.
        @Override
        void verify(Path root, boolean done) throws IOException {
            Path current = replica(root).current();
            List<ReplicaDirectory.Kept> kept = replica(root).kept();
            List<Path> all = new ArrayList<>(kept.stream().map(one -> one.directory()).toList());
            if (Files.exists(current)) {
                all.add(current);
            }
            assertThat(all).allMatch(replica -> WriteAheadLog.read(replica).usable());
            assertThat(all.stream().map(Durable::which))
                    .containsExactlyInAnyOrder("chosen", "other");
            boolean restored = Files.exists(current) && which(current).equals("chosen");
            oneOf(restored, false, true, done);
            assertThat(replica(root).owesRevisionJump()).isEqualTo(restored);
            if (restored) {
                assertThat(kept.getFirst().reason()).isEqualTo("made way for another");
            }
            if (done) {
                assertThat(current.resolve("kept.json")).doesNotExist();
            }
        }

        private void writeReplica(ReplicaDirectory replica, String which) throws IOException {
            replica.prepare();
            EtcdFiles.writeLog(replica.current());
            Files.writeString(replica.current().resolve("which"), which);
        }
    },

    JOURNAL {
        @Override
        void prepare(Path root) {
            // There is none.
        }

        @Override
        void act(Path root) {
            journal(root).record(new JournalEvent.EtcdHung("first"));
            journal(root).record(new JournalEvent.EtcdHung("second"));
        }

        @Override
        void verify(Path root, boolean done) {
            List<JournalEvent> all = events(root);
            List<JournalEvent> told =
                    List.of(
                            new JournalEvent.EtcdHung("first"),
                            new JournalEvent.EtcdHung("second"));
            assertThat(all).isEqualTo(told.subList(0, Math.min(all.size(), told.size())));
            if (done) {
                assertThat(all).isEqualTo(told);
            }
            journal(root).record(new JournalEvent.EtcdStopped());
            assertThat(events(root).getLast()).isEqualTo(new JournalEvent.EtcdStopped());
        }
    },

    /** The file is full: it is kept beside a new one. */
    JOURNAL_ROTATED {
        @Override
        void prepare(Path root) {
            small(root).record(new JournalEvent.EtcdHung("first"));
        }

        @Override
        void act(Path root) {
            small(root).record(new JournalEvent.EtcdHung("second"));
        }

        @Override
        void verify(Path root, boolean done) {
            oneOf(
                    events(root),
                    List.of(new JournalEvent.EtcdHung("first")),
                    List.of(
                            new JournalEvent.EtcdHung("first"),
                            new JournalEvent.EtcdHung("second")),
                    done);
        }

        private Journal small(Path root) {
            return new Journal(root.resolve(JournalLine.FILE), CLOCK, 1);
        }
    },

    PEER_IDENTITY {
        @Override
        void prepare(Path root) {
            new PeerIdentityFile(root.resolve("peer")).keep(machine(1));
        }

        @Override
        void act(Path root) {
            new PeerIdentityFile(root.resolve("peer")).keep(machine(2));
        }

        @Override
        void verify(Path root, boolean done) {
            oneOf(
                    new PeerIdentityFile(root.resolve("peer")).kept(),
                    Optional.of(machine(1)),
                    Optional.of(machine(2)),
                    done);
        }

        private HardwareIdentity machine(int number) {
            return new HardwareIdentity(
                    Optional.of(new UUID(0, number)), Optional.of("S" + number), Set.of());
        }
    },

    /** New settings of a BMC: from here on they are the node's, whatever happens. */
    BMC_SETTINGS {
        @Override
        void prepare(Path root) {
            Secrets.write(root.resolve("etc/bmc/south.password"), OLD_LOGIN.password() + "\n");
            Secrets.write(root.resolve("etc/cluster.yaml"), PLAN);
        }

        @Override
        void act(Path root) {
            bmcSettings(root).commit(NEW_LOGIN);
        }

        @Override
        void verify(Path root, boolean done) {
            oneOf(completed(root), OLD_LOGIN, NEW_LOGIN, done);
        }
    },

    BMC_SETTINGS_MADE {
        @Override
        void prepare(Path root) throws IOException {
            BMC_SETTINGS.prepare(root);
            BMC_SETTINGS.act(root);
        }

        @Override
        void act(Path root) {
            bmcSettings(root).write(NEW_LOGIN);
            bmcSettings(root).finish(NEW_LOGIN);
        }

        @Override
        void verify(Path root, boolean done) {
            assertThat(completed(root)).isEqualTo(NEW_LOGIN);
        }
    },

    KEYS {
        @Override
        void prepare(Path root) throws IOException {
            if (!SitePki.isIn(ISSUED)) {
                SitePki.create(ISSUED, "site", CLOCK);
                for (String set : List.of("old", "new")) {
                    SitePki.load(ISSUED, CLOCK)
                            .issue("north", List.of("192.0.2.1"), ISSUED.resolve(set));
                }
            }
            Path pki = Files.createDirectories(root.resolve("pki"));
            try (Stream<Path> files = Files.list(ISSUED.resolve("old"))) {
                for (Path file : files.toList()) {
                    Files.copy(
                            file,
                            pki.resolve(file.getFileName()),
                            StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }

        @Override
        void act(Path root) {
            SitePki.install(ISSUED.resolve("new"), "north", root.resolve("pki"), CLOCK);
        }

        // What the agent does when it starts.
        @Override
        void verify(Path root, boolean done) {
            SitePki.completeInstallation(root.resolve("pki"));
            assertThat(Pem.readCertificates(root.resolve("pki").resolve(SitePki.CA_CERTIFICATE)))
                    .isEqualTo(Pem.readCertificates(ISSUED.resolve(SitePki.CA_CERTIFICATE)));
            oneOf(
                    serials(root.resolve("pki")),
                    serials(ISSUED.resolve("old")),
                    serials(ISSUED.resolve("new")),
                    done);
        }

        private Set<BigInteger> serials(Path directory) {
            Set<BigInteger> serials = new HashSet<>();
            for (SitePki.Purpose purpose : SitePki.Purpose.values()) {
                TlsIdentity leaf =
                        Pem.readIdentity(purpose.certificate(directory), purpose.key(directory));
                serials.add(leaf.certificate().getSerialNumber());
            }
            return serials;
        }
    };

    /** Keys that are made once: that takes longer than all the rest. */
    private static final Path ISSUED = temporary();

    /** A systemd-creds that encrypts nothing: what is tried is the file. */
    private static final SealedPassword SEALED =
            new SealedPassword((_, _, text) -> new Commands.Output(0, text, ""), "north");

    private static final InstantSource CLOCK = InstantSource.system();
    private static final BootId BOOT = new BootId("b3");
    private static final NodeName NORTH = new NodeName("north");
    private static final Lineage FOUNDED = Lineage.installed("c1", NORTH, new BootId("b1"));
    private static final Lineage TAKEN_OVER = FOUNDED.takenOver(NORTH, new BootId("b2"), 5);
    private static final Claim CLAIMED = new Claim.TakeOver(TAKEN_OVER.current());
    private static final BmcSettings OLD_LOGIN =
            new BmcSettings(
                    "south",
                    0,
                    "redfish+https://192.0.2.112:443/redfish/v1/Systems/1",
                    "a",
                    "old",
                    "");
    private static final BmcSettings NEW_LOGIN =
            new BmcSettings("south", 1, OLD_LOGIN.address(), "b", "new", "");
    private static final String PLAN =
            """
            apiVersion: tandem.dev/v1
            kind: ClusterPlan
            name: test
            nodes:
              - name: north
                addresses: [192.0.2.11]
                bmc:
                  address: redfish+https://192.0.2.111/redfish/v1/Systems/1
                  username: a
                  passwordFile: bmc/north.password
                  certificate: unverified
              - name: south
                addresses: [192.0.2.12]
                bmc:
                  address: %s
                  username: a
                  passwordFile: bmc/south.password
                  certificate: unverified
            """
                    .formatted(OLD_LOGIN.address());
    private static final List<String> DATA =
            List.of("member/wal/0.wal", "member/snap/db", "incomplete", "lineage.json");

    /** What is there before, and synced. */
    abstract void prepare(Path root) throws IOException;

    abstract void act(Path root) throws IOException;

    /**
     * @param done it had returned when the power went
     */
    abstract void verify(Path root, boolean done) throws IOException;

    private static Path temporary() {
        try {
            Path directory = Files.createTempDirectory("power-cut-keys");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(directory)));
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void remove(Path directory) {
        try {
            DurableFiles.deleteTree(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static <T> void oneOf(T found, T before, T after, boolean done) {
        if (done) {
            assertThat(found).isEqualTo(after);
        } else {
            assertThat(found).isIn(before, after);
        }
    }

    private static DurableStore store(Path root) {
        return new DurableStore(root.resolve("state/memory.json"));
    }

    private static ReplicaDirectory replica(Path root) {
        return new ReplicaDirectory(root.resolve("replicas"), CLOCK);
    }

    private static InstallationMark installation(Path root) {
        return new InstallationMark(root.resolve("state/installing"));
    }

    private static BmcSettingsStore bmcSettings(Path root) {
        return new BmcSettingsStore(root.resolve("etc/cluster.yaml"), new NodePasswords());
    }

    /** What the agent begins with, which completes what is not made yet. */
    private static BmcSettings completed(Path root) {
        BmcSettingsStore store = bmcSettings(root);
        ClusterPlan plan = ClusterPlan.read(root.resolve("etc/cluster.yaml"));
        return store.current(BmcChanges.complete(plan, store), "south");
    }

    private static Journal journal(Path root) {
        return new Journal(root.resolve(JournalLine.FILE), CLOCK);
    }

    private static List<JournalEvent> events(Path root) {
        return journal(root).last(10).stream()
                .map(line -> JournalLine.parse(line).event())
                .toList();
    }

    private static String which(Path replica) {
        try {
            return Files.readString(replica.resolve("which"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void writeData(ReplicaDirectory replica) throws IOException {
        replica.prepare();
        replica.writeLineage(FOUNDED);
        for (String file : DATA.subList(0, 2)) {
            Path path = replica.current().resolve(file);
            Files.createDirectories(path.getParent());
            Files.writeString(path, "data");
        }
    }

    private static void whole(Path directory) {
        assertThat(DATA).allMatch(file -> Files.exists(directory.resolve(file)));
    }
}
