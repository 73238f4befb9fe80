package dev.tandem.lab.image;

/** Who is told how far a long piece of work has come. */
public interface ProgressListener {

    /** A new step begins; the one before it is done. */
    void step(String what);

    /** What is being done right now within the step. */
    void detail(String text);

    /** Something worth keeping on the screen. */
    void note(String line);

    /** Nobody watches. */
    ProgressListener SILENT =
            new ProgressListener() {
                @Override
                public void step(String what) {}

                @Override
                public void detail(String text) {}

                @Override
                public void note(String line) {}
            };
}
