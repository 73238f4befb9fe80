package dev.tandem.agent.state;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.FormatVersion;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.UnexpectedErrors;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How long the peer's machine took to switch off in its last fences, for the prediction of the next
 * one. The longest of the last few counts. Not the last one: many BMCs accept an order for a
 * machine that is off already, which takes no time at all. Not the longest ever: hardware and its
 * firmware change. What was measured through another BMC than the plan's may be of another machine,
 * and says nothing.
 *
 * <p>A {@link VersionedLine}. Without it the plan's figure stands. Any thread may ask and tell.
 */
public final class SwitchOffTime {
    /** The first version kept one time, of whichever BMC. */
    private static final int VERSION = 2;

    private static final FormatVersion FORM = FormatVersion.of(VERSION);
    private static final String BMC = "bmc";
    private static final String MILLIS = "millis";

    /** So many losses of power in a row are forgotten what a fence of a running machine took. */
    static final int LAST = 8;

    private final Path file;
    private final Supplier<BmcAddress> bmc;
    private volatile Kept kept;

    private record Kept(String bmc, List<Duration> times) {
        static final Kept NOTHING = new Kept("", List.of());

        Kept {
            times = List.copyOf(times);
        }

        /** The same with one more, of which the first is forgotten where there are too many. */
        Kept with(String through, Duration time) {
            List<Duration> all = new ArrayList<>(bmc.equals(through) ? times : List.of());
            all.add(time);
            return new Kept(through, all.subList(Math.max(0, all.size() - LAST), all.size()));
        }
    }

    /**
     * @param bmc of the peer, as the plan in use has it
     */
    public SwitchOffTime(Path file, Supplier<BmcAddress> bmc) {
        this.file = file;
        this.bmc = bmc;
        this.kept = read(file);
    }

    private static Kept read(Path file) {
        if (!Files.exists(file)) {
            return Kept.NOTHING;
        }
        try {
            VersionedLine line = VersionedLine.parse(Files.readString(file));
            String millis = line.word(MILLIS).orElse("");
            return line.refusal(VERSION).isPresent()
                            || line.word(BMC).isEmpty()
                            || !millis.matches("[0-9]{1,7}(,[0-9]{1,7}){0,%d}".formatted(LAST - 1))
                    ? Kept.NOTHING
                    : new Kept(
                            line.word(BMC).orElseThrow(),
                            Stream.of(millis.split(",", -1))
                                    .map(time -> Duration.ofMillis(Long.parseLong(time)))
                                    .toList());
        } catch (IOException e) {
            // An estimate is not worth an agent that does not start.
            UnexpectedErrors.log("reading " + file, e);
            return Kept.NOTHING;
        }
    }

    /** The name of the BMC in the file, where a semicolon would end it. */
    private String through() {
        return URLEncoder.encode(bmc.get().toString(), StandardCharsets.UTF_8);
    }

    /** Of the last fences by the BMC of the plan; empty where there was none. */
    public Optional<Duration> longest() {
        Kept now = kept;
        return now.bmc().equals(through())
                ? now.times().stream().max(Comparator.naturalOrder())
                : Optional.empty();
    }

    /** Takes a time from the order until the machine was read off. */
    public synchronized void took(Duration time) {
        kept = kept.with(through(), time);
        String millis =
                kept.times().stream()
                        .map(one -> String.valueOf(one.toMillis()))
                        .collect(Collectors.joining(","));
        try {
            DurableFiles.createDirectories(DurableFiles.parent(file));
            DurableFiles.write(
                    file,
                    "%s%s=%s;%s=%s%n"
                            .formatted(VersionedLine.begin(FORM), BMC, kept.bmc(), MILLIS, millis));
        } catch (IOException e) {
            UnexpectedErrors.log("keeping how long the peer took to switch off", e);
        }
    }
}
