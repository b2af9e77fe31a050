"""Prints text of foreign origin: names of tasks and files, programs and their output, answers of models and servers.

A terminal obeys control characters: they move the cursor, rewrite lines, change the title, reverse the reading
order or hide what stands there. All that the project prints therefore goes through `print_text` or `print_line`, which
show such characters as text. Stands in this package because every other one may import it.
"""

import sys


def visible(text: str, encoding: str = "utf-8") -> str:
    """Return a text in which every character can be seen: what `repr` writes as an escape becomes that escape.

    These are control characters, marks of direction, characters without width and lone surrogates, and those that
    the encoding lacks. Newlines stay, and tabs become spaces. A backslash stays too, so that programs are readable.
    """
    if not text.replace("\n", "").isprintable():
        text = "".join(each if each.isprintable() or each == "\n" else repr(each)[1:-1] for each in text.expandtabs())
    return text if text.isascii() else text.encode(encoding, "backslashreplace").decode(encoding)


def visible_line(text: str, encoding: str = "utf-8") -> str:
    """Return `visible` text as one line: newlines become escapes, so that a text cannot add lines of its own."""
    return visible(text, encoding).replace("\n", "\\n")


def print_text(text: str, *, error: bool = False, end: str = "\n") -> None:
    """Print a text of several lines to standard output, or to standard error."""
    stream = sys.stderr if error else sys.stdout
    print(visible(text, _encoding(stream)), end=end, file=stream, flush=True)


def print_line(text: str, *, error: bool = False) -> None:
    """Print a text as one line to standard output, or to standard error."""
    stream = sys.stderr if error else sys.stdout
    print(visible_line(text, _encoding(stream)), file=stream, flush=True)


def print_styled(text: str) -> None:
    """Print a line that has colours of our own; the caller has made the text in it `visible`."""
    encoding = _encoding(sys.stdout)
    print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)


def print_exact(text: str) -> None:
    """Write a text to standard output as it is: for another program to read, such as a patch for `git apply`."""
    sys.stdout.write(text)
    sys.stdout.flush()


def _encoding(stream: object) -> str:
    return getattr(stream, "encoding", None) or "utf-8"


def time_left(seconds: float, done: int, total: int) -> str:
    """The estimated time left as text, from the mean time per piece so far."""
    rest = seconds / done * (total - done)
    return f"about {rest / 60:.0f} min left" if rest >= 90 else f"about {rest:.0f} s left"
