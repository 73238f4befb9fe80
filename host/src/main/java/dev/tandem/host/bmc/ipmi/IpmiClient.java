package dev.tandem.host.bmc.ipmi;

import static dev.tandem.host.bmc.ipmi.IpmiRequest.CHASSIS_STATUS;
import static dev.tandem.host.bmc.ipmi.IpmiRequest.FRU;
import static dev.tandem.host.bmc.ipmi.IpmiRequest.GUID;
import static dev.tandem.host.bmc.ipmi.IpmiRequest.POWER_DOWN;
import static dev.tandem.host.bmc.ipmi.IpmiRequest.POWER_UP;
import static dev.tandem.host.bmc.ipmi.IpmiRequest.SESSION_INFO;

import dev.tandem.host.Deadline;
import dev.tandem.host.bmc.Bmc;
import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcAnswer.Read;
import dev.tandem.host.bmc.BmcAnswer.Unknown;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcPrivileges;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.Latencies;
import dev.tandem.host.bmc.LatencyFigures;
import dev.tandem.host.bmc.PowerDrive;
import dev.tandem.host.bmc.PowerOutcome;
import dev.tandem.host.bmc.PowerReport;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.login.LoginBackoff;
import dev.tandem.host.bmc.login.LoginBackoff.Purpose;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Speaks IPMI 2.0 with one BMC.
 *
 * <p>No session is kept: each question opens one, which proves again that the BMC knows the
 * password, and closes it. The power state and which machine it is of come from one session.
 */
public final class IpmiClient implements Bmc {
    /** As HTTP has it; an account that may too little is not locked for that. */
    private static final int WRONG_PASSWORD = 401;

    private final Ipmitool ipmitool;
    private final LoginBackoff backoff;
    private final SpareSessions sessions;
    private final PowerDrive power = new PowerDrive(new Controls());
    private final Latencies latencies = new Latencies();
    private volatile boolean closed;

    IpmiClient(Ipmitool ipmitool) {
        this(ipmitool, new LoginBackoff());
    }

    IpmiClient(Ipmitool ipmitool, LoginBackoff backoff) {
        this(ipmitool, backoff, System::nanoTime);
    }

    /**
     * @param nanos the monotonic clock
     */
    IpmiClient(Ipmitool ipmitool, LoginBackoff backoff, LongSupplier nanos) {
        this.ipmitool = ipmitool;
        this.backoff = backoff;
        this.sessions = new SpareSessions(nanos);
    }

    /** What a question is for. */
    private enum Need {
        LOOK(Purpose.LOOK),
        /**
         * What a node waits for that may take over: it has a right to a session. A login that was
         * denied it tries no sooner than a look.
         */
        PROOF(Purpose.LOOK),
        ORDER(Purpose.ORDER);

        private final Purpose login;

        Need(Purpose login) {
            this.login = login;
        }
    }

    private final class Controls implements PowerDrive.Controls {
        @Override
        public BmcAnswer<?> order(PowerDrive.Wanted wanted, Deadline end) {
            IpmiRequest request =
                    switch (wanted) {
                        case OFF -> POWER_DOWN;
                        case ON -> POWER_UP;
                    };
            return ask(List.of(request), end, Need.ORDER).then(answers -> answers.of(request));
        }

        @Override
        public BmcAnswer<PowerReport> report(Deadline end) {
            return IpmiClient.this.report(end, Need.ORDER);
        }
    }

    @Override
    public Optional<Instant> certificateEnds() {
        return Optional.empty();
    }

    @Override
    public Optional<LatencyFigures> latency() {
        return latencies.figures();
    }

    @Override
    public BmcAnswer<PowerState> read() {
        return report(REQUEST_LIMIT.multipliedBy(3))
                .then(report -> new Read<>(report.state(), Duration.ZERO));
    }

    @Override
    public BmcAnswer<PowerReport> report(Duration limit) {
        return report(Deadline.in(limit), Need.LOOK);
    }

    @Override
    public BmcAnswer<PowerReport> reportForProof(Duration limit) {
        return report(Deadline.in(limit), Need.PROOF);
    }

    @Override
    public boolean isLeftAlone() {
        return sessions.heldBack().isPresent();
    }

    /**
     * Where the GUID tells nothing, as in many boards, the serial number does: it is read beside
     * the power state then. It takes some twenty requests, so not otherwise.
     */
    private BmcAnswer<PowerReport> report(Deadline end, Need need) {
        return ask(List.of(GUID, CHASSIS_STATUS), end, need)
                .then(answers -> {
                    BmcAnswer<PowerReport> first = report(answers, guid(answers));
                    if (first.known().filter(IpmiClient::tellsNothing).isEmpty()) {
                        return first;
                    }
                    BmcAnswer<PowerReport> second =
                            ask(List.of(CHASSIS_STATUS, FRU), end, need)
                                    .then(more -> report(more, Optional.empty()));
                    // Half of an answer would make another machine of one that tells of itself.
                    return need == Need.PROOF && second.known().isEmpty()
                            ? second
                            : second.known()
                                    .<BmcAnswer<PowerReport>>map(
                                            report -> new Read<>(report, answers.took()))
                                    .orElse(first);
                });
    }

