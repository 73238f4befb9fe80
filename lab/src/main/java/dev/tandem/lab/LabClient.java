package dev.tandem.lab;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.core.Failure;
import dev.tandem.lab.spec.Json;
import dev.tandem.lab.spec.LabFiles;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.LabSpec;
import dev.tandem.lab.spec.LabStatus;
import dev.tandem.redfishsim.BmcBehaviour;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Asks the daemon of a lab. */
public final class LabClient {
    private final LabFiles files;

    public LabClient(LabFiles files) {
        this.files = files;
    }

    public LabFiles files() {
        return files;
    }

    public LabStatus status() {
        return ask(new LabRequest.Status(), LabStatus.class);
    }

    /** The networks between the nodes, without the fencing network. */
    public List<String> clusterNetworks() {
        return status().nodes().getFirst().addresses().keySet().stream()
                .filter(network -> network.startsWith("cluster"))
                .sorted()
                .toList();
    }

    /** How a BMC behaves. */
    public BmcBehaviour behaviour(String node) {
        return ask(new LabRequest.BmcStatus(node), BmcBehaviour.class);
    }

    /** Opens a way from the host's loopback to a port of a node. */
    public LabStatus.Relayed relay(String node, int port) {
        return ask(new LabRequest.Relay(node, port), LabStatus.Relayed.class);
    }

    /** Sends one request and returns the answer, or throws what the daemon refused with. */
    public <T> T ask(LabRequest request, Class<T> answer) {
        try {
            return Json.MAPPER.treeToValue(ask(request), answer);
        } catch (IOException e) {
            throw new Failure(
                    "cannot read the answer of lab " + files.name(),
                    String.valueOf(e.getMessage()),
                    "use the command line of the version that started the lab",
                    e);
        }
    }

    public JsonNode ask(LabRequest request) {
        if (!files.exists()) {
            throw noSuchLab();
        }
        String line;
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(files.control()));
            ByteBuffer question =
                    ByteBuffer.wrap(
                            Json.MAPPER
                                    .writerFor(LabRequest.class)
                                    .writeValueAsString(request)
                                    .concat("\n")
                                    .getBytes(StandardCharsets.UTF_8));
            while (question.hasRemaining()) {
                channel.write(question);
            }
            BufferedReader reader =
                    new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
            line = reader.readLine();
        } catch (IOException e) {
            throw new Failure(
                    "cannot ask lab " + files.name(),
                    "its daemon does not answer (" + e.getMessage() + ")",
                    "see " + files.daemonLog() + "; tandem lab gc cleans up after a dead one",
                    e);
        }
        if (line == null) {
            throw new Failure(
                    "cannot ask lab " + files.name(),
                    "its daemon exited before it answered",
                    "see " + files.daemonLog() + "; tandem lab gc cleans up after a dead one");
        }
        LabRequest.Answer answer;
        try {
            answer = Json.MAPPER.readValue(line, LabRequest.Answer.class);
        } catch (IOException e) {
            throw new IllegalStateException("not an answer: " + line, e);
        }
        LabRequest.Refusal refusal = answer.refusal();
        if (refusal != null) {
            throw new Failure(refusal.what(), refusal.why(), files.named(refusal.remedy()));
        }
        JsonNode result = answer.result();
        return result == null ? Json.MAPPER.nullNode() : result;
    }

    private Failure noSuchLab() {
        return new Failure(
                "no lab " + files.name(),
                "none of that name runs on this host",
                "start it with tandem lab up"
                        + (files.name().equals(LabSpec.DEFAULT_NAME)
                                ? ""
                                : " --name " + files.name())
                        + ", or see tandem lab list");
    }
}
