package dev.tandem.drill.project;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Holds the arrows between modules and between packages, the size of packages, and keeps the core
 * pure. It stands here because the drills see every module.
 */
class ArchitectureTest {
    /**
     * From the bottom upwards: a module uses only what stands before it, and of that only what its
     * line allows.
     */
    private static final List<Module> MODULES =
            List.of(
                    new Module("core", List.of()),
                    new Module("host", List.of("core")),
                    new Module("agentapi", List.of("core")),
                    new Module("agent", List.of("core", "host", "agentapi")),
                    new Module("api", List.of("core")),
                    new Module("install", List.of("core", "host", "api")),
                    new Module("cli", List.of("core", "host", "agentapi", "api", "install")),
                    new Module("redfishsim", List.of("core", "host")),
                    new Module(
                            "lab", List.of("core", "host", "agentapi", "api", "cli", "redfishsim")),
                    new Module(
                            "drill",
                            List.of("core", "host", "agentapi", "cli", "redfishsim", "lab")));

    /** Beyond this a package has more than one subject. */
    private static final int FILES_IN_A_PACKAGE = 25;

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("dev.tandem");

    record Module(String name, List<String> mayUse) {
        String everything() {
            return "dev.tandem." + name + "..";
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static List<Module> modules() {
        return MODULES;
    }

    @ParameterizedTest
    @MethodSource("modules")
    void aModuleUsesOnlyWhatItMay(Module module) {
        String[] forbidden =
                MODULES.stream()
                        .filter(other ->
                                !other.equals(module) && !module.mayUse().contains(other.name()))
                        .map(Module::everything)
                        .toArray(String[]::new);

        noClasses()
                .that(resideInAPackage(module.everything()))
                .should()
                .dependOnClassesThat(resideInAnyPackage(forbidden))
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void everyClassBelongsToAModule() {
        assertThat(CLASSES)
                .isNotEmpty()
                .allMatch(type ->
                        MODULES.stream()
                                .anyMatch(module ->
                                        resideInAPackage(module.everything()).test(type)));
    }

    @Test
    void noPackagesUseEachOtherInACircle() {
        slices().matching("dev.tandem.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void noProgramUsesWhatIsForTests() {
        noClasses()
                .that(resideOutsideOfPackage("dev.tandem..testing.."))
                .should()
                .dependOnClassesThat(resideInAPackage("dev.tandem..testing.."))
                .check(CLASSES);
    }

    @Test
    void noPackageIsTooLargeToKnow() {
        Map<String, Long> files =
                CLASSES.stream()
                        .filter(JavaClass::isTopLevelClass)
                        .collect(groupingBy(JavaClass::getPackageName, counting()));

        assertThat(files)
                .isNotEmpty()
                .allSatisfy((name, count) ->
                        assertThat(count).as(name).isLessThanOrEqualTo(FILES_IN_A_PACKAGE));
    }

    @Test
    void theCoreTouchesNoFileSocketProcessThreadOrLog() {
        noClasses()
                .that(resideInAPackage("dev.tandem.core.."))
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage(
                                "java.nio.file..",
                                "java.nio.channels..",
                                "java.net..",
                                "java.util.concurrent..",
                                "java.util.logging..",
                                "java.util.random..",
                                "java.lang.foreign..",
                                "javax.."))
                .orShould()
                .dependOnClassesThat(
                        assignableTo(Process.class)
                                .or(assignableTo(ProcessBuilder.class))
                                .or(assignableTo(Runtime.class))
                                .or(assignableTo(Thread.class))
                                .or(assignableTo(java.time.Clock.class))
                                .or(assignableTo(java.util.Random.class))
                                .or(
                                        nameMatching(
                                                "java\\.io\\.(?!Serializable|ObjectInputStream|InvalidObjectException).*")))
                .check(CLASSES);
    }

    @Test
    void theCoreDoesNotAskForTheTimeTheEnvironmentOrLuck() {
        noClasses()
                .that(resideInAPackage("dev.tandem.core.."))
                .should()
                .callMethodWhere(
                        target(
                                nameMatching(
                                        "currentTimeMillis|nanoTime|now|random|randomUUID|getenv|getProperty|exit")))
                .check(CLASSES);
    }

    @Test
    void theCoreNeedsNothingButTheJdk() {
        noClasses()
                .that(resideInAPackage("dev.tandem.core.."))
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages("dev.tandem.core..", "java..", "org.jspecify..")
                .check(CLASSES);
    }
}
