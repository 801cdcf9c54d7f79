"""Odd environments of the command: each call is done or refused in one line, and what it wrote is whole."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.faults.attempt import Part, Trial, expect
from benchmarks.faults.calls import COMMAND, FINE, Answer, check_answer, end_of, start_command
from benchmarks.faults.folders import check_names, check_no_drafts, check_result
from benchmarks.faults.materials.samples import points_in_groups
from benchmarks.faults.materials.surroundings import (
    close_output,
    damaged_cache,
    limit_file_size,
    limit_memory,
    read_only_package,
    small_disk,
    without_privileges,
)

SECONDS = 150.0
FIT = ("fit", "data.csv", "--out", "out", "--label-column", "kind", "--id-column", "name", "--no-stability")
NO_USER = "import pwd\ndef no(uid): raise KeyError(uid)\npwd.getpwuid = no\n"
"""A user whom the system does not know."""
FORK = """
import os, numpy as np, hypcse
X = np.random.default_rng(0).normal(size=(1500, 4))
first = hypcse.EntropyClustering(n_jobs=2).fit(X).entropy_
child = os.fork()
if child == 0:
    os._exit(0 if hypcse.EntropyClustering(n_jobs=2).fit(X).entropy_ == first else 3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
THREADS = """
import threading, numpy as np, hypcse
X = np.random.default_rng(0).normal(size=(1500, 4))
found = []
work = [threading.Thread(target=lambda: found.append(hypcse.EntropyClustering(n_jobs=2).fit(X).entropy_)) for _ in "ab"]
[one.start() for one in work]; [one.join() for one in work]
assert len(found) == 2 and found[0] == found[1]
"""


@dataclass(frozen=True)
class Surrounding:
    """How the command is called.

    words    : what it is told; the points are in data.csv.
    env      : changes of the environment; None takes a variable away.
    prepare  : is called with the folder and gives what the process does before it begins.
    program  : how Python is started.
    codes    : exit codes that are right.
    named    : what a refusal must name.
    """

    words: Sequence[str] = FIT
    env: dict[str, str | None] = field(default_factory=dict)
    prepare: Callable[[Path], Callable[[], object] | None] | None = None
    program: Sequence[str] = ("-c", COMMAND)
    codes: Sequence[int] = FINE
    named: str = ""


def try_environment(trial: Trial) -> None:
    """Call the command once in the next environment of the list."""
    name = list(SURROUNDINGS)[trial.number % len(SURROUNDINGS)]
    trial.say(name)
    points_in_groups(trial.rng).to_csv(trial.folder / "data.csv", index=False)
    SURROUNDINGS[name](trial)


def _call(surrounding: Surrounding) -> Callable[[Trial], None]:
    def attempt(trial: Trial) -> None:
        prepare = None if surrounding.prepare is None else surrounding.prepare(trial.folder)
        process = start_command(surrounding.words, trial.folder, surrounding.env, prepare, surrounding.program)
        _check(trial.folder, end_of(process, SECONDS), surrounding.codes, surrounding.named)

    return attempt


def _check(folder: Path, answer: Answer, codes: Sequence[int], named: str = "") -> None:
    check_answer(answer, codes)
    _check_named(answer, named)
    check_no_drafts(folder)
    if (folder / "out").exists():
        check_result(folder / "out")
    else:
        expect(answer.code != 0 or "Written" not in answer.out, "loss", "the result is not where it is said to be")


def _check_named(answer: Answer, named: str) -> None:
    """Raise where a refusal does not say which place it is about."""
    error = answer.err.rpartition("error: ")[2].strip()
    expect(answer.code != 2 or named in error, "wrong answer", f"the error does not name {named!r}: {error[:200]}")


def _fit_twice(trial: Trial, *more: str) -> None:
    """Two fits to one place at once: both results are kept, or one call is refused."""
    words = [*FIT, *more]
    calls = [start_command([*words, "--seed", str(seed)], trial.folder) for seed in (0, 1)]
    answers = [end_of(process, SECONDS) for process in calls]
    for answer in answers:
        check_answer(answer)
    kept = [path for path in trial.folder.iterdir() if path.is_dir()]
    for path in kept:
        check_result(path)
    n_done = sum(answer.code == 0 for answer in answers)
    told = " ".join(answer.err for answer in answers)
    lost = len(kept) < n_done and "--overwrite" not in words
    expect(n_done >= 1 and not lost, "loss", f"{n_done} calls were done, {len(kept)} results are kept: {told[-300:]}")
    check_no_drafts(trial.folder)


def _appearing_folder(trial: Trial) -> None:
    """A folder comes to the place while a fit runs: it stays, and so does the result."""
    process = start_command(FIT, trial.folder)
    assert process.stderr is not None
    # The first note comes after the check of the place and before the fit.
    process.stderr.readline()
    time.sleep(float(trial.rng.uniform(0, 0.3)))
    came = not (trial.folder / "out").exists()
    if came:
        (trial.folder / "out").mkdir()
        (trial.folder / "out" / "mine.txt").write_text("mine", encoding="utf-8")
    answer = end_of(process, SECONDS)
    check_answer(answer)
    if came:
        expect((trial.folder / "out" / "mine.txt").is_file(), "loss", "a folder that came meanwhile was deleted")
        if answer.code == 0:
            check_result(trial.folder / "out-2")
    check_no_drafts(trial.folder)


def _interrupt(words: Sequence[str]) -> Callable[[Trial], None]:
    """Ctrl-C at a random moment, to all processes as a terminal sends it."""

    def attempt(trial: Trial) -> None:
        process = start_command(words, trial.folder, prepare=_in_own_group)
        time.sleep(float(trial.rng.uniform(1.5, 9)))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        check_answer(end_of(process, SECONDS), (0, 130))
        check_no_drafts(trial.folder)
        if "fit" in words and (trial.folder / "out").exists():
            check_result(trial.folder / "out")

    return attempt


def _in_own_group() -> None:
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _early_end(trial: Trial) -> None:
    """Nobody reads on: standard output is closed after a few bytes."""
    process = start_command(("methods",), trial.folder)
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    process.stdout = None
    answer = end_of(process, SECONDS)
    expect("Traceback" not in answer.err, "traceback", answer.err[-400:])
    expect(answer.code >= 0 or answer.code == -signal.SIGPIPE, "crash", f"ended with {answer.code}")


def _run_script(code: str) -> Callable[[Trial], None]:
    def attempt(trial: Trial) -> None:
        process = start_command((), trial.folder, program=("-c", code))
        answer = end_of(process, SECONDS)
        expect(answer.code == 0, "crash" if answer.code < 0 else "wrong answer", f"{answer.code}: {answer.err[-400:]}")

    return attempt


def _on_small_disk(trial: Trial) -> None:
    """The disk is full before the result is whole."""
    with small_disk(trial.folder, int(trial.rng.integers(8, 200))) as disk:
        if disk is None:
            return
        answer = end_of(start_command([*FIT[:3], str(disk / "out"), *FIT[4:]], trial.folder), SECONDS)
        check_answer(answer)
        _check_named(answer, "out")
        check_no_drafts(disk)
        if answer.code == 0:
            check_result(disk / "out")
        else:
            check_names(disk, set())


def _with_damaged_cache(trial: Trial) -> None:
    """Compiled kernels are damaged files."""
    with damaged_cache(trial.folder / "cache", trial.rng) as env:
        answer = end_of(start_command(FIT, trial.folder, env), 2 * SECONDS)
    _check(trial.folder, answer, (0,))


def _from_read_only_package(trial: Trial) -> None:
    """Nothing can be written beside the package."""
    env = read_only_package(trial.folder / "package")
    process = start_command(FIT, trial.folder, env, without_privileges(trial.folder, 0o755))
    _check(trial.folder, end_of(process, 2 * SECONDS), (0,))


def _from_deleted_folder(trial: Trial) -> None:
    """The folder that the command is called in is gone."""
    gone = trial.folder / "gone"
    gone.mkdir()
    code = f"import os; os.rmdir(os.getcwd())\n{COMMAND}"
    process = start_command(("fit", str(trial.folder / "data.csv"), "--out", "out"), gone, program=("-c", code))
    check_answer(end_of(process, SECONDS), (2,))


def _plain(**env: str | None) -> Callable[[Trial], None]:
    return _call(Surrounding(env=env, codes=(0,)))


SURROUNDINGS: dict[str, Callable[[Trial], None]] = {
    "no HOME": _plain(HOME=None, XDG_CACHE_HOME=None),
    "no HOME, a user that the system does not know": _call(
        Surrounding(env={"HOME": None, "XDG_CACHE_HOME": None}, program=("-c", NO_USER + COMMAND), codes=(0,))
    ),
    "HOME is a file": _plain(HOME="/dev/null"),
    "ASCII output": _plain(PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C"),
    "cp1252 output": _plain(PYTHONIOENCODING="cp1252"),
    "cp437 output": _plain(PYTHONIOENCODING="cp437"),
    "TERM=dumb": _plain(TERM="dumb", COLUMNS="1"),
    "methods in cp1252": _call(Surrounding(("methods",), {"PYTHONIOENCODING": "cp1252"}, codes=(0,))),
    "reading without rights": _call(Surrounding(prepare=lambda folder: without_privileges(folder, 0o555))),
    "read-only package": _from_read_only_package,
    "a file of at most 20 KiB": _call(Surrounding(prepare=lambda folder: limit_file_size(20 * 1024), named="out")),
    "a file of at most 200 KiB": _call(Surrounding(prepare=lambda folder: limit_file_size(200 * 1024), named="out")),
    "a small disk": _on_small_disk,
    "2 GiB of memory": _call(Surrounding(prepare=lambda folder: limit_memory(2.0))),
    "3 GiB of memory, trained": _call(
        Surrounding((*FIT, "--method", "hypcse", "--epochs", "2"), prepare=lambda folder: limit_memory(3.0))
    ),
    "1 GiB of memory": _call(Surrounding(prepare=lambda folder: limit_memory(1.0))),
    "closed output": _call(Surrounding(prepare=lambda folder: close_output(1))),
    "closed errors": _call(Surrounding(prepare=lambda folder: close_output(2))),
    "closed input": _call(Surrounding(prepare=lambda folder: close_output(0))),
    "full output": _call(Surrounding(prepare=lambda folder: close_output(1, "/dev/full"), codes=(0, 1, 2))),
    "output that nobody reads": _early_end,
    "an unwritable kernel cache": _plain(NUMBA_CACHE_DIR="/proc/none"),
    "a damaged kernel cache": _with_damaged_cache,
    "no temporary folder": _plain(TMPDIR="/no/such/folder"),
    "odd numbers of threads": _plain(OMP_NUM_THREADS="1", NUMBA_NUM_THREADS="1", MKL_NUM_THREADS="3"),
    "no data sets": _call(Surrounding(("fit", "zoo", "--out", "out"), {"HYPCSE_DATA": "/no/such/folder"})),
    "without docstrings": _call(Surrounding(program=("-OO", "-c", COMMAND), codes=(0,))),
    "bytes are no texts": _call(Surrounding(program=("-bb", "-c", COMMAND), codes=(0,))),
    "a deleted folder": _from_deleted_folder,
    "two fits to one place": _fit_twice,
    "two fits to one place, overwriting": lambda trial: _fit_twice(trial, "--overwrite"),
    "a folder that appears": _appearing_folder,
    "Ctrl-C of a fit": _interrupt(FIT),
    "Ctrl-C of a comparison": _interrupt(
        ("compare", "data.csv", "--out", "out", "--drop", "kind,name", "--method", "ward", "--jobs", "2")
    ),
    "a fork after a kernel": _run_script(FORK),
    "kernels in two threads": _run_script(THREADS),
    "two threads, workqueue": _run_script("import os; os.environ['NUMBA_THREADING_LAYER'] = 'workqueue'" + THREADS),
}
"""The environments, by what is odd in them."""

PART = Part("environments", "odd environments of the command", try_environment, seconds=400, memory=0)
