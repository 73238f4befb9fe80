package dev.tandem.redfishsim;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.ResetType;
import dev.tandem.redfishsim.BmcBehaviour.HardOff;
import dev.tandem.redfishsim.BmcBehaviour.WhenAlreadyThere;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** What a BMC answers to requests that reach it: its resources, and the resets of its machine. */
final class RedfishApi {
    private static final Set<ResetType> HARD =
            EnumSet.of(
                    ResetType.FORCE_OFF,
                    ResetType.FORCE_RESTART,
                    ResetType.POWER_CYCLE,
                    ResetType.FULL_POWER_CYCLE);

    /** A reading of the power state, and when it was taken. */
    private record Reading(PowerState state, long nanos) {}

    /** A machine as clients meet it. */
    record Front(MachineIdentity identity, Resources resources, PowerControl power) {}

    private final String systemId;
    private final Front own;
    private final Front another;
    private final Accounts accounts;
    private final Supplier<BmcBehaviour> behaviour;
    private final BmcEvent.Listener listener;
    private final InstantSource clock;

    /** Guarded by this object, as the answers that are still to be refused. */
    private Reading reading;

    private int busyAnswersLeft;
    private int falseOffsLeft;
    private boolean feignsOff;

    RedfishApi(
            String systemId,
            Front own,
            Front another,
            Accounts accounts,
            Supplier<BmcBehaviour> behaviour,
            BmcEvent.Listener listener,
            InstantSource clock) {
        this.systemId = systemId;
        this.own = own;
        this.another = another;
        this.accounts = accounts;
        this.behaviour = behaviour;
        this.listener = listener;
        this.clock = clock;
        this.reading = new Reading(front().power().read(), System.nanoTime());
        this.busyAnswersLeft = behaviour.get().busyAnswers();
        this.falseOffsLeft = behaviour.get().falseOffs();
    }

    /** Starts over with what the behaviour says by now. */
    void behaviourChanged() {
        PowerState now = front().power().read();
        synchronized (this) {
            busyAnswersLeft = behaviour.get().busyAnswers();
            falseOffsLeft = behaviour.get().falseOffs();
            feignsOff = false;
            reading = new Reading(now, System.nanoTime());
        }
    }

    /** The machine that the address leads to by now. */
    private Front front() {
        return behaviour.get().anotherMachine() ? another : own;
    }

    private Resources resources() {
        return front().resources();
    }

    Reply answer(Request request) {
        if (isBusy()) {
            return Reply.error(
                            503,
                            "ServiceTemporarilyUnavailable",
                            "The service is busy.",
                            "Ask again after the time that Retry-After names.",
                            String.valueOf(seconds(behaviour.get().retryAfter())))
                    .with("Retry-After", String.valueOf(seconds(behaviour.get().retryAfter())));
        }
        if (request.tooLong()) {
            return Reply.error(413, "PayloadTooLarge", "The request is too long.", "Send less.");
        }
        String version = request.headers().getFirst("OData-Version");
        if (version != null && !version.equals("4.0")) {
            return Reply.error(
                    412,
                    "PreconditionFailed",
                    "OData version " + version + " is not spoken here.",
                    "Ask for version 4.0.");
        }
        List<String> parts = request.parts();
        if (parts.equals(List.of("redfish"))) {
            return Reply.get(request, Resources.versions());
        }
        if (parts.size() < 2 || !parts.getFirst().equals("redfish") || !parts.get(1).equals("v1")) {
            return Reply.notFound(request.path());
        }
        List<String> below = parts.subList(2, parts.size());
        if (below.isEmpty()) {
            return Reply.get(request, resources().serviceRoot());
        }
        if (below.equals(List.of("odata"))) {
            return Reply.get(request, resources().odata());
        }
        if (below.equals(List.of("SessionService", "Sessions"))
                && request.method().equals("POST")) {
            return accounts.login(request);
        }
        Optional<BmcAccount> account = accounts.authenticate(request);
        if (account.isEmpty()) {
            return Reply.unauthorized();
        }
        List<String> rest = below.subList(1, below.size());
        return switch (below.getFirst()) {
            case "Systems" -> systems(request, rest, account.get());
            case "Managers" -> managers(request, rest, account.get());
            case "Chassis" -> chassis(request, rest);
            case "SessionService" -> accounts.sessionService(request, rest, account.get());
            case "AccountService" -> accounts.accountService(request, rest, account.get());
            default -> Reply.notFound(request.path());
        };
    }

    private synchronized boolean isBusy() {
        if (busyAnswersLeft == 0) {
            return false;
        }
        if (busyAnswersLeft != BmcBehaviour.ALWAYS) {
            busyAnswersLeft--;
        }
        return true;
    }

    /** Retry-After counts whole seconds. */
    private static long seconds(Duration duration) {
        return duration.plusMillis(999).toSeconds();
    }

    private Reply systems(Request request, List<String> rest, BmcAccount account) {
        if (rest.isEmpty()) {
            return Reply.get(request, resources().systems());
        }
        if (!rest.getFirst().equals(systemId)) {
            return Reply.notFound(request.path());
        }
        List<String> below = rest.subList(1, rest.size());
        return switch (String.join("/", below)) {
            case "" ->
                    Reply.get(
                            request,
                            resources()
                                    .system(
                                            shownPowerState(),
                                            front().power().lastReset(),
                                            offered()));
            case "ResetActionInfo" -> Reply.get(request, resources().resetActionInfo(offered()));
            case "Actions/ComputerSystem.Reset" -> reset(request, account);
            case "EthernetInterfaces" -> Reply.get(request, resources().ethernetInterfaces());
            default ->
                    front().identity().nics().stream()
                            .filter(nic -> below.equals(List.of("EthernetInterfaces", nic.id())))
                            .findFirst()
                            .map(nic ->
                                    Reply.get(
                                            request,
                                            resources().ethernetInterface(nic, shownPowerState())))
                            .orElseGet(() -> Reply.notFound(request.path()));
        };
    }

