"""Kills by signal 9 of fits, saves and experiments, at every write and at random moments.

After a kill the place holds the old result, the new one, or nothing where nothing was; the same call again ends with
what an undisturbed one has, and leaves nothing over.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import time
from functools import cache
from importlib import import_module
from pathlib import Path

from benchmarks.faults.attempt import Part, Trial, expect
from benchmarks.faults.calls import fork_and, wait_for
from benchmarks.faults.killing.moments import Moment, count_writes, killed_by
from benchmarks.faults.killing.victims import VICTIMS, Victim

ORDER = ("save", "fit", "train", "save", "fit", "train", "save", "reproduce")
"""Who is killed next; experiments take longest."""
PER_TURN = 4
"""Of so many kills of one kind, all but one are at a write: the next one; the last is torn or at a random moment."""


def try_kill(trial: Trial) -> None:
    """Kill once, look at what is left, and do the work again."""
    turn = trial.number % len(ORDER)
    name = ORDER[turn]
    rank = trial.number // len(ORDER) * ORDER.count(name) + ORDER[:turn].count(name)
    victim, known = VICTIMS[name], _known(name)
    moment = _moment(rank, known, trial)
    trial.say(f"{name} killed {moment}")
    own = trial.folder / "own"
    own.mkdir()
    victim.prepare(_home(), own)
    ended = killed_by(lambda: victim.work(_home(), own), own, moment)
    expect(ended in (0, -9), "exit code", f"the work ended with {ended} by itself")
    victim.check(_home(), own)
    victim.again(_home(), own)


def _moment(rank: int, known: tuple[int, float], trial: Trial) -> Moment:
    n_writes, seconds = known
    group, place = divmod(rank, PER_TURN)
    if place < PER_TURN - 1:
        return Moment(write=(group * (PER_TURN - 1) + place) % n_writes + 1)
    if group % 2:
        return Moment(sync=int(trial.rng.integers(1, 6)))
    return Moment(seconds=float(trial.rng.uniform(0, 1.1 * seconds)))


@cache
def _home() -> Path:
    """A folder with what the undisturbed runs gave, for as long as this process lives."""
    home = Path(tempfile.mkdtemp(prefix="faults-kills-home-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    return home


@cache
def _known(name: str) -> tuple[int, float]:
    """The writes and the seconds of an undisturbed run, whose result is kept at home."""
    victim: Victim = VICTIMS[name]
    home = _home()
    for module in victim.modules:
        import_module(module)
    expect(wait_for(fork_and(lambda: victim.make(home)), 300) == 0, "exit code", f"{name}: the undisturbed run failed")
    own = home / f"{name}-counted"
    own.mkdir()
    victim.prepare(home, own)
    begin = time.perf_counter()
    n_writes = count_writes(lambda: victim.work(home, own), own)
    seconds = time.perf_counter() - begin
    shutil.rmtree(own)
    return n_writes, seconds


PART = Part("kills", "signal 9 at every write and at random moments", try_kill, seconds=300, memory=0)
