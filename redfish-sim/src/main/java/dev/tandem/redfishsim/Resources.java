package dev.tandem.redfishsim;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.ResetType;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/** The resources of the service, as DMTF's schema bundle 2024.3 names their properties. */
final class Resources {
    static final String ROOT = "/redfish/v1";
    static final String SESSIONS = ROOT + "/SessionService/Sessions";
    static final String ACCOUNTS = ROOT + "/AccountService/Accounts";
    static final String ROLES = ROOT + "/AccountService/Roles";

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final MachineIdentity machine;
    private final String systemId;

    Resources(MachineIdentity machine, String systemId) {
        this.machine = machine;
        this.systemId = systemId;
    }

    String system() {
        return ROOT + "/Systems/" + systemId;
    }

    String resetAction() {
        return system() + "/Actions/ComputerSystem.Reset";
    }

    static ObjectNode versions() {
        return JSON.objectNode().put("v1", ROOT + "/");
    }

    ObjectNode serviceRoot() {
        ObjectNode root = resource(ROOT, "ServiceRoot.v1_17_0", "RootService", "Root Service");
        root.put("RedfishVersion", "1.20.0");
        root.put(
                "UUID",
                UUID.nameUUIDFromBytes(
                                ("bmc of " + machine.uuid()).getBytes(StandardCharsets.UTF_8))
                        .toString());
        root.put("Vendor", "Tandem");
        root.put("Product", "Tandem virtual BMC");
        root.set("Systems", link(ROOT + "/Systems"));
        root.set("Chassis", link(ROOT + "/Chassis"));
        root.set("Managers", link(ROOT + "/Managers"));
        root.set("SessionService", link(ROOT + "/SessionService"));
        root.set("AccountService", link(ROOT + "/AccountService"));
        root.set("Links", JSON.objectNode().set("Sessions", link(SESSIONS)));
        return root;
    }

    ObjectNode odata() {
        ObjectNode document = JSON.objectNode();
        document.put("@odata.context", ROOT + "/$metadata");
        ArrayNode value = document.putArray("value");
        for (String name :
                List.of("Systems", "Chassis", "Managers", "SessionService", "AccountService")) {
            value.addObject()
                    .put("name", name)
                    .put("kind", "Singleton")
                    .put("url", ROOT + "/" + name);
        }
        return document;
    }

    ObjectNode systems() {
        return collection(ROOT + "/Systems", "ComputerSystem", List.of(system()));
    }

    ObjectNode system(PowerState power, Instant lastReset, Collection<ResetType> allowed) {
        ObjectNode system = resource(system(), "ComputerSystem.v1_23_1", systemId, machine.model());
        system.put("SystemType", "Physical");
        system.put("Manufacturer", "Tandem");
        system.put("Model", machine.model());
        system.put("SerialNumber", machine.serial());
        system.put("UUID", machine.uuid().toString());
        system.put("PowerState", power.redfishName());
        system.put("PowerRestorePolicy", "AlwaysOff");
        if (lastReset.isAfter(Instant.EPOCH)) {
            system.put("LastResetTime", time(lastReset));
        }
        system.set("Status", status(power));
        system.set("EthernetInterfaces", link(system() + "/EthernetInterfaces"));
        ObjectNode links = system.putObject("Links");
        links.set("Chassis", JSON.arrayNode().add(link(ROOT + "/Chassis/1")));
        links.set("ManagedBy", JSON.arrayNode().add(link(ROOT + "/Managers/1")));
        ObjectNode reset = system.putObject("Actions").putObject("#ComputerSystem.Reset");
        reset.put("target", resetAction());
        reset.put("@Redfish.ActionInfo", system() + "/ResetActionInfo");
        reset.set("ResetType@Redfish.AllowableValues", names(allowed));
        return system;
    }

    ObjectNode resetActionInfo(Collection<ResetType> allowed) {
        return actionInfo(
                system() + "/ResetActionInfo",
                allowed.stream().map(ResetType::redfishName).toList());
    }

    ObjectNode ethernetInterfaces() {
        return collection(
                system() + "/EthernetInterfaces",
                "EthernetInterface",
                machine.nics().stream()
                        .map(nic -> system() + "/EthernetInterfaces/" + nic.id())
                        .toList());
    }

