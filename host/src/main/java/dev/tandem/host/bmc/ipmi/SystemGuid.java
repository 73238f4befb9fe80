package dev.tandem.host.bmc.ipmi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.UUID;

/** The answer to Get System GUID, IPMI 2.0, 20.8. */
final class SystemGuid {
    private static final int LENGTH = 16;

    private SystemGuid() {}

    /**
     * In the order of SMBIOS, where BMCs take it from, with the first three fields the other way
     * round; whoever compares it allows for those that do not turn them. The specification itself
     * wants all bytes turned, which firmware does not do.
     */
    static Optional<UUID> parse(byte[] answer) {
        if (answer.length != LENGTH) {
            return Optional.empty();
        }
        ByteBuffer turned = ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN);
        long high =
                ((long) turned.getInt(0) << 32)
                        | ((turned.getShort(4) & 0xffffL) << 16)
                        | (turned.getShort(6) & 0xffffL);
        return Optional.of(new UUID(high, ByteBuffer.wrap(answer).getLong(8)));
    }
}
