package dev.tandem.host.bmc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.tandem.host.Deadline;
import dev.tandem.host.bmc.BmcAnswer.Read;
import dev.tandem.host.bmc.RedfishHttp.Reply;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The one system of a Redfish service that is meant: its power state, and orders to reset it. */
final class RedfishSystem {

    /** Where resets go, and which ones the system offers; empty when it does not tell. */
    private record ResetAction(String target, Set<ResetType> offered) {}

    private final RedfishSession session;
    private final UnaryOperator<String> words;

    private volatile @Nullable String systemPath;
    private volatile @Nullable ResetAction resetAction;

    /**
     * @param systemPath empty to take the only one there is
     * @param words makes foreign words fit for a line of a log
     */
    RedfishSystem(
            RedfishSession session, Optional<String> systemPath, UnaryOperator<String> words) {
        this.session = session;
        this.systemPath = systemPath.orElse(null);
        this.words = words;
    }

    BmcAnswer<PowerReport> report(Deadline end, boolean urgent) {
        return read(end, urgent)
                .then(reply -> {
                    String word = reply.body().path("PowerState").asText("");
                    return PowerState.parse(word)
                            .map(state -> new PowerReport(state, identity(reply, Set.of())))
                            .<BmcAnswer<PowerReport>>map(report -> new Read<>(report, reply.took()))
                            .orElseGet(() ->
                                    RedfishHttp.unintelligible(
                                            "the power state is '" + words.apply(word) + "'"));
                });
    }

    BmcAnswer<Reply> reset(List<ResetType> ways, Deadline end) {
        return systemPath(end)
                .then(path -> {
                    ResetAction known = resetAction;
                    // Every service known puts the action here; its true place is learned
                    // with the first reading.
                    ResetAction action =
                            known != null
                                    ? known
                                    : new ResetAction(
                                            path + "/Actions/ComputerSystem.Reset", Set.of());
                    String body =
                            JsonNodeFactory.instance
                                    .objectNode()
                                    .put("ResetType", choose(ways, action).redfishName())
                                    .toString();
                    return session.call("POST", action.target(), Optional.of(body), end, true);
                });
    }

    /** The best way that is offered. A shutdown is a poor way to fence, but Off is Off. */
    private static ResetType choose(List<ResetType> ways, ResetAction action) {
        return ways.stream().filter(action.offered()::contains).findFirst().orElse(ways.getFirst());
    }

    /** All that the service tells of the system. */
    BmcAnswer<Reply> read(Deadline end, boolean urgent) {
        BmcAnswer<Reply> answer =
                systemPath(end)
                        .then(path -> session.call("GET", path, Optional.empty(), end, urgent));
        if (answer instanceof Read<Reply>(Reply reply, Duration _)) {
            learnReset(reply.body());
        }
        return answer;
    }

    private void learnReset(JsonNode system) {
        JsonNode action = system.path("Actions").path("#ComputerSystem.Reset");
        String target = action.path("target").asText("");
        if (!RedfishHttp.isPath(target)) {
            return;
        }
        Set<ResetType> offered = EnumSet.noneOf(ResetType.class);
        action.path("ResetType@Redfish.AllowableValues")
                .forEach(value -> ResetType.parse(value.asText()).ifPresent(offered::add));
        resetAction = new ResetAction(target, offered);
    }

    /** The paths of all systems that the service has. */
    BmcAnswer<List<String>> all(Deadline end) {
        return session.get(RedfishSession.ROOT + "/Systems", end)
                .then(reply -> new Read<>(reply.members(), reply.took()));
    }

    private BmcAnswer<String> systemPath(Deadline end) {
        String known = systemPath;
        if (known != null) {
            return new Read<>(known, Duration.ZERO);
        }
        return session.get(RedfishSession.ROOT + "/Systems", end)
                .then(reply -> {
                    List<String> members = reply.members();
                    if (members.size() != 1) {
                        return RedfishHttp.unintelligible(
                                "it has "
                                        + members.size()
                                        + " systems, and none is named in the address");
                    }
                    systemPath = members.getFirst();
                    return new Read<>(members.getFirst(), reply.took());
                });
    }

    /** Which machine that is, by what was read of the system and the MACs found elsewhere. */
    static HardwareIdentity identity(Reply system, Set<String> macs) {
        return new HardwareIdentity(
                NodeHardware.uuid(system.body().path("UUID").asText("")),
                Optional.of(system.body().path("SerialNumber").asText("")),
                macs);
    }
}
