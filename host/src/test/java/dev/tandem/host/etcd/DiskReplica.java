package dev.tandem.host.etcd;

import dev.tandem.host.etcd.wal.WalWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** The replica of a node on disk, as one of two voters leaves it. */
final class DiskReplica {
    private DiskReplica() {}

    static ReplicaDirectory empty(Path root) {
        return new ReplicaDirectory(root.resolve("etcd"), InstantSource.system());
    }

    /**
     * @param last the index of the last entry
     * @param commit the last index that is known as committed
     */
    static ReplicaDirectory ofTwoVoters(Path root, int last, int commit) throws IOException {
        ReplicaDirectory replica = empty(root);
        replica.prepare();
        WalWriter _ = write(replica, last, commit);
        return replica;
    }

    /** Into a directory that is prepared. */
    static WalWriter write(ReplicaDirectory replica, int last, int commit) throws IOException {
        WalWriter writer = WalWriter.ofTwoVoters(replica.current());
        for (int index = 3; index <= last; index++) {
            writer.entry(2, index, "v");
        }
        writer.state(2, WalWriter.PEER, commit);
        Files.write(replica.current().resolve("member/snap/db"), new byte[] {1});
        return writer;
    }

    /** Of the server that runs on it. */
    static EtcdConfig config(ReplicaDirectory replica, EtcdConfig.Ports ports) {
        return new EtcdConfig(
                "north",
                List.of(InetAddress.ofLiteral("127.0.0.1")),
                ports,
                replica.current(),
                Optional.empty(),
                Optional.empty(),
                EtcdConfig.Limits.STANDARD);
    }
}
