package dev.tandem.host.bmc.ipmi;

import static dev.tandem.host.bmc.ipmi.IpmiRequest.CHASSIS_STATUS;
import static dev.tandem.host.bmc.ipmi.IpmiRequest.FRU;
import static dev.tandem.host.bmc.ipmi.IpmiRequest.GUID;
import static dev.tandem.host.bmc.ipmi.IpmiRequest.POWER_DOWN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.IpmiCipherSuite;
import dev.tandem.host.Commands;
import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.PowerState;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What ipmitool 1.8.19 printed of ipmi_sim 2.0.33, and what it could print. */
class IpmiAnswersTest {
    private static final IpmiEndpoint ENDPOINT =
            new IpmiEndpoint("192.0.2.10", 623, IpmiCipherSuite.SHA256);
    private static final Duration LIMIT = Duration.ofSeconds(6);
    private static final Duration TOOK = Duration.ofMillis(80);

    /** Before any request, on standard error. */
    private static final String PREAMBLE =
            """
            Loading IANA PEN Registry...
            Get HPM.x Capabilities request failed, compcode = d4
            Running Get VSO Capabilities my_addr 0x20, transit 0, target 0x20
            Invalid completion code received: Insufficient privilege level
            Discovered IPMB address 0x0
            """;

    private static final String NO_SESSION = "Error: Unable to establish IPMI v2 / RMCP+ session\n";

    private static BmcAnswer<IpmiAnswers> parse(
            List<IpmiRequest> requests, int exitCode, String out, String err) {
        return IpmiAnswers.parse(
                requests, new Commands.Output(exitCode, out, err), ENDPOINT, LIMIT, TOOK);
    }

    private static BmcFault fault(BmcAnswer<?> answer) {
        return answer instanceof BmcAnswer.Unknown<?>(BmcFault fault)
                ? fault
                : new BmcFault.Unintelligible("it answered: " + answer);
    }

    private static String hex(BmcAnswer<byte[]> answer) {
        return answer.known().map(HexFormat.of()::formatHex).orElse("nothing");
    }

    @Test
    void eachRequestHasItsAnswer() {
        IpmiAnswers answers =
                parse(
                                List.of(GUID, CHASSIS_STATUS, FRU),
                                0,
                                """
                                 a1 23 45 67 89 ab cd ef a1 23 45 67 89 ab cd ef
                                 01 00 00
                                 Chassis Type          : Rack Mount Chassis
                                 Chassis Part Number   : CPN
                                 Chassis Serial        : C-55
                                 Board Mfg Date        : Unspecified
                                 Board Mfg             : Example
                                 Board Product         : Board
                                 Board Serial          : B-77
                                 Board Part Number     : BPN
                                 Product Manufacturer  : Example
                                 Product Name          : R-100
                                 Product Part Number   : PN-1
                                 Product Version       : 1
                                 Product Serial        : S-0417
                                """,
                                PREAMBLE
                                        + """
                                        RAW REQ (channel=0x0 netfn=0x6 lun=0x0 cmd=0x37 data_len=0)
                                        RAW RSP (16 bytes)
                                        RAW REQ (channel=0x0 netfn=0x0 lun=0x0 cmd=0x1 data_len=0)
                                        RAW RSP (3 bytes)
                                        """)
                        .known()
                        .orElseThrow();

        assertThat(hex(answers.of(GUID))).isEqualTo("a123456789abcdefa123456789abcdef");
        assertThat(hex(answers.of(CHASSIS_STATUS))).isEqualTo("010000");
        assertThat(FruText.productSerial(answers.fru())).contains("S-0417");
    }

