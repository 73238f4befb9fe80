package dev.tandem.redfishsim.testing;

import dev.tandem.redfishsim.MachineIdentity;
import dev.tandem.redfishsim.Nic;
import dev.tandem.redfishsim.SimulatedMachine;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A machine of one process that sleeps: real enough to be switched on and killed. */
public final class SleepingMachine implements SimulatedMachine, AutoCloseable {
    public static final MachineIdentity IDENTITY =
            new MachineIdentity(
                    UUID.fromString("6b2b1a7e-6f0b-4c3e-9d55-0a3f1c2d4e5f"),
                    "TND-0001",
                    "Sleeping Machine",
                    List.of(
                            new Nic("eth0", "02:54:00:00:00:01"),
                            new Nic("eth1", "02:54:00:00:00:02")));

    private final MachineIdentity identity;
    public final AtomicInteger cuts = new AtomicInteger();
    public final AtomicInteger starts = new AtomicInteger();
    private volatile @Nullable Process process;

    private SleepingMachine(MachineIdentity identity) {
        this.identity = identity;
    }

    public static SleepingMachine running() throws IOException {
        return running(IDENTITY);
    }

    /** One that is told from the others. */
    public static SleepingMachine running(MachineIdentity identity) throws IOException {
        SleepingMachine machine = new SleepingMachine(identity);
        machine.powerOn();
        machine.starts.set(0);
        return machine;
    }

    @Override
    public MachineIdentity identity() {
        return identity;
    }

    @Override
    public boolean isRunning() {
        Process now = process;
        return now != null && now.isAlive();
    }

    @Override
    public void powerOn() throws IOException {
        if (isRunning()) {
            throw new IOException("it runs already");
        }
        process = new ProcessBuilder("sleep", "600").start();
        starts.incrementAndGet();
    }

    @Override
    public void cutPower() throws IOException {
        cuts.incrementAndGet();
        Process now = process;
        if (now != null) {
            now.destroyForcibly();
            now.onExit().join();
        }
    }

    @Override
    public void pressPowerButton() {
        Process now = process;
        if (now != null) {
            now.destroy();
        }
    }

    @Override
    public void close() throws IOException {
        cutPower();
    }
}
