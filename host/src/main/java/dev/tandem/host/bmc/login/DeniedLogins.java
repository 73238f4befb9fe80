package dev.tandem.host.bmc.login;

import dev.tandem.core.BmcAddress;
import dev.tandem.host.RunFile;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * What the BMCs of both nodes denied to this node in this boot. The agent and the commands of a
 * person count together, since the BMC does; each writes a file of its own, so that a command that
 * tries other credentials takes nothing from what the agent knows.
 *
 * @param run where the files are
 * @param nanos the monotonic clock
 */
public record DeniedLogins(Path run, LongSupplier nanos) {
    /** Below the directory of the first way: what was denied by the second of a node's BMC. */
    public static final String SECOND = "second";

    /**
     * Only its own is written; all are read.
     *
     * @param ofTheShim what the second fencing level was denied, by its own shim: void as soon as
     *     these credentials are accepted
     */
    private record Shared(
            LoginBackoff.Memory own, LoginBackoff.Memory other, LoginBackoff.Memory ofTheShim)
            implements LoginBackoff.Memory {
        @Override
        public Optional<Denials> kept() {
            return Stream.of(own, other, ofTheShim)
                    .flatMap(one -> one.kept().stream())
                    .reduce((one, two) -> one.last() - two.last() >= 0 ? one : two);
        }

        @Override
        public void keep(Denials denials) {
            own.keep(denials);
        }

        @Override
        public void forget() {
            own.forget();
            other.forget();
            ofTheShim.forget();
        }
    }

    /**
     * For the agent of a node, which counts what the second level was denied too.
     *
     * @param passwordFile where the second fencing level has the password from: what that was
     *     denied is about the same one, unless the file was written since
     */
    public LoginBackoff.Memory ofTheAgent(
            String node,
            BmcAddress address,
            String user,
            String password,
            Optional<Path> passwordFile) {
        return new Shared(
                new DenialsFile(agents(node), address, user, password, nanos),
                new DenialsFile(commands(node), address, user, password, nanos),
                new DeniedToSecondLevel(shims(node), address, user, password, passwordFile, nanos));
    }

    public LoginBackoff.Memory ofCommands(
            String node, BmcAddress address, String user, String password) {
        return new Shared(
                new DenialsFile(commands(node), address, user, password, nanos),
                new DenialsFile(agents(node), address, user, password, nanos),
                // A person may try others than the node's own.
                LoginBackoff.Memory.NONE);
    }

    /** Whatever was denied by that BMC, it may be tried at once. */
    public void forget(String node) {
        agents(node).delete();
        commands(node).delete();
        shims(node).delete();
    }

    private RunFile agents(String node) {
        return new RunFile(run.resolve("bmc-denied-" + node));
    }

    /** Written and read by {@code fence_tandem_redfish} while there is no agent. */
    private RunFile shims(String node) {
        return new RunFile(run.resolve("bmc-denied-to-second-level-" + node));
    }

    private RunFile commands(String node) {
        return new RunFile(run.resolve("bmc-denied-to-commands-" + node));
    }
}
