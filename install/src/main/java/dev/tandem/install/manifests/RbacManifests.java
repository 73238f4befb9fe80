package dev.tandem.install.manifests;

import dev.tandem.install.config.FencingCredential;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleRef;
import io.fabric8.kubernetes.api.model.rbac.RoleRefBuilder;
import io.fabric8.kubernetes.api.model.rbac.Subject;
import io.fabric8.kubernetes.api.model.rbac.SubjectBuilder;
import java.util.ArrayList;
import java.util.List;

/**
 * One identity per duty, so that none can do what another is for: only fencing reads the BMC
 * passwords, and of all Secrets only those; only node care changes nodes; only status writes the
 * cluster's health.
 */
final class RbacManifests {
    private static final String API_GROUP = "rbac.authorization.k8s.io";
    private static final String CORE = "";
    private static final String CONFIG = "config.openshift.io";
    private static final String OPERATOR = "operator.openshift.io";
    private static final String ETCD = "etcd.openshift.io";

    private final List<Manifest> files = new ArrayList<>();

    private RbacManifests() {}

    static List<Manifest> of(ManifestInput input) {
        RbacManifests rbac = new RbacManifests();
        rbac.operator();
        if (input.shape().isFencedPair()) {
            rbac.status();
            rbac.nodes();
            rbac.fencing(FencingCredential.of(input.config()));
        }
        return rbac.files;
    }

    private void operator() {
        identity(
                "tandem-operator",
                rule(CORE, "nodes").withVerbs("get", "list", "watch").build(),
                rule(CONFIG, "infrastructures", "clusterversions", "featuregates")
                        .withVerbs("get", "list", "watch")
                        .build(),
                rule(CONFIG, "clusteroperators")
                        .withVerbs("get", "list", "watch", "create")
                        .build(),
                rule(CONFIG, "clusteroperators/status").withVerbs("get", "update", "patch").build(),
                rule(OPERATOR, "etcds").withVerbs("get", "list", "watch").build(),
                rule(OPERATOR, "etcds/status").withVerbs("get", "update", "patch").build(),
                rule("machineconfiguration.openshift.io", "machineconfigpools")
                        .withVerbs("get", "list", "watch")
                        .build(),
                rule("metal3.io", "baremetalhosts")
                        .withVerbs("get", "list", "watch", "patch")
                        .build());
        namespacedRole(
                "tandem-operator",
                Namespaces.TANDEM,
                rule("coordination.k8s.io", "leases")
                        .withVerbs("get", "list", "watch", "create", "update", "patch")
                        .build(),
                rule(CORE, "events").withVerbs("create", "patch").build());
    }

    private void status() {
        identity(
                "tandem-status",
                rule(ETCD, "pacemakerclusters").withVerbs("get", "list", "watch", "create").build(),
                rule(ETCD, "pacemakerclusters/status").withVerbs("get", "update", "patch").build());
        namespacedRole(
                "tandem-status",
                Namespaces.ETCD,
                rule(CORE, "events").withVerbs("get", "create", "patch").build());
    }

    private void nodes() {
        identity(
                "tandem-nodes",
                rule(CORE, "nodes").withVerbs("get", "list", "watch", "patch").build(),
                rule("storage.k8s.io", "volumeattachments")
                        .withVerbs("get", "list", "watch")
                        .build());
    }

    private void fencing(List<FencingCredential> credentials) {
        identity("tandem-fencing", rule(CORE, "nodes").withVerbs("get", "list", "watch").build());
        namespacedRole(
                "tandem-fencing",
                Namespaces.ETCD,
                rule(CORE, "secrets")
                        .withVerbs("get", "watch")
                        .withResourceNames(
                                credentials.stream().map(FencingCredential::secretName).toList())
                        .build());
    }

    private static PolicyRuleBuilder rule(String group, String... resources) {
        return new PolicyRuleBuilder().withApiGroups(group).withResources(resources);
    }

    private void identity(String name, PolicyRule... rules) {
        files.add(
                Manifest.of(
                        "manifests/01_serviceaccount-" + name + ".yaml",
                        new ServiceAccountBuilder()
                                .withMetadata(Metadata.named(Namespaces.TANDEM, name))
                                .build()));
        files.add(
                Manifest.of(
                        "manifests/02_clusterrole-" + name + ".yaml",
                        new ClusterRoleBuilder()
                                .withMetadata(Metadata.named(name))
                                .withRules(rules)
                                .build()));
        files.add(
                Manifest.of(
                        "manifests/03_clusterrolebinding-" + name + ".yaml",
                        new ClusterRoleBindingBuilder()
                                .withMetadata(Metadata.named(name))
                                .withRoleRef(reference("ClusterRole", name))
                                .withSubjects(account(name))
                                .build()));
    }

    private void namespacedRole(String name, String namespace, PolicyRule... rules) {
        files.add(
                Manifest.of(
                        "manifests/02_role-" + namespace + "-" + name + ".yaml",
                        new RoleBuilder()
                                .withMetadata(Metadata.named(namespace, name))
                                .withRules(rules)
                                .build()));
        files.add(
                Manifest.of(
                        "manifests/03_rolebinding-" + namespace + "-" + name + ".yaml",
                        new RoleBindingBuilder()
                                .withMetadata(Metadata.named(namespace, name))
                                .withRoleRef(reference("Role", name))
                                .withSubjects(account(name))
                                .build()));
    }

    private static RoleRef reference(String kind, String name) {
        return new RoleRefBuilder().withApiGroup(API_GROUP).withKind(kind).withName(name).build();
    }

    private static Subject account(String name) {
        return new SubjectBuilder()
                .withKind("ServiceAccount")
                .withName(name)
                .withNamespace(Namespaces.TANDEM)
                .build();
    }
}
