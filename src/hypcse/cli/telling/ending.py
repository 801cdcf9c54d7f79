"""How the command ends: a line for people, and an exit code for programs."""

from __future__ import annotations

import sys
import traceback
from typing import Any, NamedTuple, NoReturn

import typer

from hypcse.cli.telling.output import abandon, say

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
