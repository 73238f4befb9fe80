package dev.tandem.core;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Finds what somebody probably meant by a word that is not known. */
public final class Nearest {
    private Nearest() {}

    /**
     * The known words that differ from {@code word} by a slip of the fingers, nearest first: up to
     * a third of its letters, or a word that was not typed to its end.
     */
    public static List<String> to(String word, Collection<String> known) {
        int tolerated = Math.max(1, word.length() / 3);
        return known.stream()
                .filter(candidate ->
                        startsWith(candidate, word) || distance(word, candidate) <= tolerated)
                .sorted(
                        Comparator.comparingInt((String c) -> distance(word, c))
                                .thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    private static boolean startsWith(String candidate, String word) {
        return word.length() >= 2 && candidate.startsWith(word);
    }

    /**
     * Insertions, deletions, replacements and swaps of neighbours that turn one word into the
     * other.
     */
    static int distance(String from, String to) {
        int[][] cost = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            cost[i][0] = i;
        }
        for (int j = 0; j <= to.length(); j++) {
            cost[0][j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            for (int j = 1; j <= to.length(); j++) {
                int replaced = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
                cost[i][j] =
                        Math.min(
                                Math.min(cost[i - 1][j], cost[i][j - 1]) + 1,
                                cost[i - 1][j - 1] + replaced);
                boolean swapped =
                        i > 1
                                && j > 1
                                && from.charAt(i - 1) == to.charAt(j - 2)
                                && from.charAt(i - 2) == to.charAt(j - 1);
                if (swapped) {
                    cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
                }
            }
        }
        return cost[from.length()][to.length()];
    }
}
