package dev.tandem.host.bmc.ipmi;

import dev.tandem.host.Commands;
import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcAnswer.Read;
import dev.tandem.host.bmc.BmcAnswer.Unknown;
import dev.tandem.host.bmc.BmcFault;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a BMC answered within one session, request by request. What ipmitool printed is believed
 * only if it is, line by line, what these requests give.
 *
 * @param took the whole session
 */
record IpmiAnswers(
        Map<IpmiRequest, byte[]> bytes,
        Map<IpmiRequest, BmcFault> refused,
        List<String> fru,
        Duration took) {

    /** ipmitool 1.8.19, where a raw request gives nothing; without an answer there is no rsp. */
    private static final Pattern REFUSED =
            Pattern.compile(
                    "Unable to send RAW command \\(channel=0x0 netfn=(0x[0-9a-f]+) lun=0x0"
                            + " cmd=(0x[0-9a-f]+)(?: rsp=0x([0-9a-f]+))?\\)(?:: (.*))?");

    private static final Pattern BYTES = Pattern.compile("(?: [0-9a-f]{2}){0,16} ?");
    private static final HexFormat HEX = HexFormat.of();

    IpmiAnswers {
        bytes = Map.copyOf(bytes);
        refused = Map.copyOf(refused);
        fru = List.copyOf(fru);
    }

    static BmcAnswer<IpmiAnswers> parse(
            List<IpmiRequest> requests,
            Commands.Output output,
            IpmiEndpoint endpoint,
            Duration limit,
            Duration took) {
        Optional<BmcFault> none = IpmiFaults.noSession(output, endpoint, limit);
        if (none.isPresent()) {
            return new Unknown<>(none.get());
        }
        Map<IpmiRequest, BmcFault> refused = new EnumMap<>(IpmiRequest.class);
        for (String line : output.err().lines().toList()) {
            Matcher refusal = REFUSED.matcher(line);
            if (refusal.matches()) {
                Optional<IpmiRequest> request =
                        IpmiRequest.of(requests, refusal.group(1), refusal.group(2));
                if (request.isEmpty()) {
                    return nonsense("it refuses what it was not asked for");
                }
                refused.put(request.get(), fault(refusal));
            }
        }
        return read(requests, refused, output, took);
    }

    private static BmcFault fault(Matcher refusal) {
        return refusal.group(3) == null
                ? new BmcFault.Unreachable("it opened a session, and then gave no answer")
                : IpmiFaults.refused(Integer.parseInt(refusal.group(3), 16));
    }

    private static BmcAnswer<IpmiAnswers> read(
            List<IpmiRequest> requests,
            Map<IpmiRequest, BmcFault> refused,
            Commands.Output output,
            Duration took) {
        Deque<String> lines = new ArrayDeque<>(output.out().lines().toList());
        Map<IpmiRequest, byte[]> bytes = new EnumMap<>(IpmiRequest.class);
        List<String> fru = List.of();
        for (IpmiRequest request : requests) {
            if (!request.isRaw()) {
                fru = List.copyOf(lines);
                lines.clear();
            } else if (!refused.containsKey(request)) {
                String line = lines.pollFirst();
                if (line == null || !BYTES.matcher(line).matches()) {
                    return nonsense("ipmitool printed no bytes for " + request.command());
                }
                bytes.put(request, HEX.parseHex(line.replace(" ", "")));
            }
        }
        return lines.isEmpty()
                ? new Read<>(new IpmiAnswers(bytes, refused, fru, took), took)
                : nonsense("ipmitool printed more than it was asked for");
    }

    private static BmcAnswer<IpmiAnswers> nonsense(String why) {
        return new Unknown<>(new BmcFault.Unintelligible(why));
    }

    /** The bytes of an answer, or why there are none. */
    BmcAnswer<byte[]> of(IpmiRequest request) {
        BmcFault fault = refused.get(request);
        if (fault != null) {
            return new Unknown<>(fault);
        }
        byte[] answer = bytes.get(request);
        return answer == null
                ? new Unknown<>(new BmcFault.Unintelligible("it was not asked"))
                : new Read<>(answer, took);
    }
}
