package dev.tandem.lab.image;

import dev.tandem.core.Failure;
import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.spec.LabSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The programs of the host that the lab is made with, and the packages they come in. */
public final class HostPackages {
    /** Programs by the Debian package that holds them. */
    private static final Map<String, String> PROGRAMS = new LinkedHashMap<>();

    static {
        PROGRAMS.put("debootstrap", "debootstrap");
        PROGRAMS.put("systemd-nspawn", "systemd-container");
        PROGRAMS.put("nft", "nftables");
        PROGRAMS.put("ip", "iproute2");
        PROGRAMS.put("ethtool", "ethtool");
        PROGRAMS.put("mkfs.ext4", "e2fsprogs");
        PROGRAMS.put("mount", "mount");
        PROGRAMS.put("losetup", "mount");
        PROGRAMS.put("unshare", "util-linux");
        PROGRAMS.put("nsenter", "util-linux");
        PROGRAMS.put("setsid", "util-linux");
    }

    /** For BMCs that speak IPMI: the simulator, and what it reaches the power with. */
    private static final Map<String, String> IPMI = Map.of("ipmi_sim", "openipmi", "curl", "curl");

    private static final List<Path> DIRECTORIES =
            Stream.of("/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/sbin", "/usr/local/bin")
                    .map(Path::of)
                    .toList();

    private final Programs programs;

    public HostPackages(Programs programs) {
        this.programs = programs;
    }

    /** Fails unless this is Linux and the caller is root; everything else can be installed. */
    public static void requireRoot() {
        if (!System.getProperty("os.name").equals("Linux")) {
            throw new Failure(
                    "the lab does not run on this machine",
                    "it runs " + System.getProperty("os.name") + ", and nodes share a Linux kernel",
                    "use a Linux machine, physical or virtual");
        }
        if (!isRoot()) {
            throw new Failure(
                    "the lab needs root",
                    "nodes need namespaces, mounts and loop devices, and you are "
                            + System.getProperty("user.name"),
                    "run the same command with sudo");
        }
    }

    private static boolean isRoot() {
        try {
            return Files.readString(Path.of("/proc/self/status"))
                    .lines()
                    .filter(line -> line.startsWith("Uid:"))
                    .anyMatch(line -> line.split("\\s+", -1)[2].equals("0"));
        } catch (IOException e) {
            return System.getProperty("user.name").equals("root");
        }
    }

    /** The packages that this host lacks for such a lab. */
    public Set<String> missing(LabSpec lab) {
        Map<String, String> needed = new LinkedHashMap<>(PROGRAMS);
        if (lab.bmc().hasIpmi()) {
            needed.putAll(IPMI);
        }
        Set<String> missing = new TreeSet<>();
        needed.forEach((program, debianPackage) -> {
            if (DIRECTORIES.stream().noneMatch(dir -> Files.isExecutable(dir.resolve(program)))) {
                missing.add(debianPackage);
            }
        });
        return missing;
    }

    /** Installs what is missing on Debian and its kin, and names it elsewhere. */
    public void ensure(LabSpec lab, ProgressListener steps) {
        Set<String> missing = missing(lab);
        if (missing.isEmpty()) {
            return;
        }
        String names = String.join(" ", missing);
        if (!Files.isExecutable(Path.of("/usr/bin/apt-get"))) {
            throw new Failure(
                    "programs are missing for the lab",
                    "this host has no apt-get, and lacks what Debian packages as " + names,
                    "install the packages that hold these programs here: "
                            + String.join(" ", PROGRAMS.keySet())
                            + (lab.bmc().hasIpmi() ? " " + String.join(" ", IPMI.keySet()) : ""));
        }
        steps.step("installing on this host: " + names);
        Duration limit = Duration.ofMinutes(5);
        programs.run("refresh apt's lists", limit, List.of("apt-get", "update", "-q"), "");
        programs.run(
                "install " + names,
                limit,
                Stream.concat(
                                Stream.of(
                                        "env",
                                        "DEBIAN_FRONTEND=noninteractive",
                                        "apt-get",
                                        "install",
                                        "-q",
                                        "-y",
                                        "--no-install-recommends"),
                                missing.stream())
                        .toList(),
                "");
    }
}
