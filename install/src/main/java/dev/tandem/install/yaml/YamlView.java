package dev.tandem.install.yaml;

import dev.tandem.host.yaml.YamlNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Looks into a file without ever failing: what is absent or of the wrong type reads as absent. The
 * schema check has reported the wrong types by then.
 */
public final class YamlView {
    private final Optional<YamlNode> located;
    private final Place place;

    private YamlView(Optional<YamlNode> located, Place place) {
        this.located = located;
        this.place = place;
    }

    public static YamlView of(YamlNode.Mapping root, Place file) {
        return new YamlView(Optional.of(root), file.at(root));
    }

    /** The value of a key; its place is the key's, which is where a reader looks. */
    public YamlView at(String key) {
        Place child = place.child(key);
        if (located.orElse(null) instanceof YamlNode.Mapping mapping) {
            Optional<YamlNode.Entry> entry = mapping.find(key);
            if (entry.isPresent()) {
                Place there = new Place(child.path(), entry.get().line(), entry.get().column());
                return new YamlView(Optional.of(entry.get().value()), there);
            }
        }
        return new YamlView(Optional.empty(), child);
    }

    public List<YamlView> items() {
        List<YamlView> views = new ArrayList<>();
        if (located.orElse(null) instanceof YamlNode.Sequence sequence) {
            for (YamlNode item : sequence.items()) {
                views.add(new YamlView(Optional.of(item), place.item(views.size()).at(item)));
            }
        }
        return views;
    }

    public List<YamlView> entries() {
        List<YamlView> views = new ArrayList<>();
        if (located.orElse(null) instanceof YamlNode.Mapping mapping) {
            mapping.entries().forEach(entry -> views.add(at(entry.key())));
        }
        return views;
    }

    public List<String> keys() {
        return located.orElse(null) instanceof YamlNode.Mapping mapping
                ? mapping.entries().stream().map(YamlNode.Entry::key).toList()
                : List.of();
    }

    public Place place() {
        return place;
    }

    /** Whether the key is there, with or without a value. */
    public boolean present() {
        return located.isPresent();
    }

    /** Whether there is a value. */
    public boolean given() {
        return located.isPresent()
                && !(located.get() instanceof YamlNode.Scalar scalar && scalar.isNothing());
    }

    public Optional<YamlNode> located() {
        return located;
    }

    public Value<String> text() {
        return text("");
    }

    public Value<String> text(String absent) {
        return given() && located.orElse(null) instanceof YamlNode.Scalar scalar
                ? new Value<>(scalar.text(), place, true)
                : new Value<>(absent, place, false);
    }

    public Value<Secret> secret() {
        Value<String> text = text();
        return new Value<>(new Secret(text.value()), place, text.given());
    }

    public List<Value<String>> texts() {
        return items().stream().map(YamlView::text).filter(Value::given).toList();
    }

    public Value<Integer> whole(int absent) {
        if (located.orElse(null) instanceof YamlNode.Scalar scalar && scalar.isWhole()) {
            long number = Long.parseLong(scalar.text());
            if (number == (int) number) {
                return new Value<>((int) number, place, true);
            }
        }
        return new Value<>(absent, place, false);
    }

    public Value<Boolean> flag() {
        return located.orElse(null) instanceof YamlNode.Scalar scalar && scalar.isFlag()
                ? new Value<>(Boolean.parseBoolean(scalar.text()), place, true)
                : new Value<>(false, place, false);
    }
}
