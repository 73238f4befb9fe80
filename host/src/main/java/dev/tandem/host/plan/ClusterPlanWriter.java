package dev.tandem.host.plan;

import dev.tandem.core.IpAddress;
import dev.tandem.host.credential.PasswordSource;
import dev.tandem.host.credential.PasswordSource.Login;
import dev.tandem.host.plan.ClusterPlan.Api;
import dev.tandem.host.plan.ClusterPlan.Bmc;
import dev.tandem.host.plan.ClusterPlan.Etcd;
import dev.tandem.host.plan.ClusterPlan.Identity;
import dev.tandem.host.plan.ClusterPlan.Timing;
import dev.tandem.host.plan.ClusterPlan.Verification;
import dev.tandem.host.yaml.YamlWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Writes a plan with every field; reading it gives an equal plan. */
final class ClusterPlanWriter {
    private static final String ADDRESS = "address";
    private static final String USERNAME = "username";

    private ClusterPlanWriter() {}

    static String write(ClusterPlan plan) {
        return write(plan, ClusterPlanWriter::bmc);
    }

    /** Without how each BMC is reached and logged in to, which changes on its own. */
    static String writeWithoutLogins(ClusterPlan plan) {
        return write(plan, ClusterPlanWriter::bmcWithoutLogin);
    }

    private static String write(ClusterPlan plan, Function<Bmc, Map<String, Object>> bmc) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("apiVersion", PlanFields.API_VERSION);
        fields.put("kind", PlanFields.KIND);
        fields.put("name", plan.name());
        fields.put("profile", profile(plan.timing()));
        fields.put("nodes", plan.nodes().stream().map(node -> node(node, bmc)).toList());
        fields.put("kubelet", plan.kubelet());
        fields.put("bmcOff", millis(plan.bmcOff()));
        fields.put("loneStart", plan.loneStart().word());
        plan.api().ifPresent(api -> fields.put("api", api(api)));
        fields.put("etcd", etcd(plan.etcd()));
        fields.put("pcsdTokenFile", plan.pcsdTokenFile().toString());
        return YamlWriter.write(fields);
    }

    private static Object profile(Timing timing) {
        if (Timing.profile(timing.profile()).isPresent()) {
            return timing.profile();
        }
        Map<String, Object> own = new LinkedHashMap<>();
        own.put("token", millis(timing.token()));
        own.put("consensus", millis(timing.consensus()));
        return own;
    }

    private static Map<String, Object> node(
            ClusterPlan.Node node, Function<Bmc, Map<String, Object>> bmc) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", node.name());
        fields.put("addresses", node.addresses().stream().map(IpAddress::toString).toList());
        fields.put("bmc", bmc.apply(node.bmc()));
        if (node.identity().known()) {
            fields.put("identity", identity(node.identity()));
        }
        return fields;
    }

    private static Map<String, Object> bmc(Bmc bmc) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put(ADDRESS, bmc.address().toString());
        fields.put(USERNAME, bmc.username());
        switch (bmc.password()) {
            case PasswordSource.InFile(Path file) -> fields.put("passwordFile", file.toString());
            case PasswordSource.Fetched fetched -> fields.put("password", password(fetched));
        }
        switch (bmc.verification()) {
            case Verification.SystemTrust() -> fields.put("certificate", "system");
            case Verification.None() -> fields.put("certificate", "unverified");
            case Verification.Pinned(String sha256) ->
                    fields.put("certificate", "sha256:" + sha256);
            case Verification.Authorities(Path file) ->
                    fields.put("certificate", Map.of("caFile", file.toString()));
            case Verification.SharedPassword() -> {
                // Nothing but the password, which has its file.
            }
        }
        bmc.second().ifPresent(second -> fields.put("second", bmc(second)));
        if (!bmc.further().isEmpty()) {
            fields.put("further", bmc.further().stream().map(ClusterPlanWriter::further).toList());
        }
        return fields;
    }

    private static Map<String, Object> further(FurtherLevel level) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("agent", level.agent());
        fields.put("parameters", level.parameters());
        level.passwordFile().ifPresent(file -> fields.put("passwordFile", file.toString()));
        fields.put("provesOff", level.provesOff());
        return fields;
    }

    private static Map<String, Object> bmcWithoutLogin(Bmc bmc) {
        Map<String, Object> fields = bmc(bmc);
        fields.remove(ADDRESS);
        fields.remove(USERNAME);
        return fields;
    }

    private static Map<String, Object> password(PasswordSource.Fetched fetched) {
        Map<String, Object> fields = new LinkedHashMap<>();
        switch (fetched.origin()) {
            case PasswordSource.Program(List<String> command) -> fields.put("program", command);
            case PasswordSource.Vault vault -> fields.put("vault", vault(vault));
        }
        fetched.cache().ifPresent(file -> fields.put("cacheFile", file.toString()));
        return fields;
    }

    private static Map<String, Object> vault(PasswordSource.Vault vault) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put(ADDRESS, vault.address().toString());
        fields.put("mount", vault.mount());
        fields.put("path", vault.path());
        fields.put("field", vault.field());
        vault.namespace().ifPresent(name -> fields.put("namespace", name));
        vault.caFile().ifPresent(file -> fields.put("caFile", file.toString()));
        Map<String, Object> login = new LinkedHashMap<>();
        switch (vault.login()) {
            case Login.AppRole(String mount, String roleId, Path secretId) -> {
                login.put("roleId", roleId);
                login.put("secretIdFile", secretId.toString());
                login.put("mount", mount);
                fields.put("appRole", login);
            }
            case Login.Certificate(String mount, var role, Path certificate, Path key) -> {
                login.put("certFile", certificate.toString());
                login.put("keyFile", key.toString());
                login.put("mount", mount);
                role.ifPresent(name -> login.put("role", name));
                fields.put("certificate", login);
            }
        }
        return fields;
    }

    private static Map<String, Object> identity(Identity identity) {
        Map<String, Object> fields = new LinkedHashMap<>();
        identity.systemUuid().ifPresent(uuid -> fields.put("systemUuid", uuid));
        identity.serial().ifPresent(serial -> fields.put("serial", serial));
        if (!identity.macs().isEmpty()) {
            fields.put("macs", identity.macs().stream().sorted().toList());
        }
        return fields;
    }

    private static Map<String, Object> api(Api api) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put(ADDRESS, api.address().toString());
        api.prefix().ifPresent(bits -> fields.put("prefix", bits));
        api.networkInterface().ifPresent(name -> fields.put("interface", name));
        return fields;
    }

    private static Map<String, Object> etcd(Etcd etcd) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("clientPort", etcd.clientPort());
        fields.put("peerPort", etcd.peerPort());
        fields.put("heartbeat", millis(etcd.heartbeat()));
        fields.put("election", millis(etcd.election()));
        fields.put("quotaMegabytes", etcd.quotaMegabytes());
        return fields;
    }

    private static String millis(Duration duration) {
        return duration.toMillis() + "ms";
    }
}