    /** What the BMC tells: the truth, or what its cache holds. */
    private PowerState shownPowerState() {
        PowerState now = front().power().read();
        synchronized (this) {
            if (feignsOff) {
                return PowerState.OFF;
            }
            long age = System.nanoTime() - reading.nanos();
            if (age >= behaviour.get().powerStateAge().toNanos()) {
                reading = new Reading(now, System.nanoTime());
            }
            return reading.state();
        }
    }

    private Set<ResetType> offered() {
        EnumSet<ResetType> types = EnumSet.allOf(ResetType.class);
        if (behaviour.get().hardOff() == HardOff.REFUSED) {
            types.removeAll(HARD);
        }
        return types;
    }

    private Reply reset(Request request, BmcAccount account) {
        if (!request.method().equals("POST")) {
            return Reply.methodNotAllowed(request.method(), "POST");
        }
        if (!account.role().mayReset()) {
            return told(request, account, "a reset", Reply.forbidden());
        }
        Optional<JsonNode> body = request.json();
        if (body.isEmpty()) {
            return Reply.malformed();
        }
        String name = body.get().path("ResetType").asText("");
        if (name.isEmpty()) {
            return Reply.error(
                    400,
                    "ActionParameterMissing",
                    "The action Reset needs the parameter ResetType.",
                    "Name one of the values that ResetActionInfo lists.",
                    "Reset",
                    "ResetType");
        }
        Optional<ResetType> type = ResetType.parse(name).filter(offered()::contains);
        if (type.isEmpty()) {
            return told(
                    request,
                    account,
                    name,
                    Reply.error(
                            400,
                            "ActionParameterValueNotInList",
                            "The action Reset does not take " + name + " for ResetType.",
                            "Name one of the values that ResetActionInfo lists.",
                            name,
                            "ResetType",
                            "Reset"));
        }
        return perform(type.get(), request, account);
    }

    private Reply perform(ResetType type, Request request, BmcAccount account) {
        String by = request.by(account);
        String name = type.redfishName();
        if (behaviour.get().lies()) {
            return told(request, account, name, Reply.noContent());
        }
        if (feigns(type)) {
            Reply reply = told(request, account, name, Reply.noContent());
            listener.happened(BmcEvent.Kind.OFF_FEIGNED, by, name);
            return reply;
        }
        return reply(
                type,
                front().power()
                        .request(
                                type,
                                by,
                                outcome -> told(request, account, name, reply(type, outcome))));
    }

    private Reply reply(ResetType type, PowerControl.Outcome outcome) {
        return switch (outcome) {
            case ACCEPTED -> Reply.noContent();
            case ALREADY_THERE ->
                    behaviour.get().whenAlreadyThere() == WhenAlreadyThere.ACCEPTS
                            ? Reply.noContent()
                            : Reply.error(
                                    behaviour.get().whenAlreadyThere().status(),
                                    "ActionNotSupported",
                                    "The power state of the system does not allow "
                                            + type.redfishName()
                                            + ".",
                                    "Read the power state first.",
                                    type.redfishName());
        };
    }

    /** Takes an order to switch off as done without doing it, for as often as it is told to. */
    private synchronized boolean feigns(ResetType type) {
        // Whatever is asked next: the machine runs, and from then on the BMC says so again.
        feignsOff = false;
        if (!HARD.contains(type) || falseOffsLeft == 0) {
            return false;
        }
        falseOffsLeft--;
        feignsOff = type == ResetType.FORCE_OFF;
        return true;
    }

    private Reply told(Request request, BmcAccount account, String what, Reply reply) {
        listener.happened(
                BmcEvent.Kind.RESET_REQUESTED,
                request.by(account),
                what
                        + ": "
                        + reply.status()
                        + (behaviour.get().lies() ? ", and nothing done" : "")
                        + (behaviour.get().anotherMachine() ? ", to another machine" : ""));
        return reply;
    }

    private Reply managers(Request request, List<String> rest, BmcAccount account) {
        return switch (String.join("/", rest)) {
            case "" -> Reply.get(request, resources().managers());
            case "1" -> Reply.get(request, resources().manager(clock.instant()));
            case "1/ResetActionInfo" -> Reply.get(request, resources().managerResetActionInfo());
            case "1/Actions/Manager.Reset" -> {
                if (!request.method().equals("POST")) {
                    yield Reply.methodNotAllowed(request.method(), "POST");
                }
                if (!account.role().mayConfigureManager()) {
                    yield Reply.forbidden();
                }
                // A BMC that restarts forgets who was logged in; its machine does not notice.
                accounts.logOutAll();
                yield told(request, account, "restart of the BMC", Reply.noContent());
            }
            default -> Reply.notFound(request.path());
        };
    }

    private Reply chassis(Request request, List<String> rest) {
        return switch (String.join("/", rest)) {
            case "" -> Reply.get(request, resources().chassisCollection());
            case "1" -> Reply.get(request, resources().chassis(shownPowerState()));
            default -> Reply.notFound(request.path());
        };
    }
}
