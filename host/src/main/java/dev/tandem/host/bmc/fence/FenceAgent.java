package dev.tandem.host.bmc.fence;

import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcAnswer.Read;
import dev.tandem.host.bmc.BmcAnswer.Unknown;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcPower;
import dev.tandem.host.bmc.PowerOutcome;
import dev.tandem.host.bmc.PowerState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Answers as the fence agent {@code fence_tandem}.
 *
 * <p>A node counts as fenced when its power state was read as Off, and by nothing else: not by an
 * accepted request, not by an error that looks like "already off", not by silence.
 */
public final class FenceAgent {
    public static final int SUCCESS = 0;
    public static final int FAILURE = 1;

    /** Only of status: the node is off. */
    public static final int OFF = 2;

    /**
     * A reboot has fenced once Off was read; the rest of it, coming back, is worth this much
     * waiting and no failure. Some BMCs need 46 s to say On.
     */
    private static final Duration ON_AFTER_OFF = Duration.ofSeconds(5);

    /**
     * What an agent leaves behind.
     *
     * @param fault what the BMC answered last to an order that was not carried out, if a fault
     * @param lapse why an order to switch off no longer stood, where it did not
     */
    public record Result(
            int exitCode, String out, String err, Optional<BmcFault> fault, Optional<Lapse> lapse) {
        Result(int exitCode, String out, String err) {
            this(exitCode, out, err, Optional.empty(), Optional.empty());
        }
    }

    /** Why an order to switch off is not carried out any more. */
    public enum Lapse {
        /** Its caller has stopped waiting. */
        EXPIRED,
        /** The node is in another boot than the one that the order is about. */
        OVERTAKEN
    }

    /** Hears of each Off that was read. */
    public interface OutageProbe {
        /**
         * Told the moment a node was read Off, before it is switched on again: recovery need not
         * wait for the rest of a reboot.
         *
         * @return why that is no proof, where it is none; the fence has failed then, and the node
         *     is not switched on
         */
        Optional<String> readOff(String node, PowerOutcome.Observed observed);
    }

    private final Supplier<Map<String, BmcPower>> bmcs;
    private final OutageProbe witness;
    private final Permit permit;

    /** Whether an order to switch off still stands. */
    public interface Permit {
        /** Of somebody who gives an order and waits. */
        Permit ALWAYS =
                new Permit() {
                    @Override
                    public long now() {
                        return 0;
                    }

                    @Override
                    public Optional<String> overtaken(String node) {
                        return Optional.empty();
                    }
                };

        /** In hundredths of a second since boot, by which orders expire. */
        long now();

        /** Why a node is no longer the one that the order was about, where it is not. */
        Optional<String> overtaken(String node);
    }

    /** The same for orders that always stand. */
    public FenceAgent(Supplier<Map<String, BmcPower>> bmcs, OutageProbe witness) {
        this(bmcs, witness, Permit.ALWAYS);
    }

    /**
     * @param bmcs the BMC of each node, by the node's name; asked for at every request
     */
    public FenceAgent(Supplier<Map<String, BmcPower>> bmcs, OutageProbe witness, Permit permit) {
        this.bmcs = bmcs;
        this.witness = witness;
        this.permit = permit;
    }

    public Result run(List<String> arguments, String stdin) {
        return switch (FenceRequest.parse(arguments, stdin)) {
            case FenceRequest.Reading.Good(FenceRequest request) -> run(request);
            case FenceRequest.Reading.Bad(String why) -> failure(why);
        };
    }

    public Result run(FenceRequest request) {
        Map<String, BmcPower> known = new TreeMap<>(bmcs.get());
        if (request.target().isPresent() && !known.containsKey(request.target().get())) {
            return failure(
                    "no BMC is configured for the node %s, only for: %s"
                            .formatted(request.target().get(), String.join(", ", known.keySet())));
        }
        Map<String, BmcPower> asked =
                request.target().map(name -> Map.of(name, bmc(known, name))).orElse(known);
        return switch (request.action()) {
            case METADATA -> new Result(SUCCESS, FenceMetadata.XML, "");
            case VALIDATE_ALL -> known.isEmpty() ? failure("no BMC is configured") : success("");
            case LIST -> success(lines(asked, _ -> ""));
            case LIST_STATUS -> success(lines(asked, bmc -> "," + word(bmc.read())));
            case MONITOR -> monitor(asked);
            case STATUS -> status(request, bmc(known, request));
            case ON -> on(request, bmc(known, request));
            case OFF -> off(request, bmc(known, request)).orElseGet(() -> success(""));
            case REBOOT -> {
                BmcPower bmc = bmc(known, request);
                yield off(request, bmc).orElseGet(() -> onAgain(request, bmc));
            }
        };
    }

    private static BmcPower bmc(Map<String, BmcPower> known, FenceRequest request) {
        return bmc(
                known,
                request.target()
                        .orElseThrow(() -> new IllegalArgumentException("it names no node")));
    }

    private static BmcPower bmc(Map<String, BmcPower> known, String name) {
        BmcPower bmc = known.get(name);
        if (bmc == null) {
            throw new IllegalArgumentException("no BMC is known for " + name);
        }
        return bmc;
    }

