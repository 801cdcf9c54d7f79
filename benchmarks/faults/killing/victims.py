"""Work that is killed: what it begins with, what it writes, and what must be there afterwards."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.faults.attempt import expect
from benchmarks.faults.calls import Answer, call_command, check_answer, fork_and, wait_for
from benchmarks.faults.folders import check_names, check_result, repeated, snapshot
from benchmarks.faults.materials.samples import points_in_groups

Place = Callable[[Path, Path], None]
"""Takes the folder of the undisturbed results and that of the try."""
N_EPOCHS = 6
TRAINING = ("hypcse.estimator.hypcse", "hypcse._torch", "torch._dynamo")
EXPERIMENT = ("reproduce", "flat", "--quick", "--data", "moons")


@dataclass(frozen=True)
class Victim:
    """Work on a folder of its own.

    make    : the undisturbed results, once, in a process of its own.
    prepare : what lies there before.
    work    : what is killed.
    check   : what may lie there after a kill.
    again   : the same work once more, and what must lie there then.
    modules : what it imports; loaded before anything is forked, so that no process has to. No kernel runs there.
    """

    make: Callable[[Path], None]
    prepare: Place
    work: Place
    check: Place
    again: Place
    modules: tuple[str, ...]


def _make_models(home: Path) -> None:
    import hypcse

    X = points_in_groups(np.random.default_rng(0))[["a", "b", "c"]].to_numpy()
    for name, points in (("old", X[:20]), ("new", X)):
        hypcse.EntropyClustering(random_state=0).fit(points).save(home / f"save-{name}")


def _begin_save(home: Path, own: Path) -> None:
    shutil.copytree(home / "save-old", own / "model")


def _save(home: Path, own: Path) -> None:
    import hypcse

    hypcse.EntropyClustering.load(home / "save-new").save(own / "model", overwrite=True)


def _check_save(home: Path, own: Path) -> None:
    either = [snapshot(home / "save-old"), snapshot(home / "save-new")]
    expect((own / "model").is_dir(), "loss", "the name of the model stands for nothing")
    expect(snapshot(own / "model") in either, "loss", "the model is neither the old one nor the new one")


def _save_again(home: Path, own: Path) -> None:
    expect(wait_for(fork_and(lambda: _save(home, own))) == 0, "exit code", "the next save failed")
    expect(snapshot(own / "model") == snapshot(home / "save-new"), "wrong answer", "the next save wrote another model")
    check_names(own, {"model"})


def _make_training(home: Path) -> None:
    _train_in(None, home / "train-saved")


def _train(home: Path, own: Path) -> None:
    _train_in(own / "kept", own / "saved")


def _train_in(kept: Path | None, saved: Path) -> None:
    """A fit in subgraphs with a moving anchor, so that all of the state matters."""
    import hypcse

    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5)) + 2 * rng.integers(0, 4, size=(120, 1))
    options: dict[str, Any] = {"evaluate_every": 2, "batch_size": 50, "anchor_decay": 0.9, "refine": False}
    if kept is not None:
        options |= {"checkpoint_dir": str(kept), "checkpoint_every": 1}
    hypcse.HypCSE(n_epochs=N_EPOCHS, random_state=0, **options).fit(X).save(saved, overwrite=True)


def _check_training(home: Path, own: Path) -> None:
    if (own / "saved").exists():
        compared = wait_for(fork_and(lambda: _compare_models(home / "train-saved", own / "saved")))
        expect(compared == 0, "loss", "what lies at the place of the model is not the right one")


def _train_again(home: Path, own: Path) -> None:
    expect(wait_for(fork_and(lambda: _train(home, own)), 120) == 0, "exit code", "the resumed fit failed")
    compared = wait_for(fork_and(lambda: _compare_models(home / "train-saved", own / "saved")))
    expect(compared == 0, "wrong answer", "the resumed fit is not the undisturbed one")
    check_names(own, {"kept", "saved"})
    check_names(own / "kept", {f"epoch-{N_EPOCHS:06}"})


def _compare_models(reference: Path, saved: Path) -> None:
    import hypcse

    one, other = hypcse.HypCSE.load(reference), hypcse.HypCSE.load(saved)
    assert [step.losses for step in one.history_] == [step.losses for step in other.history_]
    assert [step.entropy for step in one.history_] == [step.entropy for step in other.history_]
    assert np.array_equal(one.embedding_, other.embedding_)
    assert np.array_equal(one.linkage_matrix_, other.linkage_matrix_)
    assert all(bool((one._state[name] == other._state[name]).all()) for name in one._state)


def _make_fits(home: Path) -> None:
    points_in_groups(np.random.default_rng(1)).to_csv(home / "data.csv", index=False)
    for name, seed in (("old", 1), ("new", 0)):
        check_answer(call_command(_fit_words(home, home / f"fit-{name}", seed), home), (0,))


def _fit_words(home: Path, out: Path, seed: int = 0) -> list[str]:
    words = ["fit", str(home / "data.csv"), "--out", str(out), "--label-column", "kind", "--id-column", "name"]
    return [*words, "--method", "hypcse", "--epochs", "4", "--set", "checkpoint_every=1", "--seed", str(seed)]


def _begin_fit(home: Path, own: Path) -> None:
    shutil.copytree(home / "fit-old", own / "out")


def _fit(home: Path, own: Path) -> None:
    check_answer(call_command([*_fit_words(home, own / "out"), "--overwrite"], own), (0,))


def _check_fit(home: Path, own: Path) -> None:
    expect((own / "out").is_dir(), "loss", "the name of the result stands for nothing")
    if snapshot(own / "out") != snapshot(home / "fit-old"):
        check_result(own / "out")
        same = repeated(own / "out") == repeated(home / "fit-new")
        expect(same, "loss", "the result is neither the old one nor the new one")


def _fit_again(home: Path, own: Path) -> None:
    """The same call; where it asks for --resume, that one."""
    words = [*_fit_words(home, own / "out"), "--overwrite"]
    answer = answer_of(words, own)
    if answer.code == 2 and "--resume" in answer.err:
        answer = answer_of([*words, "--resume"], own)
    check_answer(answer, (0,))
    same = repeated(own / "out") == repeated(home / "fit-new")
    expect(same, "wrong answer", "the resumed fit is not the undisturbed one")
    check_names(own, {"out"})


def _make_experiment(home: Path) -> None:
    check_answer(call_command([*EXPERIMENT, "--out", str(home / "reproduced")], home), (0,))


def _begin_nothing(home: Path, own: Path) -> None:
    """The place is empty."""


def _reproduce(home: Path, own: Path) -> None:
    check_answer(call_command([*EXPERIMENT, "--out", str(own / "out")], own), (0,))


def _check_reproduced(home: Path, own: Path) -> None:
    from hypcse.experiments import read_records

    read_records(own / "out" / "records.jsonl")


def _reproduce_again(home: Path, own: Path) -> None:
    check_answer(answer_of([*EXPERIMENT, "--out", str(own / "out")], own), (0,))
    same = _comparable(own / "out") == _comparable(home / "reproduced")
    expect(same, "wrong answer", "the records are not those of an undisturbed run")
    check_names(own / "out", {path.name for path in (home / "reproduced").iterdir()})


def _comparable(folder: Path) -> list[dict[str, Any]]:
    """Records without what differs from run to run, by key."""
    from hypcse.experiments import MEASURED, read_records

    records = sorted(read_records(folder / "records.jsonl"), key=lambda record: record["key"])
    return [{name: value for name, value in record.items() if name not in MEASURED} for record in records]


def answer_of(words: list[str], folder: Path) -> Answer:
    """Call the command in a process forked from this one."""
    told = folder.parent / "answer"

    def call() -> None:
        code, out, err = call_command(words, folder)
        told.write_bytes(f"{code}\0{out}\0{err}".encode("utf-8", "replace"))

    expect(wait_for(fork_and(call), 200) == 0, "crash", f"hypcse {words[0]} died")
    code, out, err = told.read_bytes().decode().split("\0", 2)
    return Answer(int(code), out, err)


VICTIMS = {
    "save": Victim(
        _make_models, _begin_save, _save, _check_save, _save_again, ("hypcse.estimator.entropy_clustering",)
    ),
    "train": Victim(_make_training, _begin_nothing, _train, _check_training, _train_again, TRAINING),
    "fit": Victim(_make_fits, _begin_fit, _fit, _check_fit, _fit_again, (*TRAINING, "hypcse.cli.fitting.fit")),
    "reproduce": Victim(
        _make_experiment,
        _begin_nothing,
        _reproduce,
        _check_reproduced,
        _reproduce_again,
        ("hypcse.cli.experiments.reproduce",),
    ),
}
