package dev.tandem.host.bmc.ipmi;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.IpmiCipherSuite;
import dev.tandem.host.NodePaths;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.bmc.Bmc;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.login.LoginBackoff;
import dev.tandem.host.bmc.login.SessionStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a BMC is that speaks IPMI 2.0.
 *
 * @param host a name or an IP address, without brackets
 */
public record IpmiEndpoint(String host, int port, IpmiCipherSuite cipherSuite)
        implements Bmc.Endpoint {

    public IpmiEndpoint {
        if (host.isEmpty() || host.startsWith("-")) {
            throw new IllegalArgumentException("not a host: " + host);
        }
    }

    public static IpmiEndpoint of(BmcAddress address) {
        return new IpmiEndpoint(
                address.host(), address.port(), address.cipherSuite().orElseThrow());
    }

    @Override
    public IpmiClient connect(BmcCredentials credentials) {
        return connect(credentials, new LoginBackoff(), SessionStore.NONE);
    }

    @Override
    public IpmiClient connect(
            BmcCredentials credentials, LoginBackoff backoff, SessionStore sessions) {
        return new IpmiClient(
                new Ipmitool(
                        new SystemCommands(),
                        runDirectory(),
                        this,
                        credentials,
                        IpmiPrivilege.OPERATOR),
                backoff);
    }

    /** Whether such a BMC refuses the cipher suite with this status. */
    public static boolean refusesCipherSuite(int status) {
        return IpmiFaults.isNoSuchSuite(status);
    }

    /** In memory where there is such a place: a full disk must not stop a fence. */
    private static Path runDirectory() {
        return Files.isWritable(NodePaths.RUN)
                ? NodePaths.RUN
                : Path.of(System.getProperty("java.io.tmpdir"));
    }
}
