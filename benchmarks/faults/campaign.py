"""Tries of several parts in turn, each part in a process of its own that may crash or hang."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO

from benchmarks.faults.attempt import Part, Verdict

PROGRAM = (sys.executable, "-X", "faulthandler", "-m", "benchmarks.faults.worker")
_START = 120.0
"""Seconds that a process has to start."""


@dataclass
class Crew:
    """The process of one part; started when it is first needed, and again after a crash or a hang."""

    part: Part
    seed: int
    program: Sequence[str] = PROGRAM
    _process: subprocess.Popen[bytes] | None = None
    _errors: IO[bytes] = field(default_factory=tempfile.TemporaryFile)

    def attempt(self, number: int) -> Verdict:
        """Make one try; a process that dies or does not answer in time is a verdict too."""
        process, limit = self._process or self._start(), self.part.seconds
        assert process.stdin is not None and process.stdout is not None
        begin, said = time.monotonic(), ""
        process.stdin.write(f"{number}\n".encode())
        process.stdin.flush()
        while select.select([process.stdout], [], [], max(begin + limit - time.monotonic(), 0))[0]:
            line = process.stdout.readline()
            if not line:
                self.stop()
                text = f"{_ending(process.returncode)}: {self._last_words()}"
                return Verdict(number, said, "crash", text, time.monotonic() - begin)
            found = json.loads(line)
            if "number" in found:
                return Verdict(**found)
            said = found["said"]
        self.stop()
        return Verdict(number, said, "hang", f"no answer within {limit:.0f} s", time.monotonic() - begin)

    def stop(self) -> None:
        """End the process and all that it has started."""
        process, self._process = self._process, None
        if process is None or process.stdin is None or process.stdout is None:
            return
        with suppress(BrokenPipeError):
            process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            # One that ends by itself keeps its own exit code.
            process.wait(0.5)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()

    # Unbuffered, because a line that lies in a buffer already is none that `select` can see.
    def _start(self) -> subprocess.Popen[bytes]:
        words = [*self.program, self.part.name, str(self.seed)]
        self._errors.truncate(0)
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, bufsize=0, start_new_session=True
        )
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], _START)[0] or not self._process.stdout.readline():
            self.stop()
            raise RuntimeError(f"the process of {self.part.name} cannot be started: {self._last_words()}")
        return self._process

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read()[-3000:].decode("utf-8", "replace").strip().splitlines()
        return " | ".join(line.strip() for line in lines if line.strip())[:600]


def take_turns(crews: Sequence[Crew], seconds: float, first: int = 0) -> Iterator[tuple[Crew, Verdict]]:
    """Verdicts until the time is over: the next try belongs to the part that has had the least of it."""
    until = time.monotonic() + seconds
    spent = dict.fromkeys(range(len(crews)), 0.0)
    numbers = dict.fromkeys(range(len(crews)), first)
    while time.monotonic() < until:
        turn = min(spent, key=spent.__getitem__)
        begin = time.monotonic()
        verdict = crews[turn].attempt(numbers[turn])
        spent[turn] += time.monotonic() - begin
        numbers[turn] += 1
        yield crews[turn], verdict


def _ending(code: int) -> str:
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
