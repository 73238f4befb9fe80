package dev.tandem.lab.pair;

import dev.tandem.lab.Lab;
import dev.tandem.lab.image.ProgressListener;
import dev.tandem.lab.kube.KubePrograms;
import dev.tandem.lab.kube.LabKube;
import dev.tandem.lab.spec.LabSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** A lab with a pair and Kubernetes on it, with which tests of the API begin. */
public record KubePair(Lab lab, Pair pair, LabKube kube) {

    /** With the programs of the property {@code kube.programs}, or those that are built once. */
    public static KubePair start(String name) throws IOException, InterruptedException {
        Path programs =
                KubePrograms.ofHost()
                        .ensure(
                                Optional.ofNullable(System.getProperty("kube.programs"))
                                        .map(Path::of),
                                ProgressListener.SILENT);
        Lab lab = Lab.start(LabKube.with(LabSpec.twoNodes(name), programs));
        Pair pair = Pair.setUp(lab, "default");
        return new KubePair(lab, pair, LabKube.of(lab).orElseThrow());
    }
}
