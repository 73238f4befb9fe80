package dev.tandem.host.bmc;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.host.Deadline;
import dev.tandem.host.bmc.BmcAnswer.Read;
import dev.tandem.host.bmc.BmcAnswer.Unknown;
import dev.tandem.host.bmc.RedfishHttp.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Which machine a BMC switches, and what the user may do there. */
final class RedfishInventory {
    /** BMCs have 16 accounts or so; more are not searched for the agent's own. */
    private static final int ACCOUNTS_LIMIT = 32;

    private static final BmcPrivileges NOT_TOLD = new BmcPrivileges(Optional.empty(), Set.of());

    private final RedfishSession session;
    private final RedfishSystem system;
    private final String user;

    RedfishInventory(RedfishSession session, RedfishSystem system, String user) {
        this.session = session;
        this.system = system;
        this.user = user;
    }

    BmcAnswer<HardwareIdentity> identity(Deadline end) {
        return system.read(end, false)
                .then(read ->
                        macs(read.body(), end)
                                .then(macs ->
                                        new Read<>(
                                                RedfishSystem.identity(read, macs), read.took())));
    }

    /** A BMC that lists no interfaces, as many do while the machine is off, has none to compare. */
    private BmcAnswer<Set<String>> macs(JsonNode system, Deadline end) {
        String collection = RedfishHttp.link(system.path("EthernetInterfaces"));
        if (collection.isEmpty()) {
            return new Read<>(Set.of(), Duration.ZERO);
        }
        Set<String> macs = new TreeSet<>();
        switch (session.get(collection, end)) {
            case Unknown<Reply>(BmcFault.Rejected _) -> {
                return new Read<>(Set.of(), Duration.ZERO);
            }
            case Unknown<Reply>(BmcFault fault) -> {
                return new Unknown<>(fault);
            }
            case Read<Reply>(Reply list, Duration _) -> {
                for (String member : list.members()) {
                    switch (session.get(member, end)) {
                        case Read<Reply>(Reply nic, Duration _) -> {
                            macs.add(nic.body().path("MACAddress").asText(""));
                            macs.add(nic.body().path("PermanentMACAddress").asText(""));
                        }
                        case Unknown<Reply>(BmcFault fault) -> {
                            return new Unknown<>(fault);
                        }
                    }
                }
                return new Read<>(macs, list.took());
            }
        }
    }

    BmcAnswer<BmcPrivileges> privileges(Deadline end) {
        BmcAnswer<BmcPrivileges> told =
                session.get(RedfishSession.ROOT + "/AccountService", end)
                        .then(service ->
                                ownAccount(RedfishHttp.link(service.body().path("Accounts")), end))
                        .then(account -> privileges(account, end));
        // Some BMCs show accounts to administrators only, or not at all, and answer 401, 403 or 404
        // then: what the account may do is not known.
        return switch (told) {
            case Unknown<BmcPrivileges>(BmcFault.Rejected _),
                    Unknown<BmcPrivileges>(BmcFault.Unintelligible _) ->
                    new Read<>(NOT_TOLD, Duration.ZERO);
            // But a password that has just changed is denied everywhere.
            case Unknown<BmcPrivileges>(BmcFault.Denied _) ->
                    system.read(end, false).then(_ -> new Read<>(NOT_TOLD, Duration.ZERO));
            case Unknown<BmcPrivileges> unknown -> unknown;
            case Read<BmcPrivileges> read -> read;
        };
    }

    private BmcAnswer<Reply> ownAccount(String collection, Deadline end) {
        if (collection.isEmpty()) {
            return RedfishHttp.unintelligible("it names no accounts");
        }
        return session.get(collection, end)
                .then(list -> {
                    List<String> members = list.members();
                    for (String member :
                            members.subList(0, Math.min(members.size(), ACCOUNTS_LIMIT))) {
                        BmcAnswer<Reply> account = session.get(member, end);
                        if (account instanceof Read<Reply>(Reply reply, Duration _)
                                && reply.body().path("UserName").asText("").equals(user)) {
                            return account;
                        }
                        if (account instanceof Unknown<Reply>(BmcFault.Denied _)) {
                            // Each denial costs a session, and a BMC has few.
                            return account;
                        }
                    }
                    return RedfishHttp.unintelligible("it does not list the account");
                });
    }

    private BmcAnswer<BmcPrivileges> privileges(Reply account, Deadline end) {
        Optional<String> role =
                Optional.of(account.body().path("RoleId").asText(""))
                        .filter(name -> !name.isEmpty());
        String place = RedfishHttp.link(account.body().path("Links").path("Role"));
        if (place.isEmpty()) {
            return new Read<>(new BmcPrivileges(role, Set.of()), account.took());
        }
        return session.get(place, end)
                .then(reply -> {
                    Set<String> privileges = new TreeSet<>();
                    reply.body()
                            .path("AssignedPrivileges")
                            .forEach(name -> privileges.add(name.asText()));
                    // What the maker's own privileges allow is not told by their names.
                    boolean told = reply.body().path("OemPrivileges").isEmpty();
                    return new Read<>(
                            new BmcPrivileges(role, told ? privileges : Set.of()), reply.took());
                });
    }
}
