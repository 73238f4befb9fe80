package dev.tandem.cli.install;

import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcRights;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.RedfishClient;
import dev.tandem.host.bmc.RedfishEndpoint;
import dev.tandem.host.bmc.TlsTrust;
import dev.tandem.install.config.FencingCredential;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/** The real BMC, by the client with which the agent fences. */
final class RedfishProbe implements BmcProbe {
    @Override
    public Answer ask(FencingCredential credential) {
        TlsTrust trust =
                credential.verifyCertificate()
                        ? new TlsTrust.SystemAuthorities()
                        : new TlsTrust.Anybody();
        try (RedfishClient client =
                new RedfishClient(
                        RedfishEndpoint.of(credential.address(), trust),
                        new BmcCredentials(
                                credential.username(), credential.password().reveal()))) {
            return switch (client.read()) {
                case BmcAnswer.Unknown<PowerState>(BmcFault fault) ->
                        Answer.failed(fault.sentence());
                case BmcAnswer.Read<PowerState>(PowerState power, var _) ->
                        identified(client, power);
            };
        }
    }

    private static Answer identified(RedfishClient client, PowerState power) {
        return switch (client.identity()) {
            case BmcAnswer.Unknown<HardwareIdentity>(BmcFault fault) ->
                    Answer.failed(fault.sentence());
            case BmcAnswer.Read<HardwareIdentity>(HardwareIdentity identity, var _) ->
                    new Answer(
                            Optional.empty(),
                            power.name().toLowerCase(Locale.ROOT),
                            identity.uuid().map(UUID::toString),
                            identity.serial(),
                            identity.macs(),
                            maySwitch(client));
        };
    }

    private static boolean maySwitch(RedfishClient client) {
        return !(client.rights() instanceof BmcAnswer.Read<BmcRights>(BmcRights rights, var _)
                && rights.mayReset() == BmcRights.MayReset.NO);
    }
}
