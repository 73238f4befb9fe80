package dev.tandem.host.etcd.wal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A segment file, named after its number and the index of the first entry it was opened for. Other
 * files in the directory (the next segment being prepared as {@code 0.tmp}, leftovers of repairs)
 * are none of the log's.
 */
public record WalSegment(Path file, long sequence, long index) {
    private static final Pattern NAME = Pattern.compile("([0-9a-f]{16})-([0-9a-f]{16})\\.wal");

    /** All segments, oldest first; none if there is no such directory. */
    public static List<WalSegment> in(Path directory) throws IOException {
        List<WalSegment> segments = new ArrayList<>();
        try (var files = Files.newDirectoryStream(directory, "*.wal")) {
            for (Path file : files) {
                Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
                if (name.matches()) {
                    segments.add(
                            new WalSegment(
                                    file,
                                    Long.parseUnsignedLong(name.group(1), 16),
                                    Long.parseUnsignedLong(name.group(2), 16)));
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        }
        segments.sort(Comparator.comparingLong(WalSegment::sequence));
        return segments;
    }
}
