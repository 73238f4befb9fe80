package dev.tandem.lab.powercut;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardOpenOption;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The host's files through paths that tell of every change before it is made: programs that are
 * given such a path need not know. So a test can cut the power between any two changes, or leave
 * one sync out.
 */
final class WatchedFiles extends FileSystemProvider {
    private static final FileSystemProvider REAL = FileSystems.getDefault().provider();

    private final Watcher watcher;
    private final FileSystem files = new Watched();

    WatchedFiles(Watcher watcher) {
        this.watcher = watcher;
    }

    /** What a change is. */
    enum Change {
        CREATE,
        WRITE,
        TRUNCATE,
        RENAME,
        DELETE,
        /** Of a file or of a directory. */
        SYNC
    }

    /** Hears of a change, or fails it. */
    interface Watcher {
        /** Whether it is to be made; only a sync can be left out. */
        boolean before(Change change, Path file) throws IOException;
    }

    /** The same path, watched. */
    Path watched(Path real) {
        return (Path)
                Proxy.newProxyInstance(
                        WatchedFiles.class.getClassLoader(),
                        new Class<?>[] {Path.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("getFileSystem")) {
                                return files;
                            }
                            Object[] given = arguments == null ? new Object[0] : arguments.clone();
                            Arrays.setAll(given, i -> unwrapped(given[i]));
                            try {
                                return wrapped(method.invoke(real, given));
                            } catch (InvocationTargetException e) {
                                throw Objects.requireNonNull(e.getCause());
                            }
                        });
    }

    private @Nullable Object wrapped(@Nullable Object value) {
        return switch (value) {
            case Path path -> watched(path);
            case Iterator<?> paths ->
                    new Iterator<Object>() {
                        @Override
                        public boolean hasNext() {
                            return paths.hasNext();
                        }

                        @Override
                        public Object next() {
                            return Objects.requireNonNull(wrapped(paths.next()));
                        }
                    };
            case null, default -> value;
        };
    }

    private static @Nullable Object unwrapped(@Nullable Object value) {
        return value instanceof Path path ? real(path) : value;
    }

    private static Path real(Path path) {
        return Proxy.isProxyClass(path.getClass()) ? Path.of(path.toString()) : path;
    }

    private boolean before(Change change, Path file) throws IOException {
        return watcher.before(change, real(file));
    }

    @Override
    public FileChannel newFileChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        Path file = real(path);
        boolean creates =
                options.contains(StandardOpenOption.CREATE_NEW)
                        || (options.contains(StandardOpenOption.CREATE) && Files.notExists(file));
        if (creates) {
            before(Change.CREATE, file);
        }
        return new WatchedChannel(
                FileChannel.open(file, options, attributes), change -> before(change, file));
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        return newFileChannel(path, options, attributes);
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(
            Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
        DirectoryStream<Path> real = REAL.newDirectoryStream(real(directory), _ -> true);
        return new DirectoryStream<>() {
            @Override
            @SuppressWarnings("unchecked")
            public Iterator<Path> iterator() {
                return (Iterator<Path>) Objects.requireNonNull(wrapped(real.iterator()));
            }

            @Override
            public void close() throws IOException {
                real.close();
            }
        };
    }

    @Override
    public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
        before(Change.CREATE, directory);
        REAL.createDirectory(real(directory), attributes);
    }

    @Override
    public void delete(Path path) throws IOException {
        before(Change.DELETE, path);
        REAL.delete(real(path));
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        before(Change.RENAME, target);
        REAL.move(real(source), real(target), options);
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) {
        throw new UnsupportedOperationException("copy");
    }

    @Override
    public boolean isSameFile(Path one, Path other) throws IOException {
        return REAL.isSameFile(real(one), real(other));
    }

    @Override
    public boolean isHidden(Path path) throws IOException {
        return REAL.isHidden(real(path));
    }

    @Override
    public FileStore getFileStore(Path path) throws IOException {
        return REAL.getFileStore(real(path));
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        REAL.checkAccess(real(path), modes);
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        return REAL.getFileAttributeView(real(path), type, options);
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(
            Path path, Class<A> type, LinkOption... options) throws IOException {
        return REAL.readAttributes(real(path), type, options);
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String names, LinkOption... options)
            throws IOException {
        return REAL.readAttributes(real(path), names, options);
    }

    @Override
    public void setAttribute(Path path, String name, Object value, LinkOption... options)
            throws IOException {
        REAL.setAttribute(real(path), name, value, options);
    }

    @Override
    public String getScheme() {
        return "watched";
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
        throw new UnsupportedOperationException("newFileSystem");
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        return files;
    }

    @Override
    public Path getPath(URI uri) {
        throw new UnsupportedOperationException("getPath");
    }

    private final class Watched extends FileSystem {
        private static final FileSystem HOST = FileSystems.getDefault();

        @Override
        public FileSystemProvider provider() {
            return WatchedFiles.this;
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException("close");
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public boolean isReadOnly() {
            return false;
        }

        @Override
        public String getSeparator() {
            return HOST.getSeparator();
        }

        @Override
        public Iterable<Path> getRootDirectories() {
            return HOST.getRootDirectories();
        }

        @Override
        public Iterable<FileStore> getFileStores() {
            return HOST.getFileStores();
        }

        @Override
        public Set<String> supportedFileAttributeViews() {
            return HOST.supportedFileAttributeViews();
        }

        @Override
        public Path getPath(String first, String... more) {
            return watched(HOST.getPath(first, more));
        }

        @Override
        public PathMatcher getPathMatcher(String pattern) {
            return HOST.getPathMatcher(pattern);
        }

        @Override
        public UserPrincipalLookupService getUserPrincipalLookupService() {
            return HOST.getUserPrincipalLookupService();
        }

        @Override
        public WatchService newWatchService() throws IOException {
            return HOST.newWatchService();
        }
    }
}
