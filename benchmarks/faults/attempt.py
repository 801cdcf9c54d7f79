"""A try, what it may find, and how it is judged."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
import traceback
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np

Rng = np.random.Generator
Kind = Literal["traceback", "crash", "hang", "exit code", "loss", "wrong answer"]
KINDS: tuple[Kind, ...] = get_args(Kind)
DOCUMENTED = (ValueError, TypeError, OSError, MemoryError, ImportError)
"""What the package raises for what it is given: `main` turns these into one line and exit code 2."""
_LAST_LINES = 4
_LONGEST = 600


class Violation(Exception):
    """What must not happen, by its kind, in words."""

    def __init__(self, kind: Kind, text: str) -> None:
        super().__init__(text)
        self.kind: Kind = kind


@dataclass
class Trial:
    """One try.

    rng    : made of the seed, the part and the number; all that is random comes from it.
    folder : an empty folder of its own, removed afterwards.
    tell   : is told what is tried as soon as that is known, because a crash takes the rest.
    """

    rng: Rng
    number: int
    folder: Path
    tell: Callable[[str], object] | None = None
    said: str = ""

    def say(self, text: str) -> None:
        """Say what is tried, in a line, before anything can go wrong."""
        self.said = _plain(text)[:_LONGEST]
        if self.tell is not None:
            self.tell(self.said)


@dataclass(frozen=True)
class Part:
    """A stream of tries.

    attempt : makes one, and raises `Violation` for what must not happen; any other error is one too.
    seconds : the most that one try may take; more is a hang.
    memory  : GiB that its process may take beyond what it begins with; 0 for no limit.
    """

    name: str
    about: str
    attempt: Callable[[Trial], None]
    seconds: float = 60
    memory: int = 4


@dataclass(frozen=True)
class Verdict:
    """What came of a try; `kind` is None where all was well."""

    number: int
    said: str
    kind: Kind | None = None
    text: str = ""
    seconds: float = 0.0


def judge(part: Part, seed: int, number: int, tell: Callable[[str], object] | None = None) -> Verdict:
    """Make one try of a part in this process."""
    folder = Path(tempfile.mkdtemp(prefix=f"faults-{part.name}-"))
    trial = Trial(np.random.default_rng([seed, zlib.crc32(part.name.encode()), number]), number, folder, tell)
    begin = time.perf_counter()
    kind: Kind | None = None
    text = ""
    try:
        part.attempt(trial)
    except Violation as found:
        kind, text = found.kind, str(found)
    except Exception as error:
        kind, text = "traceback", last_lines(error)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Verdict(number, trial.said, kind, _plain(text)[:_LONGEST], time.perf_counter() - begin)


def check_refusal(error: BaseException, *named: str, one_line: bool = True) -> None:
    """Raise unless an error is a documented one, of one line that names these; a list of columns may follow it."""
    if isinstance(error, Violation):
        raise error
    if not isinstance(error, DOCUMENTED):
        raise Violation("traceback", last_lines(error)) from error
    text = str(error)
    wordless = [name for name in named if name not in text]
    if wordless or not text.strip():
        raise Violation("wrong answer", f"{type(error).__name__} does not name {wordless}: {text[:300]}") from error
    if one_line and re.search(r"\n(?!- )", text):
        raise Violation("wrong answer", f"{type(error).__name__} of several lines: {text[:300]}") from error


def expect(right: bool, kind: Kind, text: str) -> None:
    """Raise a violation unless something holds."""
    if not right:
        raise Violation(kind, text)


def last_lines(error: BaseException) -> str:
    """The end of a traceback: the innermost calls and the error."""
    lines = "".join(traceback.format_exception(error)).rstrip().splitlines()
    calls = [line.strip() for line in lines if line.lstrip().startswith("File ")]
    return " | ".join([*calls[-_LAST_LINES:], lines[-1].strip()])


def _plain(text: str) -> str:
    """Text of one line that any file and terminal can hold."""
    return " ".join(text.encode("utf-8", "backslashreplace").decode().split())
