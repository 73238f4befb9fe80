package dev.tandem.redfishsim.ipmi;

import dev.tandem.redfishsim.MachineIdentity;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What a maker writes into a machine: IPMI's Platform Management FRU Information Storage 1.0. */
final class FruData {
    private static final int FORMAT = 1;
    private static final int BLOCK = 8;
    private static final int ENGLISH = 25;
    private static final int TEXT = 0xc0;
    private static final int END_OF_FIELDS = 0xc1;

    private FruData() {}

    /** With a product, and neither chassis nor board. */
    static byte[] of(MachineIdentity machine) {
        byte[] header = closed(new byte[] {FORMAT, 0, 0, 0, 1, 0, 0});
        // Maker, name, part number, version, serial number.
        byte[] product = product(List.of("Tandem", machine.model(), "1", "1", machine.serial()));
        byte[] all = new byte[header.length + product.length];
        System.arraycopy(header, 0, all, 0, header.length);
        System.arraycopy(product, 0, all, header.length, product.length);
        return all;
    }

    private static byte[] product(List<String> fields) {
        ByteArrayOutputStream area = new ByteArrayOutputStream();
        area.write(FORMAT);
        area.write(0);
        area.write(ENGLISH);
        for (String field : fields) {
            byte[] text = field.getBytes(StandardCharsets.US_ASCII);
            area.write(TEXT | text.length);
            area.writeBytes(text);
        }
        area.write(END_OF_FIELDS);
        while (area.size() % BLOCK != BLOCK - 1) {
            area.write(0);
        }
        byte[] open = area.toByteArray();
        open[1] = (byte) ((open.length + 1) / BLOCK);
        return closed(open);
    }

    /** With the byte that makes the sum of all zero. */
    private static byte[] closed(byte[] open) {
        byte[] closed = new byte[open.length + 1];
        int sum = 0;
        for (int i = 0; i < open.length; i++) {
            closed[i] = open[i];
            sum += open[i];
        }
        closed[open.length] = (byte) -sum;
        return closed;
    }
}
