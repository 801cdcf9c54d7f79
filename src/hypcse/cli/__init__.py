"""The command `hypcse`."""

from __future__ import annotations

import sys
from typing import Any, TextIO


def main() -> None:
    """Run the command. Bad input ends with exit code 2 and one line on standard error, never with a traceback.

    `--debug` shows the traceback of any error. An error of the program itself, which no input should raise, ends with
    exit code 1 and says so.
    """
    import warnings

    import typer

    from hypcse.cli.app import app

    warnings.showwarning = _show_warning
    # What a wrong call raises is click's own in older typer and a copy of it in newer; only its children are public.
    wrong_call: Any = typer.BadParameter.__mro__[2]
    # Without words, show what there is.
    words = None if sys.argv[1:] else ["--help"]
    try:
        sys.exit(app(words, prog_name="hypcse", standalone_mode=False))
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except wrong_call as error:
        _say("error", _usage_text(error), "red")
        sys.exit(2)
    except Exception as error:
        if "--debug" in sys.argv[1:]:
            raise
        if isinstance(error, INPUT_ERRORS):
            _say("error", error, "red")
            sys.exit(2)
        _say("error inside hypcse", f"{type(error).__name__}: {error} Run it again with `hypcse --debug ...`.", "red")
        sys.exit(1)


INPUT_ERRORS = (ValueError, TypeError, OSError, MemoryError, ImportError)
"""What checks of input raise."""


def _usage_text(error: Any) -> str:
    """What is wrong with the call, and where the right one is told."""
    context = getattr(error, "ctx", None)
    command = "hypcse" if context is None else context.command_path
    return f"{error.format_message()} `{command} --help` tells what it takes."


def _say(kind: str, what: object, style: str) -> None:
    from rich.console import Console

    # One line; a message that lists columns, a line for each.
    lines = [" ".join(line.split()) for line in str(what).split("\n- ")]
    line = "\n- ".join(lines) or type(what).__name__
    console = Console(stderr=True, soft_wrap=True, highlight=False, emoji=False)
    console.print(f"{kind}: {line}", style=style, markup=False)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """One line, without the place in the code; those of other libraries say their kind."""
    from hypcse._checks import HypcseWarning

    kind = "warning" if issubclass(category, HypcseWarning) else f"warning ({category.__name__})"
    _say(kind, message, "yellow")
