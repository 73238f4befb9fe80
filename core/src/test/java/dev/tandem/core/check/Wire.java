package dev.tandem.core.check;

/**
 * What a node has sent and is under way. Questions are numbered by their sender; only their order
 * matters, and it is kept relative to the last one that the peer has taken in.
 */
final class Wire {
    /** The question that the peer took in last. */
    static final long TAKEN = 4;

    /** The number that a question under way has. */
    static final int OVERTAKEN = 3;

    static final int NEXT = 5;
    static final int AFTER_NEXT = 6;

    /** The question over HTTPS, and the letter in the attributes of the cluster; 0 is none. */
    int question;

    int questionNumber;
    int letter;
    int letterNumber;

    /** The answer to this node's own question. */
    int reply;

    int newest() {
        return Math.max(
                question == 0 ? 0 : questionNumber, letter == 0 ? (int) TAKEN : letterNumber);
    }

    /** The number of a question that is sent now. */
    int next() {
        return Math.min(AFTER_NEXT, Math.max((int) TAKEN, newest()) + 1);
    }

    /** The peer has taken in the question of this number. */
    void taken(int number) {
        questionNumber = question == 0 ? 0 : since(questionNumber, number);
        letterNumber = letter == 0 ? 0 : since(letterNumber, number);
    }

    private static int since(int number, int taken) {
        return number > taken ? NEXT : OVERTAKEN;
    }

    void lose() {
        question = 0;
        questionNumber = 0;
        letter = 0;
        letterNumber = 0;
        reply = 0;
    }

    void set(Wire from) {
        question = from.question;
        questionNumber = from.questionNumber;
        letter = from.letter;
        letterNumber = from.letterNumber;
        reply = from.reply;
    }

    void pack(Packer bits) {
        bits.put(question, 20);
        bits.put(questionNumber, 3);
        bits.put(letter, 20);
        bits.put(letterNumber, 3);
        bits.put(reply, 20);
    }

    void unpack(Packer bits) {
        question = bits.take(20);
        questionNumber = bits.take(3);
        letter = bits.take(20);
        letterNumber = bits.take(3);
        reply = bits.take(20);
    }
}
