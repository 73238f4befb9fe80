package dev.tandem.host.bmc.check;

import dev.tandem.core.Failure;
import dev.tandem.host.bmc.Bmc;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.login.LoginBackoff;

/**
 * A BMC to be asked before anything depends on it.
 *
 * @param node whom it shall fence
 * @param backoff whether this login may be tried now
 */
public record BmcTarget(
        String node,
        Bmc.Endpoint endpoint,
        BmcCredentials credentials,
        Machine machine,
        Words words,
        LoginBackoff backoff) {

    /** With a login that somebody has just given, so that it is tried in any case. */
    public BmcTarget(
            String node,
            Bmc.Endpoint endpoint,
            BmcCredentials credentials,
            Machine machine,
            Words words) {
        this(node, endpoint, credentials, machine, words, new LoginBackoff());
    }

    /** What is known of the machine that the node is. */
    public sealed interface Machine {
        /** Nothing yet, so the BMC is not asked for it. */
        record NotKnown() implements Machine {}

        /** Something that a file says; a BMC that tells nothing to compare it with passes. */
        record Described(HardwareIdentity description) implements Machine {}

        /** What the node says itself; the BMC must be shown to control the same. */
        record Known(HardwareIdentity itself) implements Machine {}
    }

    /** What is told when the BMC could not fence the node: each file has fields of its own. */
    public interface Words {
        /**
         * A question had no answer.
         *
         * @param question what was asked for, such as the power state
         */
        Failure unanswered(String question, BmcFault fault);

        Failure mayNotSwitch();

        /** The BMC controls another machine, or cannot be shown to control this one. */
        Failure notItsMachine(IdentityCheck.Verdict verdict);

        Failure sameMachineAs(String otherNode);
    }
}
