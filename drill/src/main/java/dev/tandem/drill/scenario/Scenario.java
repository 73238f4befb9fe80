package dev.tandem.drill.scenario;

import dev.tandem.drill.audit.Audit;
import dev.tandem.lab.spec.LabSpec;
import java.time.Duration;
import java.util.List;

/**
 * An incident that can be rehearsed: what is done to a pair while a client writes, and what must
 * come of it. What must hold after every incident is not said in any of them; {@link Audit} does.
 *
 * @param name in words with dashes, as it is typed
 * @param title what happens and what comes of it, as a sentence
 * @param covers the acceptance timelines it plays, such as TL6
 * @param expected roughly how long it takes, set-up of the pair aside
 * @param needs what the pair has to have for it
 */
public record Scenario(
        String name,
        String title,
        List<String> covers,
        Pace pace,
        Duration expected,
        Needs needs,
        Body body) {

    /** Whether it is worth running with every build. */
    public enum Pace {
        QUICK,
        LONG
    }

    /** What the pair has to have. */
    public enum Needs {
        /** Any pair will do, with the usual number of links. */
        PAIR,
        /** A control plane, its address and kubelets. */
        KUBERNETES,
        /** Brings a stand-in for kubelet, and cannot do so where there is one. */
        NO_KUBERNETES,
        /** Two networks between the nodes. */
        TWO_LINKS,
        /** Redfish, and IPMI as the second level. */
        TWO_WAYS_TO_A_BMC,
        /** BMCs that speak IPMI and nothing else. */
        IPMI_ALONE;

        /**
         * Whether a pair of this lab has what the scenario needs.
         *
         * @param pair what the nodes of the pair are
         * @param usual what they are where a scenario has no needs of its own
         */
        public boolean metBy(LabSpec pair, LabSpec usual) {
            boolean usualParts = pair.links() == usual.links() && pair.bmc() == usual.bmc();
            return switch (this) {
                case PAIR -> usualParts;
                case KUBERNETES -> usualParts && pair.hasKubernetes();
                case NO_KUBERNETES -> usualParts && !pair.hasKubernetes();
                case TWO_LINKS -> pair.links() == 2;
                case TWO_WAYS_TO_A_BMC -> pair.bmc() == LabSpec.BmcProtocol.BOTH;
                case IPMI_ALONE -> pair.bmc() == LabSpec.BmcProtocol.IPMI;
            };
        }
    }

    /** The incident itself. */
    public interface Body {
        void run(ScenarioContext drill) throws Exception;
    }

    public Scenario {
        covers = List.copyOf(covers);
        if (!name.matches("[a-z0-9]+(-[a-z0-9]+)*")) {
            throw new IllegalArgumentException("not in words with dashes: " + name);
        }
        if (!title.endsWith(".") || covers.isEmpty()) {
            throw new IllegalArgumentException("neither a sentence nor a timeline: " + name);
        }
    }

    /** One that runs with every build. */
    public static Scenario quick(
            String name, String title, String covers, long seconds, Body body) {
        return new Scenario(
                name,
                title,
                List.of(covers.split(" ", -1)),
                Pace.QUICK,
                Duration.ofSeconds(seconds),
                Needs.PAIR,
                body);
    }

    /** One that takes its time. */
    static Scenario slow(String name, String title, String covers, long seconds, Body body) {
        return new Scenario(
                name,
                title,
                List.of(covers.split(" ", -1)),
                Pace.LONG,
                Duration.ofSeconds(seconds),
                Needs.PAIR,
                body);
    }

    /** The same on a pair with Kubernetes. */
    public Scenario withKubernetes() {
        return needing(Needs.KUBERNETES);
    }

    /** The same on a pair that has none. */
    Scenario withoutKubernetes() {
        return needing(Needs.NO_KUBERNETES);
    }

    /** The same on a pair with two links. */
    Scenario withTwoLinks() {
        return needing(Needs.TWO_LINKS);
    }

    /** The same on a pair with IPMI beside Redfish. */
    Scenario withIpmi() {
        return needing(Needs.TWO_WAYS_TO_A_BMC);
    }

    /** The same on a pair with IPMI alone. */
    Scenario withIpmiAlone() {
        return needing(Needs.IPMI_ALONE);
    }

    private Scenario needing(Needs what) {
        return new Scenario(name, title, covers, pace, expected, what, body);
    }

    public boolean isQuick() {
        return pace == Pace.QUICK;
    }
}
