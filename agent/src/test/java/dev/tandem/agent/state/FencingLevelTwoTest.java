package dev.tandem.agent.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.decision.LevelTwoRecord;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.plan.FurtherLevel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read of a fence of the second level. What follows from it is the core's to test. */
class FencingLevelTwoTest {
    @TempDir private Path run;

    private static final UUID SOUTH = new UUID(1, 2);

    private final List<String> told = new ArrayList<>();
    private final FakeBmc bmc = new FakeBmc();

    /** It tells UUIDs, and is the one of south. */
    private static final class FakeBmc implements FencingLevelTwo.PeersBmc {
        private Optional<BmcAddress> address =
                Optional.of(BmcAddress.of("redfish+https://198.51.100.2/redfish/v1/Systems/1"));
        private FencingLevelTwo.Asked answer =
                new FencingLevelTwo.Asked(Proofs.Machine.THE_PEER, PowerReading.ON);
        private Runnable meanwhile = () -> {};
        private int asked;

        @Override
        public Optional<BmcAddress> address() {
            return address;
        }

        @Override
        public Optional<FencingLevelTwo.Asked> ask() {
            asked++;
            meanwhile.run();
            return Optional.of(answer);
        }

        @Override
        public Proofs.Machine machineOf(HardwareIdentity told) {
            return told.uuid()
                    .map(uuid ->
                            uuid.equals(SOUTH) ? Proofs.Machine.THE_PEER : Proofs.Machine.ANOTHER)
                    .orElse(Proofs.Machine.NOT_TOLD);
        }
    }

    /** "-" is a file that is not there, "directory" one that cannot be read. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    ordered   | heard     | false Off | counts
                    20        | 10        | -         | true
                    20        | 10        | 15        | true
                    # of one moment nobody knows what came first
                    20        | 20        | -         | false
                    20        | 10        | 20        | false
                    20        | 30        | -         | false
                    20        | 10        | 30        | false
                    # what is not known does not count
                    -         | 10        | -         | false
                    20        | -         | -         | false
                    soon      | 10        | -         | false
                    directory | 10        | -         | false
                    20        | once      | -         | false
                    20        | directory | -         | false
                    # nor that there was no false Off
                    20        | 10        | ''        | false
                    20        | 10        | often     | false
                    20        | 10        | directory | false
                    """)
    void counts(String ordered, String heard, String falseOff, boolean counts) throws IOException {
        Path moments = Files.createDirectories(run.resolve("moments"));
        write(
                run.resolve("south"),
                ordered.matches("[0-9]+")
                        ? "version=2;ordered=%s;off=%s;again=200".formatted(ordered, ordered)
                        : ordered);
        write(moments.resolve("peer-heard"), heard);
        write(moments.resolve("false-off-ended"), falseOff);

        FencingLevelTwo second = secondLevel(new BootTimestamps(moments, () -> 240));

        assertThat(second.read().filter(LevelTwoRecord::isOfLastHeardBoot).isPresent())
                .isEqualTo(counts);
    }

    private FencingLevelTwo secondLevel(BootTimestamps moments) {
        return new FencingLevelTwo(
                () -> "fence_redfish",
                run.resolve("south"),
                moments,
                moments,
                bmc,
                (_, why) -> told.add(why));
    }

    /** What the other BMC read says nothing of this one. */
    @Test
    void aFalseOffIsOneOfTheBmcThatFenced() throws IOException {
        Path its = Files.createDirectories(run.resolve("second"));
        Path moments = Files.createDirectories(run.resolve("moments"));
        write(moments.resolve("peer-heard"), "10");
        write(moments.resolve("false-off-ended"), "150");
        write(run.resolve("south"), "version=2;action=off;ordered=100;off=110;again=210");
        FencingLevelTwo second =
                new FencingLevelTwo(
                        () -> FencingLevelTwo.IPMI,
                        run.resolve("south"),
                        new BootTimestamps(moments, () -> 240),
                        new BootTimestamps(its, () -> 240),
                        bmc,
                        (_, why) -> told.add(why));

        assertThat(second.read().filter(LevelTwoRecord::isOfLastHeardBoot)).isPresent();
        write(its.resolve("false-off-ended"), "150");
        assertThat(second.read().filter(LevelTwoRecord::isOfLastHeardBoot)).isEmpty();
    }

