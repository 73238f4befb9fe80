package dev.tandem.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;

/** Keeps why an answer could not be written: the writers before it swallow that. */
final class WatchedOutput extends FilterOutputStream {
    private Optional<IOException> failure = Optional.empty();

    WatchedOutput(OutputStream out) {
        super(out);
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            failure = failure.or(() -> Optional.of(e));
            throw e;
        }
    }

    /** Empty too if the reader has gone, as with head: it has what it wants. */
    Optional<IOException> lost() {
        return failure.filter(e -> !String.valueOf(e.getMessage()).contains("Broken pipe"));
    }
}
