package dev.tandem.agent.status;

import dev.tandem.agent.bmc.BmcChanges;
import dev.tandem.agent.plan.PlanChanges;
import dev.tandem.agent.state.LastFence;
import dev.tandem.agent.state.SwitchOffTime;
import dev.tandem.host.health.DiskWatch;
import dev.tandem.host.health.Impediments;
import dev.tandem.host.health.LinkWatch;
import dev.tandem.host.health.NodeCertificate;
import dev.tandem.host.health.SecondLevelWatch;
import dev.tandem.host.health.SourceTrouble;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What other parts of the agent have found, for the status alone: neither the supervisor nor
 * Pacemaker knows it.
 *
 * @param systemdAnswers whether systemd answers questions
 * @param quorumKeptByOne whether this node would stay quorate without its peer
 * @param api whether this node's API server writes, where the plan has an address for it
 * @param certificates those of this node, as they were last read
 * @param disks what this node's disks have left
 * @param passwordSource what is wrong where the password of the peer's BMC comes from
 * @param lastFence why the last fence of the peer failed
 * @param unfinishedChanges settings of BMCs that are not everywhere yet
 * @param unusedPlan a plan on the disk that is not the one in use
 * @param switchOff how long the peer took to switch off when it was fenced
 * @param prediction what else a prediction needs
 * @param links what this node has lost of its links
 * @param secondLevel what the fencing levels lack that do without the agent
 * @param splitDelay how long this node would let its peer fence first, if it lost it now
 * @param fencingNetwork whether the peer and its BMC would be lost at once
 */
public record StatusInputs(
        BooleanSupplier systemdAnswers,
        BooleanSupplier quorumKeptByOne,
        Supplier<Impediments.Api> api,
        Supplier<List<NodeCertificate>> certificates,
        Supplier<DiskWatch.Rooms> disks,
        Supplier<Optional<SourceTrouble>> passwordSource,
        LastFence lastFence,
        SwitchOffTime switchOff,
        PredictionWatch prediction,
        Supplier<Optional<PlanChanges.Unused>> unusedPlan,
        Supplier<List<BmcChanges.Unfinished>> unfinishedChanges,
        Supplier<LinkWatch.Seen> links,
        Supplier<SecondLevelWatch.Found> secondLevel,
        Supplier<Duration> splitDelay,
        Supplier<Impediments> fencingNetwork) {}
