"""The command `hypcse`."""

from __future__ import annotations

import sys
from typing import Any


def main() -> None:
    """Run the command. Errors end with one line and an exit code, see `ending_of`, and with --debug a traceback."""
    try:
        sys.exit(_run())
    except SystemExit as ended:
        # Writing to a pipe that nobody reads ends the process inside rich or typer.
        if not isinstance(ended.__context__, BrokenPipeError):
            raise
        failed: BaseException = ended.__context__
    except (Exception, KeyboardInterrupt) as error:
        failed = error
    from hypcse.cli.output import end_with

    end_with(failed, debug="--debug" in sys.argv[1:])


def _run() -> int | None:
    import warnings

    from hypcse.cli.output import STOPPED, allow_any_terminal

    allow_any_terminal()

    from hypcse.cli.app import app

    warnings.showwarning = _show_warning
    # Without a command, show the help.
    words = None if sys.argv[1:] else ["--help"]
    code: int | None = app(words, prog_name="hypcse", standalone_mode=False)
    # Raise if nobody reads the output or the disk is full.
    sys.stdout.flush()
    sys.stderr.flush()
    if code == STOPPED:
        # Ctrl-C while typer parsed the command line.
        raise KeyboardInterrupt
    return code


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """One line, without the position in the code; warnings of other libraries name their class."""
    from hypcse._checks import HypcseWarning
    from hypcse.cli.output import say

    kind = "warning" if issubclass(category, HypcseWarning) else f"warning ({category.__name__})"
    say(kind, message, "yellow")
