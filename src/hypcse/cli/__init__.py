"""The command `hypcse`."""

from __future__ import annotations

import sys
from typing import TextIO


def main() -> None:
    """Run the command. Bad input ends with exit code 2 and one line on standard error, never with a traceback."""
    import warnings

    from hypcse.cli.app import app

    warnings.showwarning = _show_warning
    try:
        app()
    except (ValueError, TypeError, OSError, MemoryError, ImportError) as error:
        _say("error", error, "red")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def _say(kind: str, what: object, style: str) -> None:
    from rich.console import Console

    line = " ".join(str(what).split()) or type(what).__name__
    Console(stderr=True, soft_wrap=True, highlight=False).print(f"{kind}: {line}", style=style, markup=False)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Our own warnings are meant for people: one line, without the place in the code."""
    from hypcse._checks import HypcseWarning

    if issubclass(category, HypcseWarning):
        _say("warning", message, "yellow")
