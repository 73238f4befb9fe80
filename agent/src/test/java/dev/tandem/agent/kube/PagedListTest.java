package dev.tandem.agent.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PagedListTest {
    private static final String LEASES = "/apis/coordination.k8s.io/v1/leases";

    private final List<String> asked = new ArrayList<>();
    private final Deque<PagedList.Pages> answers = new ArrayDeque<>();
    private final List<String> seen = new ArrayList<>();

    @Test
    void aListIsReadPageByPageAndEachObjectOnce() throws Exception {
        answers.add(page("c2", "a", "b"));
        answers.add(page("c3"));
        answers.add(page("", "c"));

        read(LEASES, 2);

        assertThat(seen).containsExactly("a", "b", "c");
        assertThat(asked)
                .containsExactly(
                        LEASES + "?limit=2",
                        LEASES + "?limit=2&continue=c2",
                        LEASES + "?limit=2&continue=c3");
    }

    @Test
    void whatStandsBehindTheObjectsCountsAsWell() throws Exception {
        answers.add(_ ->
                answer(
                        200,
                        "{\"items\":[],\"kind\":{\"x\":[1]},\"metadata\":{\"continue\":\"n\"}}"));
        answers.add(_ -> answer(200, "{\"metadata\":{},\"items\":null}"));

        read(LEASES + "?a=b", 2);

        assertThat(seen).isEmpty();
        assertThat(asked.getLast()).isEqualTo(LEASES + "?a=b&limit=2&continue=n");
    }

    @Test
    void aTokenIsWrittenSoThatNothingOfItIsLost() throws Exception {
        answers.add(page("eyJ2+/==&", "a"));
        answers.add(page("", "b"));

        read(LEASES, 1);

        assertThat(asked.getLast()).endsWith("&continue=eyJ2%2B%2F%3D%3D%26");
    }

    @Test
    void aListThatExpiredIsReadFromItsBeginning() throws Exception {
        answers.add(page("c2", "a"));
        answers.add(_ -> answer(410, "{\"message\":\"expired\"}"));
        answers.add(page("c2", "a"));
        answers.add(page("", "b"));

        read(LEASES, 1);

        assertThat(seen).containsExactly("a", "a", "b");
        assertThat(asked.get(2)).isEqualTo(LEASES + "?limit=1");
    }

    @Test
    void aListThatExpiresAgainAndAgainIsGivenUp() {
        for (int i = 0; i < 3; i++) {
            answers.add(page("c2", "a"));
            answers.add(_ -> answer(410, "{}"));
        }

        assertThatThrownBy(() -> read(LEASES, 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("expires");
        assertThat(answers).isEmpty();
    }

    @Test
    void aPageThatIsTooLargeIsAskedForInHalves() throws Exception {
        answers.add(page("c2", "a"));
        answers.add(_ -> {
            throw new KubeApi.TooLarge(KubeApi.MOST_BYTES);
        });
        answers.add(page("c3", "b"));
        answers.add(page("", "c"));

        read(LEASES, 100);

        assertThat(seen).containsExactly("a", "b", "c");
        assertThat(asked)
                .containsExactly(
                        LEASES + "?limit=100",
                        LEASES + "?limit=100&continue=c2",
                        LEASES + "?limit=50&continue=c2",
                        LEASES + "?limit=50&continue=c3");
    }

    @Test
    void anObjectThatIsTooLargeAloneIsAFailureThatSaysSo() {
        for (int i = 0; i < 3; i++) {
            answers.add(_ -> {
                throw new KubeApi.TooLarge(KubeApi.MOST_BYTES);
            });
        }

        assertThatThrownBy(() -> read(LEASES, 4))
                .isInstanceOf(KubeApi.TooLarge.class)
                .hasMessageContaining("4 MB");
        assertThat(asked).hasSize(3);
    }

    @Test
    void aServerThatRefusesIsQuoted() {
        answers.add(_ -> answer(403, "{\"message\":\"not for you\"}"));

        assertThatThrownBy(() -> read(LEASES, 4))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("403 not for you");
    }

    @Test
    void aServerThatAlwaysGivesTheSameTokenIsNotFollowedForEver() {
        answers.add(page("c2", "a"));
        answers.add(page("c2", "b"));

        assertThatThrownBy(() -> read(LEASES, 1)).isInstanceOf(IOException.class);
    }

    @Test
    void aListThatIsTornIsAFailure() {
        answers.add(_ -> answer(200, "{\"items\":[{\"metadata\":{\"name\":\"a\"}},{\"meta"));

        assertThatThrownBy(() -> read(LEASES, 4)).isInstanceOf(IOException.class);
    }

    /** A pod has some ten kilobytes, and two of its fields are looked at. */
    @Test
    void ofAnObjectOnlyWhatIsWantedIsKept() throws Exception {
        PagedList.Fields wanted =
                new PagedList.Fields(
                        Map.of(
                                "metadata",
                                new PagedList.Fields(Map.of("name", PagedList.Fields.ALL)),
                                "status",
                                new PagedList.Fields(Map.of("conditions", PagedList.Fields.ALL))));
        String pod =
                "{\"spec\":{\"containers\":[{\"name\":\"x\"}]},"
                        + "\"metadata\":{\"managedFields\":[{\"f\":{}}],\"name\":\"a\"},"
                        + "\"status\":{\"conditions\":[{\"type\":\"Ready\"}],\"phase\":\"Running\"}}";
        String bare = "{\"metadata\":{\"name\":\"b\"},\"status\":null}";
        List<String> kept = new ArrayList<>();

        new PagedList(
                        _ -> answer(200, "{\"items\":[%s,%s],\"metadata\":{}}".formatted(pod, bare)),
                        LEASES,
                        2,
                        wanted)
                .forEach(object -> kept.add(object.toString()));

        assertThat(kept)
                .containsExactly(
                        "{\"metadata\":{\"name\":\"a\"},\"status\":{\"conditions\":[{\"type\":\"Ready\"}]}}",
                        "{\"metadata\":{\"name\":\"b\"},\"status\":null}");
    }

    private void read(String path, int size) throws IOException, InterruptedException {
        new PagedList(
                        asking -> {
                            asked.add(asking);
                            return answers.removeFirst().page(asking);
                        },
                        path,
                        size,
                        PagedList.Fields.ALL)
                .forEach(object -> seen.add(object.at("/metadata/name").asText()));
    }

    private static PagedList.Pages page(String next, String... names) {
        List<String> items = new ArrayList<>();
        for (String name : names) {
            items.add("{\"metadata\":{\"name\":\"%s\"}}".formatted(name));
        }
        String text =
                "{\"kind\":\"List\",\"metadata\":{\"continue\":\"%s\"},\"items\":[%s]}"
                        .formatted(next, String.join(",", items));
        return _ -> answer(200, text);
    }

    private static KubeApi.Raw answer(int code, String text) {
        return new KubeApi.Raw(code, true, text.getBytes(StandardCharsets.UTF_8));
    }
}
