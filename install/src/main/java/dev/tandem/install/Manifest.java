package dev.tandem.install;

import java.util.Map;

/**
 * One file to be written.
 *
 * @param path relative, with slashes
 * @param secret readable by its owner only
 */
public record Manifest(String path, String content, boolean secret) {

    static Manifest of(String path, Map<String, ?> object) {
        return new Manifest(path, YamlWriter.write(object), false);
    }

    static Manifest secret(String path, Map<String, ?> object) {
        return new Manifest(path, YamlWriter.write(object), true);
    }

    @Override
    public String toString() {
        return path;
    }
}
