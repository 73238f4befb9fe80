package dev.tandem.agent.bmc;

import dev.tandem.core.Failure;
import dev.tandem.host.bmc.Bmc;
import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcPrivileges;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.LatencyFigures;
import dev.tandem.host.bmc.PowerOutcome;
import dev.tandem.host.bmc.PowerReport;
import dev.tandem.host.bmc.PowerState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * In place of a BMC whose password cannot be read: nothing is sent, and every answer says why. The
 * agent does all the rest, and Pacemaker goes on with the next fencing level.
 */
record BmcWithoutPassword(BmcFault.NoPassword fault) implements Bmc {
    BmcWithoutPassword(Failure unread) {
        this(
                new BmcFault.NoPassword(
                        "%s: %s".formatted(unread.what(), unread.why()), unread.remedy()));
    }

    private <T> BmcAnswer<T> unknown() {
        return new BmcAnswer.Unknown<>(fault);
    }

    private PowerOutcome notObserved() {
        return new PowerOutcome.NotObserved(Optional.empty(), Optional.of(fault), Duration.ZERO);
    }

    @Override
    public BmcAnswer<PowerState> read() {
        return unknown();
    }

    @Override
    public PowerOutcome off(Duration limit, Supplier<Optional<String>> lapsed) {
        return notObserved();
    }

    @Override
    public PowerOutcome on(Duration limit) {
        return notObserved();
    }

    @Override
    public BmcAnswer<PowerReport> report(Duration limit) {
        return unknown();
    }

    @Override
    public BmcAnswer<HardwareIdentity> identity(Duration limit) {
        return unknown();
    }

    @Override
    public BmcAnswer<BmcPrivileges> privileges(Duration limit) {
        return unknown();
    }

    @Override
    public BmcAnswer<Login> proveLogin(Duration limit) {
        return unknown();
    }

    @Override
    public Optional<Instant> certificateEnds() {
        return Optional.empty();
    }

    @Override
    public BmcAnswer<List<String>> systems() {
        return unknown();
    }

    @Override
    public Optional<LatencyFigures> latency() {
        return Optional.empty();
    }

    @Override
    public void close() {
        // Nothing was opened.
    }
}
