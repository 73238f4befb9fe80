package dev.tandem.agent.bmc;

import dev.tandem.agent.bmc.BmcSessions.Check;
import dev.tandem.core.decision.Proofs;
import dev.tandem.host.bmc.Bmc;
import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcPrivileges;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.LatencyFigures;
import dev.tandem.host.bmc.PowerReport;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The BMC of one node: what was last read of it, and which machine it was found to control.
 *
 * <p>That it is another machine's is forgotten by nothing but finding that it is the node's: an
 * answer that does not come, or tells nothing, does not bring the machine back. Nor does a restart
 * of the agent.
 */
final class NodeBmc {
    /** A BMC is looked at every 7 to 15 s; slow ones take some seconds for each answer. */
    static final Duration FRESH = Duration.ofSeconds(30);

    /**
     * For how long a finding stands in for a BMC that tells nothing of a machine that is off:
     * several looks, of which a slow BMC may miss some.
     */
    static final Duration LATELY = Duration.ofMinutes(2);

    /** Three requests: a session may have ended, and has to be opened again. */
    private static final Duration PATIENT = Bmc.REQUEST_LIMIT.multipliedBy(3);

    /** Some requests for each account that a BMC has; nobody waits for them. */
    private static final Duration ALL_ACCOUNTS = Bmc.REQUEST_LIMIT.multipliedBy(10);

    /** A fence waits for this one. */
    private static final Duration BEFORE_IT_COUNTS = Duration.ofSeconds(5);

    private static final String FOUND_EARLIER =
            "different: that was found before this agent started, and nothing else since";

    /** What a BMC is asked. */
    interface Questions {
        BmcAnswer<PowerReport> report(Duration limit);

        /** The same where a proof waits for it. */
        default BmcAnswer<PowerReport> reportForProof(Duration limit) {
            return report(limit);
        }

        /** Whether it is not asked by {@link #report} just now, to be there for an order. */
        default boolean isLeftAlone() {
            return false;
        }

        BmcAnswer<HardwareIdentity> identity(Duration limit);

        BmcAnswer<BmcPrivileges> privileges(Duration limit);

        BmcAnswer<Bmc.Login> proveLogin(Duration limit);

        Optional<LatencyFigures> latency();
    }

    private enum Depth {
        /** Whatever came with the power state, unless it has changed. */
        GLANCE,
        /** MACs too, where nothing else shows which machine it is. */
        COMPARE
    }

    private final Questions bmc;
    private final Optional<HardwareIdentity> planned;
    private final Supplier<Optional<HardwareIdentity>> published;
    private final Supplier<List<HardwareIdentity>> other;
    private final VerifiedMachineFile verified;
    private final AnotherMachineMark mark;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final AccountRights rights;
    private final StoredPassword password;
    private volatile Optional<MachineCheck.Names> named = Optional.empty();
    private volatile Optional<Check> last = Optional.empty();

    /**
     * @param planned who the node is by the plan; it counts before what the node says of itself
     * @param published who it says it is, asked now
     * @param other who the other node is, asked now
     * @param mark if it is set, an earlier agent has found another machine, and that stands
     */
    NodeBmc(
            Questions bmc,
            Optional<HardwareIdentity> planned,
            Supplier<Optional<HardwareIdentity>> published,
            Supplier<List<HardwareIdentity>> other,
            VerifiedMachineFile verified,
            AnotherMachineMark mark,
            InstantSource clock,
            LongSupplier nanos) {
        this.bmc = bmc;
        this.planned = planned;
        this.published = published;
        this.other = other;
        this.verified = verified;
        this.mark = mark;
        this.clock = clock;
        this.nanos = nanos;
        this.rights = new AccountRights(() -> bmc.privileges(ALL_ACCOUNTS), nanos);
        this.password = new StoredPassword(() -> bmc.proveLogin(PATIENT), nanos);
        if (mark.isSet()) {
            long now = nanos.getAsLong();
            this.last =
                    Optional.of(
                            notRead(now)
                                    .with(mark.told(), Proofs.Machine.ANOTHER, FOUND_EARLIER, now));
        }
    }

    Optional<Check> last() {
        return last;
    }

    /** Whether its account may switch power, as far as it was told. */
    BmcPrivileges.MayReset mayReset() {
        return rights.known();
    }

    /** Its account was not allowed to switch power. */
    void onOrderRefused() {
        rights.onOrderRefused();
    }

    /** It was, or may be now. */
    void onOrderAccepted() {
        rights.onOrderAccepted();
    }

    /** Asks what its account may do, if it is time to and the BMC answers. */
    void askRightsIfDue() {
        if (last.filter(check -> check.state().isPresent()).isPresent()) {
            rights.askIfDue();
        } else {
            rights.onFault();
        }
    }

    /** Why the BMC does not take the stored password any more, if it does not. */
    Optional<String> storedPasswordRefused() {
        return password.refusal();
    }