    private FencingLevelTwo afterRecord(String record) throws IOException {
        Path moments = Files.createDirectories(run.resolve("moments"));
        write(moments.resolve("peer-heard"), "10");
        write(run.resolve("south"), record);
        return secondLevel(new BootTimestamps(moments, () -> 1000));
    }

    @ParameterizedTest
    @CsvSource({"off, true", "reboot, false", "'', false"})
    void theRecordSaysWhetherTheMachineWasToStayOff(String action, boolean staysOff)
            throws IOException {
        assertThat(
                        afterRecord(
                                        "version=2;action=%s;ordered=20;off=30;again=140"
                                                .formatted(action))
                                .read()
                                .map(LevelTwoRecord::staysOff))
                .contains(staysOff);
    }

    /** What the supervisor is told was read, in milliseconds between two readings of Off. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    record                                               | span
                    version=2;ordered=20;off=300;again=405               | 1050
                    version=3;readableBy=2;ordered=20;off=300;again=405;by=x | 1050
                    # it could not read the clock, or the clock went back
                    version=2;ordered=20;off=;again=405                  |
                    version=2;ordered=20;off=300;again=                  |
                    version=2;ordered=20                                 |
                    version=2;ordered=20;off=405;again=300               |
                    # a shim of an earlier release: one reading, and perhaps no order
                    20                                                   |
                    """)
    void theRecordSaysWhatWasRead(String record, @Nullable Long span) throws IOException {
        assertThat(afterRecord(record).read())
                .contains(
                        new LevelTwoRecord(
                                20,
                                Optional.ofNullable(span).map(Duration::ofMillis),
                                false,
                                LevelTwoRecord.Giver.UNKNOWN,
                                new LevelTwoRecord.SinceBoot.At(10),
                                new LevelTwoRecord.SinceBoot.Never()));
        assertThat(told).isEmpty();
    }

    /** By what came with the Off, or else by the address that is in use when it is found. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    record                                                  | giver     | machine
                    bmc=198.51.100.2:443/redfish/v1/Systems/1               | THE_PEERS | THE_PEER
                    # the address was corrected since, or a shim of an earlier release left it
                    bmc=198.51.100.3:443/redfish/v1/Systems/1               | UNKNOWN   | THE_PEER
                    bmc=198.51.100.2:443/redfish/v1/Systems/2               | UNKNOWN   | THE_PEER
                    bmc=198.51.100.2:                                       | UNKNOWN   | THE_PEER
                    by=x                                                    | UNKNOWN   | THE_PEER
                    # whoever is reached there by now
                    bmc=198.51.100.2:443/redfish/v1/Systems/1;uuid=another  | THE_PEERS | ANOTHER
                    bmc=198.51.100.3:443/redfish/v1/Systems/1;uuid=another  | UNKNOWN   | ANOTHER
                    bmc=198.51.100.3:443/redfish/v1/Systems/1;uuid=south    | THE_PEERS | THE_PEER
                    bmc=198.51.100.3:443/redfish/v1/Systems/1;uuid=x        | UNKNOWN   | THE_PEER
                    """)
    void theRecordSaysWhoseBmcGaveIt(
            String fields, LevelTwoRecord.Giver giver, Proofs.Machine machine) throws IOException {
        FencingLevelTwo second =
                afterRecord(
                        "version=2;action=reboot;ordered=20;off=30;again=140;"
                                + fields.replace("uuid=south", "uuid=" + SOUTH)
                                        .replace("uuid=another", "uuid=" + new UUID(3, 4)));

        assertThat(second.read().map(LevelTwoRecord::giver)).contains(giver);
        assertThat(second.ask())
                .get(InstanceOfAssertFactories.type(FencingLevelTwo.Asked.class))
                .extracting(FencingLevelTwo.Asked::machine)
                .isEqualTo(machine);
        assertThat(bmc.asked)
                .as("another machine's record is not about what the BMC reads")
                .isEqualTo(machine == Proofs.Machine.ANOTHER ? 0 : 1);
    }

    @ParameterizedTest
    @CsvSource({
        "redfish+https://[2001:db8::1]/redfish/v1/Systems/1,"
                + " [2001:db8::1]:443/redfish/v1/Systems/1",
        "redfish+https://bmc.test:8443/redfish/v1/Systems/a;b,"
                + " 'bmc.test:8443/redfish/v1/Systems/a,b'",
        "ipmi://[2001:db8::1], 2001:db8::1:623",
    })
    void anAddressIsSpelledAsTheShimSpellsIt(String address, String recorded) {
        assertThat(FencingLevelTwo.recordedAs(BmcAddress.of(address))).isEqualTo(recorded);
    }

    private static final FurtherLevel OUTLET =
            new FurtherLevel(
                    "fence_apc_snmp",
                    Map.of("ip", "192.0.2.9", "plug", "7"),
                    Optional.empty(),
                    true);

    private FencingLevelTwo further(Optional<FurtherLevel> level, Path moments) {
        return new FencingLevelTwo(
                () -> "fence_apc_snmp",
                run.resolve("south"),
                new BootTimestamps(moments, () -> 240),
                new BootTimestamps(run.resolve("further1"), () -> 240),
                new FencingLevelTwo.OfThePlan(() -> level),
                (_, why) -> told.add(why));
    }

    /** It has none, and what a BMC read falsely is not held against an outlet. */
    @Test
    void ofAFurtherLevelThePlanSpeaksAndNoBmc() throws IOException {
        Path moments = Files.createDirectories(run.resolve("moments"));
        write(moments.resolve("peer-heard"), "10");
        write(moments.resolve("false-off-ended"), "150");
        String fence = "version=2;action=off;ordered=100;off=110;again=210";
        write(
                run.resolve("south"),
                fence + ";stated=" + OUTLET.statement().orElseThrow() + ";uuid=" + new UUID(3, 4));

        assertThat(further(Optional.of(OUTLET), moments).ask())
                .contains(new FencingLevelTwo.Stated(true));
        assertThat(further(Optional.empty(), moments).ask()).isEmpty();
        assertThat(
                        further(Optional.of(OUTLET), moments)
                                .read()
                                .filter(LevelTwoRecord::isOfLastHeardBoot))
                .map(LevelTwoRecord::giver)
                .contains(LevelTwoRecord.Giver.UNKNOWN);
        FurtherLevel notStated =
                new FurtherLevel(OUTLET.agent(), OUTLET.parameters(), OUTLET.passwordFile(), false);
        assertThat(further(Optional.of(notStated), moments).ask())
                .as("the plan does not state it any more")
                .contains(new FencingLevelTwo.Stated(false));
        FurtherLevel corrected =
                new FurtherLevel(
                        OUTLET.agent(),
                        Map.of("ip", "192.0.2.9", "plug", "8"),
                        OUTLET.passwordFile(),
                        true);
        assertThat(further(Optional.of(corrected), moments).ask())
                .as("the plan states it of another outlet than the one that was switched")
                .contains(new FencingLevelTwo.Stated(false));

        write(run.resolve("south"), fence);
        assertThat(further(Optional.of(OUTLET), moments).ask())
                .as("the plan did not state it when the power was switched")
                .contains(new FencingLevelTwo.Stated(false));
    }

