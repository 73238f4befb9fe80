package dev.tandem.host.etcd.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.host.etcd.api.EtcdApi.Bytes;
import dev.tandem.host.etcd.api.EtcdApi.Found;
import dev.tandem.host.etcd.api.EtcdApi.KeyHash;
import dev.tandem.host.etcd.api.EtcdApi.KeyValue;
import dev.tandem.host.etcd.api.EtcdApi.Member;
import dev.tandem.host.etcd.api.EtcdApi.Status;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * The language of etcd's JSON gateway. It writes 64-bit numbers as text and leaves zeros and empty
 * lists out.
 */
final class EtcdJson {
    private EtcdJson() {}

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    static ObjectNode of(String name, EtcdId id) {
        return object().put(name, id.decimal());
    }

    static Status status(JsonNode answer) {
        return new Status(
                id(answer.path("header").path("cluster_id")),
                id(answer.path("header").path("member_id")),
                id(answer.path("leader")),
                number(answer.path("raftTerm")),
                number(answer.path("raftIndex")),
                number(answer.path("raftAppliedIndex")),
                revision(answer),
                number(answer.path("dbSize")),
                number(answer.path("dbSizeInUse")),
                answer.path("isLearner").asBoolean(false),
                answer.path("version").asText(""),
                texts(answer.path("errors")));
    }

    static List<Member> members(JsonNode answer) {
        List<Member> members = new ArrayList<>();
        answer.path("members").forEach(each -> members.add(member(each)));
        return List.copyOf(members);
    }

    static Member member(JsonNode node) {
        return new Member(
                id(node.path("ID")),
                node.path("name").asText(""),
                texts(node.path("peerURLs")).stream().map(URI::create).toList(),
                texts(node.path("clientURLs")).stream().map(URI::create).toList(),
                node.path("isLearner").asBoolean(false));
    }

    static Found found(JsonNode answer) {
        List<KeyValue> found = new ArrayList<>();
        for (JsonNode each : answer.path("kvs")) {
            found.add(
                    new KeyValue(
                            bytes(each.path("key")),
                            bytes(each.path("value")),
                            number(each.path("create_revision")),
                            number(each.path("mod_revision")),
                            number(each.path("version"))));
        }
        return new Found(
                found,
                number(answer.path("count")),
                answer.path("more").asBoolean(false),
                revision(answer));
    }

    static KeyHash keyHash(JsonNode answer) {
        return new KeyHash(
                number(answer.path("hash")),
                number(answer.path("compact_revision")),
                revision(answer));
    }

    static long revision(JsonNode answer) {
        return number(answer.path("header").path("revision"));
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.asText()));
        return List.copyOf(texts);
    }

    private static EtcdId id(JsonNode node) {
        return node.isMissingNode() ? EtcdId.NONE : EtcdId.ofDecimal(node.asText());
    }

    private static long number(JsonNode node) {
        return node.isMissingNode() ? 0 : Long.parseLong(node.asText());
    }

    private static Bytes bytes(JsonNode node) {
        try {
            byte[] value = node.isMissingNode() ? new byte[0] : node.binaryValue();
            return Bytes.of(value);
        } catch (IOException e) {
            throw new IllegalArgumentException("not base64: " + node, e);
        }
    }
}
