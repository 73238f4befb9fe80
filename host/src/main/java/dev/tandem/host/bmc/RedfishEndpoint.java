package dev.tandem.host.bmc;

import dev.tandem.core.BmcAddress;
import dev.tandem.host.bmc.login.LoginBackoff;
import dev.tandem.host.bmc.login.SessionStore;
import java.net.URI;
import java.util.Optional;

/**
 * Where a Redfish service is and which of its systems is meant.
 *
 * @param base scheme, host and port, without a path
 * @param systemPath for example /redfish/v1/Systems/1; empty to take the only one there is
 */
public record RedfishEndpoint(URI base, Optional<String> systemPath, TlsTrust trust)
        implements Bmc.Endpoint {

    public RedfishEndpoint {
        boolean https = "https".equals(base.getScheme());
        if (!https && !("http".equals(base.getScheme()) && trust instanceof TlsTrust.Anybody)) {
            throw new IllegalArgumentException(
                    "a BMC is called by https, or by http where trusting anybody was asked for");
        }
        if (base.getHost() == null
                || base.getUserInfo() != null
                || base.getQuery() != null
                || base.getFragment() != null
                || !base.getPath().isEmpty()) {
            throw new IllegalArgumentException(
                    "the base of a Redfish service is a scheme, a host and a port, no more");
        }
        if (systemPath.isPresent() && !systemPath.get().startsWith("/redfish/")) {
            throw new IllegalArgumentException(
                    "'" + systemPath.get() + "' is not the path of a Redfish system");
        }
        systemPath = systemPath.map(path -> path.replaceFirst("/+$", ""));
    }

    public static RedfishEndpoint of(BmcAddress address, TlsTrust trust) {
        return new RedfishEndpoint(
                URI.create(address.serviceUrl()), Optional.of(address.systemPath()), trust);
    }

    @Override
    public RedfishClient connect(BmcCredentials credentials) {
        return new RedfishClient(this, credentials);
    }

    @Override
    public RedfishClient connect(
            BmcCredentials credentials, LoginBackoff backoff, SessionStore sessions) {
        return new RedfishClient(this, credentials, Bmc.REQUEST_LIMIT, backoff, sessions);
    }

    /** Put together, not resolved: a path that begins with two slashes must not leave the host. */
    public URI at(String path) {
        return URI.create(base + path);
    }
}
