package dev.tandem.host.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.core.health.RecoveryReadiness;
import dev.tandem.core.testing.PrintedCommands;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.health.Impediments.Api;
import dev.tandem.host.health.Impediments.Bmc;
import dev.tandem.host.health.Impediments.Machine;
import dev.tandem.host.health.Impediments.Seen;
import dev.tandem.host.pacemaker.PacemakerStatus;
import dev.tandem.host.pacemaker.PacemakerWatch;
import dev.tandem.host.plan.FurtherLevel;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each known reason why recovery would fail is found, and nothing else is. */
class ImpedimentsTest {
    private static final Bmc FINE =
            new Bmc(
                    Optional.of(Duration.ofSeconds(15)),
                    Optional.empty(),
                    Machine.ITS_OWN,
                    false,
                    BmcAddress.of("redfish+https://10.0.9.11/redfish/v1/Systems/1"));

    /** As crm_mon of Pacemaker 3.0 tells a pair that is well, without what is not looked at. */
    private static final String WELL =
            """
            <pacemaker-result api-version="2.38">
              <summary>
                <current_dc present="true" name="node-0" id="1" with_quorum="true"/>
                <cluster_options stonith-enabled="true" symmetric-cluster="true" no-quorum-policy="stop" maintenance-mode="false" stop-all-resources="false"/>
              </summary>
              <nodes>
                <node name="node-0" id="1" online="true" standby="false" standby_onfail="false" maintenance="false" unclean="false"/>
                <node name="node-1" id="2" online="true" standby="false" standby_onfail="false" maintenance="false" unclean="false"/>
              </nodes>
              <resources>
                <resource id="tandem-fence-node-1" resource_agent="stonith:fence_tandem" role="Started" active="true" blocked="false" managed="true" failed="false"/>
                <resource id="tandem-redfish-node-1" resource_agent="stonith:fence_redfish" role="Started" active="true" blocked="false" managed="true" failed="false"/>
                <resource id="tandem-fence-node-0" resource_agent="stonith:fence_tandem" role="Started" active="true" blocked="false" managed="true" failed="false"/>
                <resource id="tandem-redfish-node-0" resource_agent="stonith:fence_redfish" role="Started" active="true" blocked="false" managed="true" failed="false"/>
                <clone id="etcd-clone" managed="true" disabled="false">
                  <resource id="etcd" resource_agent="ocf:tandem:etcd" role="Started" active="true" blocked="false" managed="true" failed="false"/>
                  <resource id="etcd" resource_agent="ocf:tandem:etcd" role="Started" active="true" blocked="false" managed="true" failed="false"/>
                </clone>
              </resources>
            </pacemaker-result>
            """;

    private static final String ADDRESS = "<resource id=\"tandem-api-address\"";
    private static final String ADDRESS_LINE =
            ADDRESS
                    + " resource_agent=\"ocf:heartbeat:IPaddr2\" role=\"Started\" active=\"true\""
                    + " blocked=\"false\" managed=\"true\" failed=\"false\"/>";

    /** The same with an API, and with what Pacemaker tells of our own constraints. */
    private static final String WELL_WITH_API =
            WELL.replace("<clone id=\"etcd-clone\"", ADDRESS_LINE + "<clone id=\"etcd-clone\"")
                    .replace(
                            "</resources>",
                            """
                            </resources>
                            <bans>
                              <ban id="tandem-fence-node-0-elsewhere" resource="tandem-fence-node-0" node="node-0" weight="-1000000" promoted-only="false"/>
                              <ban id="prefers-node-0" resource="tandem-api-address" node="node-1" weight="-100" promoted-only="false"/>
                            </bans>
                            """);

    private static final String STOCK = "id=\"tandem-redfish-node-1\"";
    private static final String FENCE = "id=\"tandem-fence-node-1\"";
    private static final String STARTED =
            " role=\"Started\" active=\"true\" blocked=\"false\" managed=\"true\""
                    + " failed=\"false\"/>";
    private static final String FENCE_LINE =
            FENCE + " resource_agent=\"stonith:fence_tandem\"" + STARTED;
    private static final String STOCK_LINE =
            STOCK + " resource_agent=\"stonith:fence_redfish\"" + STARTED;
    private static final String FAILED = " active=\"true\" managed=\"true\" failed=\"true\"/>";
    private static final String STOPPED = " role=\"Stopped\" active=\"false\" managed=\"true\"/>";

    private static final String IPMI = "id=\"tandem-ipmilan-node-1\"";
    private static final String IPMI_LINE =
            "<resource " + IPMI + " resource_agent=\"stonith:fence_ipmilan\"" + STARTED;

    /** The same with the device of {@code bmc.second}. */
    private static final String WELL_WITH_IPMI =
            WELL.replace("<clone id=\"etcd-clone\"", IPMI_LINE + "<clone id=\"etcd-clone\"");

    /** What {@code pcs resource ban tandem-api-address node-1} leaves. */
    private static final String[] BANNED = {
        "</bans>",
        "<ban id=\"cli-ban-tandem-api-address-on-node-1\" resource=\"tandem-api-address\""
                + " node=\"node-1\" weight=\"-1000000\" promoted-only=\"false\"/></bans>"
    };

