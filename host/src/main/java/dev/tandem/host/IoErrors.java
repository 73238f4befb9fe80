package dev.tandem.host;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Why a file could not be read or written, in words: Java's own say little without the class. */
public final class IoErrors {
    private static final String ANOTHER_USER = "run it as the owner of the file, or with sudo";

    private IoErrors() {}

    /** What to do: another user is all that helps where permission is denied. */
    public static String remedy(IOException e, String otherwise) {
        return e instanceof AccessDeniedException ? ANOTHER_USER : otherwise;
    }

    public static String words(IOException e) {
        return switch (e) {
            case NoSuchFileException missing -> missing.getFile() + " does not exist";
            case AccessDeniedException denied ->
                    "permission denied: %2$s (as %1$s)"
                            .formatted(System.getProperty("user.name"), denied.getFile());
            case FileAlreadyExistsException other -> other.getFile() + " already exists";
            case NotDirectoryException file -> file.getFile() + " is not a directory";
            case CharacterCodingException _ -> "it is not UTF-8 text";
            case FileSystemException other when other.getReason() != null ->
                    other.getFile() + ": " + other.getReason();
            default -> e.getMessage() == null ? "input/output error" : e.getMessage();
        };
    }
}
