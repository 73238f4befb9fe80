package dev.tandem.cli;

import java.util.List;

/**
 * Adds commands to {@code tandem} from a module that the command line does not know, such as the
 * lab. Found by {@link java.util.ServiceLoader}, so that the arrow points from that module to this
 * one.
 */
public interface CommandProvider {

    /**
     * Fresh instances of picocli command classes. Making them must cost next to nothing: it happens
     * at every start.
     */
    List<Object> commands(Terminal terminal);
}
