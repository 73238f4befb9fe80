package dev.tandem.core.decision;

/** What a take-over would come to: it declares everything in the log committed. */
public enum WholeLog {
    /** Nothing in the log speaks against it; also of a server that runs. */
    CAN_BE_COMMITTED,
    /** Behind the commit index stands the removal of this very node. */
    REMOVES_THIS_NODE,
    /** It holds a joint change of the voters, which a forced start does not understand. */
    CHANGES_VOTERS_JOINTLY
}
