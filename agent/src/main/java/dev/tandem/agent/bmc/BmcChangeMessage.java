package dev.tandem.agent.bmc;

/**
 * One step of a change, told to the peer's agent. Each can be told again.
 *
 * @param id of this change: to be asked the same again is no reason to ask the BMC again
 */
public record BmcChangeMessage(int version, String id, Step step, BmcSettings settings) {
    static final int VERSION = 1;

    /** What the peer is asked to do. */
    public enum Step {
        /** Find out whether its node could use these settings. */
        CHECK,
        /** Use them from now on. */
        COMMIT
    }

    BmcChangeMessage(String id, Step step, BmcSettings settings) {
        this(VERSION, id, step, settings);
    }

    /** What it answers. */
    public enum State {
        /** It is finding out, which may take a minute: to be asked again. */
        CHECKING,
        FIT,
        UNFIT,
        /** It uses them. */
        TAKEN,
        /** It has newer ones, or others with the same change number. */
        HAS_OTHERS
    }

    /**
     * The answer.
     *
     * @param changeNumber of the settings that it uses
     * @param words what the BMC proved, or what is wrong
     * @param why the cause of that
     * @param remedy what to do
     * @param same whether these are the settings that it uses already
     */
    public record Reply(
            int version,
            State state,
            long changeNumber,
            String words,
            String why,
            String remedy,
            boolean same) {
        Reply(State state, long changeNumber, String words, String why, String remedy) {
            this(VERSION, state, changeNumber, words, why, remedy, false);
        }

        static Reply fit(long changeNumber, String words, boolean same) {
            return new Reply(VERSION, State.FIT, changeNumber, words, "", "", same);
        }

        Reply(State state, long changeNumber, String words) {
            this(state, changeNumber, words, "", "");
        }
    }
}
