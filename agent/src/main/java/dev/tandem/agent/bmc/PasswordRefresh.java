package dev.tandem.agent.bmc;

import dev.tandem.agent.state.PlanInUse;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.host.RunFile;
import dev.tandem.host.UnexpectedErrors;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.check.LoginDenied;
import dev.tandem.host.bmc.login.DenialsFile;
import dev.tandem.host.bmc.login.LoginBackoff;
import dev.tandem.host.credential.PasswordSource;
import dev.tandem.host.credential.SourceAnswer;
import dev.tandem.host.health.SourceTrouble;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.NodeFiles;
import dev.tandem.host.plan.NodePasswords;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Reads the password of the peer's BMC from where the plan says that it comes from, and has a new
 * one taken by both nodes once the BMC has accepted it. What is in use never waits for this: it
 * lies on the disk.
 *
 * <p>Only the node that fences by a BMC reads its password. So of two nodes that would find a new
 * one at the same time one changes it, and the BMC is tried half as often with one that it denies.
 */
public final class PasswordRefresh {
    /**
     * A denied login asks for a new password at once; this is for one that is changed in the store
     * and not yet in the BMC, and to notice a store that is gone before it is needed. As often as a
     * BMC is tried with what it denies: two logins to the store in ten minutes for a pair.
     */
    static final Duration INTERVAL = LoginBackoff.LONGEST;

    /** While a new password could not be taken for another reason than a denial. */
    static final Duration SOON = LoginBackoff.SOON;

    private final NodeName peer;
    private final NodePasswords passwords;
    private final PlanInUse plan;
    private final BmcChanges changes;
    private final BmcSessions sessions;
    private final Path run;
    private final LongSupplier nanos;
    private volatile Optional<Noted> trouble = Optional.empty();

    /** What is wrong with whom, and since when by the monotonic clock. */
    private record Noted(
            PasswordSource.Origin source,
            SourceTrouble.Kind kind,
            String why,
            String remedy,
            long since) {}

    /**
     * Asks nobody before the first {@link #look}.
     *
     * @param run where denials are kept for the next agent of this boot
     */
    public PasswordRefresh(
            NodeName peer,
            NodePasswords passwords,
            PlanInUse plan,
            BmcChanges changes,
            BmcSessions sessions,
            Path run,
            LongSupplier nanos) {
        this.peer = peer;
        this.passwords = passwords;
        this.plan = plan;
        this.changes = changes;
        this.sessions = sessions;
        this.run = run;
        this.nanos = nanos;
    }

    /**
     * Reads what is not kept, or cannot be decrypted any more, from its source: before the agent
     * begins, since it needs all of them. Where that fails too, the part that needs it says why.
     * What is kept was accepted by the BMC, and what the source has now was not: so a machine that
     * is too busy to decrypt it has lost nothing.
     *
     * @param files of this node, from which a change of sources that was interrupted is removed
     */
    public static void keepAll(ClusterPlan plan, NodePasswords passwords, NodeFiles files) {
        keepLost(plan, passwords);
        try {
            files.deleteObsolete(plan);
        } catch (Failure e) {
            UnexpectedErrors.log("deleting a password that is not used any more", e);
        }
    }

    private static void keepLost(ClusterPlan plan, NodePasswords passwords) {
        for (ClusterPlan.Node node : plan.nodes()) {
            if (node.bmc().password() instanceof PasswordSource.Fetched(_, var cache)
                    && cache.filter(file -> passwords.sealed(node).isLost(file)).isPresent()) {
                try {
                    passwords.write(node, passwords.available(node));
                } catch (Failure e) {
                    UnexpectedErrors.log("reading the password of a BMC from its source", e);
                }
            }
        }
    }

    public Duration interval() {
        return lacksAny()
                        || trouble.filter(noted -> noted.kind() == SourceTrouble.Kind.NOT_TAKEN)
                                .isPresent()
                ? SOON
                : INTERVAL;
    }

