package dev.tandem.core.model;

import java.time.Duration;

final class Try {
    public static void main(String[] a) {
        Bounds b =
                Bounds.of(
                        3,
                        true,
                        true,
                        Fault.POWER_CUT,
                        2,
                        Fault.LINK_CUT,
                        1,
                        Fault.KILL,
                        1,
                        Fault.STOP,
                        1,
                        Fault.PORTS_CUT,
                        1,
                        Fault.DISK,
                        1,
                        Fault.STATEMENT,
                        1,
                        Fault.BMC_BREAKS,
                        1,
                        Fault.RESTART,
                        1);
        int every = Integer.getInteger("every", 7);
        var e =
                new Explorer(
                        Judgement.PRODUCT,
                        b,
                        b.start(),
                        Integer.getInteger("max", 2_000_000),
                        Duration.ofSeconds(Integer.getInteger("secs", 60)),
                        2,
                        every);
        var r = e.explore();
        System.out.println(r);
        if (r.violation() != null) {
            System.out.println(r.violation().law());
            for (String l :
                    Story.tell(
                            new Model(Judgement.PRODUCT, b),
                            r.violation().start(),
                            r.violation().steps())) System.out.println("  - " + l);
        }
    }
}
