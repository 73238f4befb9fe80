package dev.tandem.agentapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.agentapi.AgentStatus.DeviceUse;
import dev.tandem.core.Failure;
import dev.tandem.core.health.EtcdAlarm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs of different releases, and programs that must not guess. */
class AgentMessagesTest {
    private static AgentStatus read(String json) {
        return AgentMessages.read(json.replace('\'', '"'), AgentStatus.class);
    }

    private static PeerOffRequest request(String json) {
        return AgentMessages.readExactly(json.replace('\'', '"'), PeerOffRequest.class);
    }

    @Test
    void whatANewerAgentAddsIsLeftOut() {
        AgentStatus status =
                read(
                        """
                        {'version':1,'sentence':'so','health':'DOZING','colour':'blue',
                         'agentsTalkOver':'PIGEONS','alarms':['LOUD','NOSPACE'],
                         'nodes':[{'name':'n','etcd':'DOZING','replica':'FADED','role':'GUEST',
                                   'abdicated':'RETIRED'}],
                         'fencing':[{'node':'n','power':'DIM','fault':'COLD','faultSentence':'cold',
                           'devices':[{'device':'d','level':4,'usable':'RUSTY'}]}],
                         'kubernetes':{'state':'DOZING','sentence':'so'},
                         'recovery':{'automatic':true,
                          'impediments':[{'cause':'MOON','node':'n','sentence':'full moon'}]},
                         'pending':{'waitsFor':'MOON','owner':'MOON','sentence':'waits'}}
                        """);

        assertThat(status.sentence()).isEqualTo("so");
        assertThat(status.health()).isEqualTo(NodeHealth.UNKNOWN);
        assertThat(status.promisesRecovery()).isFalse();
        assertThat(status.alarms()).containsExactly(EtcdAlarm.UNKNOWN, EtcdAlarm.NOSPACE);
        assertThat(status.nodes())
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.etcd()).isNull();
                    assertThat(line.role()).isNull();
                    assertThat(line.replica()).isEqualTo(ReplicaKind.UNKNOWN);
                    assertThat(line.abdicated()).isEqualTo(AbdicationKind.UNKNOWN);
                });
        assertThat(status.fencing())
                .singleElement()
                .extracting(AgentStatus.FencingLine::fault)
                .isEqualTo(BmcFaultKind.UNKNOWN);
        assertThat(status.fencing().getFirst().devices())
                .containsExactly(new AgentStatus.DeviceLine("d", 4, DeviceUse.UNKNOWN));
        assertThat(status.recovery().impediments())
                .singleElement()
                .extracting(AgentStatus.ImpedimentLine::sentence)
                .isEqualTo("full moon");
    }

    @Test
    void anAlarmOrAbdicationThatIsUnknownIsNeverWrittenAndNotJudged() throws IOException {
        String healthy =
                Files.readString(
                        Path.of("src/test/resources/golden/1").resolve("status-alone.json"));

        assertThat(AgentStatus.readExactly(healthy).nodes().getLast().abdicated())
                .isEqualTo(AbdicationKind.DEPARTED);
        for (String unknown : List.of("RETIRED", "UNKNOWN")) {
            assertThatThrownBy(() -> AgentStatus.readExactly(healthy.replace("DEPARTED", unknown)))
                    .isInstanceOf(IllegalArgumentException.class);
            String alarm = "\"alarms\":[\"%s\"]".formatted(unknown);
            assertThatThrownBy(() ->
                            AgentStatus.readExactly(
                                    healthy.replaceFirst("\"alarms\"\\s*:\\s*\\[\\s*]", alarm)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void whatAnOlderAgentLeavesOutPromisesNothing() {
        AgentStatus status = read("{'sentence':'so','health':'REDUNDANT'}");

        assertThat(status.version()).isEqualTo(1);
        assertThat(status.eitherNodeCanFail()).isFalse();
        assertThat(status.promisesRecovery()).isFalse();
        assertThat(status.pacemaker().known()).isFalse();
        assertThat(status.nodes()).isEmpty();
    }

    @Test
    void anotherVersionIsToldAsSuch() {
        assertThatThrownBy(() -> read("{'version':2,'sentence':'so'}"))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("the agent is newer than this command line");
        assertThatThrownBy(() ->
                        request(
                                "{'version':2,'node':'n','incident':'i','person':'p',"
                                        + "'acceptLoss':true,'dryRun':true}"))
                .hasMessage("version 2 instead of 1");
    }

    private static String ofTomorrow(String name) throws IOException {
        return Files.readString(Path.of("src/test/resources/golden/2").resolve(name));
    }

    /** A release that nobody has written yet: its messages say who can read them. */
    @Test
    void aNewerMessageIsReadWhereItSaysThatItCanBe() throws IOException {
        AgentStatus status =
                AgentMessages.read(ofTomorrow("status-readable-by-1.json"), AgentStatus.class);

        assertThat(status.version()).isEqualTo(2);
        assertThat(status.health()).isEqualTo(NodeHealth.REDUNDANT);
        assertThatThrownBy(() ->
                        AgentMessages.read(
                                ofTomorrow("status-readable-by-2.json"), AgentStatus.class))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("it speaks version 2, this command line version 1");
        assertThat(
                        AgentMessages.readExactly(
                                        ofTomorrow("peer-off-request-readable-by-1.json"),
                                        PeerOffRequest.class)
                                .node())
                .isEqualTo("node-1");
        assertThatThrownBy(() ->
                        AgentMessages.readExactly(
                                ofTomorrow("peer-off-request-readable-by-2.json"),
                                PeerOffRequest.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("version 2 instead of 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "7", "null", "no JSON", "{'nodes':7}"})
    void whatIsNoAnswerIsAFailure(String json) {
        assertThatThrownBy(() -> read(json)).isInstanceOf(Failure.class);
    }

    /** A dry run that became a statement, because its field was lost, would be the worst of it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "[]",
                "null",
                "{'node':'n','incident':'i','person':'p','acceptLoss':true,'dryRun':true}",
                "{'version':1,'node':'n','incident':'i','person':'p','acceptLoss':true}",
                "{'version':1,'node':'n','incident':'i','person':'p','acceptLoss':true,'dryRun':null}",
                "{'version':1,'node':'n','incident':'i','person':'p','acceptLoss':true,'dryRun':'so'}",
                "{'version':1,'incident':'i','person':'p','acceptLoss':true,'dryRun':true}"
            })
    void aRequestIsNotGuessed(String json) {
        assertThatThrownBy(() -> request(json)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aNewFieldOfARequestIsIgnored() {
        assertThat(
                        request(
                                "{'version':1,'node':'n','incident':'i','person':'p','acceptLoss':true,"
                                    + "'dryRun':false,'mood':'good'}"))
                .isEqualTo(new PeerOffRequest("n", "i", "p", true, false));
    }
}