    ObjectNode ethernetInterface(Nic nic, PowerState power) {
        ObjectNode node =
                resource(
                        system() + "/EthernetInterfaces/" + nic.id(),
                        "EthernetInterface.v1_12_3",
                        nic.id(),
                        "Network interface " + nic.id());
        String mac = nic.mac().toUpperCase(Locale.ROOT);
        node.put("MACAddress", mac);
        node.put("PermanentMACAddress", mac);
        node.put("InterfaceEnabled", true);
        node.put("LinkStatus", power == PowerState.OFF ? "NoLink" : "LinkUp");
        node.set("Status", status(power));
        return node;
    }

    ObjectNode managers() {
        return collection(ROOT + "/Managers", "Manager", List.of(ROOT + "/Managers/1"));
    }

    ObjectNode manager(Instant now) {
        ObjectNode manager = resource(ROOT + "/Managers/1", "Manager.v1_20_0", "1", "Virtual BMC");
        manager.put("ManagerType", "BMC");
        manager.put("Model", "Tandem virtual BMC");
        manager.put("FirmwareVersion", "1.0");
        manager.put("DateTime", time(now));
        manager.put("PowerState", PowerState.ON.redfishName());
        manager.set("Status", JSON.objectNode().put("State", "Enabled").put("Health", "OK"));
        ObjectNode links = manager.putObject("Links");
        links.set("ManagerForServers", JSON.arrayNode().add(link(system())));
        links.set("ManagerForChassis", JSON.arrayNode().add(link(ROOT + "/Chassis/1")));
        ObjectNode reset = manager.putObject("Actions").putObject("#Manager.Reset");
        reset.put("target", ROOT + "/Managers/1/Actions/Manager.Reset");
        reset.put("@Redfish.ActionInfo", ROOT + "/Managers/1/ResetActionInfo");
        reset.set(
                "ResetType@Redfish.AllowableValues",
                names(List.of(ResetType.GRACEFUL_RESTART, ResetType.FORCE_RESTART)));
        return manager;
    }

    ObjectNode managerResetActionInfo() {
        return actionInfo(
                ROOT + "/Managers/1/ResetActionInfo",
                List.of(
                        ResetType.GRACEFUL_RESTART.redfishName(),
                        ResetType.FORCE_RESTART.redfishName()));
    }

    ObjectNode chassisCollection() {
        return collection(ROOT + "/Chassis", "Chassis", List.of(ROOT + "/Chassis/1"));
    }

    ObjectNode chassis(PowerState power) {
        ObjectNode chassis = resource(ROOT + "/Chassis/1", "Chassis.v1_25_2", "1", "Enclosure");
        chassis.put("ChassisType", "RackMount");
        chassis.put("Manufacturer", "Tandem");
        chassis.put("Model", machine.model());
        chassis.put("SerialNumber", machine.serial());
        chassis.put("PowerState", power.redfishName());
        chassis.set("Status", JSON.objectNode().put("State", "Enabled").put("Health", "OK"));
        ObjectNode links = chassis.putObject("Links");
        links.set("ComputerSystems", JSON.arrayNode().add(link(system())));
        links.set("ManagedBy", JSON.arrayNode().add(link(ROOT + "/Managers/1")));
        return chassis;
    }

    ObjectNode sessionService() {
        ObjectNode service =
                resource(
                        ROOT + "/SessionService",
                        "SessionService.v1_1_9",
                        "SessionService",
                        "Session Service");
        service.put("ServiceEnabled", true);
        service.put("SessionTimeout", Sessions.IDLE_LIMIT.toSeconds());
        service.set("Status", JSON.objectNode().put("State", "Enabled").put("Health", "OK"));
        service.set("Sessions", link(SESSIONS));
        return service;
    }

    ObjectNode sessions(List<Sessions.Session> sessions) {
        return collection(
                SESSIONS, "Session", sessions.stream().map(s -> SESSIONS + "/" + s.id()).toList());
    }

    ObjectNode session(Sessions.Session session) {
        ObjectNode node =
                resource(
                        SESSIONS + "/" + session.id(),
                        "Session.v1_8_0",
                        session.id(),
                        "Session " + session.id());
        node.put("UserName", session.user());
        node.put("CreatedTime", time(session.created()));
        node.put("ClientOriginIPAddress", session.origin());
        node.put("SessionType", "Redfish");
        return node;
    }

