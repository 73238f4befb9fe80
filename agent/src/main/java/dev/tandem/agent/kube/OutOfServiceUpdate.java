package dev.tandem.agent.kube;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.BootId;
import dev.tandem.core.supervise.KubernetesReport;
import dev.tandem.core.supervise.KubernetesReport.PeerState;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Tells the API what is known of the two nodes, once. Whatever of it was told before is found
 * there, and not told again.
 */
final class OutOfServiceUpdate {
    private static final String NODES = "/api/v1/nodes/";
    private static final String LEASES = "/apis/coordination.k8s.io/v1/leases";

    /** The node's controllers change its taints the moment it is marked; more often is a loop. */
    private static final int MOST_TRIES = 5;

    /** Some ten kilobytes each, where a chart has set many variables. */
    private static final int PODS_A_PAGE = 100;

    /**
     * Its name, and whether it is ready. That stands in the status, so the API's form of an object
     * without one would not do.
     */
    private static final PagedList.Fields OF_A_POD =
            new PagedList.Fields(
                    Map.of(
                            "metadata",
                            new PagedList.Fields(
                                    Map.of(
                                            "name", PagedList.Fields.ALL,
                                            "namespace", PagedList.Fields.ALL)),
                            "status",
                            new PagedList.Fields(Map.of("conditions", PagedList.Fields.ALL))));

    /** Less than a kilobyte each. */
    private static final int LEASES_A_PAGE = 500;

    /** Beside the controllers, which begin to move the same pods at this moment. */
    private static final int CHANGES_AT_A_TIME = 4;

    private final KubeApi api;
    private final String self;
    private final String peer;
    private final OutOfServiceNotifier.Log log;
    private final InstantSource clock;

    OutOfServiceUpdate(
            KubeApi api,
            String self,
            String peer,
            OutOfServiceNotifier.Log log,
            InstantSource clock) {
        this.api = api;
        this.self = self;
        this.peer = peer;
        this.log = log;
        this.clock = clock;
    }

    /** True when there is nothing left to tell; false when a kubelet has yet to speak. */
    boolean tell(KubernetesReport known) throws IOException, InterruptedException {
        if (known.peer() instanceof PeerState.Off) {
            // Before anything else: from here on the controllers need two seconds to begin.
            free(Map.of());
        }
        boolean peerIsTold = node(peer, known.peer());
        if (known.peer() instanceof PeerState.Off) {
            free(podsAreNotReady());
        }
        // The peer that fenced this node may be gone by now, so each clears its own mark too.
        return node(self, new PeerState.Alive(known.ownBoot())) && peerIsTold;
    }

    private boolean node(String name, PeerState fate) throws IOException, InterruptedException {
        for (int i = 0; i < MOST_TRIES; i++) {
            KubeApi.Answer answer = api.get(NODES + name);
            if (answer.missing()) {
                return true;
            }
            KubeNode node = new KubeNode(answer.must());
            switch (node.step(fate)) {
                case KubeNode.Step.Nothing(), KubeNode.Step.LeaveAlone() -> {
                    return true;
                }
                case KubeNode.Step.AwaitReady() -> {
                    return false;
                }
                case KubeNode.Step.Mark(BootId boot) -> {
                    if (mark(name, node, boot)) {
                        log.record(new JournalEvent.NodeMarked(name, boot));
                        return true;
                    }
                }
                case KubeNode.Step.Clear() -> {
                    if (changed(
                            api.patch(
                                    NODES + name,
                                    KubeApi.Patch.OPERATIONS,
                                    node.taintsWithoutOurs()))) {
                        log.record(new JournalEvent.NodeCleared(name));
                        return true;
                    }
                }
            }
        }
        throw new IOException("somebody else changes node " + name + " all the time");
    }

    /**
     * The condition first: while it says Ready, that was written by the kubelet that is gone, and
     * an agent that finds the taint would take it for one that came back.
     */
    private boolean mark(String name, KubeNode node, BootId boot)
            throws IOException, InterruptedException {
        if (!node.saysFenced()
                && !changed(
                        api.patch(
                                NODES + name + "/status",
                                KubeApi.Patch.STRATEGIC,
                                node.readyUnknown(self, clock.instant())))) {
            return false;
        }
        return changed(
                api.patch(NODES + name, KubeApi.Patch.OPERATIONS, node.taintsWithOurs(boot)));
    }

    /** False where the object is not what was read any more: 409 by version, 422 by a test. */
    private static boolean changed(KubeApi.Answer answer) throws IOException {
        if (answer.code() == 409 || answer.code() == 422) {
            return false;
        }
        answer.must();
        return true;
    }

    /**
     * The node controller says so of the pods of a node whose Ready it changes itself. It does not
     * where it finds Ready changed, and pods that tolerate every taint would stay in their
     * services.
     *
     * @return the names of all pods of the peer, by namespace
     */
    private Map<String, Set<String>> podsAreNotReady() throws IOException, InterruptedException {
        String ofPeer = URLEncoder.encode("spec.nodeName=" + peer, StandardCharsets.UTF_8);
        Map<String, Set<String>> names = new HashMap<>();
        Set<String> ready = new LinkedHashSet<>();
        new PagedList(api::page, "/api/v1/pods?fieldSelector=" + ofPeer, PODS_A_PAGE, OF_A_POD)
                .forEach(pod -> {
                    String namespace = pod.at("/metadata/namespace").asText();
                    String name = pod.at("/metadata/name").asText();
                    names.computeIfAbsent(namespace, _ -> new HashSet<>()).add(name);
                    if (KubeNode.condition(pod, "Ready").path("status").asText().equals("True")) {
                        ready.add("/api/v1/namespaces/" + namespace + "/pods/" + name);
                    }
                });
        AtomicInteger told = new AtomicInteger();
        try {
            new BoundedParallel<String>(CHANGES_AT_A_TIME)
                    .each(
                            ready,
                            pod -> {
                                KubeApi.Answer answer =
                                        api.patch(
                                                pod + "/status",
                                                KubeApi.Patch.STRATEGIC,
                                                notReady(),
                                                KubeApi.ONE_OF_MANY);
                                if (!answer.missing()) {
                                    answer.must();
                                    told.incrementAndGet();
                                }
                            });
        } finally {
            if (told.get() > 0) {
                log.record(new JournalEvent.PodsNotReady(peer, told.get()));
            }
        }
        return names;
    }

    private ObjectNode notReady() {
        ObjectNode change = KubeApi.JSON.createObjectNode();
        change.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", "False")
                .put("reason", KubeNode.REASON)
                .put(
                        "lastTransitionTime",
                        clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
        return change;
    }

    private void free(Map<String, Set<String>> pods) throws IOException, InterruptedException {
        List<HeldLease> held = new ArrayList<>();
        // A lease is put back as a whole.
        new PagedList(api::page, LEASES, LEASES_A_PAGE, PagedList.Fields.ALL)
                .forEach(lease -> HeldLease.of(lease, peer, pods).ifPresent(held::add));
        List<String> freed = new ArrayList<>();
        for (HeldLease lease : held) {
            // One that was changed since has found a new holder.
            KubeApi.Answer answer = api.put(lease.path(), lease.freed());
            if (!answer.missing() && changed(answer)) {
                freed.add(lease.name());
            }
        }
        if (!freed.isEmpty()) {
            log.record(new JournalEvent.LeasesFreed(peer, freed));
        }
    }
}
