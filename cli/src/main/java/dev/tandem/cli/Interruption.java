package dev.tandem.cli;

/** Whether this process was told to end, by Ctrl-C or by a signal. */
public final class Interruption {
    private Interruption() {}

    /**
     * True from the moment in which what runs at the end has begun. Whatever fails from then on
     * failed because of it: nobody wants to hear of it.
     */
    public static boolean underWay() {
        Thread probe = new Thread(() -> {}, "probe");
        try {
            Runtime.getRuntime().addShutdownHook(probe);
            boolean _ = Runtime.getRuntime().removeShutdownHook(probe);
            return false;
        } catch (IllegalStateException e) {
            // The only thing it says: the virtual machine is shutting down.
            return true;
        }
    }
}
