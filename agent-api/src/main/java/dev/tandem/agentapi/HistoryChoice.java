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

    public HistoryChoice {
        version = version == 0 ? AgentMessages.VERSION : version;
    }

    public HistoryChoice(String incident, Side keeps, Side setsAside, long sharedUpTo) {
        this(AgentMessages.VERSION, incident, keeps, setsAside, sharedUpTo);
    }
}
