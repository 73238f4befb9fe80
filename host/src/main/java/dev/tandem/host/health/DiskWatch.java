package dev.tandem.host.health;

import dev.tandem.host.etcd.ReplicaDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** How much room there is for what a recovery writes: etcd's data, and what the agent remembers. */
public final class DiskWatch {
    public static final Duration INTERVAL = Duration.ofSeconds(10);

    private final ReplicaDirectory replicas;
    private final Path state;
    private volatile Rooms rooms = Rooms.UNKNOWN;

    /**
     * What was last seen.
     *
     * @param replicas where etcd has its data; empty before the first look
     * @param state where the agent has what it must not forget; empty before the first look
     */
    public record Rooms(Optional<DiskRoom> replicas, Optional<DiskRoom> state) {
        public static final Rooms UNKNOWN = new Rooms(Optional.empty(), Optional.empty());
    }

    public DiskWatch(ReplicaDirectory replicas, Path state) {
        this.replicas = replicas;
        this.state = state;
    }

    public Rooms rooms() {
        return rooms;
    }

    public void look() {
        rooms =
                new Rooms(
                        Optional.of(
                                new DiskRoom(
                                        replicas.root(),
                                        replicas.freeBytes(),
                                        replicas.keptBytes())),
                        Optional.of(DiskRoom.of(state)));
    }
}
