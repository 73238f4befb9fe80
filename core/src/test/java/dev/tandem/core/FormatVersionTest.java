package dev.tandem.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FormatVersionTest {
    /** Every pair of figures, and every reader: only what was said counts. */
    @Test
    void aFormIsReadableByTheOldestReaderItNamesAndByEveryLaterOne() {
        for (int version = 1; version <= 4; version++) {
            for (int readableBy = -1; readableBy <= 5; readableBy++) {
                FormatVersion form = new FormatVersion(version, readableBy);
                int oldest = readableBy >= 1 && readableBy <= version ? readableBy : version;
                for (int reader = 1; reader <= 5; reader++) {
                    assertThat(form.isReadableBy(reader))
                            .as("%s by %d", form, reader)
                            .isEqualTo(reader >= oldest);
                }
                assertThat(form.isReadableByEarlier()).isEqualTo(oldest < version);
            }
        }
    }

    @Test
    void itIsToldInWords() {
        assertThat(FormatVersion.of(2)).hasToString("version 2");
        assertThat(new FormatVersion(3, 2)).hasToString("version 3, readable from version 2 on");
    }
}
