package dev.tandem.agent.kube;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A list of the API, read page by page and in a page object by object: what is in memory is a page
 * as bytes and of one object what is wanted of it, however many there are and however large they
 * are. A cluster's pods together are more than the agent's heap.
 *
 * <p>The pages are of one moment. Where that is too long ago for the server (410), the list is read
 * again from its beginning, so an object may be seen twice.
 */
final class PagedList {
    /** A list expires after five minutes; one that takes longer three times is not read. */
    private static final int MOST_BEGINNINGS = 3;

    private static final int GONE = 410;

    /** Who is asked for a page. */
    interface Pages {
        KubeApi.Raw page(String path) throws IOException, InterruptedException;
    }

    /** Who hears of each object. */
    interface Visitor {
        void visit(JsonNode object) throws IOException, InterruptedException;
    }

    /**
     * What is kept of an object: these fields, each with what is to be kept inside it. All of it
     * where nothing is named.
     */
    record Fields(Map<String, Fields> inside) {
        static final Fields ALL = new Fields(Map.of());

        Fields {
            inside = Map.copyOf(inside);
        }
    }

    private final Pages pages;
    private final String path;
    private final int usual;
    private final Fields kept;

    /**
     * @param path with its selectors, if any
     * @param usual how many objects a page should have; fewer where they turn out to be large
     * @param kept of each object; the rest is passed over while it is read
     */
    PagedList(Pages pages, String path, int usual, Fields kept) {
        this.pages = pages;
        this.path = path;
        this.usual = usual;
        this.kept = kept;
    }

    /** Each object at least once. */
    void forEach(Visitor visitor) throws IOException, InterruptedException {
        for (int i = 0; i < MOST_BEGINNINGS; i++) {
            if (readAll(visitor)) {
                return;
            }
        }
        throw new IOException("the list " + path + " expires before it is read");
    }

    /** False where the server does not know this list any more. */
    private boolean readAll(Visitor visitor) throws IOException, InterruptedException {
        int size = usual;
        String next = "";
        while (true) {
            KubeApi.Raw page;
            try {
                page = pages.page(query(size, next));
            } catch (KubeApi.TooLarge e) {
                if (size == 1) {
                    throw e;
                }
                size = size / 2;
                continue;
            }
            if (page.code() == GONE && !next.isEmpty()) {
                return false;
            }
            if (page.code() != 200) {
                JsonNode _ = page.read().must();
                throw new IOException("the answer to a list is " + page.code());
            }
            String after = read(page, visitor);
            if (!after.isEmpty() && after.equals(next)) {
                throw new IOException("the list " + path + " does not go on after a page");
            }
            next = after;
            if (next.isEmpty()) {
                return true;
            }
        }
    }

    private String query(int size, String next) {
        return path
                + (path.indexOf('?') < 0 ? '?' : '&')
                + "limit="
                + size
                + (next.isEmpty()
                        ? ""
                        : "&continue=" + URLEncoder.encode(next, StandardCharsets.UTF_8));
    }

    /** The token of the next page; empty after the last. */
    private String read(KubeApi.Raw page, Visitor visitor)
            throws IOException, InterruptedException {
        String next = "";
        try (JsonParser parser = page.parser()) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("the answer is no list");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("metadata")) {
                    JsonNode metadata = KubeApi.JSON.readTree(parser);
                    next = metadata.path("continue").asText();
                } else if (field.equals("items") && value == JsonToken.START_ARRAY) {
                    while (parser.nextToken() == JsonToken.START_OBJECT) {
                        visitor.visit(kept(parser, kept));
                    }
                } else {
                    parser.skipChildren();
                }
            }
        }
        return next;
    }

    /** The value at which the parser stands, as far as it is kept. */
    private static JsonNode kept(JsonParser parser, Fields fields) throws IOException {
        if (fields.inside().isEmpty() || parser.currentToken() != JsonToken.START_OBJECT) {
            return KubeApi.JSON.readTree(parser);
        }
        ObjectNode object = KubeApi.JSON.createObjectNode();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            Fields inside = fields.inside().get(name);
            if (inside == null) {
                parser.skipChildren();
            } else {
                object.set(name, kept(parser, inside));
            }
        }
        return object;
    }
}
