package dev.tandem.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.BmcAddress.Reading;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BmcAddressTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    text                                                | canonical
                    redfish+https://h/redfish/v1/Systems/1              | redfish+https://h:443/redfish/v1/Systems/1
                    https://h:8000/redfish/v1/Systems/1                 | redfish+https://h:8000/redfish/v1/Systems/1
                    http://h/redfish/v1/Systems/1                       | redfish+http://h:80/redfish/v1/Systems/1
                    redfish://h/redfish/v1/Systems/1                    | redfish+https://h:443/redfish/v1/Systems/1
                    redfish+http://h/redfish/v1/Systems/1               | redfish+http://h:80/redfish/v1/Systems/1
                    idrac-redfish://h/redfish/v1/Systems/Embedded.1     | redfish+https://h:443/redfish/v1/Systems/Embedded.1
                    ilo5-redfish+https://h/redfish/v1/Systems/1         | redfish+https://h:443/redfish/v1/Systems/1
                    redfish-virtualmedia+https://h/redfish/v1/Systems/1 | redfish+https://h:443/redfish/v1/Systems/1
                    idrac-virtualmedia://h:443/redfish/v1/Systems/1     | redfish+https://h:443/redfish/v1/Systems/1
                    # one endpoint, many spellings
                    REDFISH+HTTPS://H.Example./redfish/v1/Systems/1     | redfish+https://h.example:443/redfish/v1/Systems/1
                    https://h:00443/redfish/v1/Systems/1/               | redfish+https://h:443/redfish/v1/Systems/1
                    https://h/redfish/v1/Systems/%31%2dA                | redfish+https://h:443/redfish/v1/Systems/1-A
                    https://h/redfish/v1/Systems/a%2fb                  | redfish+https://h:443/redfish/v1/Systems/a%2Fb
                    https://[2001:DB8:0::1]/redfish/v1/Systems/1        | redfish+https://[2001:db8::1]:443/redfish/v1/Systems/1
                    https://[::ffff:192.0.2.1]:8/redfish/v1/Systems/1   | redfish+https://192.0.2.1:8/redfish/v1/Systems/1
                    ipmi://H.Example.                                   | ipmi://h.example:623
                    IPMI://192.0.2.1:6230/                              | ipmi://192.0.2.1:6230
                    ipmi://[2001:DB8:0::1]                              | ipmi://[2001:db8::1]:623
                    ipmi://h?cipherSuite=17                             | ipmi://h:623
                    ipmi://h/?cipherSuite=3                             | ipmi://h:623?cipherSuite=3
                    """)
    void readsToOneCanonicalForm(String text, String canonical) {
        BmcAddress address = BmcAddress.of(text);

        assertThat(address).hasToString(canonical);
        assertThat(BmcAddress.of(canonical)).as("reading it again").isEqualTo(address);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    text                                           | fault
                    ''                                             | NOT_A_URL
                    plain words                                    | NOT_A_URL
                    192.0.2.1/redfish/v1/Systems/1                 | NOT_A_URL
                    https:///redfish/v1/Systems/1                  | NOT_A_URL
                    https://h:/redfish/v1/Systems/1                | NOT_A_URL
                    https://h:0/redfish/v1/Systems/1               | NOT_A_URL
                    https://h:70000/redfish/v1/Systems/1           | NOT_A_URL
                    https://h:999999999999/redfish/v1/Systems/1    | NOT_A_URL
                    https://2001:db8::1/redfish/v1/Systems/1       | NOT_A_URL
                    https://[fe80::1%25eth0]/redfish/v1/Systems/1  | NOT_A_URL
                    https://[]/redfish/v1/Systems/1                | NOT_A_URL
                    https://192.0.2.256/redfish/v1/Systems/1       | NOT_A_URL
                    https://192.0.02.1/redfish/v1/Systems/1        | NOT_A_URL
                    https://-h/redfish/v1/Systems/1                | NOT_A_URL
                    ipmi://h:0                                     | NOT_A_URL
                    ipmi://2001:db8::1                             | NOT_A_URL
                    ipmi://h/redfish/v1/Systems/1                  | IPMI_WITH_PATH
                    ipmi://h/1                                     | IPMI_WITH_PATH
                    ipmi://h?cipherSuite=0                         | NO_SUCH_CIPHER_SUITE
                    ipmi://h?cipherSuite=3&x=1                     | NO_SUCH_CIPHER_SUITE
                    ipmi://h?cipher=3                              | NO_SUCH_CIPHER_SUITE
                    ipmi://h#3                                     | NO_SUCH_CIPHER_SUITE
                    https://h/rest/v1/Systems/1                    | UNKNOWN_SCHEME
                    https://redfish.example/                       | UNKNOWN_SCHEME
                    redfish+ssh://h/redfish/v1/Systems/1           | UNKNOWN_SCHEME
                    ipmi+https://h/redfish/v1/Systems/1            | UNKNOWN_SCHEME
                    idrac-virtualmedia://h/redfish/v1/Systems/1    | NO_PORT
                    https://root:pw@h/redfish/v1/Systems/1         | CARRIES_CREDENTIALS
                    ipmi://root:pw@h                               | CARRIES_CREDENTIALS
                    redfish://h                                    | NO_SYSTEM
                    redfish://h/                                   | NO_SYSTEM
                    https://h/redfish/v1                           | NO_SYSTEM
                    https://h/redfish/v1/Systems                   | NO_SYSTEM
                    https://h/redfish/v1/Systems/..                | NO_SYSTEM
                    https://h/redfish/v1/Systems/1/Actions         | NO_SYSTEM
                    https://h//redfish/v1/Systems/1                | UNKNOWN_SCHEME
                    https://h/redfish/v1/Systems/1?x=1             | EXTRA_PARTS
                    https://h/redfish/v1/Systems/1#x               | EXTRA_PARTS
                    """)
    void refusesWhatWouldFailLater(String text, BmcAddress.Fault fault) {
        assertThat(BmcAddress.read(text)).isEqualTo(new Reading.Bad(fault));
    }

    @ParameterizedTest
    @CsvSource({
        "ipmi://h",
        "ipmi://h:6230",
        "ipmi://h/redfish/v1/Systems/1",
        "ipmi://h?x=1",
        "ftp://h",
    })
    void whereOnlyRedfishIsOfUseNothingElseIsRead(String text) {
        assertThat(BmcAddress.readRedfish(text))
                .isEqualTo(new Reading.Bad(BmcAddress.Fault.NOT_REDFISH));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    one                                 | other                               | same
                    https://h/redfish/v1/Systems/1      | idrac-redfish://H/redfish/v1/Systems/1 | true
                    https://h/redfish/v1/Systems/1      | http://h/redfish/v1/Systems/1       | true
                    https://h/redfish/v1/Systems/1      | https://h/redfish/v1/Systems/2      | false
                    https://h:8000/redfish/v1/Systems/1 | https://h:8001/redfish/v1/Systems/1 | false
                    https://h:443/redfish/v1/Systems/1  | https://h:8443/redfish/v1/Systems/1 | false
                    https://h/redfish/v1/Systems/1      | https://i/redfish/v1/Systems/1      | false
                    ipmi://h                            | ipmi://H:623                        | true
                    ipmi://h                            | ipmi://h?cipherSuite=3              | true
                    ipmi://h                            | ipmi://h:6230                       | false
                    ipmi://h                            | ipmi://i                            | false
                    """)
    void knowsOneSystemByTwoSpellings(String one, String other, boolean same) {
        assertThat(BmcAddress.of(one).sameSystemAs(BmcAddress.of(other))).isEqualTo(same);
        assertThat(BmcAddress.of(other).sameSystemAs(BmcAddress.of(one))).isEqualTo(same);
    }

    @Test
    void aRefusalNeverRepeatsTheText() {
        assertThatThrownBy(() -> BmcAddress.of("https://root:hunter2@h/redfish/v1/Systems/1"))
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure ->
                                assertThat(failure.what() + failure.why() + failure.remedy())
                                        .doesNotContain("hunter2"));
    }

    @Test
    void anyTextIsReadOrRefusedButNeverThrowsAndEveryGoodOneIsStable() {
        List<String> pieces =
                List.of(
                        "redfish",
                        "ipmi",
                        "?cipherSuite=3",
                        "+",
                        "https",
                        "http",
                        "://",
                        "[",
                        "]",
                        "::",
                        ":",
                        "443",
                        "/",
                        "v1",
                        "Systems",
                        "1",
                        "%",
                        "%2f",
                        "@",
                        "h",
                        ".",
                        "-",
                        "?",
                        "#",
                        "é",
                        "\u0000",
                        " ");
        Random random = new Random(4711);
        for (int i = 0; i < 50_000; i++) {
            StringBuilder text = new StringBuilder();
            int length = random.nextInt(14);
            for (int j = 0; j < length; j++) {
                text.append(pieces.get(random.nextInt(pieces.size())));
            }
            text.append(random.nextBoolean() ? "/redfish/v1/Systems/1" : "");
            if (BmcAddress.read(text.toString()) instanceof Reading.Good(BmcAddress address)) {
                assertThat(BmcAddress.of(address.toString())).as("%s", text).isEqualTo(address);
            }
        }
    }
}
