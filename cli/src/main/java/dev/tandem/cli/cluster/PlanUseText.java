package dev.tandem.cli.cluster;

import dev.tandem.agentapi.plan.PlanUse.Changed;
import dev.tandem.agentapi.plan.PlanUse.Effect;
import dev.tandem.agentapi.plan.PlanUse.NodeUse;
import dev.tandem.agentapi.plan.PlanUse.Outcome;
import java.util.List;
import java.util.stream.Collectors;

/** What a changed plan came to in the agents, for people. */
final class PlanUseText {
    private PlanUseText() {}

    /** Nothing where no agent was asked. */
    static String of(List<NodeUse> agents) {
        return agents.isEmpty()
                ? ""
                : "Agents:\n"
                        + agents.stream().map(PlanUseText::node).collect(Collectors.joining());
    }

    private static String node(NodeUse node) {
        String now =
                node.settings().stream()
                        .filter(one -> one.effect() == Effect.NOW)
                        .map(Changed::subject)
                        .collect(Collectors.joining(", "));
        String rest =
                node.settings().stream()
                        .filter(one -> one.effect() != Effect.NOW)
                        .map(one -> "  %s: %s%n".formatted(node.node(), later(one)))
                        .collect(Collectors.joining());
        return switch (node.outcome()) {
            case SAME -> "  %s: the agent uses this plan already%n".formatted(node.node());
            case TAKEN -> counts(node, "in use now", now) + rest;
            case WOULD_BE_TAKEN -> counts(node, "would be in use at once", now) + rest;
            case NOT_TAKEN ->
                    "  %s: the agent keeps its plan: %s; %s%n"
                            .formatted(node.node(), node.why(), node.remedy());
            case SILENT, AWAY ->
                    "  %s: not reached: %s; %s%n".formatted(node.node(), node.why(), node.remedy());
            case UNKNOWN ->
                    "  %s: its agent says something that this release does not know; on that node: tandem status\n"
                            .formatted(node.node());
        };
    }

    private static String counts(NodeUse node, String how, String settings) {
        return settings.isEmpty() ? "" : "  %s: %s: %s%n".formatted(node.node(), how, settings);
    }

    private static String later(Changed one) {
        String when =
                switch (one.effect()) {
                    case AFTER_A_RESTART -> "after a restart";
                    case BY_HAND -> "not on this node yet";
                    case FAILED -> "failed";
                    case NOT_POSSIBLE -> "cannot be changed";
                    case NOW, UNKNOWN -> "unknown to this release";
                };
        return "%s: %s: %s; %s".formatted(one.subject(), when, one.why(), one.remedy());
    }

    /** Whether each agent that was asked runs by the whole plan, or would. */
    static boolean allFollow(List<NodeUse> agents) {
        return agents.stream()
                .allMatch(node ->
                        switch (node.outcome()) {
                            case SAME, TAKEN, WOULD_BE_TAKEN -> !isLeftToDo(node);
                            case NOT_TAKEN, SILENT, AWAY, UNKNOWN -> false;
                        });
    }

    /**
     * Whether a node was left behind. One that is away while nothing is new may not be there yet,
     * as where a pair is made.
     */
    static boolean needsAPerson(List<NodeUse> agents) {
        return !allFollow(
                agents.stream()
                        .filter(node -> node.outcome() != Outcome.AWAY || hasNews(agents))
                        .toList());
    }

    private static boolean isLeftToDo(NodeUse node) {
        return node.settings().stream()
                .anyMatch(one ->
                        switch (one.effect()) {
                            case NOW, AFTER_A_RESTART -> false;
                            case BY_HAND, FAILED, NOT_POSSIBLE, UNKNOWN -> true;
                        });
    }

    /** Whether an agent goes by something else than before. */
    static boolean hasNews(List<NodeUse> agents) {
        return agents.stream().anyMatch(node -> !node.settings().isEmpty());
    }
}
