"""Output to terminals and files that cannot show every character."""

from __future__ import annotations

import codecs
import os
import sys
import unicodedata

HANDLER = "hypcse-plain"
_PLAIN = dict(
    zip(
        "\u2191\u2193\u2192\u00b1\u00d7\u2026\u2013\u2014\u2018\u2019\u201c\u201d\u2022\u2501\u2500\u2502\u2503",
        ("^", "v", "->", "+-", "x", "...", "-", "-", "'", "'", '"', '"', "*", "-", "-", "|", "|"),
        strict=True,
    )
)
"""Plain characters that look like arrows, signs, dashes, quotes and lines."""


def fall_back_to_plain() -> None:
    """Make standard output and error write plain characters for those that their encoding lacks."""
    codecs.register_error(HANDLER, write_plain)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # Closed by the caller, as with `>&-`: output goes nowhere.
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        # Other programs may have put another kind of stream there.
        reconfigure = getattr(getattr(sys, name), "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=HANDLER)


def say(kind: str, what: object, style: str = "") -> None:
    """One line on standard error; a message that lists columns has a line for each."""
    from rich.console import Console

    lines = [" ".join(line.split()) for line in str(what).split("\n- ")]
    line = "\n- ".join(lines) or type(what).__name__
    console = Console(stderr=True, soft_wrap=True, highlight=False, emoji=False)
    console.print(f"{kind}: {line}" if kind else line, style=style, markup=False)


def flush() -> None:
    """Flush the output; raise if nobody reads it or the disk is full."""
    sys.stdout.flush()
    sys.stderr.flush()


def abandon() -> None:
    """Discard what could not be written; Python would try again when it exits."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_plain(error: UnicodeError) -> tuple[str, int]:
    """What to write in place of characters that the encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(map(plain, text)), error.end


def plain(character: str) -> str:
    """A character in ASCII: one that looks like it, else its number.

    >>> [plain(character) for character in "↓é┼日\\udcff"]
    ['v', 'e', '+', '\\\\u65e5', '\\\\xff']
    """
    if character in _PLAIN:
        return _PLAIN[character]
    if "\u2500" <= character <= "\u257f":
        return "+"
    if "\u2800" <= character <= "\u28ff":
        # From a spinner.
        return "*"
    if "\udc80" <= character <= "\udcff":
        # A byte of a file name that is not text.
        return f"\\x{ord(character) - 0xDC00:02x}"
    alike = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode("ascii")
    return alike or character.encode("ascii", "backslashreplace").decode("ascii")