    /** A failure, or empty once Off was read, told and believed. */
    private Optional<Result> off(FenceRequest request, BmcPower bmc) {
        AtomicReference<Optional<Lapse>> lapse = new AtomicReference<>(Optional.empty());
        return switch (bmc.off(limit(request), () -> lapsed(request, lapse))) {
            case PowerOutcome.Observed observed ->
                    witness.readOff(request.target().orElseThrow(), observed)
                            .map(FenceAgent::failure);
            case PowerOutcome.Withheld(String why) ->
                    Optional.of(
                            new Result(
                                    FAILURE,
                                    "",
                                    "%s was not switched off: %s\n".formatted(name(request), why),
                                    Optional.empty(),
                                    lapse.get()));
            case PowerOutcome.NotObserved not ->
                    Optional.of(
                            new Result(
                                    FAILURE,
                                    "",
                                    "%s is not known to be off: %s\n"
                                            .formatted(name(request), not.sentence()),
                                    not.lastFault(),
                                    Optional.empty()));
        };
    }

    /** Not beyond the end of the order: a command on its way may arrive late. */
    private Duration limit(FenceRequest request) {
        return request.order()
                .map(order -> order.left(permit.now()))
                .filter(left -> left.compareTo(request.powerTimeout()) < 0)
                .orElse(request.powerTimeout());
    }

    private Optional<String> lapsed(FenceRequest request, AtomicReference<Optional<Lapse>> lapse) {
        Optional<String> expired =
                request.order()
                        .filter(order -> !order.left(permit.now()).isPositive())
                        .map(order ->
                                "the order %s has expired, and nobody waits for it any longer"
                                        .formatted(order.id()));
        Optional<String> overtaken =
                expired.isPresent()
                        ? Optional.empty()
                        : permit.overtaken(request.target().orElseThrow());
        lapse.set(
                expired.isPresent()
                        ? Optional.of(Lapse.EXPIRED)
                        : overtaken.map(_ -> Lapse.OVERTAKEN));
        return expired.or(() -> overtaken);
    }

    private static Result onAgain(FenceRequest request, BmcPower bmc) {
        return switch (bmc.on(ON_AFTER_OFF)) {
            case PowerOutcome.Observed _ -> success("");
            case PowerOutcome.Withheld(String why) ->
                    new Result(
                            SUCCESS,
                            "",
                            "%s was not switched on: %s\n".formatted(name(request), why));
            case PowerOutcome.NotObserved not ->
                    new Result(
                            SUCCESS,
                            "",
                            name(request)
                                    + " was switched off, but is not seen to come back: "
                                    + not.sentence()
                                    + "\n");
        };
    }

    private static Result on(FenceRequest request, BmcPower bmc) {
        return switch (bmc.on(request.powerTimeout())) {
            case PowerOutcome.Observed _ -> success("");
            case PowerOutcome.Withheld(String why) ->
                    failure("%s was not switched on: %s".formatted(name(request), why));
            case PowerOutcome.NotObserved not ->
                    failure(name(request) + " is not known to be on: " + not.sentence());
        };
    }

    private static Result status(FenceRequest request, BmcPower bmc) {
        return switch (bmc.read()) {
            case Read<PowerState>(PowerState state, Duration _) ->
                    new Result(
                            state == PowerState.OFF ? OFF : SUCCESS,
                            "Status: " + (state == PowerState.OFF ? "OFF" : "ON") + "\n",
                            "");
            case Unknown<PowerState>(BmcFault fault) ->
                    failure(
                            "the power state of %s is not known: %s"
                                    .formatted(name(request), fault.sentence()));
        };
    }

    private static Result monitor(Map<String, BmcPower> asked) {
        if (asked.isEmpty()) {
            return failure("no BMC is configured");
        }
        StringBuilder faults = new StringBuilder();
        asked.forEach((name, bmc) -> {
            if (bmc.read() instanceof Unknown<PowerState>(BmcFault fault)) {
                faults.append("BMC of ").append(name).append(": ");
                faults.append(fault.sentence()).append('\n');
            }
        });
        return faults.isEmpty() ? success("") : new Result(FAILURE, "", faults.toString());
    }

    private interface Column {
        String of(BmcPower bmc);
    }

    /** Lines of name, alias and state, as the stock agents print them; there are no aliases. */
    private static String lines(Map<String, BmcPower> asked, Column column) {
        StringBuilder text = new StringBuilder();
        asked.forEach(
                (name, bmc) -> text.append(name).append(',').append(column.of(bmc)).append('\n'));
        return text.toString();
    }

    private static String word(BmcAnswer<PowerState> answer) {
        return answer.known()
                .map(state -> state == PowerState.OFF ? "OFF" : "ON")
                .orElse("UNKNOWN");
    }

    private static String name(FenceRequest request) {
        return request.target().orElse("the node");
    }

    private static Result success(String out) {
        return new Result(SUCCESS, out, "");
    }

    private static Result failure(String why) {
        return new Result(FAILURE, "", why + "\n");
    }
}
