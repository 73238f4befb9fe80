package dev.tandem.agent.bmc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcPrivileges;
import dev.tandem.host.bmc.BmcPrivileges.MayReset;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a fence meets is known at once; what the BMC tells, when it is asked. */
class AccountRightsTest {
    private static final BmcPrivileges MAY = BmcPrivileges.ofRole("Operator", true);
    private static final BmcPrivileges MAY_NOT = BmcPrivileges.ofRole("ReadOnly", false);
    private static final BmcPrivileges SILENT = new BmcPrivileges(Optional.empty(), Set.of());

    private long now;
    private BmcPrivileges told = MAY;
    private final AccountRights rights =
            new AccountRights(() -> new BmcAnswer.Read<>(told, Duration.ZERO), () -> now);

    @Test
    void anOrderThatWasRefusedCountsAtOnceAndTheBmcIsAskedAgain() {
        rights.askIfDue();
        assertThat(rights.known()).isEqualTo(MayReset.YES);

        told = MAY_NOT;
        rights.askIfDue();
        assertThat(rights.known()).as("it is asked now and then").isEqualTo(MayReset.YES);

        rights.onOrderRefused();
        assertThat(rights.known()).isEqualTo(MayReset.NO);
        rights.askIfDue();
        told = MAY;
        now += AccountRights.WHILE_DENIED.toNanos();
        rights.askIfDue();
        assertThat(rights.known()).as("the BMC told of both").isEqualTo(MayReset.YES);
    }

    @Test
    void aRoleThatWasChangedIsKnownWithinFiveMinutes() {
        rights.askIfDue();
        told = MAY_NOT;
        now += Duration.ofMinutes(5).toNanos();
        rights.askIfDue();

        assertThat(rights.known()).isEqualTo(MayReset.NO);
    }

    /** Its word was wrong before. */
    @Test
    void aBmcThatTellsOtherwiseOrNothingIsNotBelievedUntilAnOrderIsAccepted() {
        for (BmcPrivileges said : new BmcPrivileges[] {MAY, SILENT}) {
            told = said;
            rights.onOrderRefused();
            rights.askIfDue();
            now += AccountRights.WHILE_NOT_TOLD.toNanos();
            rights.askIfDue();

            assertThat(rights.known()).isEqualTo(MayReset.NO);
            rights.onOrderAccepted();
            assertThat(rights.known()).isEqualTo(said.mayReset());
        }
    }
}
