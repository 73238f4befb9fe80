package dev.tandem.redfishsim;

import dev.tandem.host.pki.TlsIdentity;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;

/**
 * How a BMC is set up.
 *
 * @param address where it listens; port 0 takes a free one
 * @param systemId the last part of the system's path, for example 1 or System.Embedded.1
 * @param events told everything that happens, on the thread where it happens: must be quick
 */
public record BmcSettings(
        InetSocketAddress address,
        TlsIdentity tls,
        List<BmcAccount> accounts,
        String systemId,
        BmcBehaviour behaviour,
        Consumer<BmcEvent> events) {

    public BmcSettings {
        accounts = List.copyOf(accounts);
        if (accounts.isEmpty()) {
            throw new IllegalArgumentException("a BMC needs at least one account");
        }
        if (accounts.stream().map(BmcAccount::user).distinct().count() != accounts.size()) {
            throw new IllegalArgumentException("two accounts have the same user name");
        }
        if (!systemId.matches("[A-Za-z0-9._-]+")) {
            throw new IllegalArgumentException("'" + systemId + "' does not fit into a path");
        }
    }

    /** One administrator, system 1, a BMC without faults. */
    public static BmcSettings of(
            InetSocketAddress address,
            TlsIdentity tls,
            String user,
            String password,
            Consumer<BmcEvent> events) {
        return new BmcSettings(
                address,
                tls,
                List.of(new BmcAccount(user, password, BmcAccount.Role.ADMINISTRATOR)),
                "1",
                BmcBehaviour.FAULTLESS,
                events);
    }
}
