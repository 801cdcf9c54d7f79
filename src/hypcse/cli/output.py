"""What the command prints: text that every terminal can show, errors with their exit codes, and lists."""

from __future__ import annotations

import codecs
import os
import sys
import traceback
import unicodedata
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from hypcse.methods.registry import Method

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


BUG, BAD_INPUT, STOPPED, NOBODY_READS = 1, 2, 130, 141
"""Exit codes. `compare` also ends with 1 if every method failed, and `reproduce` if any task did. The last two are what
a shell reports for a program ended by Ctrl-C, or by a pipe that nobody reads."""
INPUT_ERRORS = (ValueError, TypeError, OSError, MemoryError, ImportError)
"""What checks of input raise."""


class Passed(Exception):
    """Carries an error through typer, which would otherwise change it."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


class Ending(NamedTuple):
    """An exit code and a message; empty where nobody would read it."""

    code: int
    text: str
    kind: str = "error"


def end_with(error: BaseException, debug: bool) -> NoReturn:
    """Print what happened and end the process; with `debug`, print the traceback too."""
    error = error.error if isinstance(error, Passed) else error
    ending = ending_of(error)
    try:
        if debug and ending.code in (BUG, BAD_INPUT):
            traceback.print_exception(error)
        if ending.text:
            say(ending.kind, ending.text, "red" if ending.kind else "")
    finally:
        abandon()
        sys.exit(ending.code)


def ending_of(error: BaseException) -> Ending:
    """What an error means to the person who typed the command."""
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return Ending(STOPPED, str(error) or "stopped; unfinished work is not kept.", "")
    if isinstance(error, BrokenPipeError):
        return Ending(NOBODY_READS, "")
    if _is_wrong_call(error):
        return Ending(BAD_INPUT, _describe_call(error))
    text = str(error) or type(error).__name__
    if is_out_of_memory(error):
        return Ending(BAD_INPUT, f"memory ran out ({text}). Pass fewer points or columns, or close other programs.")
    if isinstance(error, EOFError):
        return Ending(BAD_INPUT, f"the input ended too early ({text}). Check that the file is complete.")
    if isinstance(error, INPUT_ERRORS) or _is_curable(error):
        return Ending(BAD_INPUT, text)
    told = f"{type(error).__name__}: {text.rstrip('.')}."
    told += " This is a bug in hypcse; run `hypcse --debug ...` for the details."
    return Ending(BUG, told, "error inside hypcse")


def _is_curable(error: BaseException) -> bool:
    from hypcse._checks import Curable

    return isinstance(error, Curable)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether Python, NumPy or torch ran out of memory; torch says so in the text or, since 2.5, by a class."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    words = ("can't allocate memory", "out of memory", "not enough memory")
    return isinstance(error, RuntimeError) and any(word in str(error).lower() for word in words)


def _is_wrong_call(error: BaseException) -> bool:
    """Whether a call is wrong.

    The error is click's own in older typer and a copy of it in newer; only its subclasses are public.
    """
    wrong_call: Any = typer.BadParameter.__mro__[2]
    return isinstance(error, wrong_call)


def _describe_call(error: Any) -> str:
    """What is wrong with the call, and where to find help."""
    context = getattr(error, "ctx", None)
    command = "hypcse" if context is None else context.command_path
    return f"{error.format_message()} See `{command} --help`."


def tell_first_run() -> None:
    """Say that kernels are being compiled, once for this machine, and start that in a second process."""
    from hypcse.kernels.cache import is_warm
    from hypcse.kernels.warm import warm_up

    if is_warm():
        return
    text = "first run: compiling kernels for this machine, once; about 15 seconds."
    Console(stderr=True, soft_wrap=True, highlight=False).print(text, markup=False)
    warm_up()


def tell_left_out(names: list[str]) -> None:
    """Print which methods were left out because torch is not installed."""
    if names:
        text = f"left out, because they need torch (the extra `train`): {', '.join(names)}."
        Console(stderr=True, soft_wrap=True, highlight=False).print(text, markup=False)


def list_methods() -> None:
    """Print the registry of methods, and the options that `--set` takes."""
    from hypcse import methods

    table, options = (
        Table("method", "takes", "memory", "needs", "what it does"),
        Table("method", "options and their defaults"),
    )
    for name in methods.available():
        method = methods.describe(name)
        table.add_row(method.name, method.takes, method.memory, "torch" if method.trains else "", method.summary)
        known = _options_of(method)
        if known:
            options.add_row(method.name, known)
    console = Console()
    console.print(table)
    console.print("`hypcse fit --method METHOD --set NAME=VALUE` sets an option:", markup=False, highlight=False)
    console.print(options)
    console.print("Options of hypcse that are none take the value of its preset.", highlight=False)


def _options_of(method: Method) -> str:
    """The options and their defaults in one line; if the estimator cannot be loaded, what it needs."""
    from hypcse.cli.inputs import format_value, settable

    try:
        return ", ".join(f"{option.name}={format_value(option.default)}" for option in settable(method))
    except ImportError as error:
        return escape(str(error))


def list_datasets() -> None:
    """Print the catalogue of data sets."""
    from hypcse import datasets

    table = Table("data set", "points", "features", "classes", "note")
    for name in datasets.available():
        entry = datasets.describe(name)
        table.add_row(name, str(entry.n_points), str(entry.n_features), str(entry.n_classes), entry.note)
    Console().print(table)
