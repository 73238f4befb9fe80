package dev.tandem.agent.status;

import dev.tandem.agent.state.LastFence;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What other parts of the agent have found, for the status alone: neither the supervisor nor
 * Pacemaker knows it.
 *
 * @param systemdAnswers whether systemd answers questions
 * @param quorumKeptByOne whether this node would stay quorate without its peer
 * @param apiCannotWrite why this node's API server does not write, where it is known not to
 * @param lastFence why the last fence of the peer failed
 */
public record StatusInputs(
        BooleanSupplier systemdAnswers,
        BooleanSupplier quorumKeptByOne,
        Supplier<Optional<String>> apiCannotWrite,
        LastFence lastFence) {}
