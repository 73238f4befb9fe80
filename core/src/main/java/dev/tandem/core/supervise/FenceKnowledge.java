package dev.tandem.core.supervise;

import dev.tandem.core.BootId;

/**
 * All that decides what the API is told.
 *
 * @param etcdServes without it the API server can do nothing, and is not asked
 * @param ownBoot the boot this node is in
 */
public record FenceKnowledge(boolean etcdServes, BootId ownBoot, PeerFate peer) {}
