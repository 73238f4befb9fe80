package dev.tandem.cli.install;

import dev.tandem.core.MacAddress;
import dev.tandem.install.config.FencingCredential;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Logs in to a BMC and asks what it switches, without switching anything. */
interface BmcProbe {
    /** Several requests of a slow BMC fit in; a person still waits for it. */
    Duration LIMIT = Duration.ofSeconds(40);

    /** What the BMC says of itself; a fault that kept it from saying is {@link Answer#fault}. */
    Answer ask(FencingCredential credential);

    /**
     * What was learned.
     *
     * @param fault empty when the login worked
     * @param uuid empty when the BMC tells none
     * @param macs of the machine's cards, in lower case with colons
     * @param maySwitch false only when the BMC says so
     */
    record Answer(
            Optional<String> fault,
            String power,
            Optional<String> uuid,
            Optional<String> serial,
            Set<String> macs,
            boolean maySwitch) {
        public Answer {
            macs = Set.copyOf(macs);
        }

        static Answer failed(String fault) {
            return new Answer(
                    Optional.of(fault), "", Optional.empty(), Optional.empty(), Set.of(), false);
        }
    }

    /** The outcome for one node. */
    record Report(
            String node,
            String address,
            boolean fine,
            String power,
            Optional<String> uuid,
            Optional<String> serial,
            String what,
            String remedy) {

        String asText() {
            return fine
                    ? "BMC of %s (%s): login works, power %s, %s"
                            .formatted(node, address, power, what)
                    : "BMC of %s (%s): %s%n  fix:   %s%n".formatted(node, address, what, remedy);
        }
    }

    /** Asks all of them at once, and waits for none longer than the limit. */
    static List<Report> all(BmcProbe probe, List<FencingCredential> credentials, Duration limit) {
        List<Answer> answers = new ArrayList<>();
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Answer>> futures =
                    executor.invokeAll(
                            credentials.stream()
                                    .map(credential ->
                                            (Callable<Answer>) () -> probe.ask(credential))
                                    .toList(),
                            limit.toMillis(),
                            TimeUnit.MILLISECONDS);
            for (Future<Answer> future : futures) {
                answers.add(answer(future, limit));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
        return compared(credentials, answers);
    }

    private static Answer answer(Future<Answer> future, Duration limit)
            throws InterruptedException {
        try {
            return future.get();
        } catch (CancellationException e) {
            return Answer.failed("it did not answer within " + limit.toSeconds() + " s");
        } catch (ExecutionException e) {
            return Answer.failed("it could not be queried: " + e.getCause());
        }
    }

    /** A BMC that answers may still be the wrong one: identities are compared with one another. */
    private static List<Report> compared(
            List<FencingCredential> credentials, List<Answer> answers) {
        List<Report> reports = new ArrayList<>();
        Map<String, String> owners = new HashMap<>();
        for (int i = 0; i < credentials.size(); i++) {
            FencingCredential credential = credentials.get(i);
            Answer answer = answers.get(i);
            Optional<String> identity = answer.uuid().or(answer::serial);
            Optional<String> earlier =
                    identity.map(id -> owners.putIfAbsent(id, credential.node()));
            reports.add(report(credential, answer, earlier));
        }
        return reports;
    }

    private static Report report(
            FencingCredential credential, Answer answer, Optional<String> sameAs) {
        Optional<String> card = credential.macAddress().map(MacAddress::toString);
        boolean wrongCard =
                card.isPresent() && !answer.macs().isEmpty() && !answer.macs().contains(card.get());
        if (answer.fault().isPresent()) {
            return bad(
                    credential,
                    answer,
                    answer.fault().get(),
                    "check the address, the user, the password and the network between here and"
                            + " the BMC");
        }
        if (sameAs.isPresent()) {
            return bad(
                    credential,
                    answer,
                    "it controls the same machine as the BMC of " + sameAs.get(),
                    "give each node the address of its own BMC");
        }
        if (wrongCard) {
            return bad(
                    credential,
                    answer,
                    "the machine it controls has no network card " + card.get(),
                    "the credentials of two machines are probably swapped: check which BMC belongs"
                            + " to which");
        }
        if (!answer.maySwitch()) {
            return bad(
                    credential,
                    answer,
                    "its user may log in but not switch the power",
                    "give the user the privilege ConfigureComponents (role Operator or"
                            + " Administrator)");
        }
        String identity =
                answer.uuid()
                        .map(uuid -> "system UUID " + uuid)
                        .or(() -> answer.serial().map(serial -> "serial " + serial))
                        .orElse("it reports no identity");
        return new Report(
                credential.node(),
                credential.address().toString(),
                true,
                answer.power(),
                answer.uuid(),
                answer.serial(),
                identity,
                "");
    }

    private static Report bad(
            FencingCredential credential, Answer answer, String what, String remedy) {
        return new Report(
                credential.node(),
                credential.address().toString(),
                false,
                answer.power(),
                answer.uuid(),
                answer.serial(),
                what,
                remedy);
    }
}
