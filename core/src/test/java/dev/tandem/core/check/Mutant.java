package dev.tandem.core.check;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Faults of judgement, each one place of the product's source changed, many of them made by real
 * systems. The checker is worth something as long as it finds what each of them leads to.
 *
 * @param file the source below {@code dev/tandem/core}, without its ending
 * @param from what stands there exactly once; blanks do not count
 * @param scene in which the consequence is looked for
 * @param states in so many of its states
 */
record Mutant(String name, String file, String from, String to, String scene, int states) {
    private static final int STATES = 60_000;
    private static final int MORE = 200_000;
    private static final int MOST = 400_000;

    Mutant(String name, String file, String from, String to, String scene) {
        this(name, file, from, to, scene, STATES);
    }

    Mutant within(int more) {
        return new Mutant(name, file, from, to, scene, more);
    }

    /**
     * How far is searched. The sound product is held to the same in the same scenes: a scene that
     * breaks a law by itself would find any fault whatever.
     */
    static Explorer.Limits limits(int states) {
        return new Explorer.Limits(states, Duration.ofMinutes(30), 2, 1);
    }

    /** How far the mutants of this scene are looked for. */
    static Explorer.Limits limits(Scene scene) {
        int most =
                all().stream()
                        .filter(mutant -> mutant.scene.equals(scene.name()))
                        .mapToInt(Mutant::states)
                        .max()
                        .orElse(STATES);
        return limits(most);
    }

    /** The law that the product breaks with this fault in its scene; empty if none is found. */
    String law() throws ReflectiveOperationException, IOException {
        return (String)
                MutantLoader.of("dev/tandem/core/" + file + ".java", from, to)
                        .loadClass(Checker.class.getName())
                        .getMethod("law", String.class, int.class)
                        .invoke(null, scene, states);
    }

    @Override
    public String toString() {
        return name;
    }

