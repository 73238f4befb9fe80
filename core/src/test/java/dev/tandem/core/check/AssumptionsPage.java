package dev.tandem.core.check;

/** The part of docs/decisions.md that only the model can write. */
public final class AssumptionsPage {
    private AssumptionsPage() {}

    public static String markdown() {
        StringBuilder page = new StringBuilder();
        page.append("The checker tries every interleaving of faults against these laws:\n\n");
        Laws.ALL.forEach(law -> page.append("- ").append(law).append('\n'));
        for (Assumption assumption : Assumption.all()) {
            page.append("\n### ")
                    .append(assumption.id())
                    .append(". ")
                    .append(assumption.title())
                    .append("\n\n");
            page.append(assumption.otherwise())
                    .append(' ')
                    .append(assumption.still())
                    .append("\n\n");
            page.append("The smallest case. ").append(assumption.beginning()).append("\n\n");
            int number = 1;
            for (String line : assumption.story()) {
                page.append(number++).append(". ").append(line).append('\n');
            }
            page.append("\nThen: ").append(assumption.harm()).append(".\n");
        }
        return page.toString();
    }
}
