package dev.tandem.host.plan;

import dev.tandem.host.NodePaths;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * By what two nodes find out whether they run by the same plan. It says where the password of a BMC
 * comes from and nothing of the password, which is in no plan; nor of the address and the account
 * of a BMC: new ones reach the other node on their own way, later.
 *
 * @param form of the text that it was made of; digests of different forms say nothing of each other
 */
public record PlanDigest(int form, String digest) {
    /** Rises when the same plan comes to be written in another way. */
    static final int FORM = 1;

    /** Wherever a node keeps its files. */
    public static PlanDigest of(ClusterPlan plan) {
        return new PlanDigest(
                FORM,
                hex(ClusterPlanWriter.writeWithoutLogins(plan.installed(NodePaths.CONFIGURATION))));
    }

    static String hex(String text) {
        try {
            return HexFormat.of()
                    .formatHex(
                            MessageDigest.getInstance("SHA-256")
                                    .digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Whether it is certain that they are of different plans. */
    public boolean contradicts(PlanDigest other) {
        return form == other.form && !digest.equals(other.digest);
    }
}
