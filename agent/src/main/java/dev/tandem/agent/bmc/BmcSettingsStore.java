package dev.tandem.agent.bmc;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.core.BmcName;
import dev.tandem.core.Failure;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.Secrets;
import dev.tandem.host.credential.PasswordSource;
import dev.tandem.host.credential.SealedPassword;
import dev.tandem.host.credential.SourceAnswer;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.NodeFiles;
import dev.tandem.host.plan.NodePasswords;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The settings of BMCs on this node's disk, each by its name in {@link ClusterPlan#bmcs}: the plan
 * has address and account, a file beside it the password. A change of both is made in steps, any of
 * which a power cut may prevent: so all of it is written to one file first, and from then on it is
 * made, if need be by the next agent.
 */
public final class BmcSettingsStore {
    private static final int VERSION = 1;

    /** The passwords in it are encrypted, as they are where this node keeps them. */
    private static final int SEALED = 2;

    private final Path plan;
    private final NodePasswords passwords;

    /**
     * @param plan where this node keeps it
     */
    public BmcSettingsStore(Path plan, NodePasswords passwords) {
        this.plan = plan;
        this.passwords = passwords;
    }

    /**
     * What is known of the changes of one BMC.
     *
     * @param unfinished what is still to be made, if anything
     */
    private record Kept(int version, long changeNumber, List<BmcSettings> unfinished) {
        /** The same with other passwords in it. */
        Kept with(UnaryOperator<String> password) {
            return new Kept(
                    version,
                    changeNumber,
                    unfinished.stream()
                            .map(one -> one.withPassword(password.apply(one.password())))
                            .toList());
        }
    }

    private SealedPassword sealed(String bmc) {
        return new SealedPassword(passwords.commands(), bmc);
    }

    /** Whether the password of a BMC comes from elsewhere. */
    private boolean isFetched(String bmc) {
        return installed().by(bmc).orElseThrow().bmc().password() instanceof PasswordSource.Fetched;
    }

    /** What its source says now; empty where it has none but its file. */
    Optional<SourceAnswer> askSource(ClusterPlan.Node node) {
        return passwords.ask(node);
    }

    private Path file(String bmc) {
        return DurableFiles.parent(plan).resolve("bmc").resolve(bmc + ".changes");
    }

    /** Passwords are as they are on the disk: to know the number nothing has to be decrypted. */
    private Optional<Kept> kept(String bmc) {
        return NodeFiles.content(file(bmc))
                .map(text -> {
                    try {
                        Kept kept = AgentJson.MAPPER.readValue(text, Kept.class);
                        if (kept.version() == VERSION || kept.version() == SEALED) {
                            return kept;
                        }
                    } catch (JsonProcessingException e) {
                        // Its message may repeat a password.
                    }
                    throw new Failure(
                            "cannot read " + file(bmc),
                            "it is not what this version of Tandem writes",
                            "move it to another directory; systemctl restart tandem-agent; then set"
                                    + " the BMC's login again: tandem fencing set "
                                    + BmcName.arguments(bmc)
                                    + " --password-stdin");
                });
    }

    /** How often the settings were changed at run time. */
    long changeNumber(String bmc) {
        return kept(bmc).map(Kept::changeNumber).orElse(0L);
    }

    /** What is to be made still, if anything. */
    Optional<BmcSettings> unfinished(String bmc) {
        return kept(bmc)
                .map(kept ->
                        kept.version() == SEALED
                                ? kept.with(password -> sealed(bmc).open(password))
                                : kept)
                .flatMap(kept -> kept.unfinished().stream().findFirst());
    }

    /** As the plan and the file beside it have them. */
    public BmcSettings current(ClusterPlan installed, String bmc) {
        ClusterPlan.Node one = installed.by(bmc).orElseThrow();
        return new BmcSettings(
                bmc,
                changeNumber(bmc),
                one.bmc().address().toString(),
                one.bmc().username(),
                password(one),
                "");
    }

    /** The one that this node keeps. */
    String password(ClusterPlan.Node node) {
        return passwords.of(node);
    }

    /** From now on it is that of the node's BMC; durable when this returns. */
    void keep(ClusterPlan.Node node, String password) {
        passwords.write(node, password);
    }

    /** From here on they are the settings, whatever happens. */
    public void commit(BmcSettings settings) {
        long number = settings.changeNumber();
        List<BmcSettings> all = List.of(settings);
        write(
                settings.bmc(),
                isFetched(settings.bmc())
                        ? new Kept(SEALED, number, all).with(sealed(settings.bmc())::seal)
                        : new Kept(VERSION, number, all));
    }

    /** The plan as it is on the disk. */
    ClusterPlan installed() {
        return ClusterPlan.read(plan);
    }

    /** Makes the files as committed, where they are not. The rest of the plan stays as it is. */
    public void write(BmcSettings settings) {
        ClusterPlan there = installed();
        ClusterPlan changed = settings.in(there);
        keep(changed.by(settings.bmc()).orElseThrow(), settings.password());
        if (!changed.equals(there)) {
            Secrets.write(plan, changed.toYaml());
        }
    }

    /** All of it is made. */
    public void finish(BmcSettings settings) {
        write(settings.bmc(), new Kept(VERSION, settings.changeNumber(), List.of()));
    }

    private void write(String bmc, Kept kept) {
        Secrets.write(file(bmc), AgentJson.line(kept) + "\n");
    }
}
