"""Kill -9 at random moments of a fit: `python -m benchmarks.kills 20`.

Each kill hits a process that fits with a checkpoint every epoch and then saves its model. After it there may be no
model in the place, or the right one; and a fit that resumes must give the model of an undisturbed one, bit for bit.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from hypcse import HypCSE
from hypcse.estimator import ModelFileError

N_EPOCHS = 20


def main(n_kills: int, seed: int = 0) -> int:
    """Kill and resume; a line of JSON for each kill, and the exit code 1 where a resumed model differs."""
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        seconds = _seconds_of_an_epoch(home)
        right = True
        for number in range(n_kills):
            # Epoch 0 is the time before training; the last one, that of the last checkpoint and of saving, has more.
            moment = min(int(rng.integers(N_EPOCHS + 5)), N_EPOCHS), float(rng.uniform(0, 1.5 * seconds))
            row = _killed(home, home / str(number), moment)
            print(json.dumps({"kill": number, **row}), flush=True)
            right = right and bool(row["right"])
    return 0 if right else 1


def _seconds_of_an_epoch(home: Path) -> float:
    """Fit without disturbance, and measure an epoch with its checkpoint."""
    reader, writer = os.pipe()
    child = _started(lambda: _fit_and_save(home / "kept", home / "reference", writer))
    os.close(writer)
    os.read(reader, 1)
    began = time.perf_counter()
    for _ in range(N_EPOCHS - 1):
        os.read(reader, 1)
    seconds = (time.perf_counter() - began) / (N_EPOCHS - 1)
    os.close(reader)
    if _wait(child) or _wait(_started(lambda: _fit_and_save(None, home / "again"))):
        raise RuntimeError("the undisturbed fit failed")
    if _wait(_started(lambda: _check_same(home / "reference", home / "again"))):
        raise RuntimeError("a fit with checkpoints differs from one without")
    return seconds


def _killed(home: Path, own: Path, moment: tuple[int, float]) -> dict[str, object]:
    """Kill a fit so many seconds after it has told of an epoch, look at what is left, and resume."""
    own.mkdir()
    reader, writer = os.pipe()
    child = _started(lambda: _fit_and_save(own / "kept", own / "saved", writer))
    os.close(writer)
    for _ in range(moment[0]):
        os.read(reader, 1)
    time.sleep(moment[1])
    os.kill(child, signal.SIGKILL)
    ended = _wait(child)
    os.close(reader)
    left = sorted(str(path.relative_to(own)) for path in own.glob("*/*") if path.is_dir() or "saved" in str(path))
    right = _wait(_started(lambda: _resume(home / "reference", own))) == 0
    return {"epoch": moment[0], "killed": ended == -signal.SIGKILL, "left": left, "right": right}


def _resume(reference: Path, own: Path) -> None:
    """What is left at the place of the model is none or the right one, and resuming gives the right one."""
    try:
        HypCSE.load(own / "saved")
    except ModelFileError:
        pass
    else:
        _check_same(reference, own / "saved")
    _fit_and_save(own / "kept", own / "saved")
    _check_same(reference, own / "saved")


def _fit_and_save(kept: Path | None, saved: Path, told: int | None = None) -> None:
    """A fit in subgraphs with a moving anchor, so that all of the state matters; a byte to `told` every epoch."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5)) + 2 * rng.integers(0, 4, size=(120, 1))
    model = HypCSE(
        n_epochs=N_EPOCHS,
        evaluate_every=2,
        batch_size=50,
        anchor_decay=0.9,
        refine=False,
        callback=None if told is None else lambda step: os.write(told, b"."),
        checkpoint_dir=None if kept is None else str(kept),
        checkpoint_every=1,
    ).fit(X)
    model.save(saved, overwrite=True)


def _check_same(reference: Path, saved: Path) -> None:
    one, other = HypCSE.load(reference), HypCSE.load(saved)
    assert [step.losses for step in one.history_] == [step.losses for step in other.history_]
    assert [step.entropy for step in one.history_] == [step.entropy for step in other.history_]
    assert np.array_equal(one.embedding_, other.embedding_)
    assert np.array_equal(one.linkage_matrix_, other.linkage_matrix_)
    assert all(bool((one._state[name] == other._state[name]).all()) for name in one._state)


def _started(work: Callable[[], None]) -> int:
    """Start work in a process of its own, forked from this one, which has imported everything and runs no kernel."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        os._exit(code)


def _wait(child: int) -> int:
    """The exit code of a process, or the negative number of the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