    ObjectNode accountService() {
        ObjectNode service =
                resource(
                        ROOT + "/AccountService",
                        "AccountService.v1_16_0",
                        "AccountService",
                        "Account Service");
        service.put("ServiceEnabled", true);
        service.set("Status", JSON.objectNode().put("State", "Enabled").put("Health", "OK"));
        service.set("Accounts", link(ACCOUNTS));
        service.set("Roles", link(ROLES));
        return service;
    }

    ObjectNode accounts(List<BmcAccount> visible) {
        return collection(
                ACCOUNTS,
                "ManagerAccount",
                visible.stream().map(account -> ACCOUNTS + "/" + account.user()).toList());
    }

    ObjectNode account(BmcAccount account) {
        ObjectNode node =
                resource(
                        ACCOUNTS + "/" + account.user(),
                        "ManagerAccount.v1_13_0",
                        account.user(),
                        "Account " + account.user());
        node.put("UserName", account.user());
        // The schema has the property always read as null.
        node.putNull("Password");
        node.put("Enabled", true);
        node.put("Locked", false);
        node.put("RoleId", account.role().redfishName());
        node.set(
                "Links",
                JSON.objectNode().set("Role", link(ROLES + "/" + account.role().redfishName())));
        return node;
    }

    ObjectNode roles() {
        return collection(
                ROLES,
                "Role",
                List.of(BmcAccount.Role.values()).stream()
                        .map(role -> ROLES + "/" + role.redfishName())
                        .toList());
    }

    ObjectNode role(BmcAccount.Role role) {
        ObjectNode node =
                resource(
                        ROLES + "/" + role.redfishName(),
                        "Role.v1_3_3",
                        role.redfishName(),
                        "Role " + role.redfishName());
        node.put("RoleId", role.redfishName());
        node.put("IsPredefined", true);
        ArrayNode privileges = node.putArray("AssignedPrivileges").add("Login");
        if (role.mayConfigureManager()) {
            privileges.add("ConfigureManager");
        }
        if (role.mayConfigureUsers()) {
            privileges.add("ConfigureUsers");
        }
        if (role.mayReset()) {
            privileges.add("ConfigureComponents");
        }
        privileges.add("ConfigureSelf");
        return node;
    }

    private static ObjectNode actionInfo(String path, List<String> values) {
        ObjectNode info =
                resource(path, "ActionInfo.v1_4_2", "ResetActionInfo", "Reset Action Info");
        ObjectNode parameter = info.putArray("Parameters").addObject();
        parameter.put("Name", "ResetType");
        parameter.put("Required", true);
        parameter.put("DataType", "String");
        ArrayNode allowable = parameter.putArray("AllowableValues");
        values.forEach(allowable::add);
        return info;
    }

    private static ObjectNode status(PowerState power) {
        ObjectNode status = JSON.objectNode();
        status.put("State", power == PowerState.ON ? "Enabled" : "StandbyOffline");
        status.put("Health", "OK");
        return status;
    }

    private static ArrayNode names(Collection<ResetType> types) {
        ArrayNode names = JSON.arrayNode();
        types.forEach(type -> names.add(type.redfishName()));
        return names;
    }

    private static ObjectNode collection(String path, String of, List<String> members) {
        ObjectNode node = JSON.objectNode();
        node.put("@odata.id", path);
        node.put("@odata.type", "#" + of + "Collection." + of + "Collection");
        node.put("Name", of + " Collection");
        node.put("Members@odata.count", members.size());
        ArrayNode array = node.putArray("Members");
        members.forEach(member -> array.add(link(member)));
        return node;
    }

    /** The type is "#Schema.version.Schema", given as "Schema.version". */
    private static ObjectNode resource(String path, String type, String id, String name) {
        ObjectNode node = JSON.objectNode();
        node.put("@odata.id", path);
        node.put("@odata.type", "#" + type + "." + type.substring(0, type.indexOf('.')));
        node.put("Id", id);
        node.put("Name", name);
        return node;
    }

    private static ObjectNode link(String path) {
        return JSON.objectNode().put("@odata.id", path);
    }

    private static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