    private static final FencingLevelTwo.Asked OF_ANOTHER =
            new FencingLevelTwo.Asked(Proofs.Machine.ANOTHER, PowerReading.UNKNOWN);

    /** The address is corrected meanwhile, and the BMC that is asked then is the peer's. */
    @Test
    void aRecordOfAnotherMachineIsUsedUp() throws IOException {
        FencingLevelTwo second = afterRecord("version=2;action=reboot;ordered=20;off=30;again=140");
        LevelTwoRecord judged = second.read().orElseThrow();
        bmc.answer = OF_ANOTHER;

        assertThat(second.find(judged)).contains(new FencingLevelTwo.Found(judged, OF_ANOTHER));
        assertThat(second.read()).isEmpty();
    }

    /** What the BMC has answered was asked before that fence. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofAFenceSinceNothingWasAsked(boolean anothers) throws IOException {
        FencingLevelTwo second = afterRecord("version=2;action=reboot;ordered=20;off=30;again=140");
        LevelTwoRecord judged = second.read().orElseThrow();
        bmc.answer = anothers ? OF_ANOTHER : bmc.answer;
        bmc.meanwhile = () -> fenced("version=2;action=reboot;ordered=200;off=210;again=320");

        assertThat(second.find(judged)).isEmpty();
        assertThat(second.read().map(LevelTwoRecord::ordered)).as("is judged next").contains(200L);
    }

    private void fenced(String record) {
        try {
            write(run.resolve("south"), record);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** It was fenced rightly, and its BMC's address has been mistyped or has moved since. */
    @Test
    void aRecordThatNamesThePeerIsThePeersWhateverBmcIsInUse() throws IOException {
        FencingLevelTwo second =
                afterRecord("version=2;action=off;ordered=20;off=30;again=140;uuid=" + SOUTH);
        LevelTwoRecord judged = second.read().orElseThrow();
        bmc.answer = new FencingLevelTwo.Asked(Proofs.Machine.ANOTHER, PowerReading.ON);

        assertThat(second.find(judged).map(FencingLevelTwo.Found::answer))
                .as("and that another machine is on says nothing of it")
                .contains(new FencingLevelTwo.Asked(Proofs.Machine.THE_PEER, PowerReading.UNKNOWN));
        assertThat(second.read()).contains(judged);
    }