    private static boolean tellsNothing(PowerReport report) {
        return report.machine().meaningful().uuid().isEmpty();
    }

    private static BmcAnswer<PowerReport> report(IpmiAnswers answers, Optional<UUID> guid) {
        return answers.of(CHASSIS_STATUS)
                .then(ChassisStatus::power)
                .then(state ->
                        new Read<>(new PowerReport(state, machine(answers, guid)), answers.took()));
    }

    private static HardwareIdentity machine(IpmiAnswers answers, Optional<UUID> guid) {
        return new HardwareIdentity(guid, FruText.productSerial(answers.fru()), Set.of());
    }

    private static Optional<UUID> guid(IpmiAnswers answers) {
        return answers.of(GUID).known().flatMap(SystemGuid::parse);
    }

    @Override
    public BmcAnswer<HardwareIdentity> identity(Duration limit) {
        return ask(List.of(GUID, FRU), Deadline.in(limit), Need.LOOK)
                .then(answers -> new Read<>(machine(answers, guid(answers)), answers.took()));
    }

    /** The session itself asks for the level that switching needs: it is opened or refused. */
    @Override
    public BmcAnswer<BmcPrivileges> privileges(Duration limit) {
        return ask(List.of(SESSION_INFO), Deadline.in(limit), Need.LOOK)
                .then(answers -> answers.of(SESSION_INFO))
                .then(SessionInfo::privileges);
    }

    @Override
    public BmcAnswer<Login> proveLogin(Duration limit) {
        return new Read<>(Login.WITH_EVERY_REQUEST, Duration.ZERO);
    }

    /** One, without a path. */
    @Override
    public BmcAnswer<List<String>> systems() {
        return new Read<>(List.of(), Duration.ZERO);
    }

    @Override
    public PowerOutcome off(Duration limit, Supplier<Optional<String>> lapsed) {
        return power.off(limit, lapsed);
    }

    @Override
    public PowerOutcome on(Duration limit) {
        return power.on(limit);
    }

    /** Every question logs in. */
    private BmcAnswer<IpmiAnswers> ask(List<IpmiRequest> requests, Deadline end, Need need) {
        if (closed) {
            return new Unknown<>(new BmcFault.Unreachable("the connection was closed"));
        }
        Duration left = end.left();
        if (!left.isPositive()) {
            return new Unknown<>(new BmcFault.Unreachable("there was no time left to ask"));
        }
        Optional<LoginBackoff.Held> held = backoff.held(need.login);
        if (held.isPresent()) {
            return denied(held.get());
        }
        Optional<BmcFault> few = sessions.heldBack();
        if (few.isPresent() && need == Need.LOOK) {
            return new Unknown<>(few.get());
        }
        AtomicBoolean cutOff = new AtomicBoolean();
        BmcAnswer<IpmiAnswers> answer =
                ipmitool.ask(
                        requests,
                        left.compareTo(REQUEST_LIMIT) < 0 ? left : REQUEST_LIMIT,
                        () -> cutOff.set(true));
        return switch (answer) {
            case Read<IpmiAnswers>(IpmiAnswers known, Duration _) -> {
                sessions.suffice();
                backoff.onAccepted();
                latencies.add(known.took());
                yield answer;
            }
            case Unknown<IpmiAnswers>(BmcFault.Denied(int status, String why))
                    when status == WRONG_PASSWORD ->
                    denied(backoff.onDenied(need.login, status, why));
            case Unknown<IpmiAnswers>(BmcFault.Unreachable silent) -> {
                if (cutOff.get()) {
                    sessions.areFew(silent);
                }
                backoff.onSilent();
                yield answer;
            }
            case Unknown<IpmiAnswers>(BmcFault.Busy full) -> {
                sessions.areFew(full);
                yield answer;
            }
            case Unknown<IpmiAnswers> _ -> answer;
        };
    }

    private static BmcAnswer<IpmiAnswers> denied(LoginBackoff.Held held) {
        return new Unknown<>(new BmcFault.Denied(held.status(), held.why()));
    }

    /** There is no session to close. */
    @Override
    public void close() {
        closed = true;
    }

    @Override
    public String toString() {
        return "IpmiClient[" + ipmitool + "]";
    }
}
