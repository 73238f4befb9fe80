package dev.tandem.core.check;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The product and the model once more, with one place of the product's source changed. Everything
 * of {@code core} is loaded afresh, so that nothing of the sound product is left in between.
 */
final class MutantLoader extends ClassLoader {
    private static final Path SOURCES =
            Path.of(System.getProperty("model.sources", "src/main/java"));
    private static final String OURS = "dev.tandem.core.";

    private final Map<String, byte[]> changed;

    private MutantLoader(Map<String, byte[]> changed) {
        super(MutantLoader.class.getClassLoader());
        this.changed = changed;
    }

    /**
     * @param file the source below {@code src/main/java}
     * @param from what stands there exactly once; blanks and line ends do not count
     */
    static MutantLoader of(String file, String from, String to) throws IOException {
        return new MutantLoader(compile(file, changed(file, from, to)));
    }

    private static String changed(String file, String from, String to) throws IOException {
        String source = Files.readString(SOURCES.resolve(file));
        StringBuilder dense = new StringBuilder();
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < source.length(); i++) {
            if (!Character.isWhitespace(source.charAt(i))) {
                dense.append(source.charAt(i));
                places.add(i);
            }
        }
        String wanted = from.replaceAll("\\s+", "");
        int at = dense.indexOf(wanted);
        if (at < 0) {
            throw new IllegalStateException(file + " does not say: " + from);
        }
        if (dense.indexOf(wanted, at + 1) >= 0) {
            throw new IllegalStateException(file + " says more than once: " + from);
        }
        return source.substring(0, places.get(at))
                + to
                + source.substring(places.get(at + wanted.length() - 1) + 1);
    }

    private static Map<String, byte[]> compile(String file, String source) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Map<String, ByteArrayOutputStream> classes = new HashMap<>();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager standard = compiler.getStandardFileManager(null, null, null)) {
            ForwardingJavaFileManager<StandardJavaFileManager> files =
                    new ForwardingJavaFileManager<>(standard) {
                        @Override
                        public JavaFileObject getJavaFileForOutput(
                                Location location,
                                String name,
                                JavaFileObject.Kind kind,
                                FileObject sibling) {
                            return new SimpleJavaFileObject(
                                    URI.create("memory:///" + name + ".class"), kind) {
                                @Override
                                public OutputStream openOutputStream() {
                                    return classes.computeIfAbsent(
                                            name, _ -> new ByteArrayOutputStream());
                                }
                            };
                        }
                    };
            JavaFileObject mutant =
                    new SimpleJavaFileObject(
                            URI.create("memory:///" + file), JavaFileObject.Kind.SOURCE) {
                        @Override
                        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                            return source;
                        }
                    };
            boolean compiled =
                    compiler.getTask(
                                    messages,
                                    files,
                                    null,
                                    List.of(
                                            "-proc:none",
                                            "-implicit:none",
                                            "-classpath",
                                            System.getProperty("java.class.path")),
                                    null,
                                    List.of(mutant))
                            .call();
            if (!compiled) {
                throw new IllegalStateException("a mutant does not compile: " + messages);
            }
        }
        Map<String, byte[]> bytes = new HashMap<>();
        classes.forEach((name, out) -> bytes.put(name, out.toByteArray()));
        return bytes;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            if (!name.startsWith(OURS)) {
                return super.loadClass(name, resolve);
            }
            Class<?> known = findLoadedClass(name);
            return known != null ? known : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        byte[] bytes = changed.get(name);
        if (bytes == null) {
            try (InputStream in =
                    getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                bytes = in.readAllBytes();
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
        return defineClass(name, bytes, 0, bytes.length);
    }
}