    /** What a person should know about the source; empty where all is well or there is none. */
    public Optional<SourceTrouble> trouble() {
        // That of another plan tells nothing about this one.
        return trouble.filter(noted -> source(node()).equals(Optional.of(noted.source())))
                .map(noted ->
                        new SourceTrouble(
                                noted.kind(),
                                noted.source().words(),
                                noted.why(),
                                noted.remedy(),
                                Duration.ofNanos(nanos.getAsLong() - noted.since())));
    }

    private ClusterPlan.Node node() {
        return plan.get().node(peer.value()).orElseThrow();
    }

    private static Optional<PasswordSource.Origin> source(ClusterPlan.Node node) {
        return node.bmc().password() instanceof PasswordSource.Fetched fetched
                ? Optional.of(fetched.origin())
                : Optional.empty();
    }

    private boolean lacksAny() {
        return plan.get().nodes().stream().anyMatch(node -> sessions.lacksPassword(node.name()));
    }

    /** What this node could not read of its own disk, and may read by now. */
    public void readMissing() {
        sessions.readMissingPasswords();
    }

    /** Asks the source, if there is one. */
    public void look() {
        if (lacksAny()) {
            keepLost(plan.get(), passwords);
            readMissing();
        }
        ClusterPlan.Node node = node();
        Optional<SourceAnswer> answer = passwords.ask(node);
        if (answer.isEmpty()) {
            trouble = Optional.empty();
            return;
        }
        try {
            switch (answer.get()) {
                case SourceAnswer.Unread(SourceAnswer.Kind _, String why, String remedy) ->
                        note(
                                node,
                                sessions.lacksPassword(node.name())
                                        ? SourceTrouble.Kind.NONE_KEPT
                                        : SourceTrouble.Kind.UNREAD,
                                why,
                                remedy);
                case SourceAnswer.Read(String password) -> take(node, password);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void take(ClusterPlan.Node node, String password) throws InterruptedException {
        try {
            if (sessions.credentials(node.name()).password().equals(password)) {
                trouble = Optional.empty();
                return;
            }
        } catch (Failure e) {
            // None is in use, and what is kept may be readable later. One that the BMC accepts now
            // may replace it.
        }
        BmcCredentials offered = new BmcCredentials(node.bmc().username(), password);
        LoginBackoff backoff =
                new LoginBackoff(
                        LoginBackoff.LONGEST,
                        nanos,
                        new DenialsFile(
                                new RunFile(run.resolve("bmc-offered-denied-" + node.name())),
                                node.bmc().address(),
                                offered.user(),
                                offered.password(),
                                nanos));
        Optional<LoginBackoff.Held> held = backoff.held(LoginBackoff.Purpose.LOOK);
        if (held.isPresent()) {
            noteRefused(node, held.get().why());
            return;
        }
        try {
            changes.takeFromSource(node.name(), password);
            backoff.onAccepted();
            trouble = Optional.empty();
        } catch (Failure e) {
            Optional<LoginDenied> denied = LoginDenied.in(e);
            if (denied.isPresent()) {
                noteRefused(
                        node,
                        backoff.onDenied(LoginBackoff.Purpose.LOOK, denied.get().status(), e.why())
                                .why());
                sessions.onOtherDenied(node.name());
            } else {
                note(
                        node,
                        SourceTrouble.Kind.NOT_TAKEN,
                        "%s: %s".formatted(e.what(), e.why()),
                        e.remedy());
            }
        }
    }

    private void noteRefused(ClusterPlan.Node node, String why) {
        note(
                node,
                SourceTrouble.Kind.REFUSED_BY_BMC,
                why,
                "set the same password in the BMC of %s and in its source".formatted(node.name()));
    }

    /** The time of one kind of trouble goes on, whatever its words. */
    private void note(ClusterPlan.Node node, SourceTrouble.Kind kind, String why, String remedy) {
        PasswordSource.Origin source = source(node).orElseThrow();
        long since =
                trouble.filter(noted -> noted.kind() == kind && noted.source().equals(source))
                        .map(Noted::since)
                        .orElseGet(nanos::getAsLong);
        trouble = Optional.of(new Noted(source, kind, why, remedy, since));
    }
}
