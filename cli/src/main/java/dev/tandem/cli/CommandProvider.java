package dev.tandem.cli;

import java.util.List;

/**
 * Adds commands to {@code tandem} from a module or package that the command line does not know,
 * such as the lab. Found by {@link java.util.ServiceLoader}, so that the arrow points from there to
 * here.
 */
public interface CommandProvider {

    /**
     * Fresh instances of picocli command classes. Making them must cost next to nothing: it happens
     * at every start.
     */
    List<Object> commands(Terminal terminal);

    /**
     * Below which command they stand, such as {@code "lab"}; empty for {@code tandem} itself. The
     * parent has to come from a provider without a parent.
     */
    default String parent() {
        return "";
    }
}
