package dev.tandem.lab;

import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.LabSpec;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One lab for all test classes that ask for it: booting takes longer than most tests. It is mended
 * after every test, and ended with the whole run. A test that fails leaves everything about the lab
 * in a directory.
 */
public final class SharedLab
        implements BeforeAllCallback, BeforeEachCallback, AfterTestExecutionCallback {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(SharedLab.class);

    private final LabSpec spec;
    private @Nullable Lab lab;

    private SharedLab(LabSpec spec) {
        this.spec = spec;
    }

    public static SharedLab of(LabSpec spec) {
        return new SharedLab(spec);
    }

    public Lab lab() {
        if (lab == null) {
            throw new IllegalStateException("the lab starts before the first test");
        }
        return lab;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        lab =
                context.getRoot()
                        .getStore(NAMESPACE)
                        .computeIfAbsent(spec.name(), _ -> start(spec), Lab.class);
    }

    private static Lab start(LabSpec spec) {
        try {
            return Lab.start(spec, Optional.empty());
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Every test begins with two nodes that are up, whatever the one before did to them. */
    @Override
    public void beforeEach(ExtensionContext context) {
        Lab shared = lab();
        for (NodeHandle node : shared.nodes()) {
            if (node.isOff()) {
                node.power(LabRequest.PowerAction.ON);
            }
            shared.await(node.name() + " is up", java.time.Duration.ofMinutes(2), node::isUp);
        }
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            lab().collect();
        }
        lab().heal();
    }
}