    static List<Mutant> all() {
        return List.of(
                new Mutant(
                        "nobody orders a fence that Pacemaker does not order",
                        "supervise/FenceOrderRules",
                        "if (!lacksFence(next)) {",
                        "if (true) {",
                        "a node is shut down without its agent"),
                new Mutant(
                        "silence counts as fenced",
                        "decision/StartDecision",
                        "if (!declaredOff) {",
                        "if (!declaredOff && now.membership().peerPresent()) {",
                        "the network is cut"),
                new Mutant(
                        "a fence that timed out counts as fenced",
                        "supervise/ProofRules",
                        "return Optional.of(Action.Disbelief.NOT_OFF);",
                        "answer.order().peerBoot().ifPresent(boot -> next.want(draft ->"
                                + " draft.proofs.add(new PeerProof.Fenced(answer.order().target(),"
                                + " boot, answer.method(), PowerReading.OFF, answer.time()))));"
                                + " return Optional.of(Action.Disbelief.NOT_OFF);",
                        "messages and answers are late"),
                new Mutant(
                        "a fence of another machine counts as the peer's",
                        "supervise/ProofRules",
                        "return Optional.of(Action.Disbelief.ANOTHER_MACHINE);",
                        "if (answer.reading().power() == PowerReading.OFF) {"
                                + " answer.order().peerBoot().ifPresent(boot -> next.want(draft ->"
                                + " draft.proofs.add(new PeerProof.Fenced(answer.order().target(),"
                                + " boot, answer.method(), PowerReading.OFF, answer.time()))));"
                                + " made(next, answer.reading().at()); }"
                                + " return Optional.of(Action.Disbelief.ANOTHER_MACHINE);",
                        "another machine answers in a split"),
                new Mutant(
                        "a receipt counts although the peer booted since",
                        "decision/StartDecision",
                        "&& fenced.observed() == PowerReading.OFF &&"
                                + " now.peer().isIn(fenced.peerBoot());",
                        "&& fenced.observed() == PowerReading.OFF;",
                        "a node loses power"),
                new Mutant(
                        "a statement holds for every incident",
                        "decision/StartDecision",
                        "&& word.incident().equals(Incident.of(now.mine(), now.peer()))",
                        "",
                        "a person accepts a loss"),
                new Mutant(
                        "off is enough, whoever served last",
                        "decision/StartDecision",
                        "if (now.membership().peerKnownNotAhead()) {",
                        "if (true) {",
                        "a person accepts a loss"),
                new Mutant(
                        "a peer without a replica cannot have been ahead",
                        "decision/StartDecision",
                        "if (!now.membership().peerKnownNotAhead() && !stated(",
                        "if (false && !stated(",
                        "the node that served last loses its disk"),
                new Mutant(
                        "the loss of the peer's writes need not be stated",
                        "decision/StartDecision",
                        "&& (word.statement() == least ||",
                        "&& (true ||",
                        "a person accepts a loss"),
                new Mutant(
                        "whoever votes served last",
                        "decision/StartDecision",
                        "return log.role() == MemberRole.SOLE || mine.claim() instanceof"
                                + " Claim.TakeOver;",
                        "return log.votes();",
                        "a person accepts a loss"),
                new Mutant(
                                "an answer that was overtaken counts",
                                "supervise/PeerMessageRules",
                                "if (answer.understood() && next.conversation.count() =="
                                        + " answer.question().count()) {",
                                "if (answer.understood()) {",
                                "a question is late")
                        .within(MORE),
                new Mutant(
                        "a proof outlives a sign of life",
                        "decision/Proofs",
                        "return proofs.stream().filter(proof -> !saysOff(proof)).toList();",
                        "return proofs;",
                        "a BMC says Off and its host runs on"),
                new Mutant(
                        "a fence outlives a sign of life",
                        "decision/Proofs",
                        "case Fenced _, PeerProof.HeldOff _ -> true;",
                        "case Fenced _, PeerProof.HeldOff _ -> false;",
                        "a BMC says Off and its host runs on"),
                new Mutant(
                        "a receipt is bound to the boot known at the answer",
                        "decision/Proofs",
                        "return order.peerBoot() .filter(now::isIn)",
                        "return (switch (now) { case PeerView.Unknown() ->"
                            + " Optional.<BootId>empty(); case PeerView.BootKnown(BootId boot) ->"
                            + " Optional.of(boot); case PeerView.FactsKnown(var facts) ->"
                            + " Optional.of(facts.boot()); })",
                        "messages and answers are late"),
                new Mutant(
                        "an old record of the second level counts",
                        "decision/LevelTwoRecord",
                        "&& ordered > heard;",
                        ";",
                        "the second level is told a false Off"),
                new Mutant(
                        "a record counts although nobody knows of two readings",
                        "supervise/ProofRules",
                        "record.spanOfPeer().or(() -> ownSpan(next, found, level))",
                        "record.spanOfPeer().or(() -> Optional.of(Duration.ofSeconds(1)))",
                        "the second level is told a false Off"),
                new Mutant(
                        "a record counts whichever BMC gave it",
                        "decision/LevelTwoRecord",
                        "return giver == Giver.THE_PEERS ? span : Optional.empty();",
                        "return span;",
                        "another machine is shot, and then the address is corrected"),
                new Mutant(
                        "one look of this agent is a second reading",
                        "supervise/ProofRules",
                        "since.map(found.asking()::since).orElse(Duration.ZERO)",
                        "since.map(found.asking()::since).orElse(Duration.ofSeconds(1))",
                        "the second level reads Off once, and so does this agent"),
                new Mutant(
                        "whatever this agent reads is Off",
                        "supervise/ProofRules",
                        "boolean off = found.power() == PowerReading.OFF;",
                        "boolean off = true;",
                        "the second level reads Off once, and so does this agent"),
                new Mutant(
                        "a further level proves although the plan does not say so",
                        "supervise/ProofRules",
                        "found.provesOff() ? Proofs.Machine.THE_PEER : Proofs.Machine.NOT_STATED;",
                        "Proofs.Machine.THE_PEER;",
                        "the second level is told a false Off"),
                new Mutant(
                        "the second BMC is judged by what the first has read",
                        "supervise/ProofRules",
                        "judgeRecord(next, found, next.secondBmc, SECOND);",
                        "judgeRecord(next, found, next.firstBmc, SECOND);",
                        "the second of a peer's BMCs says Off again and again"),
                new Mutant(
                        "a BMC that says Off of a peer which is there is believed",
                        "supervise/ProofRules",
                        "if (bmc.tooLong()) {",
                        "if (false) {",
                        "the second of a peer's BMCs says Off again and again"),
                new Mutant(
                        "a machine that was to stay off and reads On was switched off",
                        "decision/LevelTwoRecord",
                        "return staysOff && now == PowerReading.ON;",
                        "return false;",
                        "the second level is told a false Off"),
                new Mutant(
                        "a peer that is back in the membership ends no proof",
                        "supervise/ProofRules",
                        "if (next.missedSinceProof) {",
                        "if (false) {",
                        "a BMC says Off and its host runs on"),
                new Mutant(
                        "an answer of the peer ends no proof",
                        "supervise/PeerMessageRules",
                        "if (next.provenAt.isBefore(asked)) {",
                        "if (false) {",
                        "somebody fences a healthy node"),
                new Mutant(
                        "a peer that answered counts as held off",
                        "supervise/PeerMessageRules",
                        "next.heldOff = next.heldOff.filter(span ->"
                                + " !span.first().isBefore(asked));",
                        "",
                        "a BMC says Off of a peer that the agent hears and Corosync does not"),
                new Mutant(
                        "an Off counts although the peer answered after it was read",
                        "supervise/PeerMessageRules",
                        "next.aliveAt = next.aliveAt.later(asked);",
                        "",
                        "the peer answers after a false Off and before it is told"),
                new Mutant(
                        "an Off counts although the peer came back after it was read",
                        "supervise/ProofRules",
                        "boolean back = now.peerPresent() && next.peerMissing();",
                        "boolean back = false;",
                        "the peer is back after a false Off and before it is told"),
                new Mutant(
                        "no sign of life is held against an Off that was read before it",
                        "supervise/ProofRules",
                        "if (answer.reading().at().isBefore(next.aliveAt)) {",
                        "if (false) {",
                        "the peer answers after a false Off and before it is told"),
                new Mutant(
                        "a fence is of the moment at which it is told",
                        "supervise/ProofRules",
                        "made(next, answer.reading().at());",
                        "made(next, next.now);",
                        "the peer answers after a false Off and before it is told"),
                new Mutant(
                        "one reading of Off without an accepted order counts",
                        "supervise/ProofRules",
                        "return answer.reading().accepted() || twice ? Optional.empty()",
                        "return true ? Optional.empty()",
                        "a BMC says Off and its host runs on"),
                new Mutant(
                        "a restarted agent sees no sign of life in a peer that is there",
                        "supervise/Supervisor",
                        "it has come back. true,",
                        "it has come back.\n false,",
                        "an agent restarts after a false Off"),
                new Mutant(
                        "a server whose state is lost is wanted by nobody",
                        "supervise/Supervisor",
                        "draft.wanted = true; draft.ran = true;",
                        "draft.ran = true;",
                        "the state is lost beside a running server"),
                new Mutant(
                                "what is said to a node that has lost its state counts at once",
                                "supervise/Supervisor",
                                "Membership.UNKNOWN, now, forgot,",
                                "Membership.UNKNOWN, now, false,",
                                "the state is lost while a node leaves")
                        .within(MORE),
                new Mutant(
                                "a BMC that reads On does not refute a person",
                                "supervise/ProofRules",
                                "if (read.reading() == PowerReading.ON) {",
                                "if (false) {",
                                "a person is wrong about a node that serves")
                        .within(MORE),
                new Mutant(
                        "a node withdraws its own yield",
                        "decision/StartDecision",
                        "return !(now.mine().abdication() instanceof Abdication.None)",
                        "return false && !(now.mine().abdication() instanceof Abdication.None)",
                        "a node leaves and the other fails"),
                new Mutant(
                        "a yield that was released is used",
                        "decision/StartDecision",
                        "|| peer.abdication().number() <= now.mine().released()) {",
                        "|| false) {",
                        "both leave"),
                new Mutant(
                        "a yield is taken back when the peer is heard",
                        "peer/PeerConversation",
                        "peer.released() >= mine.abdication().number()",
                        "peer.released() >= 0",
                        "a node leaves and the other fails"),
                new Mutant(
                        "a yield is never released",
                        "peer/PeerConversation",
                        "releases ? Math.max(mine.released(), peer.abdication().number()) :"
                                + " mine.released()",
                        "mine.released()",
                        "both leave"),
                new Mutant(
                                "a node without a replica releases what it may have used",
                                "peer/PeerConversation",
                                "mine.replica() instanceof Intact log && !(abdication instanceof"
                                        + " Abdication.None && canUseYieldOf(peer, log));",
                                "!(mine.replica() instanceof Intact log) || !(abdication instanceof"
                                        + " Abdication.None && canUseYieldOf(peer, log));",
                                "both leave and one loses its disk")
                        .within(MOST),
                new Mutant(
                        "a reboot withdraws a yield",
                        "supervise/DurableState",
                        "draft.abdication = abdication; draft.lastAbdication = lastAbdication;"
                                + " draft.claim = claim;",
                        "draft.lastAbdication = lastAbdication; draft.claim = claim;",
                        "a node leaves and the other fails"),
                new Mutant(
                        "a voter that stands down stays in its server",
                        "supervise/RunRules",
                        "order(next, new EtcdOrder.End(true, next.policy.end())); return; } if"
                                + " (next.observation.server() == EtcdState.UNSEEN) {",
                        "return; } if (next.observation.server() == EtcdState.UNSEEN) {",
                        "the ports of etcd are cut"),
                new Mutant(
                        "facts told to an earlier boot count",
                        "peer/PeerConversation",
                        "if (word instanceof PeerMessage.Facts(NodeFacts peer, BootId to) &&"
                                + " to.equals(mine.boot())) {",
                        "if (word instanceof PeerMessage.Facts(NodeFacts peer, BootId to)) {",
                        "a question is late"),
                new Mutant(
                        "what was heard survives a reboot",
                        "supervise/DurableState",
                        "return boot.equals(now) ? this",
                        "return true ? this",
                        "power fails twice"),
                new Mutant(
                        "old facts are told while a take-over is under way",
                        "supervise/SupervisorView",
                        "return live().work().takingOver() ||",
                        "return false ||",
                        "a node loses power"),
                new Mutant(
                        "an older epoch is not noticed",
                        "decision/StartDecision",
                        "case PEER_AHEAD -> behind(now, log, peer, theirs);",
                        "case PEER_AHEAD -> abreast(now, log, peer, theirs, portsCut);",
                        "a node loses power"),
                new Mutant(
                        "the active peer always wins",
                        "decision/StartDecision",
                        "case FORKED -> forked(now, log, peer);",
                        "case FORKED -> behind(now, log, peer, theirs);",
                        "a person accepts a loss"),
                new Mutant(
                        "forget the epoch",
                        "decision/StartDecision",
                        "log.lineage().takenOver(mine.node(), mine.boot(), log.lastIndex())",
                        "log.lineage()",
                        "a node loses power"),
                new Mutant(
                        "a sole voter is abreast of the one that left",
                        "peer/History",
                        "return Relation.MINE_AHEAD; } if (peer.role() == Replica.MemberRole.SOLE"
                                + " || (mineOver && !peerOver)) { return Relation.PEER_AHEAD; }",
                        "return Relation.SAME; } if (peer.role() == Replica.MemberRole.SOLE ||"
                                + " (mineOver && !peerOver)) { return Relation.SAME; }",
                        "a node that left comes back"),
                new Mutant(
                                "an unacknowledged tail counts as a fork",
                                "replica/Replica",
                                "return role == MemberRole.SOLE ? lastIndex : commitIndex;",
                                "return lastIndex;",
                                "a node loses power while clients write")
                        .within(MORE),
                new Mutant(
                        "a learner may seed",
                        "decision/StartDecision",
                        "if (!log.complete()) { return incomplete(theirs, present, portsCut); }",
                        "if (!log.complete() && present) { return incomplete(theirs, present,"
                                + " portsCut); }",
                        "the leader fails before the vote is confirmed"),
                new Mutant(
                        "an incomplete replica starts alone",
                        "decision/StartDecision",
                        "return Refusal.REMOVED.decision(); } if (!log.complete()) { return"
                            + " Refusal.INCOMPLETE.decision(); } if (stated(now,"
                            + " Statement.PEER_IS_OFF_LOSS_ACCEPTED)) { return contradicted(now) ?"
                            + " Refusal.PEER_IS_THERE.decision() : goOn(mine, log); }",
                        "return Refusal.REMOVED.decision(); } if (stated(now,"
                            + " Statement.PEER_IS_OFF_LOSS_ACCEPTED)) { return contradicted(now) ?"
                            + " Refusal.PEER_IS_THERE.decision() : goOn(mine, log); }",
                        "the leader fails before the vote is confirmed"),
                new Mutant(
                        "a peer that is in the membership is taken for missing",
                        "supervise/RunRules",
                        "next.wanted.met() || next.membership.peerPresent(),"
                                + " next.membership.peerPresent(),",
                        "next.wanted.met() || next.membership.peerPresent(), false,",
                        "both lost power and return"),
                new Mutant(
                        "a removed replica may seed",
                        "decision/StartDecision",
                        "if (log.role() == MemberRole.REMOVED) { return Refusal.REMOVED.decision();"
                            + " } if (!log.complete()) { return Refusal.INCOMPLETE.decision(); } if"
                            + " (stated(now, Statement.PEER_IS_OFF_LOSS_ACCEPTED)) { return"
                            + " contradicted(now) ? Refusal.PEER_IS_THERE.decision() :"
                            + " goOn(now.mine(), log); }",
                        "if (log.role() == MemberRole.REMOVED) { return goOn(now.mine(), log); } if"
                                + " (!log.complete()) { return Refusal.INCOMPLETE.decision(); } if"
                                + " (stated(now, Statement.PEER_IS_OFF_LOSS_ACCEPTED)) { return"
                                + " contradicted(now) ? Refusal.PEER_IS_THERE.decision() :"
                                + " goOn(now.mine(), log); }",
                        "a node leaves and the other fails"),
                new Mutant(
                        "a removed replica that has not heard its peer may seed",
                        "decision/StartDecision",
                        "if (log.role() == MemberRole.REMOVED) { return Refusal.REMOVED.decision();"
                            + " } if (!log.complete()) { return Refusal.INCOMPLETE.decision(); } if"
                            + " (stated(now, Statement.PEER_IS_OFF_LOSS_ACCEPTED)) { return"
                            + " contradicted(now) ? Refusal.PEER_IS_THERE.decision() : goOn(mine,"
                            + " log); }",
                        "if (log.role() == MemberRole.REMOVED) { return goOn(mine, log); } if"
                            + " (!log.complete()) { return Refusal.INCOMPLETE.decision(); } if"
                            + " (stated(now, Statement.PEER_IS_OFF_LOSS_ACCEPTED)) { return"
                            + " contradicted(now) ? Refusal.PEER_IS_THERE.decision() : goOn(mine,"
                            + " log); }",
                        "a node leaves and the other fails"),
                new Mutant(
                                "what the peer told as committed need not be in the log",
                                "supervise/ObservationRules",
                                "return read ? told : log.lastIndex() >= before ? 0 : before;",
                                "return 0;",
                                "a replica goes back in time")
                        .within(MORE),
                new Mutant(
                        "a log that removes its own node is taken over",
                        "decision/OwnLog",
                        "case REMOVES_THIS_NODE -> Refusal.LOG_REMOVES_SELF.decision();",
                        "case REMOVES_THIS_NODE -> decision;",
                        "a node leaves and the other fails"),
                new Mutant(
                        "any old data may be kept for a join",
                        "decision/StartDecision",
                        "same ? DataStep.KEEP : DataStep.SET_ASIDE",
                        "DataStep.KEEP",
                        "a node loses power"),
                new Mutant(
                        "nobody confirms a vote",
                        "decision/LeaderDecision",
                        "return toConfirm && !confirmed ? new Step.Confirm(memberId) : new"
                                + " Step.Nothing();",
                        "return new Step.Nothing();",
                        "south waits for its confirmation"),
                new Mutant(
                        "a learner registered once is never registered again",
                        "decision/LeaderDecision",
                        "? new Step.Nothing() : new Step.DropLearner(memberId); }",
                        "? new Step.Nothing() : new Step.Nothing(); }",
                        "a learner loses its disk"),
                new Mutant(
                        "an invitation is never made",
                        "supervise/AdmissionRules",
                        "next.offer = token;",
                        "",
                        "a learner loses its disk"),
                new Mutant(
                        "a peer is let in while a claim is on the disk",
                        "supervise/AdmissionRules",
                        "|| claimIsOnTheDisk(next)) {",
                        ") { claimIsOnTheDisk(next);",
                        "the end of a claim is stored late"),
                new Mutant(
                        "a leader forgets the seat it has made",
                        "supervise/AdmissionRules",
                        "ended.offer().ifPresent(offer -> next.offer = offer);",
                        "",
                        "a node loses power"),
                new Mutant(
                        "a server that has died is left alone",
                        "decision/StartDecision",
                        "case Intent.ServerDied(int deaths) -> again(now, deaths, RESTART);",
                        "case Intent.ServerDied(int deaths) -> WaitFor.PEER_SERVES.decision();",
                        "etcd ends, hangs or gets stuck"),
                new Mutant(
                        "a tie is final",
                        "decision/StartDecision",
                        "if (!portsCut) { return START_AS_VOTER; }",
                        "if (!portsCut) { return Refusal.FORKED.decision(); }",
                        "both lost power and return"),
                new Mutant(
                        "a server that hangs is not killed",
                        "supervise/RunRules",
                        "if (next.observation.server() == EtcdState.HUNG ||"
                                + " PeerMessageRules.isContradicted(next)) {",
                        "if (false) {",
                        "etcd ends, hangs or gets stuck"),
                new Mutant(
                        "an etcd that refuses its agent hangs",
                        "supervise/RunRules",
                        "unseen(next); return; }",
                        "act(next, new Intent.ServerHung()); return; }",
                        "an agent does not see its etcd"),
                new Mutant(
                        "an etcd that refuses its agent has no leader",
                        "supervise/RunRules",
                        "unseen(next); return; }",
                        "act(next, new Intent.LeaderLost()); return; }",
                        "an agent does not see its etcd"),
                new Mutant(
                        "an etcd that refuses its agent died again and again",
                        "supervise/RunRules",
                        "unseen(next); return; }",
                        "act(next, new Intent.ServerDied(5)); return; }",
                        "an agent does not see its etcd"),
                new Mutant(
                        "a running server is not ended before a take-over",
                        "supervise/RunRules",
                        "if (next.observation.running()) { next.journal( new Notice.TakeOver("
                                + " Notice.TakeOver.Phase.STOPPING,",
                        "if (false) { next.journal( new Notice.TakeOver("
                                + " Notice.TakeOver.Phase.STOPPING,",
                        "a node loses power"),
                new Mutant(
                        "an order that failed is never tried again",
                        "supervise/RestartBackoff",
                        "return !now.isBefore(notBefore);",
                        "return failures == 0;",
                        "orders fail"),
                new Mutant(
                        "what is wanted is told before it is stored",
                        "supervise/SupervisorView",
                        "return facts(state, state.stored());",
                        "return facts(state, state.live().writes().wanted());",
                        "an agent restarts while it leaves"),
                new Mutant(
                        "a stop is reported before it is stored",
                        "supervise/SupervisorView",
                        "&& !state.stored().wanted() && !wantsEtcd()",
                        "&& !wantsEtcd()",
                        "a server dies before it is stopped"),
                new Mutant(
                        "a write that failed is taken for done",
                        "supervise/StoreRules",
                        "next.inFlight = Optional.empty(); next.writeFailures++;",
                        "next.stored = next.inFlight.get().content(); next.inFlight ="
                                + " Optional.empty(); next.writeFailures++;",
                        "a stand-down cannot be stored"),
                new Mutant(
                        "what is wanted by now is taken for stored",
                        "supervise/StoreRules",
                        "next.stored = next.inFlight.get().content();",
                        "next.stored = next.wanted;",
                        "an agent restarts while it leaves"),
                new Mutant(
                        "a write that failed is never tried again",
                        "supervise/StoreRules",
                        "|| next.writeTrouble.isPresent() || peerCommitIsDue(next);",
                        "|| peerCommitIsDue(next); due &= next.writeTrouble.isEmpty();",
                        "a take-over cannot be stored"),
                new Mutant(
                        "etcd goes on although a stop was ordered",
                        "supervise/StopRules",
                        "next.want(draft -> draft.wanted = false);",
                        "",
                        "a node leaves"),
                new Mutant(
                                "a look from before an order counts",
                                "supervise/ObservationRules",
                                "if (seen.generation() < next.observation.generation()) {",
                                "if (false) {",
                                "orders fail")
                        .within(MORE),
                new Mutant(
                        "a yield outlives a join",
                        "supervise/ObservationRules",
                        "next.want(draft -> { draft.abdication = Abdication.none(); draft.claim ="
                                + " Claim.none();",
                        "next.want(draft -> { draft.claim = Claim.none();",
                        "the ports of etcd are cut"),
                new Mutant(
                                "a confirmation is met before the log reaches its index",
                                "peer/PeerConversation",
                                "&& index <= log.lastIndex()",
                                "",
                                "an unconfirmed replica goes back in time")
                        .within(MOST),
                new Mutant(
                        "a confirmation is not heard",
                        "peer/PeerConversation",
                        "return log.asComplete(); } return replica;",
                        "return replica; } return replica;",
                        "south waits for its confirmation"),
                new Mutant(
                        "a release is not stored",
                        "supervise/PeerMessageRules",
                        "draft.released = after.released();",
                        "",
                        "both leave"),
                new Mutant(
                        "nobody starts etcd",
                        "supervise/RunRules",
                        "order(next, new EtcdOrder.StartInPlace(lossAccepted));",
                        "",
                        "both lost power and return"),
                new Mutant(
                                "one that gave up its right goes on beside its peer",
                                "decision/StartDecision",
                                "if (yields(now)) { return present ? WaitFor.PEER_SERVES.decision()"
                                        + " : givenUp(now, log); }",
                                "",
                                "a node leaves and the other fails")
                        .within(MORE),
                new Mutant(
                                "a yield ends with the peer",
                                "decision/StartDecision",
                                "return contradicted(now) ? Refusal.PEER_IS_THERE.decision() :"
                                    + " goOn(now.mine(), log); } return Refusal.YIELDED.decision();"
                                    + " }",
                                "return contradicted(now) ? Refusal.PEER_IS_THERE.decision() :"
                                        + " goOn(now.mine(), log); } return withProof(now, log); }",
                                "a node leaves and the other fails")
                        .within(MORE),
                new Mutant(
                                "a node known to be behind takes over",
                                "decision/StartDecision",
                                "return Refusal.PEER_IS_NEWER.decision();",
                                "return withProof(now, log);",
                                "a node leaves and the other fails")
                        .within(MORE),
                new Mutant(
                        "a node without a replica does not stand down",
                        "decision/StartDecision",
                        "? new Decision.StandDown(StandDownReason.NO_USABLE_REPLICA) :"
                                + " WaitFor.PEER_SERVES.decision();",
                        "? WaitFor.PEER_SERVES.decision() : WaitFor.PEER_SERVES.decision();",
                        "a voter loses its disk"),
                new Mutant(
                        "a stop never ends etcd",
                        "supervise/StopRules",
                        "case Decision.Stop _ -> end(next, false, left(next, stop));",
                        "case Decision.Stop _ -> {}",
                        "a node leaves"),
                new Mutant(
                        "diverged histories look the same",
                        "peer/History",
                        "if (shared == 0 || (mineLonger && peerLonger)) { return Relation.FORKED;"
                                + " }",
                        "if (shared == 0 || (mineLonger && peerLonger)) { return Relation.SAME; }",
                        "a person accepts a loss"),
                new Mutant(
                        "nobody registers a node that comes back",
                        "decision/LeaderDecision",
                        "case Listed.Nowhere() -> register(log, facts);",
                        "case Listed.Nowhere() -> new Step.Nothing();",
                        "a node loses power"),
                new Mutant(
                        "nobody promotes a learner",
                        "decision/LeaderDecision",
                        "? new Step.Promote(memberId) : new Step.Nothing();",
                        "? new Step.Nothing() : new Step.Nothing();",
                        "south learns while writes go on"),
                new Mutant(
                        "an empty directory is started as a new cluster",
                        "decision/StartDecision",
                        "return mine.replica() instanceof Replica.Missing ?"
                                + " Refusal.NO_REPLICA.decision()",
                        "return mine.replica() instanceof Replica.Missing ? new"
                                + " Decision.Bootstrap()",
                        "a voter loses its disk"),
                new Mutant(
                        "a damaged replica is started again",
                        "decision/StartDecision",
                        "? Refusal.NO_REPLICA.decision() : Refusal.DAMAGED.decision();",
                        "? Refusal.NO_REPLICA.decision() : RESTART;",
                        "a voter loses its disk"),
                new Mutant(
                        "erase instead of setting aside",
                        "decision/StartDecision",
                        "return new Decision.JoinAsLearner(token, same ? DataStep.KEEP :"
                                + " DataStep.SET_ASIDE);",
                        "return new Decision.JoinAsLearner(token, same ? DataStep.SET_ASIDE :"
                                + " DataStep.KEEP);",
                        "a node loses power"));
    }
}
