"""What the command prints: errors with their exit codes, notes, and lists."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table


def allow_any_terminal() -> None:
    """Make standard output and error write a question mark for characters that their encoding lacks."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # Closed by the caller, as with `>&-`: output goes nowhere.
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        # Other programs may have put another kind of stream there.
        reconfigure = getattr(getattr(sys, name), "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def say(kind: str, what: object, style: str = "") -> None:
    """One line on standard error; a message that lists columns has a line for each."""
    lines = [" ".join(line.split()) for line in str(what).split("\n- ")]
    line = "\n- ".join(lines) or type(what).__name__
    console = Console(stderr=True, soft_wrap=True, highlight=False, emoji=False)
    console.print(f"{kind}: {line}" if kind else line, style=style, markup=False)


def tell(*lines: str) -> None:
    """Print lines as they are, without wrapping them."""
    console = Console(soft_wrap=True, highlight=False)
    for line in lines:
        console.print(line, markup=False)


def abandon() -> None:
    """Discard what could not be written; Python would try again when it exits."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


BUG, BAD_INPUT, STOPPED, NOBODY_READS = 1, 2, 130, 141
"""Exit codes. `compare` also ends with 1 if every method failed, and `reproduce` if any task did. The last two are what
a shell reports for a program ended by Ctrl-C, or by a pipe that nobody reads."""
TRIED = {
    **dict.fromkeys(("--n-clusters", "--n_clusters", "--k"), "For {0} clusters, pass --clusters {0}."),
    "--id": "Pass --id-column {0}.",
}
"""Options that people try, and what they are called here."""
INPUT_ERRORS = (ValueError, TypeError, OSError, MemoryError, ImportError)
"""What checks of input raise."""


class Passed(Exception):
    """Carries an error through typer, which would otherwise change it."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


class Ending(NamedTuple):
    """An exit code and a message, which is empty where nobody would read it."""

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
    text = str(error) or type(error).__name__
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return Ending(STOPPED, str(error) or "stopped; unfinished work is not kept.", "")
    if isinstance(error, BrokenPipeError):
        return Ending(NOBODY_READS, "")
    # Wrong words: click's own error in older typer and a copy of it in newer; only its subclasses are public.
    if isinstance(error, typer.BadParameter.__mro__[2]):
        wrong_call: Any = error
        command = "hypcse" if wrong_call.ctx is None else wrong_call.ctx.command_path
        message = wrong_call.format_message()
        option = getattr(error, "option_name", None)
        if option in TRIED:
            value = next(iter(re.findall(rf"{option}[= ](\S+)", " ".join(sys.argv))), "...")
            message = f"No such option: {option}. {TRIED[option].format(value)}"
        message = message if message.endswith((".", ")")) else f"{message}."
        return Ending(BAD_INPUT, f"{message} See `{command} --help`.")
    if _is_out_of_memory(error):
        return Ending(BAD_INPUT, f"memory ran out ({text}). Pass fewer points or columns, or close other programs.")
    if isinstance(error, EOFError):
        return Ending(BAD_INPUT, f"the input ended too early ({text}). Check that the file is complete.")
    # Loaded late: the help of the command needs no NumPy.
    from hypcse._checks import Curable

    if isinstance(error, (*INPUT_ERRORS, Curable)):
        return Ending(BAD_INPUT, text)
    where = "This is a bug in hypcse; run `hypcse --debug ...` for the details."
    return Ending(BUG, f"{type(error).__name__}: {text.rstrip('.')}. {where}", "error inside hypcse")


def _is_out_of_memory(error: BaseException) -> bool:
    """Whether Python, NumPy or torch ran out of memory; torch says so in the text or, since 2.5, by a class."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    words = ("can't allocate memory", "out of memory", "not enough memory")
    return isinstance(error, RuntimeError) and any(word in str(error).lower() for word in words)


def print_notes(notes: Sequence[str]) -> None:
    """Print, on standard error, how each column was used and how the data were changed, in one block of lines."""
    if notes:
        say("note", "\n- ".join(notes))


def tell_left_out(names: Sequence[str]) -> None:
    """Print which methods were left out because torch is not installed."""
    if names:
        say("", f"left out, because they need torch (the extra `train`): {', '.join(names)}.")


def list_methods() -> None:
    """Print the registry of methods, and the options that `--set` takes."""
    from hypcse import methods
    from hypcse.cli.settings import format_value, settable

    table = Table("method", "takes", "memory", "needs", "what it does")
    options = Table("method", "options and their defaults")
    for method in map(methods.describe, methods.available()):
        table.add_row(method.name, method.takes, method.memory, "torch" if method.trains else "", method.summary)
        try:
            line = ", ".join(f"{option.name}={format_value(option.default)}" for option in settable(method))
        except ImportError as error:
            line = str(error)
        if line:
            options.add_row(method.name, escape(line))
    console = Console()
    console.print(table)
    console.print("`hypcse fit --method METHOD --set NAME=VALUE` sets an option:", markup=False, highlight=False)
    console.print(options)
    console.print("Options of hypcse that are none take the value of its preset.", highlight=False)


def list_datasets() -> None:
    from hypcse import datasets

    table = Table("data set", "points", "features", "classes", "note")
    for entry in map(datasets.describe, datasets.available()):
        table.add_row(entry.name, str(entry.n_points), str(entry.n_features), str(entry.n_classes), entry.note)
    Console().print(table)
