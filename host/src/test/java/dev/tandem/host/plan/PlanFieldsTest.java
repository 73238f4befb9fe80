package dev.tandem.host.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Failure;
import dev.tandem.host.plan.PlanField.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Holds the reader, the schema and the example to the description of the fields. */
class PlanFieldsTest {
    @TempDir Path directory;

    /** A field and the way to it: names, and numbers in lists. */
    record Place(List<Object> way, Kind.Mapping mapping, PlanField field) {
        @Override
        public String toString() {
            return way + " " + field.name();
        }
    }

    static List<Place> places() {
        List<Place> places = new ArrayList<>();
        collect(List.of(), PlanFields.PLAN, places);
        return places;
    }

    static Stream<Place> requiredPlaces() {
        return places().stream().filter(place -> place.field().required());
    }

    static Stream<Place> placesWithDefaults() {
        return places().stream().filter(place -> place.field().defaultValue().isPresent());
    }

    private static void collect(List<Object> way, Kind.Mapping mapping, List<Place> places) {
        for (PlanField field : mapping.fields()) {
            places.add(new Place(way, mapping, field));
            field.kind()
                    .mapping()
                    .ifPresent(inner -> {
                        List<Object> further = new ArrayList<>(way);
                        further.add(field.name());
                        if (field.kind() instanceof Kind.ListOf) {
                            further.add(0);
                        }
                        collect(further, inner, places);
                    });
        }
    }

    @Test
    void theExampleIsAPlan() {
        ClusterPlan plan = TestPlans.read(directory, PlanExample.yaml());

        assertThat(plan.nodeNames()).containsExactlyInAnyOrder("node-0", "node-1");
        assertThat(plan.timing()).isEqualTo(ClusterPlan.Timing.DEFAULT);
        assertThat(plan.api()).isEmpty();
    }

    @Test
    void theExampleIsAPlanWithItsOptionalFieldsToo() {
        String once = withOptionalFields(PlanExample.yaml());
        String twice = withOptionalFields(once);

        assertThat(TestPlans.read(directory, once).api()).isPresent();
        ClusterPlan plan = TestPlans.read(directory, twice);
        assertThat(plan.api().orElseThrow().prefix()).hasValue(24);
        assertThat(plan.nodes().getFirst().identity().known()).isTrue();
        assertThat(twice.lines()).noneMatch(line -> line.matches(" *#[^ ].*"));
        for (Place place : places()) {
            if (!(place.mapping().equals(PlanFields.PROFILE)
                    || place.mapping().equals(PlanFields.CERTIFICATE)
                    || place.mapping().isAlternative(place.field())
                    || isInsidePassword(place))) {
                assertThat(twice).containsPattern("(?m)^[ -]*" + place.field().name() + ":");
            }
        }
    }

    /** As its header tells people: the first # goes where a field follows. */
    private static String withOptionalFields(String yaml) {
        return yaml.replaceAll("(?m)^( *)#(?! \\S)", "$1");
    }

