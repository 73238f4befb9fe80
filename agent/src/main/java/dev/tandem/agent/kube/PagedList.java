package dev.tandem.agent.kube;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * A list of the API, read page by page and in a page object by object: what is in memory is a page
 * as bytes and one object, however many there are. A cluster's pods together are more than the
 * agent's heap.
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

    private final Pages pages;
    private final String path;
    private final int usual;

    /**
     * @param path with its selectors, if any
     * @param usual how many objects a page should have; fewer where they turn out to be large
     */
    PagedList(Pages pages, String path, int usual) {
        this.pages = pages;
        this.path = path;
        this.usual = usual;
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
    private static String read(KubeApi.Raw page, Visitor visitor)
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
                        JsonNode object = KubeApi.JSON.readTree(parser);
                        visitor.visit(object);
                    }
                } else {
                    parser.skipChildren();
                }
            }
        }
        return next;
    }
}
