package dev.tandem.host.yaml;

import dev.tandem.host.yaml.YamlFault.Kind;

/**
 * What a file is supposed to be, and how refusals speak of it.
 *
 * @param article of the noun: a or an
 * @param noun such as install-config
 * @param firstLine with which such a file begins
 * @param example the command that shows a good one
 */
public record YamlSubject(String article, String noun, String firstLine, String example) {

    YamlFault tooLong() {
        return new YamlFault(
                Kind.TOO_LONG,
                0,
                0,
                "the file has more than %d bytes".formatted(YamlReader.MAX_BYTES),
                "no %s needs as many, so they are not read".formatted(noun),
                "check that this is the right file");
    }

    YamlFault notText() {
        return new YamlFault(
                Kind.NOT_TEXT,
                0,
                0,
                "the file is not UTF-8 text",
                "YAML is text, and every tool downstream reads it as UTF-8",
                "save it as UTF-8, or check that this is the right file");
    }

    YamlFault forbiddenCharacter(int line, int column) {
        return new YamlFault(
                Kind.NOT_TEXT,
                line,
                column,
                "the file contains a character that YAML forbids",
                "control characters come from broken copies and confuse every reader",
                "delete the character");
    }

    YamlFault malformed(int line, int column) {
        return new YamlFault(
                Kind.MALFORMED,
                line,
                column,
                "the YAML cannot be understood from here on",
                "usually a wrong indentation, a missing colon or space, or a quote left open",
                "compare this line and the one before it with an example: " + example);
    }

    YamlFault tab(int line, int column) {
        return new YamlFault(
                Kind.MALFORMED,
                line,
                column,
                "there is a tab here",
                "YAML is indented with spaces only",
                "replace the tab with spaces");
    }

    YamlFault typeTag(int line, int column) {
        return new YamlFault(
                Kind.TYPE_TAG,
                line,
                column,
                "a type tag (!) precedes this value",
                "tags make readers build other things than the text says",
                "remove the tag; put the value in quotes if it begins with !");
    }

    YamlFault tooDeep(int line, int column) {
        return new YamlFault(
                Kind.TOO_DEEP,
                line,
                column,
                "values are nested deeper than %d levels here".formatted(YamlReader.MAX_DEPTH),
                "no %s is that deep, and reading it would cost without bound".formatted(noun),
                "remove the surplus brackets or indentation");
    }

    YamlFault tooManyValues(int line, int column) {
        return new YamlFault(
                Kind.TOO_MANY_VALUES,
                line,
                column,
                "the file holds more than %d values or %d aliases"
                        .formatted(YamlReader.MAX_VALUES, YamlReader.MAX_ALIASES),
                "no %s needs them, and reading on would cost without bound".formatted(noun),
                "check that this is the right file, and write aliased values out");
    }

    YamlFault aliasOfNothing(int line, int column) {
        return new YamlFault(
                Kind.ALIAS_OF_NOTHING,
                line,
                column,
                "this alias has nothing to stand for",
                "its anchor is missing, or the alias stands inside the very value it names",
                "write the value out");
    }

    YamlFault duplicateKey(int line, int column) {
        return new YamlFault(
                Kind.DUPLICATE_KEY,
                line,
                column,
                "this key appears twice in the same mapping",
                "readers disagree about which of the two counts",
                "delete one of them");
    }

    YamlFault keyNotText(int line, int column) {
        return new YamlFault(
                Kind.KEY_NOT_TEXT,
                line,
                column,
                "a key is not plain text",
                "keys of %s %s are text".formatted(article, noun),
                "put the value in quotes if it begins with [, {, * or &");
    }

    YamlFault empty() {
        return new YamlFault(
                Kind.NOT_ONE_MAPPING,
                1,
                1,
                "the file is empty",
                "%s %s is a single YAML mapping".formatted(article, noun),
                "begin with an example: " + example);
    }

    YamlFault notOneMapping(int line, int column) {
        return new YamlFault(
                Kind.NOT_ONE_MAPPING,
                line,
                column,
                "the file is not one document of keys and values",
                "%s %s is a single YAML mapping".formatted(article, noun),
                "remove further documents (after ---), and begin with " + firstLine);
    }
}
