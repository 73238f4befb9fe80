package dev.tandem.host.credential;

/** What others say, before people are told: short, on one line, nothing that moves a cursor. */
final class SourceWords {
    private SourceWords() {}

    static String of(String said, int most) {
        String line =
                said.codePoints()
                        .filter(c -> !Character.isISOControl(c))
                        .limit(most)
                        .collect(
                                StringBuilder::new,
                                StringBuilder::appendCodePoint,
                                StringBuilder::append)
                        .toString();
        return line.strip();
    }
}
