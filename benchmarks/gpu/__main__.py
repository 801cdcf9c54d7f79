"""`python -m benchmarks.gpu`: the same command without what the others load, for a machine that lacks some of it."""

from __future__ import annotations

import argparse
import sys

from rich.console import Console

from benchmarks.gpu import command


def main() -> int:
    """Run the command; the exit code is 1 where a part failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=command.__doc__)
    command.add_options(parser)
    return command.show(parser.parse_args(), Console(width=180, highlight=False))


if __name__ == "__main__":
    sys.exit(main())
