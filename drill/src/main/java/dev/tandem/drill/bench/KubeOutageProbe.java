package dev.tandem.drill.bench;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.drill.client.KubeClients;
import dev.tandem.lab.pair.Pair;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** The clients of Kubernetes as witnesses. */
record KubeOutageProbe(Pair pair, KubeClients clients) implements OutageProbe {
    @Override
    public void begin(BenchIncident incident, String aimedAt) {
        switch (incident) {
            case POWER, PANIC -> clients.watchPods(List.of(Pair.peerOf(aimedAt)));
            // Nobody knows yet which node is going to be fenced.
            case SPLIT -> clients.watchPods(Pair.NODES);
            case ETCD -> {
                // Nobody is fenced, and no pod has a reason to move.
            }
        }
    }

    @Override
    public Map<String, Long> end(BenchIncident incident, long cut, Map<String, Long> phases)
            throws InterruptedException {
        Map<String, Long> millis = new LinkedHashMap<>();
        millis.put(KubeClients.API_WRITE, clients.apiWrite(cut));
        Long fenced = phases.get("fenced");
        if (fenced != null) {
            clients.podsMoved(cut, KubeClients.MOVING)
                    .ifPresent(moved -> {
                        millis.put(KubeClients.PODS_MOVED, moved);
                        millis.put(KubeClients.PODS_AFTER_FENCE, moved - fenced);
                    });
            clients.awaitInService();
            cleared(cut).ifPresent(at -> millis.put(KubeClients.IN_SERVICE, at));
        }
        return millis;
    }

    /** Either agent may have been first to take the mark away; none if there was no mark. */
    private OptionalLong cleared(long cut) {
        return Pair.NODES.stream()
                .flatMap(node -> pair.journalSince(node, cut).stream())
                .filter(line -> line.event() instanceof JournalEvent.NodeCleared)
                .mapToLong(line -> (line.nanos() - cut) / 1_000_000)
                .min();
    }

    @Override
    public void close() throws IOException {
        clients.close();
    }
}
