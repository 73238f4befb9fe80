package dev.tandem.install.yaml;

import dev.tandem.host.yaml.YamlNode;

/**
 * Where in a file something stands, or would stand if it were there.
 *
 * @param path such as {@code controlPlane.fencing.credentials[1].address}; empty for the whole file
 * @param line counted from 1; 0 when no line can be told
 * @param column counted from 1
 */
public record Place(String path, int line, int column) {
    /** The file as a whole. */
    public static final Place FILE = new Place("", 0, 0);

    public Place child(String key) {
        return new Place(path.isEmpty() ? key : path + "." + key, line, column);
    }

    public Place item(int index) {
        return new Place(path + "[" + index + "]", line, column);
    }

    public Place at(YamlNode located) {
        return new Place(path, located.line(), located.column());
    }
}
