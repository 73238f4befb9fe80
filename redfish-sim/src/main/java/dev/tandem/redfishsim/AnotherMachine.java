package dev.tandem.redfishsim;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/**
 * A machine that a BMC's address may lead to instead of its node: of the same model, running, and
 * with nothing in it. It is there to be mistaken for the node.
 */
final class AnotherMachine implements SimulatedMachine {
    private final MachineIdentity identity;
    private volatile boolean running = true;

    private AnotherMachine(MachineIdentity identity) {
        this.identity = identity;
    }

    static AnotherMachine than(MachineIdentity own) {
        return new AnotherMachine(
                new MachineIdentity(
                        UUID.nameUUIDFromBytes(
                                ("another than " + own.uuid()).getBytes(StandardCharsets.UTF_8)),
                        "ANOTHER-" + own.serial(),
                        own.model(),
                        List.of()));
    }

    /** Its power is not the node's: the timeline must not mix them up. */
    static BmcEvent.Kind kind(BmcEvent.Kind kind) {
        return switch (kind) {
            case POWERED_OFF -> BmcEvent.Kind.ANOTHER_POWERED_OFF;
            case POWERED_ON -> BmcEvent.Kind.ANOTHER_POWERED_ON;
            default -> kind;
        };
    }

    @Override
    public MachineIdentity identity() {
        return identity;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public void powerOn() {
        running = true;
    }

    @Override
    public void cutPower() {
        running = false;
    }

    @Override
    public void pressPowerButton() {
        running = false;
    }
}
