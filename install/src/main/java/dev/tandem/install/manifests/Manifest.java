package dev.tandem.install.manifests;

import dev.tandem.install.yaml.YamlWriter;
import java.util.Map;

/**
 * One file to be written.
 *
 * @param path relative, with slashes
 * @param secret readable by its owner only
 */
public record Manifest(String path, String content, boolean secret) {

    public static Manifest of(String path, Map<String, ?> object) {
        return new Manifest(path, YamlWriter.write(object), false);
    }

    public static Manifest secret(String path, Map<String, ?> object) {
        return new Manifest(path, YamlWriter.write(object), true);
    }

    @Override
    public String toString() {
        return path;
    }
}
