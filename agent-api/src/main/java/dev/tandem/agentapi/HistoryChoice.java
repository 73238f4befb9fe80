package dev.tandem.agentapi;

/**
 * What a choice between two histories means.
 *
 * @param sharedUpTo the last index that both hold; 0 where that is not known
 */
public record HistoryChoice(
        int version, String incident, Side keeps, Side setsAside, long sharedUpTo) {

    /** A node and where its history ends. */
    public record Side(String node, long epoch, long index) {}

    /** Why there is nothing to choose on a node, whatever was asked. */
    public enum Refusal {
        NO_FORK("{self} sees only one history, so there is nothing to choose"),
        PEER_DOES_NOT_SERVE(
                "{peer} does not serve yet, so {self} would have nothing to copy in place of its"
                        + " own history");

        private final String template;

        Refusal(String template) {
            this.template = template;
        }

        /** The sentence that a person reads on {@code self}. */
        public String why(String self, String peer) {
            return template.replace("{self}", self).replace("{peer}", peer);
        }
    }

    public HistoryChoice {
        version = version == 0 ? AgentMessages.VERSION : version;
    }

    public HistoryChoice(String incident, Side keeps, Side setsAside, long sharedUpTo) {
        this(AgentMessages.VERSION, incident, keeps, setsAside, sharedUpTo);
    }
}
