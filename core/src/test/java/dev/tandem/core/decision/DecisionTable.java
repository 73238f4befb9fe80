package dev.tandem.core.decision;

import dev.tandem.core.testing.Sketch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The decisions, one line a situation. {@link Sketch} explains the words; the page
 * docs/decisions.md is made from this.
 */
final class DecisionTable {
    record Row(
            String section,
            String shape,
            String mine,
            String peer,
            String cluster,
            String proofs,
            String intent,
            String decision,
            String note) {
        @Override
        public String toString() {
            return "%s: %s | %s | %s | %s | %s"
                    .formatted(shape, mine, peer, cluster, proofs, intent);
        }
    }

    private DecisionTable() {}

    static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        String section = "";
        String shape = "pair";
        for (String line : TABLE.lines().toList()) {
            if (line.startsWith("# ")) {
                section = line.substring(2);
                shape = "pair";
            } else if (line.startsWith("@ ")) {
                shape = line.substring(2);
            } else if (!line.isBlank()) {
                List<String> cell =
                        Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
                rows.add(
                        new Row(
                                section,
                                shape,
                                cell.get(0),
                                cell.get(1),
                                cell.get(2),
                                cell.get(3),
                                cell.get(4),
                                cell.get(5),
                                cell.get(6)));
            }
        }
        return rows;
    }

    /** mine | peer | cluster | proofs | intent | decision | note */
    private static final String TABLE =
            """
            # Cold boot of both
            two 1:7     | two 1:7              | there       | -                     | start   | start as voter                    | TL1: equal data, no claim, no learner phase
            two 1:7/5   | two 1:9/6            | there       | -                     | start   | start as voter                    | TL13: the tail is etcd's business, it keeps the longest log
            two 1:9/6   | two 1:7/5            | there       | -                     | start   | start as voter                    | the same from the other side
            sole 1:9    | two 1:7              | there       | -                     | start   | go on alone                       | TL2: the peer left before; no new epoch
            two 1:7     | sole 1:9             | there       | -                     | start   | wait: peer serves                 | TL2: the peer has the newer history
            two 1:7     | sole 1:9 leading invites | there   | -                     | start   | set aside, join                   | TL2: own history is a prefix
            sole 2n6:9  | two 1:7/6            | there       | -                     | start   | go on alone                       | TL6: the unacknowledged tail of a fenced leader is no fork
            two 1:7/6   | sole 2s6:9           | there       | -                     | start   | wait: peer serves                 | TL6: north was fenced and south took over
            two 1:7/6   | sole 2s6:9 leading invites | there | -                     | start   | set aside, join                   | TL6: 7 was never acknowledged
            two 1:7/7   | sole 2s6:9 leading invites | there | -                     | start   | refuse: forked                    | W7: 7 was acknowledged here and is not there
            two 1:7     | two x:7              | there       | -                     | start   | refuse: forked                    | TL3: same index, another cluster
            sole 2n6:7  | sole 2s6:7           | there       | -                     | start   | refuse: forked                    | TL3: two epochs 2 from one parent
            sole 2n6:7  | sole 2s6:7 leading invites | there | -                     | start   | refuse: forked                    | a forked replica is not given up for an offer
            sole 2n6:7  | sole 2s6:7 leading invites | there | person: keep south's history | start | set aside, join              | TL3: a person chose
            sole 1:7    | sole 1:7             | there       | -                     | start   | refuse: forked                    | both say the other left: a contradiction, not a tie
            two 1:7     | unheard              | there       | -                     | start   | wait: peer facts                  | I10: no guess while facts are missing
            sole 2n6:9  | unheard              | there       | -                     | start   | wait: peer facts                  | even the sole voter asks first: a person may have moved the peer on
            two 1:7     | two 1:7 claim        | there       | -                     | start   | start as voter                    | a claim shows in the epoch, and there is none newer here
            two 2n6:6 claim | two 1:7/6        | there       | -                     | start   | finish take-over                  | W12: the claim was written once and is used once
            two 1:7     | two 2s7:7 claim      | there       | -                     | start   | stand down: older history         | the peer's claim counts on a vote north no longer has
            # Lone return
            two 1:7     | unheard              | never met   | -                     | start   | wait: peer return                 | I16: inert
            two 1:7     | unheard              | never met   | held off              | start   | refuse: who served last           | design 4.4: Off does not show who has the newest data
            two 1:7     | unheard              | gone        | fenced                | start   | refuse: who served last           | met, but it died before it told anything
            two 1:7     | greeted              | gone        | fenced                | start   | refuse: who served last           | it spoke to an earlier boot of north: that tells nothing
            two 1:7     | unheard              | never met   | person: off           | start   | refuse: who served last           | TL34: a person must also give up what the peer may hold
            two 1:7     | unheard              | never met   | person: off and loss accepted | start | take over, epoch 2          | TL13b
            two 1:7     | unheard              | never met   | person: off (earlier incident) | start | refuse: who served last    | W22: a statement is bound to its incident
            two 1:7     | unheard              | never met   | person: loss accepted; BMC reads On | start | refuse: peer is there | one false statement alone changes nothing
            sole 2n6:9  | unheard              | never met   | -                     | start   | wait: peer return                 | TL5
            sole 2n6:9  | unheard              | never met   | person: off           | start   | go on alone                       | TL5: known to have served last
            sole 2n6:9  | unheard              | never met   | held off              | start   | wait: peer return                 | the policy does not allow it
            two 2n6:6 claim | unheard          | never met   | person: off           | start   | finish take-over                  | the claim shows that the peer was proven off
            @ pair, BMC start
            sole 2n6:9  | unheard              | never met   | held off              | start   | go on alone                       | TL33
            sole 2n6:9  | unheard              | never met   | BMC unreadable        | start   | wait: peer return                 | no answer is no proof
            two 1:7     | unheard              | never met   | held off              | start   | refuse: who served last           | the policy is for the node that served last
            removed 1:8 | unheard              | never met   | held off              | start   | refuse: removed                   | TL14: boot only the departed node
            @ pair
            removed 1:8 left | unheard         | never met   | person: off and loss accepted | start | refuse: removed             | I5: etcd panics on a log with its own removal
            two 1:7 left | unheard             | never met   | held off              | start   | refuse: abdicated                 | I9: recorded, and maybe done
            two 1:7 left | unheard             | never met   | person: off and loss accepted | start | take over, epoch 2          | the loss is stated
            two 1:7 stood-down | unheard       | never met   | person: off           | start   | refuse: abdicated                 | TL11: the peer went on
            learner 1:5 | unheard              | never met   | person: off and loss accepted | start | refuse: incomplete          | TL27: a partial replica never seeds
            unconfirmed 1:7 | unheard          | never met   | person: off and loss accepted | start | refuse: incomplete          | TL29
            none        | unheard              | never met   | held off              | start   | refuse: no replica                | W4
            damaged     | unheard              | never met   | person: off and loss accepted | start | refuse: damaged             | TL20d
            # The peer vanished
            two 1:7/5 leaderless | two 1:7     | gone known  | -                     | recover | wait: fencing                     | TL6: etcd stays up for stale reads
            two 1:7/5 leaderless | two 1:7     | gone known  | fenced                | recover | take over, epoch 2                | TL6, TL7: the whole log is kept
            two 1:7/5 leaderless | two 1:9     | gone known  | fenced                | recover | take over, epoch 2                | 8 and 9 were never acknowledged
            two 1:7     | two 1:7              | gone known  | fence timed out       | recover | wait: fencing                     | TL30: a timeout is no proof
            two 1:7     | two 1:7              | gone known  | fence reads On        | recover | wait: fencing                     | TL31
            two 1:7     | two 1:7              | gone known  | fenced before its boot | recover | wait: fencing                    | I2: it booted since
            two 1:7     | two 1:7              | gone known  | another node fenced   | recover | wait: fencing                     | W17: names are compared whole
            two 1:7     | two 1:7              | there known | fenced                | recover | start as voter                    | TL32: it is there; nobody takes over beside it
            two 1:7     | two 1:7              | gone known  | person: off           | recover | take over, epoch 2                | TL30: BMC broken
            two 1:7     | two 1:7              | gone known  | person: off; BMC reads On | recover | refuse: peer is there         | the BMC outweighs the statement
            two 1:7     | two 1:7              | gone known  | person: off (earlier incident) | recover | wait: fencing            | TL39
            two 1:7     | two 1:7              | gone known  | held off              | recover | take over, epoch 2                | already off counts
            two 1:7     | two 1:7              | gone known  | fence timed out, held off | recover | take over, epoch 2            | one good proof is enough
            two 1:7     | greeted              | gone known  | fenced                | recover | take over, epoch 2                | it booted, said so and died again; it cannot have got ahead
            two 1:7     | greeted              | gone known  | fenced before its boot | recover | wait: fencing                    | the receipt is about an earlier boot
            two 1:7     | two 1:7              | never met   | -                     | recover | wait: peer return                 | heard but never met: not quorate, so nobody fences for it
            two 1:7/7   | sole 2s6:9           | gone        | person: off and loss accepted | recover | take over, epoch 2        | forked, and the peer's history is given up
            two 1:7/7   | sole 2s6:9           | gone        | fenced                | recover | refuse: forked                    | W7
            unconfirmed 1:7 left | two 1:7     | gone known  | person: off and loss accepted | recover | refuse: incomplete        | no statement makes a replica complete
            sole 2n6:9 leading | learner 2n6:5 | gone known  | -                     | recover | go on alone                       | nothing was lost with a learner
            two 1:7     | sole 1:9             | gone        | fenced                | recover | refuse: peer is newer             | TL2a: fenced, but known newer
            two 1:7     | sole 1:9             | gone        | person: off and loss accepted | recover | take over, epoch 2        | TL34
            unconfirmed 1:7 | two 1:9          | gone known  | fenced                | recover | refuse: incomplete                | TL29: the promotion was not confirmed
            learner 1:5 | sole 1:9             | gone        | fenced                | recover | refuse: incomplete                | TL27
            two 1:7 left | two 1:7             | gone known  | fenced                | recover | refuse: abdicated                 | the departure may have been granted
            none        | two 1:7              | gone        | fenced                | recover | refuse: no replica                | W4
            # Abdications
            two 1:7     | two 1:7 left         | gone known  | abdicated             | recover | take over, epoch 2                | W15: a recorded clean departure
            two 1:7     | two 1:7 stood-down   | there known | abdicated             | recover | take over, epoch 2                | TL11: no power fence needed
            two 1:7 releases | two 1:7 stood-down | there known | abdicated          | recover | start as voter                    | what was released is never used
            two 1:7     | two 1:7              | there known | abdicated             | recover | start as voter                    | an abdication that the peer's own facts do not show
            two 1:7 stood-down | two 1:7       | there known | -                     | start   | wait: peer serves                 | nobody withdraws his own abdication
            two 1:7 stood-down | two 1:7 releases | there known | -                  | start   | start as voter                    | released
            two 1:7 left | two 1:7 releases    | there known | -                     | start   | start as voter                    | TL14: both stopped, nobody left
            two 1:7 left | sole 1:8 leading invites | there known | -                | start   | set aside, join                   | TL4: return after a graceful stop
            removed 1:8 left | sole 1:9        | there       | -                     | start   | wait: peer serves                 | TL4
            removed 1:8 left | two 1:8         | there       | -                     | start   | wait: peer serves                 | the peer does not know yet that it is alone
            two 1:8     | removed 1:8 left     | there known | abdicated             | start   | take over, epoch 2                | TL14: never seed from the departed
            removed 1:8 | two 1:8              | there       | -                     | start   | stand down: older history         | a removal without its record
            # Only etcd's ports are cut
            two 1:7 leaderless | two 1:7 leaderless | there known | -                | ports cut | wait: peer stands down          | TL11: equal data, the names decide
            two 1:7 leaderless | two 1:8 leaderless | there known | -                | ports cut | stand down: ports cut           | TL11: the longer log leads
            two 1:8 leaderless | two 1:7 leaderless | there known | -                | ports cut | wait: peer stands down          | the same from the other side
            unconfirmed 1:8 leaderless | two 1:7 leaderless | there known | -        | ports cut | stand down: ports cut           | an incomplete replica leads nothing
            two 1:7 leaderless | unconfirmed 1:8 leaderless | there known | -        | ports cut | wait: peer stands down          | a complete replica leads
            # etcd died or hangs
            two 1:7     | two 1:7 leaderless   | there known | -                     | died    | restart in place                  | W2, TL16
            two 1:7     | two 1:7 leaderless   | there known | -                     | died 5 times | stand down: crash loop       | TL16: the peer can go on
            two 1:7     | two 1:7              | there known | -                     | died 5 times | restart in place             | TL17c: the peer's etcd is down too
            two 1:7     | two 1:7 leaderless stood-down | there known | -            | died 5 times | restart in place             | W1: the peer cannot help
            two 1:7     | two 1:7              | gone known  | -                     | died 5 times | restart in place             | W1: nobody there to help
            sole 2n6:9  | unheard              | gone        | -                     | died    | restart in place                  | TL17a
            sole 2n6:9  | learner 2n6:5 following | there known | -                  | died    | restart in place                  | I12: it never joins its own learner
            learner 1:5 | sole 1:9 leading     | there       | -                     | died    | restart in place                  | TL17b
            learner 1:5 | sole 1:9 leading invites | there   | -                     | died    | set aside, join                   | its old seat was taken off the list
            learner 1:5 | sole 1:9 leading invites-again | there | -                 | died    | restart in place                  | TL17b: its own seat
            two 1:7     | two 1:7 leaderless   | there known | -                     | hung    | kill, restart in place            | TL18
            two 1:7     | sole 2s7:9 leading   | there       | -                     | died    | wait: peer serves                 | it was superseded
            two 1:7 stood-down | two 1:7       | there known | -                     | died    | wait: peer serves                 | given up
            none        | two 1:7 leaderless   | there known | -                     | died    | stand down: no usable replica     | TL22a
            damaged     | two 1:7 leaderless   | there known | -                     | died    | stand down: no usable replica     | TL20a
            # Restart in place
            two 1:7 following | two 1:7 leading | there known | -                    | restart in place | restart in place         | TL24b
            two 1:7     | sole 2s7:9 leading invites | there | -                     | restart in place (earlier boot) | set aside, join | W22, TL39: a flag of an earlier boot is nothing
            two 1:7 left | sole 1:9 leading    | there known | -                     | restart in place | wait: peer serves        | TL39: the peer went on meanwhile
            # Joining
            none        | sole 1:9 leading invites | there   | -                     | start   | join                              | TL21, TL40
            none        | sole 1:9             | there       | -                     | start   | wait: peer serves                 | TL21: never a seed
            none        | two 1:7              | there       | -                     | start   | stand down: no usable replica     | TL13c
            none stood-down | two 1:7          | there       | -                     | start   | wait: peer serves                 | TL13c
            none        | none                 | there       | -                     | start   | refuse: no complete replica       | TL20d
            none        | learner 1:5          | there       | -                     | start   | refuse: no complete replica       | only a partial replica is left
            damaged     | sole 1:9 leading invites | there   | -                     | start   | set aside, join                   | TL20a: kept aside
            learner 1:5 | sole 1:9 leading invites | there   | -                     | start   | set aside, join                   | TL26
            learner 1:5 | sole 1:9 leading invites-again | there | -                 | start   | join with own data                | TL26: same member, same lineage
            unconfirmed 1:7 | sole 1:9 leading invites-again | there | -             | start   | join with own data                | an old offer is not used twice
            learner 1:5 | sole 2s8:9 leading invites-again | there | -               | start   | set aside, join                   | another lineage
            learner 1:5 | sole 1:9 leading invited-earlier | there | -               | start   | wait: peer serves                 | #2098: an offer is for one boot
            learner 1:5 | sole 1:9 invites     | there       | -                     | start   | wait: peer serves                 | #2098: no leader, no join
            learner 1:5 | sole 1:9             | there       | -                     | start   | wait: peer serves                 | TL28: the old leader seeds
            sole 1:9    | learner 1:5          | there       | -                     | start   | go on alone                       | TL28, I12
            unconfirmed 1:9 | two 1:9          | there       | -                     | start   | start as voter                    | TL28: promoted, not confirmed; both vote
            learner 1:8 | two 1:9              | there       | -                     | start   | start as voter                    | the promotion is still on its way
            two 1:9     | learner 1:8          | there       | -                     | start   | start as voter                    | the same from the other side
            learner 1:5 | learner 1:5          | there       | -                     | start   | refuse: no complete replica       | nobody seeds
            two 1:7     | none                 | there known | -                     | start   | wait: peer stands down            | TL21
            two 1:7     | none stood-down      | there known | abdicated             | start   | take over, epoch 2                | TL13c: known not to have been ahead
            two 1:7     | none stood-down      | there       | abdicated             | start   | refuse: who served last           | TL20c: the lost replica may have been ahead
            two 1:7     | none stood-down      | there       | abdicated, person: off and loss accepted | start | take over, epoch 2   | TL20c: the loss is stated
            two 1:7     | damaged stood-down   | there known | abdicated             | start   | take over, epoch 2                | TL20c
            sole 1:9    | none                 | there       | -                     | start   | go on alone                       | TL21
            unconfirmed 1:7 | none             | there known | -                     | start   | refuse: no complete replica       | TL27
            # Leaving
            two 1:7 following | two 1:7 leading | there known | -                    | leave   | depart                            | TL4
            two 1:7 leading | two 1:7 following | there known | -                    | leave   | hand leadership over              | W14
            two 1:7 left following | two 1:7 leading | there known | -               | leave   | wait: departure answer            | I9: confirmed after
            two 1:7 left following | two 1:7 leading | there known | -               | leave, time is up | stop: unconfirmed       | I15
            two 1:7 left following | two 1:7 leading releases | there known | -      | leave   | stop: denied                      | TL14
            two 1:7 left following | sole 1:8 leading | there known | -              | leave   | stop: left                        | TL4
            removed 1:8 left | sole 1:8 leading | there known | -                    | leave   | stop: left                        | TL4
            sole 1:7 leading | learner 1:5 following | there known | -               | leave   | stop: last voter                  | TL5, I9
            two 1:7 following | two 1:7 leading left | there known | -               | leave   | stop: peer cannot continue        | TL14: the peer is leaving itself
            two 1:7 leaderless | two 1:7 leaderless | there known | -                | leave   | stop: peer cannot continue        | no leader to grant it
            two 1:7 leading | unconfirmed 1:7 following | there known | -            | leave   | stop: peer cannot continue        | I9: the only complete replica stays
            two 1:7 leaderless | two 1:7       | gone known  | -                     | leave   | stop: peer cannot continue        | TL5
            learner 1:5 following | sole 1:9 leading | there | -                     | leave   | stop: not a voter                 | TL26
            # Installation
            none        | none leaves-founding | there       | -                     | install | bootstrap                         | I6
            none        | none leaves-founding-marked | there | -                     | install | bootstrap                         | a mark on both: the first name creates the cluster
            none        | none                 | there       | -                     | install | wait: peer installs               | no promise: an older release may create one itself
            none        | unheard              | never met   | -                     | install | refuse: no replica                | the peer may have one
            none        | greeted              | there       | -                     | install | wait: peer facts                  | the peer may have a replica
            none        | sole 1:9 leading     | there       | -                     | install | wait: peer serves                 | a mark of old beside data means nothing
            none        | unheard              | never met   | -                     | install (closed) | refuse: not installing   | I6
            two 1:7     | two 1:7              | there       | -                     | install | refuse: not installing            | never over a replica
            damaged     | unheard              | never met   | -                     | install | refuse: not installing            | never over a replica
            # A single node, and two with an arbiter
            @ single
            sole 1:7    | unheard              | never met   | -                     | start   | go on alone                       | TL41
            sole 1:7    | unheard              | never met   | -                     | died    | restart in place                  | TL41, W1
            sole 1:7    | unheard              | never met   | -                     | hung    | kill, restart in place            | TL18
            none        | unheard              | never met   | -                     | start   | refuse: no replica alone          | I6
            none        | unheard              | never met   | -                     | install | bootstrap                         | I6
            two 1:7     | unheard              | never met   | -                     | start   | refuse: lists another voter       | TL41: a peer that was not removed
            sole 1:7    | unheard              | never met   | -                     | leave   | stop: last voter                  | I9
            @ arbiter
            three 1:7   | unheard              | never met   | -                     | start   | start as voter                    | etcd's majority decides
            three 1:7   | unheard              | never met   | -                     | died    | restart in place                  | etcd's majority decides
            three 1:7   | unheard              | gone        | fenced                | recover | start as voter                    | never a take-over
            three 1:7   | unheard              | there       | -                     | leave   | stop: majority                    | a restart keeps its seat
            none        | three 1:9 leading invites | there  | -                     | start   | join                              | replaced node
            none        | unheard              | never met   | -                     | start   | refuse: needs majority            | I6
            """;
}
