package dev.tandem.install.config;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.Failure;
import dev.tandem.core.MacAddress;
import dev.tandem.install.config.InstallConfig.Credential;
import dev.tandem.install.yaml.Secret;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * A credential of a valid file, as the runtime will use it.
 *
 * @param hostName empty where the node is named by its card alone
 */
public record FencingCredential(
        Optional<String> hostName,
        Optional<MacAddress> macAddress,
        BmcAddress address,
        String username,
        Secret password,
        boolean verifyCertificate) {
    private static final String PREFIX = "fencing-credentials-";

    /** All credentials of a file that passed its check. */
    public static List<FencingCredential> of(InstallConfig config) {
        return config.controlPlane().fencing().credentials().stream()
                .map(FencingCredential::of)
                .toList();
    }

    public static FencingCredential of(Credential credential) {
        return new FencingCredential(
                Duplicates.unlessEmpty(credential.hostName().value()),
                MacAddress.parse(credential.macAddress().value()),
                BmcAddress.of(credential.address().value()),
                credential.username().value(),
                credential.password().value(),
                !credential.certificateVerification().value().equals("Disabled"));
    }

    /** How messages call the node: nothing here is secret. */
    public String node() {
        return hostName.or(() -> macAddress.map(MacAddress::toString)).orElse("(no name)");
    }

    /** By host name where there is one, otherwise by a digest of the card's address. */
    public String secretName() {
        return PREFIX
                + hostName.or(() -> macAddress.map(FencingCredential::digest))
                        .orElseThrow(() ->
                                new Failure(
                                        "a fencing credential cannot be named",
                                        "it has neither hostName nor macAddress",
                                        "validate the file first: tandem install-config"
                                                + " validate FILE"));
    }

    /** Which identifier the name was made of. */
    public String identifierKind() {
        return hostName.isPresent() ? "hostname" : "mac-address";
    }

    public static String digest(MacAddress mac) {
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256")
                            .digest(mac.hex().getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
