package dev.tandem.host.credential;

import dev.tandem.host.IoErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Whether nobody but root can change a file or put another in its place: not the file, nor any
 * directory on the way to it. A user who could would be root at the next run.
 *
 * @param trusted the user id of root; another in tests
 */
record OnlyRootWrites(int trusted) {
    private static final int GROUP_OR_OTHERS_WRITE = 0022;

    /** In such a directory, others can neither rename nor delete what is not theirs. */
    private static final int STICKY = 01000;

    static final OnlyRootWrites ROOT = new OnlyRootWrites(0);

    /** Why it is not to be run; empty if it may be. */
    Optional<String> fault(Path program) {
        try {
            Path real = program.toRealPath();
            if (!Files.isRegularFile(real) || !Files.isExecutable(real)) {
                return Optional.of(program + " is not a program");
            }
            // The links on the way may be somebody's, and so may the place they lead to.
            Optional<String> way = faultOnTheWay(program.toAbsolutePath().normalize());
            return way.isPresent() ? way : faultOnTheWay(real);
        } catch (IOException e) {
            return Optional.of(IoErrors.words(e));
        }
    }

    private Optional<String> faultOnTheWay(Path file) throws IOException {
        for (Path at = file; at != null; at = at.getParent()) {
            int owner = (Integer) Files.getAttribute(at, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            if (owner != 0 && owner != trusted) {
                return Optional.of(at + " does not belong to root");
            }
            int mode = (Integer) Files.getAttribute(at, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            boolean othersWrite = (mode & GROUP_OR_OTHERS_WRITE) != 0;
            boolean sticky = Files.isDirectory(at) && (mode & STICKY) != 0;
            if (othersWrite && !sticky && !Files.isSymbolicLink(at)) {
                return Optional.of("users other than root can write to " + at);
            }
        }
        return Optional.empty();
    }
}
