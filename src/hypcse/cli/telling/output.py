"""What the command prints, on terminals and in files that cannot hold every character."""

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
"""Arrows, signs, dashes, quotes and lines, by what looks like them."""


def fall_back_to_plain() -> None:
    """Have standard output and error write plain characters for those that their encoding does not hold."""
    codecs.register_error(HANDLER, write_plain)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # Closed by who called, as by `>&-`: what is written there goes nowhere.
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        # What other programs put there may be of another kind.
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
    """Write what is still to be written; raise if nobody reads it or it has no room."""
    sys.stdout.flush()
    sys.stderr.flush()


def abandon() -> None:
    """Give up what could not be written, which Python would try again at its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_plain(error: UnicodeError) -> tuple[str, int]:
    """What an encoder writes in place of characters that it does not have."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(map(plain, text)), error.end


def plain(character: str) -> str:
    """A character in ASCII: alike where there is one, else by its number.

    >>> [plain(character) for character in "↓é┼日\\udcff"]
    ['v', 'e', '+', '\\\\u65e5', '\\\\xff']
    """
    if character in _PLAIN:
        return _PLAIN[character]
    if "\u2500" <= character <= "\u257f":
        return "+"
    if "\u2800" <= character <= "\u28ff":
        # Of a spinner.
        return "*"
    if "\udc80" <= character <= "\udcff":
        # A byte of a file's name that is no text.
        return f"\\x{ord(character) - 0xDC00:02x}"
    alike = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode("ascii")
    return alike or character.encode("ascii", "backslashreplace").decode("ascii")