    /** The simulator without a GUID; the power is told all the same. */
    @Test
    void aRefusedRequestIsToldByItsCodeAndTheOthersStand() {
        IpmiAnswers answers =
                parse(
                                List.of(GUID, CHASSIS_STATUS, FRU),
                                1,
                                " 00 00 00\n Device not present (Invalid data field in request)\n",
                                PREAMBLE
                                        + """
                                        RAW REQ (channel=0x0 netfn=0x6 lun=0x0 cmd=0x37 data_len=0)
                                        Unable to send RAW command (channel=0x0 netfn=0x6 lun=0x0 cmd=0x37 rsp=0xc1): Invalid command
                                        RAW REQ (channel=0x0 netfn=0x0 lun=0x0 cmd=0x1 data_len=0)
                                        RAW RSP (3 bytes)
                                        """)
                        .known()
                        .orElseThrow();

        assertThat(fault(answers.of(GUID)))
                .isEqualTo(new BmcFault.Rejected(0xc1, "IPMI completion code 0xc1"));
        assertThat(answers.of(CHASSIS_STATUS).then(ChassisStatus::power).known())
                .contains(PowerState.OFF);
        assertThat(FruText.productSerial(answers.fru())).isEmpty();
    }

    @Test
    void anOrderIsAnsweredWithNothing() {
        assertThat(
                        parse(List.of(POWER_DOWN), 0, "\n", PREAMBLE)
                                .then(answers -> answers.of(POWER_DOWN))
                                .known()
                                .orElseThrow())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    rsp  | sentence
                    0xd4 | the BMC's account lacks privileges: insufficient privilege level
                    0xc0 | the BMC is busy for 1 s: it cannot answer just now
                    0xd5 | the BMC refused with status 213: IPMI completion code 0xd5
                    """)
    void anOrderThatIsRefusedIsNoAnswer(String rsp, String sentence) {
        BmcAnswer<byte[]> answer =
                parse(
                                List.of(POWER_DOWN),
                                1,
                                "",
                                "Unable to send RAW command (channel=0x0 netfn=0x0 lun=0x0 cmd=0x2"
                                        + " rsp=%s): Words\n".formatted(rsp))
                        .then(answers -> answers.of(POWER_DOWN));

        assertThat(fault(answer).sentence()).isEqualTo(sentence);
    }

    /** The BMC lost power, or was restarted, in the middle of a session. */
    @Test
    void aSessionThatBreaksOffIsNoAnswer() {
        BmcAnswer<byte[]> answer =
                parse(
                                List.of(GUID, CHASSIS_STATUS),
                                1,
                                " a1 23 45 67 89 ab cd ef a1 23 45 67 89 ab cd ef\n",
                                "Unable to send RAW command (channel=0x0 netfn=0x0 lun=0x0"
                                        + " cmd=0x1)\n")
                        .then(answers -> answers.of(CHASSIS_STATUS));

        assertThat(fault(answer)).isInstanceOf(BmcFault.Unreachable.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    line                                                                      | sentence
                    > RAKP 2 HMAC is invalid                                                  | the BMC does not accept the credentials: wrong password
                    RAKP 2 message indicates an error : unauthorized name                     | the BMC does not accept the credentials: no such user
                    RAKP 4 message indicates an error : invalid integrity check value         | the BMC does not accept the credentials: wrong password
                    RAKP 2 message indicates an error : unauthorized role requested           | the BMC's account lacks privileges: the account may not have the level OPERATOR
                    Set Session Privilege Level to OPERATOR failed                            | the BMC's account lacks privileges: the account may not have the level OPERATOR
                    Error in open session response message : insufficient resources for session | the BMC is busy for 1 s: all its IPMI sessions are in use
                    Error in open session response message : invalid authentication algorithm | the BMC refused with status 4: it does not accept cipher suite 17
                    Error in open session response message : something new                    | the BMC's answer makes no sense: no session: something new
                    Address lookup for bmc.example failed                                     | the BMC cannot be reached: the name 192.0.2.10 cannot be resolved
                    Get Auth Capabilities error                                               | the BMC cannot be reached: no IPMI session with port 623 of 192.0.2.10
                    """)
    void whyThereIsNoSession(String line, String sentence) {
        assertThat(
                        fault(
                                        parse(
                                                List.of(CHASSIS_STATUS),
                                                1,
                                                "",
                                                "Loading IANA PEN Registry...\n"
                                                        + line
                                                        + "\n\n"
                                                        + NO_SESSION))
                                .sentence())
                .isEqualTo(sentence);
    }

