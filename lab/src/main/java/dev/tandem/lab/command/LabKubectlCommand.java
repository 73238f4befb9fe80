package dev.tandem.lab.command;

import dev.tandem.core.Failure;
import dev.tandem.lab.Lab;
import dev.tandem.lab.kube.LabKube;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Unmatched;

/** Runs kubectl on the host against a lab. */
@Command(
        name = "kubectl",
        header = "Run kubectl as the administrator of a lab's Kubernetes.",
        description =
                "Everything but --name goes to kubectl as it stands, with its exit code."
                        + " Reaches the API wherever its address is.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem lab kubectl get nodes -o wide",
            "  tandem lab kubectl --name two apply -f app.yaml"
        })
final class LabKubectlCommand implements Callable<Integer> {
    @Mixin private LabName name = new LabName();

    @Unmatched private List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        return new ProcessBuilder(kubernetes(name).kubectlCommand(arguments))
                .inheritIO()
                .start()
                .waitFor();
    }

    static LabKube kubernetes(LabName name) throws IOException {
        return LabKube.of(Lab.attach(name.value()))
                .filter(kube -> Files.exists(kube.kubeconfig()))
                .orElseThrow(() ->
                        new Failure(
                                "no Kubernetes in lab " + name.value(),
                                "the lab was started without it",
                                "end it and start it with Kubernetes: tandem lab down --name %1$s && tandem lab up --name %1$s"
                                        .formatted(name.value())));
    }
}