    /**
     * Tries the stored password, if it is time to and the BMC answers.
     *
     * @param doubted it was denied to somebody, and may be tried again
     */
    void tryPasswordIfDue(boolean doubted) {
        if (last.filter(check -> check.state().isPresent()).isPresent()) {
            password.tryIfDue(doubted);
        }
    }

    /** Reads it, and compares the machine with who the node says it is by now. */
    Check look() {
        return look(PATIENT);
    }

    /** The same, if the answers come within that time each. */
    Check look(Duration limit) {
        boolean leftAlone = bmc.isLeftAlone();
        return look(() -> bmc.report(limit), leftAlone, limit);
    }

    private Check look(
            Supplier<BmcAnswer<PowerReport>> question, boolean leftAlone, Duration limit) {
        long asked = nanos.getAsLong();
        Optional<MachineCheck.Names> earlier = named;
        MachineCheck.Names names = askNames();
        // Of a node that says it is another machine now, what was found before is void.
        boolean renamed = earlier.filter(old -> !old.equals(names)).isPresent();
        Optional<Finding> before =
                last.map(Finding::of)
                        .filter(found -> !renamed || found.machine() == Proofs.Machine.ANOTHER);
        return note(asked, question.get(), leftAlone, names, before, Depth.COMPARE, limit);
    }

    /** Reads the power; which machine it is of is compared once more only if it tells another. */
    Check glance() {
        long asked = nanos.getAsLong();
        MachineCheck.Names names = names();
        Optional<Finding> before = last.map(Finding::of);
        boolean leftAlone = bmc.isLeftAlone();
        return note(asked, bmc.report(PATIENT), leftAlone, names, before, Depth.GLANCE, PATIENT);
    }

    /**
     * Which machine an answer is about that is to count for more than a line of a status. What
     * comes with a power state may not show it: then the rest is read before it counts.
     */
    Proofs.Machine judge(HardwareIdentity told) {
        long asked = nanos.getAsLong();
        Finding found =
                found(
                        asked,
                        told,
                        compared(told, names(), BEFORE_IT_COUNTS),
                        last.map(Finding::of));
        if (found.machine() == Proofs.Machine.ANOTHER) {
            remember(asked, found);
        }
        return found.machine();
    }

    /**
     * Whether it is the node that a BMC has told of at some time, be it another BMC: so nothing is
     * remembered of it. Only what no other machine has shows that it is; what may be shared, or was
     * found earlier of this BMC, does not.
     */
    Proofs.Machine machineOf(HardwareIdentity told) {
        if (told.meaningful().equals(HardwareIdentity.UNTOLD)) {
            return Proofs.Machine.NOT_TOLD;
        }
        MachineCheck.Names names = names();
        if (MachineCheck.atOnce(told, names).isPresent()) {
            return Proofs.Machine.THE_PEER;
        }
        MachineCheck.Verdict verdict =
                MachineCheck.decide(new MachineCheck.Told(told, false), names, verified.kept());
        return verdict.machine() == Proofs.Machine.ANOTHER
                ? Proofs.Machine.ANOTHER
                : Proofs.Machine.NOT_TOLD;
    }

    /**
     * Reads it for somebody who has to know which machine it controls; empty where that is not
     * known. For a BMC that answers and does not tell, what was found within the last minutes
     * counts. One that does not answer may have become another machine's since it last did.
     */
    Optional<Check> askMachine() {
        Check check = look(() -> bmc.reportForProof(PATIENT), false, PATIENT);
        boolean answered = check.state().isPresent();
        return Optional.of(check)
                .filter(_ -> check.isAnothers() || (answered && isTheNodes(LATELY)));
    }

    Optional<LatencyFigures> latency() {
        return bmc.latency();
    }

    /** Whether it was found to be the node's own within that time. */
    boolean isTheNodes(Duration within) {
        return last.filter(Check::isTheNodes)
                .filter(check -> nanos.getAsLong() - check.foundNanos() <= within.toNanos())
                .isPresent();
    }

    /** What was found about the machine, apart from its power. */
    private record Finding(
            HardwareIdentity told, Proofs.Machine machine, String words, long nanos) {
        static Finding of(Check check) {
            return new Finding(check.told(), check.machine(), check.identity(), check.foundNanos());
        }
    }

    private MachineCheck.Names askNames() {
        MachineCheck.Names names =
                MachineCheck.Names.of(
                        Stream.concat(planned.stream(), published.get().stream()).toList(),
                        other.get());
        named = Optional.of(names);
        return names;
    }

    private MachineCheck.Names names() {
        return named.orElseGet(this::askNames);
    }

    private MachineCheck.Verdict compared(
            HardwareIdentity told, MachineCheck.Names names, Duration limit) {
        return MachineCheck.atOnce(told, names)
                .orElseGet(
                        () -> MachineCheck.decide(withMacs(told, limit), names, verified.kept()));
    }

