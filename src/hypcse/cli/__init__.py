"""The command `hypcse`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command. Bad input ends with exit code 2 and one line on standard error, never with a traceback."""
    from hypcse.cli.app import app

    try:
        app()
    except (ValueError, TypeError, OSError, MemoryError, ImportError) as error:
        from rich.console import Console

        line = " ".join(str(error).split()) or type(error).__name__
        Console(stderr=True, soft_wrap=True, highlight=False).print(f"error: {line}", style="red", markup=False)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
