"""Calls of the command, in this process or in one of its own, and what their ending must be."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from benchmarks.faults.attempt import Violation, expect, last_lines

COMMAND = "from hypcse.cli import main; main()"
FINE = (0, 2)
"""Exit codes of a call with odd input: it was done, or refused."""
_ERROR = re.compile(r"^error(?: inside hypcse)?: ", re.MULTILINE)


class Answer(NamedTuple):
    """The exit code of a call, or the negative number of the signal that ended it, and what it printed."""

    code: int
    out: str
    err: str


def call_command(words: Sequence[str], folder: Path) -> Answer:
    """Call the command within this process, which is faster, in a folder."""
    from hypcse.cli import main

    out, err = io.StringIO(), io.StringIO()
    with chdir(folder), patch.object(sys, "argv", ["hypcse", *words]), redirect_stdout(out), redirect_stderr(err):
        try:
            main()
            code: object = 0
        except SystemExit as ended:
            code = ended.code
        except BaseException as error:
            raise Violation("traceback", last_lines(error)) from error
    return Answer(code if isinstance(code, int) else 0 if code is None else 1, out.getvalue(), err.getvalue())


def start_command(
    words: Sequence[str],
    folder: Path,
    env: Mapping[str, str | None] | None = None,
    prepare: Callable[[], object] | None = None,
    program: Sequence[str] = ("-c", COMMAND),
) -> subprocess.Popen[bytes]:
    """Start the command in a process of its own; of the environment, what is None is taken away."""
    changed = {**os.environ, "COLUMNS": "200", **(env or {})}
    return subprocess.Popen(
        [sys.executable, *program, *words],
        cwd=folder,
        env={name: value for name, value in changed.items() if value is not None},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=prepare,
    )


def end_of(process: subprocess.Popen[bytes], seconds: float) -> Answer:
    """Wait for a call to end; one that does not end is a hang."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Violation("hang", f"no end within {seconds:.0f} s") from None
    return Answer(process.returncode, (out or b"").decode("utf-8", "replace"), err.decode("utf-8", "replace"))


def check_answer(answer: Answer, codes: Sequence[int] = FINE) -> None:
    """Raise unless a call ended with one of these codes, without a traceback, and a refusal is one line."""
    told = answer.err.strip()[-600:]
    for text in (answer.out, answer.err):
        expect("Traceback (most recent call last)" not in text, "traceback", text.strip()[-600:])
    expect(answer.code >= 0, "crash", f"ended by {_signal_name(answer.code)}: {told}")
    expect(answer.code in codes, "exit code", f"exit code {answer.code}: {told}")
    n_errors = len(_ERROR.findall(answer.err))
    expect(answer.code != 2 or n_errors == 1, "wrong answer", f"exit code 2 with {n_errors} errors: {told}")


def _signal_name(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else "itself"


def fork_and(work: Callable[[], object]) -> int:
    """Do work in a process forked from this one, which must not have run any kernel; its number."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    except BaseException as error:
        print(last_lines(error), file=sys.stderr, flush=True)
    finally:
        os._exit(code)


def wait_for(child: int, seconds: float = 60) -> int:
    """The exit code of a process, or the negative number of the signal that ended it; one that hangs is killed."""
    late = threading.Event()

    def end() -> None:
        late.set()
        os.kill(child, signal.SIGKILL)

    timer = threading.Timer(seconds, end)
    timer.start()
    try:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        timer.cancel()
    expect(not late.is_set(), "hang", f"a child did not end within {seconds:.0f} s")
    return code
