package dev.tandem.drill.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** The acceptance timelines, and why some of them have no scenario. */
final class Timelines {
    private static final int LAST = 47;

    private static final Map<String, String> NOT_PLAYED =
            Map.ofEntries(
                    Map.entry(
                            "TL36",
                            "No images: etcd is a package of the distribution, and whoever upgrades"
                                    + " it uses standby, which `standby` plays."),
                    Map.entry(
                            "TL40",
                            "A machine with an empty disk is `replica-removed`. Another BMC and"
                                + " other serial numbers need a lab that can exchange a machine,"
                                + " which it cannot."),
                    Map.entry(
                            "TL41",
                            "A plan has two nodes from the beginning (`ClusterPlan`); `tandem"
                                    + " cluster apply` refuses to shrink it."),
                    Map.entry(
                            "TL44",
                            "etcd is in no static pod that would have to hand over; ports that are"
                                    + " still in use keep a start waiting (`EtcdUnitFileTest`)."),
                    Map.entry(
                            "TL47",
                            "`tandem lab drill all` again and again; no scenario of its own."));

    private Timelines() {}

    /** In their order, TL31b behind TL31. */
    static List<String> all() {
        List<String> all =
                new ArrayList<>(IntStream.rangeClosed(1, LAST).mapToObj(n -> "TL" + n).toList());
        all.add(all.indexOf("TL31") + 1, "TL31b");
        return all;
    }

    /** Those without a scenario, with the reason, in their order. */
    static Map<String, String> notPlayed() {
        return new TreeMap<>(NOT_PLAYED);
    }
}