    @Test
    void aProgramThatIsMissingOrDoesNotEndIsNoAnswer() {
        assertThat(
                        fault(
                                        parse(
                                                List.of(CHASSIS_STATUS),
                                                Commands.Output.NOT_STARTED,
                                                "",
                                                "error=2"))
                                .sentence())
                .isEqualTo(
                        "the BMC cannot be reached: ipmitool cannot be run; install the package"
                                + " ipmitool");
        assertThat(
                        fault(
                                        parse(
                                                List.of(CHASSIS_STATUS),
                                                Commands.Output.TIMED_OUT,
                                                " 00 00 00\n",
                                                ""))
                                .sentence())
                .isEqualTo("the BMC cannot be reached: no answer within 6.0 s");
    }

    /** Nothing that could pass for an answer, and is none. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    ""
                    "Chassis Power is off"
                    " 00 00 0"
                    " 00 00 00\n 00 00 00"
                    " 00 00 00\nPassword: "
                    "00 00 00"
                    " 00 00 zz"
                    """)
    void whatIsNotTheBytesOfOneAnswerIsNotBelieved(String out) {
        BmcAnswer<PowerState> power =
                parse(List.of(CHASSIS_STATUS), 0, out.replace("\\n", "\n"), PREAMBLE)
                        .then(answers -> answers.of(CHASSIS_STATUS))
                        .then(ChassisStatus::power);

        assertThat(fault(power)).isInstanceOf(BmcFault.Unintelligible.class);
        assertThat(power.known()).isEmpty();
    }

    @Test
    void aRefusalOfSomethingElseIsNotBelieved() {
        assertThat(
                        fault(
                                parse(
                                        List.of(CHASSIS_STATUS),
                                        1,
                                        "",
                                        "Unable to send RAW command (channel=0x0 netfn=0x6 lun=0x0"
                                                + " cmd=0x3d rsp=0xd4): Words\n")))
                .isInstanceOf(BmcFault.Unintelligible.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    bytes      | power
                    010000     | ON
                    21104054   | ON
                    000000     | OFF
                    20104054   | OFF
                    # a fault of the power supply, seen by a machine that is off
                    080000     | OFF
                    # the machine did not follow the BMC's last order
                    100000     | nothing
                    110000     | ON
                    0000       | nothing
                    0000000000 | nothing
                    """)
    void offIsBelievedOfABmcThatDoesNotContradictItself(String bytes, String power) {
        assertThat(
                        ChassisStatus.power(HexFormat.of().parseHex(bytes))
                                .known()
                                .map(Enum::name)
                                .orElse("nothing"))
                .isEqualTo(power);
    }

    @Test
    void aGuidStandsInTheOrderOfSmbios() {
        assertThat(SystemGuid.parse(HexFormat.of().parseHex("512a0c3f4e8d7f4b9a601c5e7d20b9f4")))
                .contains(UUID.fromString("3f0c2a51-8d4e-4b7f-9a60-1c5e7d20b9f4"));
        assertThat(SystemGuid.parse(new byte[15])).isEqualTo(Optional.empty());
    }

    @Test
    void ofSeveralSerialNumbersNoneIsTaken() {
        String line = " Product Serial        : S-0417";

        assertThat(FruText.productSerial(List.of(" Board Serial          : B-77", line)))
                .contains("S-0417");
        assertThat(FruText.productSerial(List.of(line, line + "x"))).isEmpty();
        assertThat(FruText.productSerial(List.of(line + "\u0007"))).isEmpty();
        assertThat(FruText.productSerial(List.of(" Product Serial        : "))).isEmpty();
    }
}