    /** Nor are they passed over in silence, or told at every look. */
    @ParameterizedTest
    @CsvSource({
        "version=3;ordered=20;off=300;again=405, version 3",
        "version=x;ordered=20;off=300;again=405, no number",
        "version=2;off=300;again=405, when the fence was ordered",
        "ordered=20;off=300;again=405, when the fence was ordered",
        "soon, when the fence was ordered"
    })
    void aRecordThatIsNotUnderstoodDoesNotCount(String record, String why) throws IOException {
        FencingLevelTwo second = afterRecord(record);

        assertThat(second.read()).isEmpty();
        assertThat(second.read()).isEmpty();
        assertThat(told).singleElement().asString().contains(why);
    }

    /** It stayed in the membership, so that order did not switch it off. */
    @ParameterizedTest
    @CsvSource({
        "39,true",
        "29,false",
        "version=2;ordered=39;off=39;again=39,true",
        "version=2;ordered=29;off=39;again=39,false"
    })
    void aRecordOfAPeerThatNeverLeftIsDropped(String record, boolean kept) throws IOException {
        write(run.resolve("south"), record);
        secondLevel(new BootTimestamps(run, () -> 40)).peerIsThere(Duration.ofMillis(100));

        assertThat(Files.exists(run.resolve("south"))).isEqualTo(kept);
    }

    private static void write(Path file, String text) throws IOException {
        switch (text) {
            case "-" -> {
                // There is none.
            }
            case "directory" -> Files.createDirectory(file);
            default -> Files.writeString(file, text + "\n");
        }
    }

    @Test
    void theMethodIsTheStockAgentOfTheProtocol() {
        assertThat(FencingLevelTwo.method(BmcAddress.of("ipmi://198.51.100.2")))
                .isEqualTo("fence_ipmilan");
        assertThat(
                        FencingLevelTwo.method(
                                BmcAddress.of("redfish+https://198.51.100.2/redfish/v1/Systems/1")))
                .isEqualTo("fence_redfish");
    }
}
