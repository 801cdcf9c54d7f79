"""The process that makes tries: numbers come on standard input, verdicts go out as lines of JSON."""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from benchmarks.faults.attempt import Part, judge
from benchmarks.faults.parts import PARTS

GIB = 2**30


def main(parts: dict[str, Part] | None = None) -> None:
    """Make the tries that are asked for, of the part and with the seed that the command line names."""
    part, seed = (PARTS if parts is None else parts)[sys.argv[1]], int(sys.argv[2])
    answers = _own_output()
    warnings.simplefilter("ignore")
    _answer(answers, {"ready": part.name})
    for line in sys.stdin:
        with limited_memory(part.memory):
            verdict = judge(part, seed, int(line), lambda said: _answer(answers, {"said": said}))
        _answer(answers, asdict(verdict))
        gc.collect()


@contextmanager
def limited_memory(extra: int) -> Iterator[None]:
    """Let this process, and those that it starts, take so many GiB beyond what it has; 0 for no limit."""
    before: Any = resource.getrlimit(resource.RLIMIT_AS)
    if extra:
        resource.setrlimit(resource.RLIMIT_AS, (_address_space() + extra * GIB, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _answer(answers: TextIO, content: dict[str, Any]) -> None:
    print(json.dumps(content), file=answers, flush=True)


def _own_output() -> TextIO:
    """Standard output for verdicts alone: what tries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


if __name__ == "__main__":
    main()
