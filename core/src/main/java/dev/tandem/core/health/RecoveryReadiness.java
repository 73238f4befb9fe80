package dev.tandem.core.health;

import dev.tandem.core.health.Impediment.Cause;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Whether a node would recover automatically from the failure of its peer, as that node itself
 * judges it. Only it can: its peer does not know which BMC it reaches, nor whether its Pacemaker
 * answers. It is told for the status alone and proves nothing; no decision about etcd reads it.
 */
public sealed interface RecoveryReadiness {
    record Automatic() implements RecoveryReadiness {}

    /**
     * A person would be needed.
     *
     * @param causes the one to tell first first; empty where the teller knows causes that the
     *     listener, of an older release, has no name for
     */
    record Impeded(List<Cause> causes) implements RecoveryReadiness {
        public Impeded {
            causes = ordered(causes);
        }

        private static List<Cause> ordered(Collection<Cause> causes) {
            Set<Cause> each = EnumSet.noneOf(Cause.class);
            each.addAll(causes);
            return List.copyOf(each);
        }
    }

    /** The teller is of a release that does not say. */
    record NotTold() implements RecoveryReadiness {}
}
