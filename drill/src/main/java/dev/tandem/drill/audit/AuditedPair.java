package dev.tandem.drill.audit;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.core.replica.Lineage;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.lab.pair.Writer;
import dev.tandem.lab.spec.Timeline;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * What an audit asks: both nodes, the lab under them, the client that wrote to them, and the watch.
 * What cannot be asked now fails, and may be asked again.
 */
interface AuditedPair {
    /** Waits until something holds; fails by its name when it does not within the limit. */
    void await(String what, Duration limit, Callable<Boolean> condition);

    /** Of the agent of a node; empty while it does not answer. */
    Optional<AgentStatus> status(String node);

    /** From the disk of a node, since a moment of {@link System#nanoTime}. */
    List<JournalLine> journalSince(String node, long nanos);

    /** What the agent of a node keeps over its own end. */
    String memory(String node);

    /** The boot that a node is in, by its own kernel. */
    String boot(String node);

    /** The whole lineage that lies with the data of a node. */
    Lineage lineage(String node);

    /** The members as the server of a node lists them. */
    List<EtcdApi.Member> members(String node);

    /** The hash of all that the database of a node held at a revision; 0 is now. */
    EtcdApi.KeyHash hash(String node, long revision);

    /** What the lab did, and what happened in it. */
    List<Timeline.Entry> timeline();

    /** Ends the client's writing. What it knows is final after this. */
    void stopWriting();

    List<Writer.Acknowledgement> acknowledgements();

    /** Writes whose revision was not above that of an earlier one. */
    List<String> backwards();

    /** The acknowledged writes that a node does not have. */
    List<String> missingOn(String node);

    /** What was seen of both nodes, in the order of time. */
    List<HealthWatch.Sample> samples();

    /** Where processes of the nodes have shown a secret. */
    Set<String> leaksOfProcesses();

    /** Where secrets stand on the nodes, and in what they have logged. */
    Set<String> leaksAtRest();

    /** What was said by a node and was not so, by the watch. */
    List<String> lies();
}
