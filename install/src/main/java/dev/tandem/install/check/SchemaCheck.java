package dev.tandem.install.check;

import dev.tandem.host.yaml.YamlNode;
import dev.tandem.install.check.Schema.Field;
import dev.tandem.install.yaml.Place;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Compares a file with its schema: unknown keys, capitals, and types. */
public final class SchemaCheck {
    private final Findings findings;

    public SchemaCheck(Findings findings) {
        this.findings = findings;
    }

    public void check(Schema schema, YamlNode located, Place place) {
        if (located instanceof YamlNode.Scalar scalar && scalar.isNothing()) {
            return;
        }
        switch (schema) {
            case Schema.Anything _ -> {}
            case Schema.Keys keys -> {
                if (located instanceof YamlNode.Mapping mapping) {
                    mapping(keys, mapping, place);
                } else {
                    wrong(place, "keys and values", "indent its keys below it");
                }
            }
            case Schema.ListOf list -> {
                if (located instanceof YamlNode.Sequence sequence) {
                    int index = 0;
                    for (YamlNode item : sequence.items()) {
                        check(list.item(), item, place.item(index++).at(item));
                    }
                } else {
                    wrong(place, "a list", "begin each item with a dash and a space");
                }
            }
            case Schema.Text _ -> {
                if (!(located instanceof YamlNode.Scalar scalar)) {
                    wrong(place, "text", "write a single value");
                } else if (!scalar.isText()) {
                    wrong(
                            place,
                            "text",
                            "put it in quotes: without them it reads as a number or a yes/no");
                }
            }
            case Schema.Whole _ -> {
                if (!(located instanceof YamlNode.Scalar scalar && scalar.isWhole())
                        || tooLarge(scalar)) {
                    wrong(place, "a whole number", "write digits only, without quotes");
                }
            }
            case Schema.Flag _ -> {
                if (!(located instanceof YamlNode.Scalar scalar && scalar.isFlag())) {
                    wrong(place, "true or false", "write true or false, without quotes");
                }
            }
        }
    }

    private static boolean tooLarge(YamlNode.Scalar scalar) {
        long number = Long.parseLong(scalar.text());
        return number != (int) number;
    }

    private void wrong(Place place, String expected, String remedy) {
        findings.add(
                Code.K2,
                place,
                "this has to be " + expected,
                "another type is refused by every reader downstream",
                remedy);
    }

    private void mapping(Schema.Keys keys, YamlNode.Mapping mapping, Place place) {
        Map<String, Field> known = new HashMap<>();
        keys.fields().forEach(field -> known.put(field.name().toLowerCase(Locale.ROOT), field));
        Set<String> seen = new HashSet<>();
        for (YamlNode.Entry entry : mapping.entries()) {
            String folded = entry.key().toLowerCase(Locale.ROOT);
            Field field = known.get(folded);
            if (field == null) {
                unknown(keys.names(), entry, place);
                continue;
            }
            Place there = new Place(place.child(field.name()).path(), entry.line(), entry.column());
            if (!seen.add(folded)) {
                findings.add(
                        Code.K4,
                        there,
                        field.name() + " stands here a second time, with other capitals",
                        "capitals make no difference in keys, so readers disagree about which"
                                + " counts",
                        "delete one of them");
            } else if (!field.name().equals(entry.key())) {
                findings.add(
                        Code.K3,
                        there,
                        "usually spelled " + field.name(),
                        "capitals make no difference in keys",
                        "no action needed");
            }
            check(field.schema(), entry.value(), there);
        }
    }

    /** The key is shown only where it resembles a known one: any other may be a stray password. */
    private void unknown(List<String> known, YamlNode.Entry entry, Place place) {
        Optional<String> nearest = findings.nearest(entry.key(), known);
        findings.add(
                Code.K1,
                new Place(place.path(), entry.line(), entry.column()),
                nearest.isPresent()
                        ? "key " + findings.quoted(entry.key()) + " is not known"
                        : "this key is not known",
                "it has no effect here, and the installer refuses it",
                nearest.map(name -> "did you mean " + name + "?")
                        .orElse(
                                known.isEmpty()
                                        ? "remove it: nothing belongs here"
                                        : "remove it, or see: tandem install-config schema"));
    }
}
