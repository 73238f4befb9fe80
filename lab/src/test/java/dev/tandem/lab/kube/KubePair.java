package dev.tandem.lab.kube;

import dev.tandem.lab.Lab;
import dev.tandem.lab.LabSpec;
import dev.tandem.lab.Steps;
import dev.tandem.lab.failover.Pair;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** A lab with a pair and Kubernetes on it, as several tests begin. */
public record KubePair(Lab lab, Pair pair, LabKube kube) {

    /** With the programs of the property {@code kube.programs}, or those that are built once. */
    public static KubePair start(String name) throws IOException, InterruptedException {
        Path programs =
                KubePrograms.ofHost()
                        .ensure(
                                Optional.ofNullable(System.getProperty("kube.programs"))
                                        .map(Path::of),
                                Steps.SILENT);
        Lab lab = Lab.start(LabKube.with(LabSpec.twoNodes(name), programs));
        Pair pair = Pair.setUp(lab, "default");
        return new KubePair(lab, pair, LabKube.of(lab).orElseThrow());
    }
}