    /** What the BMC tells besides, if it is about the same machine still. */
    private MachineCheck.Told withMacs(HardwareIdentity told, Duration limit) {
        return bmc.identity(limit)
                .known()
                .filter(all -> all.withoutMacs().equals(told.withoutMacs()))
                .map(all -> new MachineCheck.Told(all, true))
                .orElseGet(() -> new MachineCheck.Told(told, false));
    }

    private Finding found(
            long asked,
            HardwareIdentity told,
            MachineCheck.Verdict verdict,
            Optional<Finding> before) {
        // A neighbour in the chassis, known by its MACs, which are gone from the list with its
        // power. Where it is not known what it told, that may have been the same.
        boolean stillAnothers =
                verdict.weak()
                        && before.filter(earlier ->
                                        earlier.machine() == Proofs.Machine.ANOTHER
                                                && (earlier.told().equals(told.withoutMacs())
                                                        || earlier.told()
                                                                .equals(HardwareIdentity.UNTOLD)))
                                .isPresent();
        if (stillAnothers) {
            return before.get();
        }
        verdict.verified().ifPresent(verified::keep);
        if (verdict.machine() == Proofs.Machine.NOT_TOLD && before.isPresent()) {
            Finding earlier = before.get();
            boolean stands =
                    switch (earlier.machine()) {
                        case ANOTHER -> true;
                        case THE_PEER ->
                                earlier.told().equals(told.withoutMacs())
                                        && asked - earlier.nanos() <= LATELY.toNanos();
                        case NOT_TOLD, NOT_STATED -> false;
                    };
            if (stands) {
                return earlier;
            }
        }
        return new Finding(told.withoutMacs(), verdict.machine(), verdict.words(), asked);
    }

    private Check note(
            long asked,
            BmcAnswer<PowerReport> answer,
            boolean leftAlone,
            MachineCheck.Names names,
            Optional<Finding> before,
            Depth depth,
            Duration limit) {
        Finding finding =
                switch (answer) {
                    case BmcAnswer.Read<PowerReport>(PowerReport report, Duration _) -> {
                        HardwareIdentity told = report.machine();
                        boolean unchanged =
                                before.filter(b -> b.told().equals(told.withoutMacs())).isPresent();
                        yield depth == Depth.GLANCE && unchanged
                                ? before.get()
                                : found(asked, told, compared(told, names, limit), before);
                    }
                    case BmcAnswer.Unknown<PowerReport>(BmcFault fault) ->
                            before.orElseGet(() ->
                                    new Finding(
                                            HardwareIdentity.UNTOLD,
                                            Proofs.Machine.NOT_TOLD,
                                            "unknown: " + fault.sentence(),
                                            asked));
                };
        Optional<BmcFault> trouble =
                answer instanceof BmcAnswer.Unknown<PowerReport>(BmcFault fault)
                        ? troubleOf(fault, leftAlone)
                        : Optional.empty();
        return settle(
                new Check(
                        clock.instant(),
                        asked,
                        answer.known().map(PowerReport::state),
                        trouble.map(BmcFault::sentence).orElse(""),
                        trouble,
                        bmc.latency().map(LatencyFigures::median),
                        finding.told(),
                        finding.machine(),
                        finding.words(),
                        finding.nanos()));
    }

    /**
     * A BMC that was not asked, lest an order finds no session, is no worse than it was. What it
     * reads is not known all the same.
     */
    private Optional<BmcFault> troubleOf(BmcFault fault, boolean leftAlone) {
        Optional<Check> known = last.filter(_ -> leftAlone);
        return known.isPresent() ? known.get().trouble() : Optional.of(fault);
    }

    /** For the next fence, which may be ordered before the next look. */
    private void remember(long asked, Finding found) {
        Check check = last.orElseGet(() -> notRead(asked));
        settle(check.with(found.told(), found.machine(), found.words(), found.nanos()));
    }

    /** Of a BMC whose power was not read yet. */
    private Check notRead(long now) {
        return new Check(
                clock.instant(),
                now,
                Optional.empty(),
                "",
                Optional.empty(),
                bmc.latency().map(LatencyFigures::median),
                HardwareIdentity.UNTOLD,
                Proofs.Machine.NOT_TOLD,
                "",
                now);
    }

    /**
     * A question that took long must not undo what one that was asked later has found, nor one that
     * found nothing what another found at the same time.
     */
    private synchronized Check settle(Check check) {
        Check settled =
                last.filter(known ->
                                known.foundNanos() - check.foundNanos() > 0
                                        || (known.isAnothers()
                                                && check.machine() == Proofs.Machine.NOT_TOLD))
                        .map(known ->
                                check.with(
                                        known.told(),
                                        known.machine(),
                                        known.identity(),
                                        known.foundNanos()))
                        .orElse(check);
        last = Optional.of(settled);
        switch (settled.machine()) {
            case ANOTHER -> mark.set(settled.told());
            case THE_PEER -> mark.clear();
            case NOT_TOLD, NOT_STATED -> {
                // Then nothing else was known before either.
            }
        }
        return settled;
    }
}
