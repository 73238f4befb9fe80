package dev.tandem.install.manifests;

/**
 * One file to be written.
 *
 * @param path relative, with slashes
 * @param secret readable by its owner only
 */
public record Manifest(String path, String content, boolean secret) {

    /** A file that anybody may read. */
    static Manifest of(String path, Object object) {
        return new Manifest(path, ManifestYaml.write(object), false);
    }

    static Manifest secret(String path, Object object) {
        return new Manifest(path, ManifestYaml.write(object), true);
    }

    @Override
    public String toString() {
        return path;
    }
}