    /** One thing that is not well, and what is to be found then. */
    record Row(
            String name, UnaryOperator<Seen> change, Set<Cause> impediments, Set<Cause> warnings) {
        Row(String name, UnaryOperator<Seen> change, Cause... impediments) {
            this(name, change, Set.of(impediments), Set.of());
        }

        Impediments found() {
            return Impediments.of(change.apply(well()));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static final List<Row> ROWS =
            List.of(
                    new Row("well pair", seen -> seen),
                    new Row(
                            "corosync",
                            seen -> with(seen, false, false, false),
                            Cause.COROSYNC_SILENT),
                    new Row("quorum", seen -> with(seen, true, false, true), Cause.NO_QUORUM),
                    new Row(
                            "two_node gone",
                            seen -> noTwoNode(seen, true, true),
                            Cause.NO_TWO_NODE),
                    new Row(
                            "two_node gone, and the peer",
                            seen -> noTwoNode(seen, false, false),
                            Cause.NO_QUORUM),
                    new Row("peer gone", seen -> with(seen, true, true, false)),
                    new Row("disk full", ImpedimentsTest::full, Cause.STATE_NOT_STORED),
                    new Row("unasked", ImpedimentsTest::unasked, Cause.ETCD_RUNS_UNASKED),
                    new Row("systemd", ImpedimentsTest::withoutSystemd, Cause.SYSTEMD_SILENT),
                    new Row("agent at the limit", seen -> silent(seen, Duration.ofSeconds(10))),
                    new Row(
                            "agent",
                            seen -> silent(seen, Duration.ofMillis(10_001)),
                            Cause.PEER_AGENT_SILENT),
                    new Row(
                            "agent of a peer that is gone",
                            seen -> with(silent(seen, Duration.ofHours(1)), true, true, false)),
                    new Row("pacemaker at the limit", seen -> pacemaker(seen, WELL, 30)),
                    new Row(
                            "pacemaker old",
                            seen -> pacemaker(seen, WELL, 31),
                            Cause.PACEMAKER_SILENT),
                    new Row(
                            "pacemaker failing",
                            seen -> failing(pacemaker(seen, WELL, 13)),
                            Cause.PACEMAKER_SILENT),
                    new Row(
                            "pacemaker failing beside a silent corosync",
                            seen -> failing(with(seen, false, false, false)),
                            Cause.COROSYNC_SILENT),
                    new Row(
                            "pacemaker never",
                            seen -> pacemaker(seen, Optional.empty(), Duration.ZERO),
                            Cause.PACEMAKER_SILENT),
                    new Row(
                            "maintenance",
                            change(
                                    "maintenance-mode=\"false\"", "maintenance-mode=\"true\"",
                                    "managed=\"true\"", "managed=\"false\""),
                            Cause.MAINTENANCE),
                    new Row(
                            "node maintenance",
                            change(
                                    "name=\"node-1\" id=\"2\" online=\"true\" standby=\"false\""
                                            + " standby_onfail=\"false\" maintenance=\"false\"",
                                    "name=\"node-1\" id=\"2\" maintenance=\"true\""),
                            Cause.NODE_MAINTENANCE),
                    new Row(
                            "fencing off",
                            change("stonith-enabled=\"true\"", "stonith-enabled=\"false\""),
                            Cause.FENCING_OFF),
                    new Row(
                            "stops all",
                            change("stop-all-resources=\"false\"", "stop-all-resources=\"true\""),
                            Cause.STOPS_ALL_RESOURCES),
                    new Row(
                            "asymmetric",
                            change("symmetric-cluster=\"true\"", "symmetric-cluster=\"false\""),
                            Cause.ASYMMETRIC),
                    new Row(
                            "standby",
                            change(
                                    "id=\"2\" online=\"true\" standby=\"false\"",
                                    "id=\"2\" standby=\"true\""),
                            Cause.NODE_STANDBY),
                    new Row(
                            "joining",
                            change(
                                    "id=\"2\" online=\"true\" standby=\"false\"",
                                    "id=\"2\" online=\"true\" standby=\"true\" pending=\"true\"")),
                    new Row(
                            "devices that a peer would run that is away",
                            change(
                                    "id=\"2\" online=\"true\"",
                                    "id=\"2\" online=\"false\"",
                                    "id=\"tandem-fence-node-0\""
                                            + " resource_agent=\"stonith:fence_tandem\""
                                            + STARTED,
                                    "id=\"tandem-fence-node-0\"" + STOPPED,
                                    "id=\"tandem-redfish-node-0\""
                                            + " resource_agent=\"stonith:fence_redfish\""
                                            + STARTED,
                                    "id=\"tandem-redfish-node-0\"" + STOPPED)),
                    new Row(
                            "etcd disabled",
                            change("disabled=\"false\"", "disabled=\"true\""),
                            Cause.ETCD_DISABLED),
                    new Row(
                            "etcd unmanaged",
                            change(
                                    "id=\"etcd\" resource_agent=\"ocf:tandem:etcd\""
                                            + " role=\"Started\" active=\"true\" blocked=\"false\""
                                            + " managed=\"true\"",
                                    "id=\"etcd\" active=\"true\" managed=\"false\""),
                            Cause.ETCD_UNMANAGED),
                    new Row("api", api()),
                    new Row(
                            "api that no plan has",
                            seen -> pacemaker(seen, WELL_WITH_API.replace(ADDRESS_LINE, ""), 5)),
                    new Row("address missing", api(ADDRESS_LINE, ""), Cause.API_ADDRESS_MISSING),
                    new Row(
                            "address disabled",
                            api(
                                    ADDRESS_LINE,
                                    ADDRESS
                                            + " role=\"Stopped\" target_role=\"Stopped\""
                                            + " active=\"false\" managed=\"true\"/>"),
                            Cause.API_ADDRESS_DISABLED),
                    new Row(
                            "address unmanaged",
                            api(ADDRESS_LINE, ADDRESS + " active=\"true\" managed=\"false\"/>"),
                            Cause.API_ADDRESS_UNMANAGED),
                    new Row(
                            "address unmanaged by a maintenance",
                            api(
                                    "maintenance-mode=\"false\"", "maintenance-mode=\"true\"",
                                    "managed=\"true\"", "managed=\"false\""),
                            Cause.MAINTENANCE),
                    new Row(
                            "address stopped",
                            api(ADDRESS_LINE, ADDRESS + STOPPED),
                            Cause.API_ADDRESS_STOPPED),
                    new Row(
                            "address failed",
                            api(ADDRESS_LINE, ADDRESS + FAILED),
                            Cause.API_ADDRESS_STOPPED),
                    new Row(
                            "address blocked",
                            api(
                                    ADDRESS_LINE,
                                    ADDRESS
                                            + " active=\"true\" managed=\"true\""
                                            + " blocked=\"true\"/>"),
                            Cause.API_ADDRESS_STOPPED),
                    new Row(
                            "address before etcd is started",
                            api(
                                    ADDRESS_LINE,
                                    ADDRESS + STOPPED,
                                    "id=\"etcd\" resource_agent=\"ocf:tandem:etcd\""
                                            + " role=\"Started\"",
                                    "id=\"etcd\" role=\"Stopped\"")),
                    new Row("address banned", api(BANNED), Cause.API_ADDRESS_BANNED),
                    new Row(
                            "address that cannot be on this node",
                            api(BANNED[0], BANNED[1].replace("node=\"node-1\"", "node=\"node-0\"")),
                            Cause.API_ADDRESS_BANNED),
                    new Row(
                            "api server",
                            seen ->
                                    withApi(
                                            seen,
                                            WELL_WITH_API,
                                            new Api(
                                                    Optional.of(
                                                            "500 etcdserver: request timed out"),
                                                    Optional.empty())),
                            Cause.API_CANNOT_WRITE),
                    new Row(
                            "api server that refuses the agent",
                            seen ->
                                    withApi(
                                            seen,
                                            WELL_WITH_API,
                                            new Api(
                                                    Optional.empty(),
                                                    Optional.of("403 leases is forbidden"))),
                            Cause.API_NOT_TESTED),
                    new Row(
                            "both devices disabled",
                            change(
                                    FENCE,
                                    FENCE + " target_role=\"Stopped\"",
                                    STOCK,
                                    STOCK + " disabled=\"true\""),
                            Cause.FENCE_DEVICE_DISABLED),
                    new Row(
                            "first device disabled",
                            change(FENCE, FENCE + " target_role=\"Stopped\""),
                            Cause.FENCE_DEVICE_DISABLED),
                    new Row(
                            "second device disabled",
                            change(STOCK, STOCK + " target_role=\"Stopped\""),
                            Set.of(),
                            Set.of(Cause.FENCE_DEVICE_DISABLED)),
                    new Row(
                            "first device missing",
                            change(FENCE, "id=\"other\""),
                            Cause.FENCE_DEVICE_MISSING),
                    new Row(
                            "first device blocked",
                            change(FENCE_LINE, FENCE + " blocked=\"true\"/>"),
                            Cause.FENCE_DEVICE_BLOCKED),
                    new Row(
                            "first device failed",
                            change(FENCE_LINE, FENCE + FAILED),
                            Set.of(),
                            Set.of(Cause.FENCE_DEVICE_FAILED)),
                    new Row(
                            "both devices failed",
                            change(FENCE_LINE, FENCE + FAILED, STOCK_LINE, STOCK + FAILED),
                            Cause.FENCE_DEVICE_FAILED),
                    new Row(
                            "first device stopped",
                            change(FENCE_LINE, FENCE + STOPPED),
                            Set.of(),
                            Set.of(Cause.FENCE_DEVICE_STOPPED)),
                    new Row(
                            "both devices stopped",
                            change(FENCE_LINE, FENCE + STOPPED, STOCK_LINE, STOCK + STOPPED),
                            Cause.FENCE_DEVICE_STOPPED),
                    new Row(
                            "devices that fence this node",
                            change(
                                    "id=\"tandem-fence-node-0\"",
                                    "id=\"tandem-fence-node-0\" target_role=\"Stopped\""),
                            Cause.FENCE_DEVICE_DISABLED),
                    new Row(
                            "bmc silent",
                            fault(new BmcFault.Unreachable("no route")),
                            Cause.BMC_UNREACHABLE),
                    new Row(
                            "bmc password",
                            fault(new BmcFault.Denied(401, "no")),
                            Cause.BMC_REFUSES_PASSWORD),
                    new Row(
                            "bmc rights",
                            fault(new BmcFault.Denied(403, "no")),
                            Cause.BMC_LACKS_RIGHTS),
                    new Row(
                            "bmc certificate",
                            fault(new BmcFault.Untrusted("it is self-signed", Optional.empty())),
                            Cause.BMC_UNTRUSTED),
                    new Row(
                            "bmc without password",
                            fault(new BmcFault.NoPassword("no file", "write it")),
                            Cause.BMC_FAULTY),
                    new Row(
                            "bmc busy",
                            fault(new BmcFault.Busy(Duration.ofSeconds(9), "")),
                            Cause.BMC_FAULTY),
                    new Row("bmc rejects", fault(new BmcFault.Rejected(404, "")), Cause.BMC_FAULTY),
                    new Row(
                            "bmc nonsense",
                            fault(new BmcFault.Unintelligible("")),
                            Cause.BMC_FAULTY),
                    new Row("bmc of another", machine(Machine.ANOTHER), Cause.BMC_OTHER_MACHINE),
                    new Row(
                            "bmc of nobody known",
                            machine(Machine.UNKNOWN),
                            Cause.BMC_IDENTITY_UNKNOWN),
                    new Row("bmc age at the limit", age(Optional.of(Duration.ofSeconds(60)))),
                    new Row(
                            "bmc old",
                            age(Optional.of(Duration.ofSeconds(61))),
                            Cause.BMC_NOT_CHECKED),
                    new Row("bmc never", age(Optional.empty()), Cause.BMC_NOT_CHECKED),
                    new Row(
                            "bmc off",
                            peersBmc(bmc ->
                                    new Bmc(
                                            bmc.age(),
                                            bmc.fault(),
                                            bmc.machine(),
                                            true,
                                            bmc.address())),
                            Cause.BMC_READS_OFF),
                    new Row(
                            "device of a further level missing",
                            peersBmc(bmc -> withFurther(bmc, true)),
                            Set.of(),
                            Set.of(Cause.FENCE_DEVICE_MISSING)),
                    new Row(
                            "own bmc password",
                            seen -> own(seen, faulty(FINE, new BmcFault.Denied(401, "no"))),
                            Set.of(),
                            Set.of(Cause.BMC_REFUSES_PASSWORD)),
                    new Row(
                            "own bmc silent",
                            seen -> own(seen, faulty(FINE, new BmcFault.Unreachable("no route"))),
                            Set.of(),
                            Set.of(Cause.BMC_UNREACHABLE)),
                    new Row(
                            "own bmc never reached from its own host",
                            seen ->
                                    own(
                                            seen,
                                            new Bmc(
                                                    FINE.age(),
                                                    Optional.of(
                                                            new BmcFault.Unreachable("no route")),
                                                    Machine.UNKNOWN,
                                                    false,
                                                    FINE.address()))),
                    new Row(
                            "two",
                            seen ->
                                    fault(new BmcFault.Denied(401, "no"))
                                            .apply(
                                                    change(
                                                                    "stonith-enabled=\"true\"",
                                                                    "stonith-enabled=\"false\"")
                                                            .apply(seen)),
                            Cause.FENCING_OFF,
                            Cause.BMC_REFUSES_PASSWORD));

    private static List<Row> rows() {
        return ROWS;
    }

    private static Impediments found(String row) {
        return ROWS.stream()
                .filter(one -> one.name().equals(row))
                .findFirst()
                .orElseThrow()
                .found();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void isFoundAndNothingElse(Row row) {
        Impediments found = row.found();

        assertThat(found.impediments())
                .extracting(Impediment::cause)
                .containsExactlyInAnyOrderElementsOf(row.impediments);
        assertThat(found.warnings())
                .extracting(Impediment::cause)
                .containsExactlyInAnyOrderElementsOf(row.warnings);
        assertThat(found.automatic()).isEqualTo(row.impediments.isEmpty());
    }

    @Test
    void noCauseIsWithoutARow() {
        EnumSet<Cause> left = EnumSet.allOf(Cause.class);
        for (Row row : ROWS) {
            left.removeAll(row.impediments);
            left.removeAll(row.warnings);
        }

        assertThat(left)
                .as(
                        "those that have tests of their own: for what the peer says, for disks, for"
                                + " certificates, for networks, for sources of passwords")
                .containsExactlyInAnyOrder(
                        Cause.PEER_CAUSE_UNKNOWN,
                        Cause.PEER_READINESS_UNKNOWN,
                        Cause.DISK_FULL,
                        Cause.DISK_NEARLY_FULL,
                        Cause.BMC_BEHIND_CLUSTER_NETWORK,
                        Cause.BMC_UNVERIFIED,
                        Cause.ONE_FENCING_LEVEL,
                        Cause.SECOND_LEVEL_BROKEN,
                        Cause.FURTHER_LEVEL_PROVES_NOTHING,
                        Cause.BMC_CERTIFICATE_ENDS,
                        Cause.BMC_STORED_PASSWORD_REFUSED,
                        Cause.BMC_SLOWER_THAN_PLAN,
                        Cause.BMC_CHANGE_UNFINISHED,
                        Cause.PLAN_NOT_IN_USE,
                        Cause.PLANS_DIFFER,
                        Cause.LINK_DOWN,
                        Cause.LINK_LOST,
                        Cause.ETCD_NOT_ON_ALL_LINKS,
                        Cause.PASSWORD_SOURCE_SILENT,
                        Cause.PASSWORD_NOT_TAKEN,
                        Cause.CERTIFICATE_INVALID,
                        Cause.CERTIFICATE_UNREADABLE,
                        Cause.API_CERTIFICATE_INVALID,
                        Cause.API_CERTIFICATE_UNREADABLE,
                        Cause.KUBERNETES_CERTIFICATE_INVALID,
                        Cause.CERTIFICATE_ENDS_SOON);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void saysWhatIsSoAndWhatToDo(Row row) {
        Impediments found = row.found();

        assertThat(Stream.concat(found.impediments().stream(), found.warnings().stream()))
                .allSatisfy(impediment -> {
                    assertThat(impediment.sentence()).isNotBlank().doesNotEndWith(".");
                    assertThat(impediment.remedy()).isNotBlank().doesNotEndWith(".");
                    assertThat(PrintedCommands.faults(impediment.sentence() + ".")).isEmpty();
                    assertThat(PrintedCommands.faults(impediment.remedy())).isEmpty();
                    assertThat(impediment.node()).isIn("node-0", "node-1");
                });
    }

    @Test
    void theFirstToldHoldsForAll() {
        assertThat(found("two").impediments().getFirst().cause()).isEqualTo(Cause.FENCING_OFF);
    }

    @Test
    void aSilentAgentIsToldWithItsAgeAndIsAboutAFailureOfThisNode() {
        Impediment found =
                Impediments.of(silent(well(), Duration.ofSeconds(69))).impediments().getFirst();

        assertThat(found.sentence()).isEqualTo("tandem-agent on node-1 has been silent for 69 s");
        assertThat(found.failureOf()).contains("node-0");
        assertThat(found.node()).isEqualTo("node-1");
        assertThat(found.remedy())
                .isEqualTo(
                        "on node-1: systemctl restart tandem-agent; if that fails: journalctl -u"
                                + " tandem-agent -n 20");
    }

    @Test
    void aNodeThatWouldLoseQuorumAloneIsAboutItsPeersFailure() {
        Impediment found = found("two_node gone").impediments().getFirst();

        assertThat(found.failureOf()).contains("node-1");
        assertThat(found.sentence())
                .isEqualTo(
                        "node-0 would lose quorum without node-1: two_node is not in effect in its"
                                + " Corosync");
        assertThat(found.remedy())
                .isEqualTo(
                        "tandem cluster apply /etc/tandem/cluster.yaml; pcs cluster reload"
                                + " corosync");
        assertThat(found.cause().keepsFromFencing() || found.cause().keepsFromStarting())
                .as("while both are there nothing is kept from anything")
                .isFalse();
    }

    @Test
    void aBannedAddressIsToldWithItsConstraintAndWhoseFailureItConcerns() {
        Impediment there = found("address banned").impediments().getFirst();
        assertThat(there.sentence())
                .isEqualTo(
                        "the API address would not move to node-1: the constraint"
                                + " cli-ban-tandem-api-address-on-node-1 keeps it away");
        assertThat(there.remedy())
                .isEqualTo("pcs constraint delete cli-ban-tandem-api-address-on-node-1");
        assertThat(there.failureOf()).contains("node-0");

        Impediment here = found("address that cannot be on this node").impediments().getFirst();
        assertThat(here.failureOf()).contains("node-1");
        assertThat(here.node()).isEqualTo("node-0");
    }

    /** etcd would be fenced for and started all the same. */
    @Test
    void whatHindersTheApiHindersNothingElse() {
        assertThat(Cause.values())
                .filteredOn(cause -> cause.name().startsWith("API_"))
                .hasSize(9)
                .allMatch(Cause::isAboutTheApi)
                .noneMatch(Cause::keepsFromFencing)
                .noneMatch(Cause::keepsFromStarting);
    }

    @Test
    void disabledDevicesAreNamedInTheRemedy() {
        Impediment found = found("both devices disabled").impediments().getFirst();

        assertThat(found.remedy())
                .isEqualTo("pcs stonith enable tandem-fence-node-1 tandem-redfish-node-1");
        assertThat(found.failureOf()).contains("node-1");
    }

    @Test
    void whatHoldsForTheWholeClusterIsAboutAFailureOfEitherNode() {
        Impediment found = found("maintenance").impediments().getFirst();

        assertThat(found.failureOf()).isEmpty();
        assertThat(found.remedy()).isEqualTo("pcs property set maintenance-mode=false");
    }

    @Test
    void anImpedimentLastsFromItsFirstSightUntilItIsGone() {
        long[] now = {0};
        ImpedimentDurations onsets = new ImpedimentDurations(() -> now[0]);
        List<Impediment> found = found("bmc password").impediments();
        onsets.note(found);
        now[0] = Duration.ofSeconds(40).toNanos();
        onsets.note(found);
        assertThat(onsets.lasts(found.getFirst())).isEqualTo(Duration.ofSeconds(40));

        onsets.note(List.of());
        onsets.note(found);
        assertThat(onsets.lasts(found.getFirst())).isZero();
    }

    @Test
    void anAnswerOfPacemakerGrowsOldWhileItIsSilent() {
        long[] now = {0};
        PacemakerStatus[] answer = {new PacemakerStatus.Unknown("not yet")};
        PacemakerWatch watch = new PacemakerWatch(() -> answer[0], () -> now[0]);
        watch.look();
        now[0] = Duration.ofSeconds(5).toNanos();
        assertThat(watch.status()).isEmpty();
        assertThat(watch.age()).isEqualTo(Duration.ofSeconds(5));

        answer[0] = PacemakerStatus.parse(WELL);
        watch.look();
        answer[0] = new PacemakerStatus.Unknown("stopped");
        now[0] = Duration.ofSeconds(40).toNanos();
        watch.look();
        assertThat(watch.status()).isPresent();
        assertThat(watch.age()).isEqualTo(Duration.ofSeconds(35));
    }

    @Test
    void aPacemakerThatFailsTwiceIsKnownBeforeItsAnswerIsOld() {
        long[] now = {0};
        PacemakerStatus[] answer = {PacemakerStatus.parse(WELL)};
        PacemakerWatch watch = new PacemakerWatch(() -> answer[0], () -> now[0]);
        watch.look();
        assertThat(watch.fails()).isFalse();

        answer[0] = new PacemakerStatus.Unknown("not connected");
        Duration told = Duration.ZERO;
        while (!watch.fails()) {
            told = told.plus(watch.interval());
            watch.look();
        }
        assertThat(told)
                .as("with a second for the peer message, what is promised")
                .isLessThanOrEqualTo(Duration.ofSeconds(14));
        assertThat(watch.status()).isPresent();

        answer[0] = PacemakerStatus.parse(WELL);
        watch.look();
        assertThat(watch.fails()).isFalse();
        assertThat(watch.interval()).isEqualTo(Duration.ofSeconds(10));
    }

    /** After a fence by one that proves nothing the peer would wait for a person. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onlyAFurtherLevelThatProvesOffMakesUpForStoppedDevices(boolean provesOff) {
        Seen seen =
                peersBmc(bmc -> withFurther(bmc, provesOff))
                        .andThen(with ->
                                pacemaker(
                                        with,
                                        changed(
                                                WELL,
                                                FENCE_LINE,
                                                FENCE + STOPPED,
                                                STOCK_LINE,
                                                STOCK
                                                        + STOPPED
                                                        + "<resource id=\"tandem-further1-node-1\""
                                                        + " resource_agent=\"stonith:fence_tandem_further\""
                                                        + STARTED),
                                        5))
                        .apply(well());

        assertThat(Impediments.of(seen).impediments().isEmpty()).isEqualTo(provesOff);
        assertThat(Impediments.of(seen).warnings().isEmpty()).isEqualTo(!provesOff);
    }

    /** Pacemaker goes on with the second level, which has a way of its own. */
    @Test
    void aSecondThatWouldDoMakesARepairOfWhatWouldNeedAPerson() {
        BmcFault silent = new BmcFault.Unreachable("no route");
        Bmc ipmi =
                new Bmc(
                        FINE.age(),
                        Optional.empty(),
                        Machine.ITS_OWN,
                        false,
                        BmcAddress.of("ipmi://10.92.0.101"));

        Impediments saved = bmcsOfPeer(faulty(FINE, silent), ipmi);
        assertThat(saved.impediments()).noneMatch(found -> found.cause() == Cause.BMC_UNREACHABLE);
        assertThat(saved.warnings()).anyMatch(found -> found.cause() == Cause.BMC_UNREACHABLE);

        Impediments lost = bmcsOfPeer(faulty(FINE, silent), faulty(ipmi, silent));
        assertThat(lost.impediments()).anyMatch(found -> found.cause() == Cause.BMC_UNREACHABLE);

        Impediments unknown =
                bmcsOfPeer(
                        faulty(FINE, silent),
                        new Bmc(ipmi.age(), ipmi.fault(), Machine.UNKNOWN, false, ipmi.address()));
        assertThat(unknown.impediments())
                .as("its Off would prove nothing")
                .anyMatch(found -> found.cause() == Cause.BMC_UNREACHABLE);

        Bmc readsOff = new Bmc(FINE.age(), Optional.empty(), Machine.ITS_OWN, true, FINE.address());
        assertThat(bmcsOfPeer(readsOff, ipmi).impediments())
                .as("then no Off is believed")
                .anyMatch(found -> found.cause() == Cause.BMC_READS_OFF);

        Impediments second = bmcsOfPeer(FINE, faulty(ipmi, new BmcFault.Denied(401, "no")));
        assertThat(second.impediments())
                .noneMatch(found -> found.cause() == Cause.BMC_REFUSES_PASSWORD);
        assertThat(second.warnings())
                .anySatisfy(found -> {
                    assertThat(found.sentence())
                            .isEqualTo("over IPMI, the BMC of node-1 refuses the password");
                    assertThat(found.remedy()).contains("tandem fencing set node-1 --second");
                });
    }

    /** Redfish is silent, and IPMI answers: only its device, if any, switches the peer off. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    device of IPMI        | what Pacemaker says of it         | what it reads | automatic
                    fit                   | role="Started" active="true"      | there         | true
                    disabled              | target_role="Stopped"             | there         | false
                    missing               | none                              | there         | false
                    blocked               | active="true" blocked="true"      | there         | false
                    failed                | active="true" failed="true"       | there         | false
                    banned                | role="Stopped" active="false"     | there         | false
                    without its password  | role="Started" active="true"      | gone          | false
                    """)
    void aSecondWhoseDeviceCannotBeUsedSavesNothing(
            String device, String says, String reads, boolean automatic) {
        Bmc ipmi =
                new Bmc(
                        FINE.age(),
                        Optional.empty(),
                        Machine.ITS_OWN,
                        false,
                        BmcAddress.of("ipmi://10.92.0.101"));
        String xml =
                WELL_WITH_IPMI.replace(
                        IPMI_LINE,
                        says.equals("none")
                                ? ""
                                : "<resource " + IPMI + " managed=\"true\" " + says + "/>");
        Set<String> broken =
                reads.equals("gone") ? Set.of("tandem-ipmilan-node-1") : Set.<String>of();

        Impediments found =
                Impediments.of(
                        twoWays(
                                faulty(FINE, new BmcFault.Unreachable("no route")),
                                ipmi,
                                xml,
                                broken));

        assertThat(found.impediments())
                .as(device)
                .extracting(Impediment::cause)
                .containsExactlyElementsOf(automatic ? List.of() : List.of(Cause.BMC_UNREACHABLE));
        assertThat(found.warnings().isEmpty())
                .as("what is told besides is the device, unless that is told elsewhere")
                .isEqualTo(reads.equals("gone"));
    }

    @Test
    void aFirstDeviceThatFailedIsSavedByNoneThatIsBroken() {
        String failed =
                WELL_WITH_IPMI
                        .replace(FENCE_LINE, FENCE + FAILED)
                        .replace(STOCK, STOCK + " target_role=\"Stopped\"");
        Bmc ipmi =
                new Bmc(
                        FINE.age(),
                        Optional.empty(),
                        Machine.ITS_OWN,
                        false,
                        BmcAddress.of("ipmi://10.92.0.101"));

        assertThat(Impediments.of(twoWays(FINE, ipmi, failed, Set.of())).automatic()).isTrue();
        assertThat(
                        Impediments.of(twoWays(FINE, ipmi, failed, Set.of("tandem-ipmilan-node-1")))
                                .impediments())
                .extracting(Impediment::cause)
                .contains(Cause.FENCE_DEVICE_FAILED);
    }

    /** Whatever is wrong with a BMC: agents take what is new while they run (ADR 32). */
    @Test
    void noRemedyAboutABmcRestartsAnAgent() {
        Set<Cause> seen = EnumSet.noneOf(Cause.class);
        List<Bmc> wrong =
                Stream.of(FINE.address(), BmcAddress.of("ipmi://10.92.0.101"))
                        .flatMap(ImpedimentsTest::everythingWrongWith)
                        .toList();
        for (Bmc bmc : wrong) {
            for (Impediments found :
                    List.of(
                            bmcsOfPeer(bmc, FINE),
                            bmcsOfPeer(FINE, bmc),
                            Impediments.of(own(well(), bmc)))) {
                Stream.of(found.impediments(), found.warnings())
                        .flatMap(List::stream)
                        .forEach(one -> {
                            seen.add(one.cause());
                            assertThat(one.remedy())
                                    .as("%s", one)
                                    .doesNotContain("restart tandem-agent", "cluster prepare");
                            assertThat(PrintedCommands.faults("Fix: " + one.remedy())).isEmpty();
                        });
            }
        }
        for (Cause cause : Cause.values()) {
            if (cause.name().startsWith("BMC_")) {
                ReportedImpediments.of(
                                Optional.of(new RecoveryReadiness.Impeded(List.of(cause))),
                                "node-0",
                                "node-1")
                        .forEach(one ->
                                assertThat(one.remedy()).doesNotContain("restart tandem-agent"));
                if (cause.keepsFromFencing()) {
                    assertThat(seen).contains(cause);
                }
            }
        }
    }

    private static Stream<Bmc> everythingWrongWith(BmcAddress address) {
        Optional<Duration> now = FINE.age();
        return Stream.concat(
                Stream.of(
                                new BmcFault.Unreachable("no route"),
                                new BmcFault.Untrusted("unknown", Optional.empty()),
                                new BmcFault.Denied(401, "no"),
                                new BmcFault.Denied(403, "no"),
                                new BmcFault.Busy(Duration.ofSeconds(1), "busy"),
                                new BmcFault.Rejected(404, "no such system"),
                                new BmcFault.Unintelligible("a web page"))
                        .map(fault ->
                                new Bmc(now, Optional.of(fault), Machine.ITS_OWN, false, address)),
                Stream.of(
                        new Bmc(now, Optional.empty(), Machine.ANOTHER, false, address),
                        new Bmc(now, Optional.empty(), Machine.UNKNOWN, false, address),
                        new Bmc(now, Optional.empty(), Machine.ITS_OWN, true, address),
                        new Bmc(
                                Optional.empty(),
                                Optional.empty(),
                                Machine.UNKNOWN,
                                false,
                                address)));
    }

    private static Impediments bmcsOfPeer(Bmc first, Bmc second) {
        return Impediments.of(twoWays(first, second, WELL_WITH_IPMI, Set.of()));
    }

    private static Seen twoWays(Bmc first, Bmc second, String xml, Set<String> broken) {
        Seen seen =
                peersBmc(_ ->
                                new Bmc(
                                        first.age(),
                                        first.fault(),
                                        first.machine(),
                                        first.offWhileThere(),
                                        first.address(),
                                        Optional.of(second)))
                        .apply(pacemaker(well(), xml, 5));
        return new Seen(
                seen.self(),
                seen.peer(),
                seen.corosyncAnswers(),
                seen.quorate(),
                seen.quorumKeptByOne(),
                seen.peerPresent(),
                seen.peerSilence(),
                seen.ownBmc(),
                seen.peersBmc(),
                seen.pacemaker(),
                seen.pacemakerAge(),
                seen.cannotStore(),
                seen.systemdAnswers(),
                seen.runsUnasked(),
                seen.api(),
                broken,
                false);
    }

    private static Seen failing(Seen seen) {
        return new Seen(
                seen.self(),
                seen.peer(),
                seen.corosyncAnswers(),
                seen.quorate(),
                seen.quorumKeptByOne(),
                seen.peerPresent(),
                seen.peerSilence(),
                seen.ownBmc(),
                seen.peersBmc(),
                seen.pacemaker(),
                seen.pacemakerAge(),
                seen.cannotStore(),
                seen.systemdAnswers(),
                seen.runsUnasked(),
                seen.api(),
                seen.brokenDevices(),
                true);
    }

    // ---- the pair that is well, and what is changed of it
    // ----------------------------------------

    private static Seen well() {
        return new Seen(
                "node-0",
                "node-1",
                true,
                true,
                true,
                Duration.ofSeconds(1),
                FINE,
                FINE,
                known(WELL),
                Duration.ofSeconds(5));
    }

    private static Optional<PacemakerStatus.Known> known(String xml) {
        return Optional.of((PacemakerStatus.Known) PacemakerStatus.parse(xml));
    }

    private static Seen with(Seen seen, boolean answers, boolean quorate, boolean present) {
        return new Seen(
                seen.self(),
                seen.peer(),
                answers,
                quorate,
                present,
                seen.peerSilence(),
                seen.ownBmc(),
                seen.peersBmc(),
                seen.pacemaker(),
                seen.pacemakerAge());
    }

    private static Seen noTwoNode(Seen seen, boolean quorate, boolean present) {
        return new Seen(
                seen.self(),
                seen.peer(),
                seen.corosyncAnswers(),
                quorate,
                false,
                present,
                seen.peerSilence(),
                seen.ownBmc(),
                seen.peersBmc(),
                seen.pacemaker(),
                seen.pacemakerAge(),
                Optional.empty(),
                seen.systemdAnswers(),
                false,
                Optional.empty(),
                Set.of(),
                false);
    }

    private static Seen full(Seen seen) {
        return new Seen(
                seen.self(),
                seen.peer(),
                seen.corosyncAnswers(),
                seen.quorate(),
                seen.quorumKeptByOne(),
                seen.peerPresent(),
                seen.peerSilence(),
                seen.ownBmc(),
                seen.peersBmc(),
                seen.pacemaker(),
                seen.pacemakerAge(),
                Optional.of("No space left on device"),
                seen.systemdAnswers(),
                false,
                Optional.empty(),
                Set.of(),
                false);
    }

    private static Seen withoutSystemd(Seen seen) {
        return new Seen(
                seen.self(),
                seen.peer(),
                seen.corosyncAnswers(),
                seen.quorate(),
                seen.quorumKeptByOne(),
                seen.peerPresent(),
                seen.peerSilence(),
                seen.ownBmc(),
                seen.peersBmc(),
                seen.pacemaker(),
                seen.pacemakerAge(),
                seen.cannotStore(),
                false,
                seen.runsUnasked(),
                seen.api(),
                Set.of(),
                false);
    }

    private static Seen unasked(Seen seen) {
        return new Seen(
                seen.self(),
                seen.peer(),
                seen.corosyncAnswers(),
                seen.quorate(),
                seen.quorumKeptByOne(),
                seen.peerPresent(),
                seen.peerSilence(),
                seen.ownBmc(),
                seen.peersBmc(),
                seen.pacemaker(),
                seen.pacemakerAge(),
                Optional.empty(),
                seen.systemdAnswers(),
                true,
                Optional.empty(),
                Set.of(),
                false);
    }

    private static Seen withApi(Seen seen, String xml, Api api) {
        return new Seen(
                seen.self(),
                seen.peer(),
                seen.corosyncAnswers(),
                seen.quorate(),
                seen.quorumKeptByOne(),
                seen.peerPresent(),
                seen.peerSilence(),
                seen.ownBmc(),
                seen.peersBmc(),
                known(xml),
                seen.pacemakerAge(),
                Optional.empty(),
                seen.systemdAnswers(),
                false,
                Optional.of(api),
                Set.of(),
                false);
    }

    private static Seen silent(Seen seen, Duration silence) {
        return new Seen(
                seen.self(),
                seen.peer(),
                seen.corosyncAnswers(),
                seen.quorate(),
                seen.peerPresent(),
                silence,
                seen.ownBmc(),
                seen.peersBmc(),
                seen.pacemaker(),
                seen.pacemakerAge());
    }

    private static Seen pacemaker(Seen seen, String xml, int seconds) {
        return pacemaker(seen, known(xml), Duration.ofSeconds(seconds));
    }

    private static Seen pacemaker(Seen seen, Optional<PacemakerStatus.Known> status, Duration age) {
        return new Seen(
                seen.self(),
                seen.peer(),
                seen.corosyncAnswers(),
                seen.quorate(),
                seen.peerPresent(),
                seen.peerSilence(),
                seen.ownBmc(),
                seen.peersBmc(),
                status,
                age);
    }

    private static Seen own(Seen seen, Bmc bmc) {
        return new Seen(
                seen.self(),
                seen.peer(),
                seen.corosyncAnswers(),
                seen.quorate(),
                seen.peerPresent(),
                seen.peerSilence(),
                bmc,
                seen.peersBmc(),
                seen.pacemaker(),
                seen.pacemakerAge());
    }

    private static UnaryOperator<Seen> peersBmc(UnaryOperator<Bmc> change) {
        return seen ->
                new Seen(
                        seen.self(),
                        seen.peer(),
                        seen.corosyncAnswers(),
                        seen.quorate(),
                        seen.peerPresent(),
                        seen.peerSilence(),
                        seen.ownBmc(),
                        change.apply(seen.peersBmc()),
                        seen.pacemaker(),
                        seen.pacemakerAge());
    }

    private static UnaryOperator<Seen> fault(BmcFault fault) {
        return peersBmc(bmc -> faulty(bmc, fault));
    }

    private static Bmc faulty(Bmc bmc, BmcFault fault) {
        return new Bmc(bmc.age(), Optional.of(fault), bmc.machine(), false, bmc.address());
    }

    private static UnaryOperator<Seen> machine(Machine machine) {
        return peersBmc(bmc -> new Bmc(bmc.age(), bmc.fault(), machine, false, bmc.address()));
    }

    private static UnaryOperator<Seen> age(Optional<Duration> age) {
        return peersBmc(bmc -> new Bmc(age, bmc.fault(), bmc.machine(), false, bmc.address()));
    }

    /** Pacemaker says something else; what is replaced must have been there. */
    private static UnaryOperator<Seen> change(String... pairs) {
        return seen -> pacemaker(seen, changed(WELL, pairs), 5);
    }

    /** The same of a pair with an API. */
    private static UnaryOperator<Seen> api(String... pairs) {
        return seen ->
                withApi(
                        seen,
                        changed(WELL_WITH_API, pairs),
                        new Api(Optional.empty(), Optional.empty()));
    }

    private static String changed(String well, String... pairs) {
        String xml = well;
        for (int i = 0; i < pairs.length; i += 2) {
            assertThat(xml).as("to be replaced").contains(pairs[i]);
            xml = xml.replace(pairs[i], pairs[i + 1]);
        }
        return xml;
    }

    private static Bmc withFurther(Bmc bmc, boolean provesOff) {
        return new Bmc(
                bmc.age(),
                bmc.fault(),
                bmc.machine(),
                bmc.offWhileThere(),
                bmc.address(),
                bmc.second(),
                List.of(
                        new FurtherLevel(
                                "fence_apc_snmp",
                                Map.of("plug", "7"),
                                Optional.empty(),
                                provesOff)));
    }
}
