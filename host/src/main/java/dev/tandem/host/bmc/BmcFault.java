package dev.tandem.host.bmc;

import dev.tandem.host.pki.Fingerprint;
import java.time.Duration;
import java.util.Optional;

/** Why a BMC could not be asked. None of these says anything about the machine behind it. */
public sealed interface BmcFault {

    /** For people: what happened, as half a sentence. */
    String sentence();

    /** No answer: no connection, or none in time. */
    record Unreachable(String why) implements BmcFault {
        @Override
        public String sentence() {
            return "the BMC cannot be reached: " + why;
        }
    }

    /**
     * Somebody answers whose certificate is not to be believed.
     *
     * @param shown the certificate's fingerprint; empty where the connection failed before it came
     */
    record Untrusted(String why, Optional<Fingerprint> shown) implements BmcFault {
        @Override
        public String sentence() {
            return "the BMC's certificate is not trusted: "
                    + why
                    + shown.map(fingerprint -> "; its fingerprint is sha256:" + fingerprint)
                            .orElse("");
        }
    }

    /** The credentials are wrong (401), or do not suffice (403). */
    record Denied(int status, String why) implements BmcFault {
        @Override
        public String sentence() {
            return status == 403
                    ? "the BMC's account lacks privileges: " + why
                    : "the BMC does not accept the credentials: " + why;
        }
    }

    /** It was not asked: the password that this node keeps for it cannot be read. */
    record NoPassword(String why, String remedy) implements BmcFault {
        @Override
        public String sentence() {
            return "the BMC was not asked: " + why;
        }
    }

    /** The BMC is busy and asks to be left alone for a while. */
    record Busy(Duration retryAfter, String why) implements BmcFault {
        @Override
        public String sentence() {
            return "the BMC is busy for %d s: %s".formatted(retryAfter.toSeconds(), why);
        }
    }

    /** The BMC understood and refused. */
    record Rejected(int status, String why) implements BmcFault {
        @Override
        public String sentence() {
            return "the BMC refused with status " + status + ": " + why;
        }
    }

    /** An answer that cannot be made sense of. */
    record Unintelligible(String why) implements BmcFault {
        @Override
        public String sentence() {
            return "the BMC's answer makes no sense: " + why;
        }
    }
}
