package dev.tandem.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    192.0.2.1                 | 192.0.2.1
                    0.0.0.0                   | 0.0.0.0
                    ::                        | ::
                    ::1                       | ::1
                    1::                       | 1::
                    2001:DB8:0:0:0:0:0:1      | 2001:db8::1
                    2001:db8:0:1:0:0:0:1      | 2001:db8:0:1::1
                    2001:db8::1:0:0:1         | 2001:db8::1:0:0:1
                    2001:0:0:1:0:0:0:1        | 2001:0:0:1::1
                    1:2:3:4:5:6:7:8           | 1:2:3:4:5:6:7:8
                    1:0:3:4:5:6:7:8           | 1:0:3:4:5:6:7:8
                    0:0:3:4:5:6:7:8           | ::3:4:5:6:7:8
                    64:ff9b::192.0.2.33       | 64:ff9b::c000:221
                    ::ffff:192.0.2.1          | 192.0.2.1
                    """)
    void printsCanonically(String text, String canonical) {
        assertThat(IpAddress.parse(text)).hasToString("Optional[" + canonical + "]");
        assertThat(IpAddress.parse(canonical)).isEqualTo(IpAddress.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "1",
                "1.2.3",
                "1.2.3.4.5",
                "256.0.0.1",
                "01.2.3.4",
                "1.2.3.-4",
                "1.2.3.4 ",
                "1.2.3.٤",
                ":",
                ":::",
                "1:2",
                "1:2:3:4:5:6:7:8:9",
                "1::2::3",
                "::g",
                "12345::",
                "1:2:3:4:5:6:7::8",
                "fe80::1%eth0",
                "[::1]",
                "1.2.3.4::",
                "::1.2.3",
                ":1:2:3:4:5:6:7"
            })
    void refusesWhatIsNoAddress(String text) {
        assertThat(IpAddress.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "192.168.1.1, true",
        "10.0.0.1, true",
        "127.0.0.1, false",
        "169.254.1.1, false",
        "224.0.0.1, false",
        "255.255.255.255, false",
        "0.0.0.0, false",
        "2001:db8::1, true",
        "fd00::1, true",
        "::1, false",
        "::, false",
        "fe80::1, false",
        "ff02::1, false"
    })
    void knowsWhatAnotherMachineCanReach(String text, boolean reachable) {
        assertThat(IpAddress.parse(text).orElseThrow().isGlobalUnicast()).isEqualTo(reachable);
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.0/24, 192.0.2.255, true",
        "192.0.2.7/24, 192.0.2.1, true",
        "192.0.2.0/25, 192.0.2.128, false",
        "0.0.0.0/0, 198.51.100.1, true",
        "0.0.0.0/0, 2001:db8::1, false",
        "2001:db8::/32, 2001:db8:ffff::1, true",
        "192.0.2.1/32, 192.0.2.1, true"
    })
    void aNetworkKnowsItsAddresses(String network, String address, boolean inside) {
        assertThat(
                        IpNetwork.parse(network)
                                .orElseThrow()
                                .contains(IpAddress.parse(address).orElseThrow()))
                .isEqualTo(inside);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "192.0.2.0", "192.0.2.0/", "192.0.2.0/33", "192.0.2.0/-1", "x/8"})
    void refusesWhatIsNoNetwork(String text) {
        assertThat(IpNetwork.parse(text)).isEmpty();
    }

    @Test
    void networksOverlapWhenOneHoldsTheOther() {
        IpNetwork wide = IpNetwork.parse("10.0.0.0/8").orElseThrow();
        IpNetwork narrow = IpNetwork.parse("10.128.0.0/14").orElseThrow();
        IpNetwork apart = IpNetwork.parse("172.30.0.0/16").orElseThrow();

        assertThat(wide.overlaps(narrow)).isTrue();
        assertThat(narrow.overlaps(wide)).isTrue();
        assertThat(narrow.overlaps(apart)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "AA:BB:CC:DD:EE:01, aa:bb:cc:dd:ee:01",
        "aa-bb-cc-dd-ee-01, aa:bb:cc:dd:ee:01",
        "aabb.ccdd.ee01, aa:bb:cc:dd:ee:01"
    })
    void aHardwareAddressHasOneForm(String text, String canonical) {
        assertThat(MacAddress.parse(text).orElseThrow()).hasToString(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "aabbccddee01",
                "aa:bb:cc:dd:ee",
                "aa:bb:cc:dd:ee:01:02",
                "aa:bb-cc:dd:ee:01",
                "01:00:5e:00:00:01",
                "gg:bb:cc:dd:ee:01"
            })
    void refusesWhatIsNoCard(String text) {
        assertThat(MacAddress.parse(text)).isEmpty();
    }
}