    @ParameterizedTest
    @MethodSource("places")
    void eachFieldTakesItsExample(Place place) {
        Map<String, Object> plan = full(place);
        if (!place.field().example().isEmpty()) {
            mappingAt(plan, place).put(place.field().name(), load(place.field().example()));
        }

        assertThat(findings(plan)).isEmpty();
        assertThat(SchemaCheck.faults(PlanSchema.json(), plan)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("places")
    void eachFieldIsReadAndRefusesWhatItIsNot(Place place) {
        Map<String, Object> plan = full(place);
        // Neither text nor number nor list of texts nor a mapping with known fields.
        mappingAt(plan, place)
                .put(place.field().name(), List.of(List.of(), Map.of("no-such-field", 1)));

        assertThat(findings(plan)).isNotEmpty();
        assertThat(SchemaCheck.faults(PlanSchema.json(), plan)).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("places")
    void noFieldHasAnUnknownSibling(Place place) {
        Map<String, Object> plan = full(place);
        mappingAt(plan, place).put("no-such-field", "1");

        assertThat(findings(plan))
                .contains(place.mapping().what() + " has no field no-such-field")
                .hasLineCount(1);
        assertThat(SchemaCheck.faults(PlanSchema.json(), plan)).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("requiredPlaces")
    void aRequiredFieldThatIsMissingIsAFinding(Place place) {
        Map<String, Object> plan = full(place);
        mappingAt(plan, place).remove(place.field().name());

        assertThat(findings(plan)).contains(place.field().name() + " is missing: ");
        assertThat(SchemaCheck.faults(PlanSchema.json(), plan)).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("placesWithDefaults")
    void anAbsentFieldIsItsDefault(Place place) throws JsonProcessingException {
        Map<String, Object> plan = full(place);
        // Nothing serves an API without kubelet, whose default is not to run.
        plan.remove("api");
        mappingAt(plan, place).remove(place.field().name());
        ClusterPlan absent = TestPlans.read(directory, json(plan));
        mappingAt(plan, place)
                .put(place.field().name(), load(place.field().defaultValue().orElseThrow()));

        assertThat(TestPlans.read(directory, json(plan))).isEqualTo(absent);
        assertThat(SchemaCheck.faults(PlanSchema.json(), plan)).isEmpty();
    }

    @Test
    void rangesEndWhereTheDescriptionSays() {
        for (Place place : places()) {
            for (Object outside : outside(place.field().kind())) {
                Map<String, Object> plan = full(place);
                mappingAt(plan, place).put(place.field().name(), outside);
                assertThat(findings(plan)).as("%s: %s", place, outside).isNotEmpty();
                if (place.field().kind() instanceof Kind.Whole) {
                    assertThat(SchemaCheck.faults(PlanSchema.json(), plan)).isNotEmpty();
                }
            }
        }
    }

    private static List<Object> outside(Kind kind) {
        return switch (kind) {
            case Kind.Whole(long least, long most) -> List.of(least - 1, most + 1);
            case Kind.Time(var least, var most) ->
                    List.of((least.toMillis() - 1) + "ms", (most.toMillis() + 1) + "ms");
            default -> List.of();
        };
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    bmcOff  | 3              | no string
                    bmcOff  | 3 min          | not the pattern
                    name    | site 17        | not the pattern
                    kubelet | maybe          | no boolean
                    profile | quick          | none of
                    kind    | Plan           | not one of
                    nodes   | []             | too few
                    api     | {address: 192.0.2.100} | kubelet
                    """)
    void theSchemaRefusesWhatTheReaderRefuses(String field, String value, String told) {
        Map<String, Object> plan = mapping(load(PlanExample.yaml()));
        assertThat(SchemaCheck.faults(PlanSchema.json(), plan)).isEmpty();
        plan.put(field, load(value));

        assertThat(findings(plan)).isNotEmpty();
        assertThat(SchemaCheck.faults(PlanSchema.json(), plan))
                .anySatisfy(fault -> assertThat(fault).contains(told));
    }

    @Test
    void theSchemaRefusesAThirdNode() {
        Map<String, Object> plan = mapping(load(PlanExample.yaml()));
        List<Object> nodes = new ArrayList<>((List<?>) at(plan, "nodes"));
        Map<String, Object> third = new LinkedHashMap<>(mapping(nodes.getFirst()));
        third.put("name", "node-2");
        nodes.add(third);
        plan.put("nodes", nodes);

        assertThat(findings(plan)).contains("exactly two nodes");
        assertThat(SchemaCheck.faults(PlanSchema.json(), plan)).containsExactly("/nodes: too many");
    }

    @Test
    void theSchemaAsksForExactlyOneOfWhatExcludesEachOther() {
        Map<String, Object> plan = mapping(load(PlanExample.yaml()));
        Map<String, Object> bmc =
                mapping(at(mapping(((List<?>) at(plan, "nodes")).getFirst()), "bmc"));
        bmc.put("password", load(PlanFields.PASSWORD.inline()));
        assertThat(SchemaCheck.faults(PlanSchema.json(), plan))
                .containsExactly("/nodes/-/bmc: not exactly one of them");
        bmc.remove("passwordFile");
        assertThat(SchemaCheck.faults(PlanSchema.json(), plan)).isEmpty();
        bmc.remove("password");
        assertThat(SchemaCheck.faults(PlanSchema.json(), plan))
                .containsExactly("/nodes/-/bmc: not exactly one of them");
    }

    /** What the reader takes must not be underlined; digits, for one, are a number to YAML. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    192.0.2.                       | fd00::
                    redfish+https://198.51.100.110 | idrac-redfish://[fd00::6e]:8443
                    Systems/1                      | Systems/System.Embedded.1/
                    username: fencer               | username: 4711
                    name: site-17                  | name: 17
                    kind: ClusterPlan              | bmcOff: 1500 ms
                    kind: ClusterPlan              | profile: {token: 1s, consensus: 2s}
                    kind: ClusterPlan              | etcd: {heartbeat: 50ms}
                    """)
    void theSchemaTakesWhatTheReaderTakes(String written, String instead) {
        String yaml = PlanExample.yaml().replace(written, instead);
        assertThat(yaml).isNotEqualTo(PlanExample.yaml());
        Map<String, Object> plan = mapping(load(yaml));

        assertThat(findings(plan)).isEmpty();
        assertThat(SchemaCheck.faults(PlanSchema.json(), plan)).isEmpty();
    }

    /** Such fields stand there instead of the usual ones. */
    private static boolean isInsidePassword(Place place) {
        return place.mapping().path().startsWith(PlanFields.PASSWORD.path());
    }

    /** Puts it there in the place of the others of which only one may be. */
    private static void choose(Map<String, Object> bmc, Place place) {
        if (!isInsidePassword(place) && !place.field().name().equals("password")) {
            return;
        }
        bmc.remove("passwordFile");
        boolean inVault =
                place.mapping().path().startsWith(PlanFields.VAULT.path())
                        || place.field().name().equals("vault");
        Map<String, Object> password =
                mapping(
                        load(
                                inVault
                                        ? "{vault: %s}".formatted(PlanFields.VAULT.inline())
                                        : PlanFields.PASSWORD.inline()));
        bmc.put("password", password);
        if (place.mapping().equals(PlanFields.VAULT_CERTIFICATE)
                || (inVault && place.field().name().equals("certificate"))) {
            Map<String, Object> vault = mapping(at(password, "vault"));
            vault.remove("appRole");
            vault.put("certificate", load(PlanFields.VAULT_CERTIFICATE.inline()));
        }
    }

    /** The example with all optional fields, so that the place exists; one of several kinds too. */
    private static Map<String, Object> full(Place place) {
        String yaml = withOptionalFields(withOptionalFields(PlanExample.yaml()));
        Map<String, Object> plan = mapping(load(yaml));
        if (place.mapping().equals(PlanFields.PROFILE)) {
            plan.put("profile", load(PlanFields.PROFILE.inline()));
        }
        if (place.mapping().equals(PlanFields.CERTIFICATE)) {
            mapping(at(mapping(((List<?>) at(plan, "nodes")).getFirst()), "bmc"))
                    .put("certificate", load(PlanFields.CERTIFICATE.inline()));
        }
        choose(mapping(at(mapping(((List<?>) at(plan, "nodes")).getFirst()), "bmc")), place);
        return plan;
    }

    private static Map<String, Object> mappingAt(Map<String, Object> plan, Place place) {
        Object here = plan;
        for (Object step : place.way()) {
            here =
                    step instanceof Integer index
                            ? ((List<?>) here).get(index)
                            : at(mapping(here), step);
        }
        return mapping(here);
    }

    private static Object at(Map<?, ?> map, Object key) {
        return Objects.requireNonNull(map.get(key));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> mapping(Object value) {
        return (Map<String, Object>) value;
    }

    private static Object load(String yaml) {
        return new Load(LoadSettings.builder().build()).loadFromString(yaml);
    }

    private static String json(Map<String, Object> plan) throws JsonProcessingException {
        return new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(plan);
    }

    /** What the reader finds; blank if nothing. */
    private String findings(Map<String, Object> plan) {
        Failure failure =
                catchThrowableOfType(Failure.class, () -> TestPlans.read(directory, json(plan)));
        return failure == null ? "" : failure.why();
    }

    /** As much of JSON Schema as the plan's needs; a keyword that it does not know is an error. */
    private static final class SchemaCheck {
        private final List<String> faults = new ArrayList<>();

        static List<String> faults(Map<String, Object> schema, Object value) {
            SchemaCheck check = new SchemaCheck();
            check.check("", schema, value);
            return check.faults;
        }

        private void check(String path, Map<String, Object> schema, Object value) {
            schema.forEach((keyword, rule) -> check(path, keyword, rule, schema, value));
        }

        private void check(
                String path,
                String keyword,
                Object rule,
                Map<String, Object> schema,
                Object value) {
            switch (keyword) {
                case "$schema", "title", "description", "default" -> {}
                case "type" -> {
                    List<?> types = rule instanceof List<?> several ? several : List.of(rule);
                    fault(types.stream().noneMatch(type -> is(type, value)), path, "no " + rule);
                }
                case "enum" -> fault(!((List<?>) rule).contains(value), path, "not one of " + rule);
                case "const" -> fault(!rule.equals(value), path, "not " + rule);
                case "pattern" ->
                        fault(
                                value instanceof String text
                                        && !Pattern.compile((String) rule).matcher(text).find(),
                                path,
                                "not the pattern " + rule);
                case "minimum" ->
                        fault(
                                value instanceof Number number
                                        && number.longValue() < ((Number) rule).longValue(),
                                path,
                                "too small");
                case "maximum" ->
                        fault(
                                value instanceof Number number
                                        && number.longValue() > ((Number) rule).longValue(),
                                path,
                                "too large");
                case "minItems" ->
                        fault(
                                value instanceof List<?> list && list.size() < (Integer) rule,
                                path,
                                "too few");
                case "maxItems" ->
                        fault(
                                value instanceof List<?> list && list.size() > (Integer) rule,
                                path,
                                "too many");
                case "uniqueItems" ->
                        fault(
                                value instanceof List<?> list
                                        && list.stream().distinct().count() < list.size(),
                                path,
                                "twice the same");
                case "items" -> {
                    if (value instanceof List<?> list) {
                        list.forEach(item -> check(path + "/-", mapping(rule), item));
                    }
                }
                case "required" -> {
                    for (Object name : (List<?>) rule) {
                        fault(
                                value instanceof Map<?, ?> map && !map.containsKey(name),
                                path,
                                name + " is missing");
                    }
                }
                case "properties" -> {
                    if (value instanceof Map<?, ?> map) {
                        mapping(rule)
                                .forEach((name, property) -> {
                                    if (map.containsKey(name)) {
                                        check(path + "/" + name, mapping(property), at(map, name));
                                    }
                                });
                    }
                }
                case "propertyNames" -> {
                    if (value instanceof Map<?, ?> map) {
                        map.keySet().forEach(name -> check(path, mapping(rule), name));
                    }
                }
                case "additionalProperties" -> {
                    if (rule instanceof Map<?, ?>) {
                        if (value instanceof Map<?, ?> map) {
                            map.values().forEach(item -> check(path, mapping(rule), item));
                        }
                        return;
                    }
                    assertThat(rule).isEqualTo(false);
                    if (value instanceof Map<?, ?> map) {
                        for (Object name : map.keySet()) {
                            fault(
                                    !mapping(at(schema, "properties")).containsKey(name),
                                    path,
                                    "unknown " + name);
                        }
                    }
                }
                case "anyOf" ->
                        fault(
                                ((List<?>) rule)
                                        .stream()
                                                .noneMatch(one ->
                                                        faults(mapping(one), value).isEmpty()),
                                path,
                                "none of the kinds");
                case "oneOf" ->
                        fault(
                                value instanceof Map<?, ?>
                                        && ((List<?>) rule)
                                                        .stream()
                                                                .filter(one ->
                                                                        faults(mapping(one), value)
                                                                                .isEmpty())
                                                                .count()
                                                != 1,
                                path,
                                "not exactly one of them");
                case "dependentSchemas" ->
                        mapping(rule)
                                .forEach((name, further) -> {
                                    if (value instanceof Map<?, ?> map && map.containsKey(name)) {
                                        check(path, mapping(further), value);
                                    }
                                });
                default -> throw new IllegalArgumentException("no such keyword: " + keyword);
            }
        }

        private static boolean is(Object type, Object value) {
            return switch ((String) type) {
                case "object" -> value instanceof Map<?, ?>;
                case "array" -> value instanceof List<?>;
                case "string" -> value instanceof String;
                case "integer" -> value instanceof Integer || value instanceof Long;
                case "boolean" -> value instanceof Boolean;
                default -> throw new IllegalArgumentException("no such type: " + type);
            };
        }

        private void fault(boolean wrong, String path, String what) {
            if (wrong) {
                faults.add(path + ": " + what);
            }
        }
    }
}
