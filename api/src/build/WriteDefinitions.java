import dev.tandem.api.CarriedCondition;
import dev.tandem.api.ClusterCondition;
import dev.tandem.api.NodeCondition;
import dev.tandem.api.PacemakerCluster;
import dev.tandem.api.ResourceCondition;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.crdv2.generator.CRDPostProcessor;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinitionBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRule;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRuleBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes the definitions of our own kinds from their Java types. Called with the directory. */
class WriteDefinitions {

    public static void main(String[] arguments) throws IOException {
        Path directory = Path.of(arguments[0]);
        Files.createDirectories(directory);
        int written =
                new CRDGenerator()
                        .customResourceClasses(PacemakerCluster.class)
                        .forCRDVersions("v1")
                        .withParallelGenerationEnabled(false)
                        .withPostProcessor(new BeyondAnnotations())
                        .withOutput(new Directory(directory))
                        .generate();
        if (written != 1) {
            throw new IllegalStateException("expected one definition and got " + written);
        }
    }

    /** Names a file after the definition alone: the version of the format says nothing to a reader. */
    private record Directory(Path directory) implements CRDGenerator.CRDOutput<OutputStream> {
        @Override
        public OutputStream outputFor(String crdName) throws IOException {
            return Files.newOutputStream(file(crdName));
        }

        @Override
        public URI crdURI(String crdName) {
            return file(crdName).toUri();
        }

        private Path file(String crdName) {
            return directory.resolve(crdName.replaceFirst("-v1$", "") + ".yaml");
        }

        @Override
        public void close() {}
    }

    /** What fabric8's annotations cannot say, all of it here. */
    private static final class BeyondAnnotations implements CRDPostProcessor {

        @Override
        public HasMetadata process(HasMetadata generated, String crdSpecVersion) {
            CustomResourceDefinition crd = (CustomResourceDefinition) generated;
            CustomResourceDefinitionVersion v1 = crd.getSpec().getVersions().getFirst();
            v1.setAdditionalPrinterColumns(
                    List.of(
                            condition("Healthy"),
                            condition("InService"),
                            column("Updated", "date", ".status.lastUpdated")));
            JSONSchemaProps root = v1.getSchema().getOpenAPIV3Schema();
            root.setDescription("What Pacemaker reports about the two control-plane nodes.");
            root.setRequired(List.of("metadata"));
            describeStatus(property(root, "status"));
            sayOnce(root);

            // The later version takes a node nobody can fence, as somebody has to report it; the
            // earlier one is kept as it was written down.
            // A builder would share the schema, and the change below would be in both.
            CustomResourceDefinitionVersion v1alpha1 = new KubernetesSerialization().clone(v1);
            v1alpha1.setName("v1alpha1");
            v1alpha1.setServed(true);
            v1alpha1.setStorage(false);
            JSONSchemaProps alphaRoot = v1alpha1.getSchema().getOpenAPIV3Schema();
            JSONSchemaProps alphaNode = items(property(property(alphaRoot, "status"), "nodes"));
            property(alphaNode, "fencingAgents").setMinItems(1L);
            crd.getSpec().setVersions(List.of(v1, v1alpha1));
            return crd;
        }

        private static void describeStatus(JSONSchemaProps status) {
            keyed(property(status, "nodes"), "nodeName");
            complete("the cluster", property(status, "conditions"), names(ClusterCondition.values()));
            JSONSchemaProps node = items(property(status, "nodes"));
            complete("a node", property(node, "conditions"), names(NodeCondition.values()));
            // In order, and the first one matters: a merge must not shuffle them.
            property(node, "addresses").setXKubernetesListType("atomic");
            Map<String, String> lists =
                    Map.of("resources", "a resource", "fencingAgents", "a fencing agent");
            lists.forEach(
                    (list, whose) -> {
                        keyed(property(node, list), "name");
                        complete(
                                whose,
                                property(items(property(node, list)), "conditions"),
                                names(ResourceCondition.values()));
                    });
        }

        /** A record's annotations stand on its field and on its accessor: the generator reads both. */
        private static void sayOnce(JSONSchemaProps schema) {
            schema.setXKubernetesValidations(
                    schema.getXKubernetesValidations().stream().distinct().toList());
            schema.getProperties().values().forEach(BeyondAnnotations::sayOnce);
            if (schema.getItems() != null) {
                sayOnce(items(schema));
            }
        }

        private static void keyed(JSONSchemaProps list, String key) {
            list.setXKubernetesListType("map");
            list.setXKubernetesListMapKeys(List.of(key));
        }

        /** One rule for the whole set, whose message names what is missing. */
        private static void complete(
                String whose, JSONSchemaProps conditions, List<String> types) {
            keyed(conditions, "type");
            String all =
                    types.stream().map(type -> "'" + type + "'").collect(Collectors.joining(", "));
            // A sum of choices: what a filter joins has no bound the API server could estimate.
            String named =
                    types.stream()
                            .map(type -> "(self.exists(c, c.type == '%s') ? '' : ' %s,')".formatted(type, type))
                            .collect(
                                    Collectors.joining(
                                            " + ",
                                            "'conditions of " + whose + " are incomplete: add' + ",
                                            " + ' as Unknown where nothing is known'"));
            ValidationRule rule =
                    new ValidationRuleBuilder()
                            .withRule("[" + all + "].all(t, self.exists(c, c.type == t))")
                            .withMessage("conditions of " + whose + " are incomplete")
                            .withMessageExpression(named)
                            .build();
            List<ValidationRule> rules = new ArrayList<>(conditions.getXKubernetesValidations());
            rules.add(rule);
            conditions.setXKubernetesValidations(rules);
        }

        private static List<String> names(CarriedCondition[] conditions) {
            return Arrays.stream(conditions).map(CarriedCondition::type).toList();
        }

        private static CustomResourceColumnDefinition condition(String type) {
            return column(type, "string", ".status.conditions[?(@.type==\"" + type + "\")].status");
        }

        private static CustomResourceColumnDefinition column(String name, String type, String path) {
            return new CustomResourceColumnDefinitionBuilder()
                    .withName(name)
                    .withType(type)
                    .withJsonPath(path)
                    .build();
        }

        private static JSONSchemaProps property(JSONSchemaProps schema, String name) {
            JSONSchemaProps found = schema.getProperties().get(name);
            if (found == null) {
                throw new IllegalStateException(
                        name + " is not among " + schema.getProperties().keySet());
            }
            return found;
        }

        private static JSONSchemaProps items(JSONSchemaProps list) {
            return list.getItems().getSchema();
        }
    }
}
