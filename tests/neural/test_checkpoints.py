"""Checkpoints: a resumed training is the undisturbed one, bit for bit, whatever stopped it."""

from __future__ import annotations

import shutil
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from geoopt.optim import RiemannianAdam

from hypcse import HypCSE, similarity_graph
from hypcse._checks import Interrupted
from hypcse.graph import scale_features
from hypcse.neural.training import run as training_run
from hypcse.neural.training.checkpoint import _check_same, describe_training
from hypcse.neural.training.config import Setup, TrainingConfig
from hypcse.neural.training.loop import fit
from hypcse.neural.training.run import Run
from hypcse.paper.experiments import Task
from hypcse.paper.measure import run_task
from hypcse.storage.archive import ARRAYS, FACTS, ModelFileError
from hypcse.storage.files import hold_folder
from hypcse.storage.options import nest_options

ROOT = Path(__file__).parents[2]
SMALL = {"n_epochs": 6, "evaluate_every": 2, "hidden_dim": 16, "embed_dim": 4, "projection_dim": 4}


def prepared(**options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) + 3 * rng.integers(0, 3, size=(60, 1))
    return Setup(scale_features(X), similarity_graph(X), TrainingConfig(**{**SMALL, **options}))


def same(one, other):
    """All but the seconds."""
    steps = [[(step.epoch, step.n_epochs, step.losses, step.entropy) for step in run.history] for run in (one, other)]
    assert steps[0] == steps[1]
    assert np.array_equal(one.leaves, other.leaves)
    assert np.array_equal(one.tree.to_linkage(), other.tree.to_linkage())
    assert (one.epoch, one.entropy, one.encoded_on) == (other.epoch, other.entropy, other.encoded_on)
    return all(torch.equal(one.state[name], other.state[name]) for name in one.state)


class Stopped(Exception):
    """Raised by a callback, as a kill would end it."""


def stopping_at(epoch, error=Stopped):
    def callback(step):
        if step.done == epoch:
            raise error

    return callback


def stopped(epoch, case, folder, every=1, error=Stopped):
    with pytest.raises(error):
        fit(case, callback=stopping_at(epoch, error), checkpoint_dir=folder, checkpoint_every=every)


@pytest.mark.parametrize("every", [1, 2, 4])
@pytest.mark.parametrize(
    "options",
    [
        {"batch_size": 25, "n_seeds": 2, "anchor_decay": 0.9},
        {"encode_on": "anchor", "anchor_decay": 0.5, "select_on": "complete", "aggregation": "attention"},
        {"learn_graph": False, "contrast_weight": 0.0, "decoder": "single", "dropout": 0.0},
        {"learner": "mlp", "learner_similarity": "gaussian", "evaluate_every": 5},
    ],
)
def test_resuming_at_every_epoch(tmp_path, options, every):
    case = prepared(**options)
    whole = fit(case)
    for epoch in range(1, 7):
        stopped(epoch, case, tmp_path / str(epoch), every)
        resumed = fit(case, checkpoint_dir=tmp_path / str(epoch), checkpoint_every=every)
        assert same(resumed, whole)
        assert [path.name for path in (tmp_path / str(epoch)).iterdir()] == ["epoch-000006"]


def test_resuming_again_and_again(tmp_path):
    case = prepared(anchor_decay=0.9)
    for epoch in range(2, 7):
        stopped(epoch, case, tmp_path)
    assert same(fit(case, checkpoint_dir=tmp_path), fit(case))


def test_a_checkpoint_of_riemannian_adam_goes_on_with_adam(tmp_path, monkeypatch):
    """Earlier versions wrote such ones; the moments mean the same, so the losses differ by rounding only."""
    case = prepared()
    with monkeypatch.context() as earlier:
        earlier.setattr(
            training_run, "optimizer_of", lambda part, rate, decay: RiemannianAdam(part, lr=rate, weight_decay=decay)
        )
        stopped(3, case, tmp_path)
    resumed, whole = fit(case, checkpoint_dir=tmp_path), fit(case)
    assert [step.losses.total for step in resumed.history] == pytest.approx(
        [step.losses.total for step in whole.history], rel=1e-4
    )


@pytest.mark.parametrize("end", ["epochs", "callback", "patience"])
def test_a_finished_training_is_not_trained_again(tmp_path, end):
    """Whatever ended it, the second returns at once, tells of no epoch, and gives the same."""
    case = prepared(**({"patience": 1, "evaluate_every": 1, "learning_rate": 1e-12} if end == "patience" else {}))
    callback = (lambda step: step.done == 3) if end == "callback" else None
    first = fit(case, callback=callback, checkpoint_dir=tmp_path)
    steps = []
    second = fit(case, callback=steps.append, checkpoint_dir=tmp_path)
    assert same(first, second) and first.history == second.history
    assert steps == []


def test_settings_that_an_older_version_did_not_know_had_their_defaults():
    here = describe_training(prepared())
    older = {name: value for name, value in here["settings"].items() if name != "subgraphs_per_step"}
    _check_same({**here, "settings": older}, here, Path("run-1"))
    now = describe_training(prepared(subgraphs_per_step=2))
    with pytest.raises(ValueError, match=r"what differs: subgraphs_per_step \(None there, 2 here\)"):
        _check_same({**here, "settings": older}, now, Path("run-1"))


def test_another_training_is_named(tmp_path):
    setup = prepared()
    fit(setup, checkpoint_dir=tmp_path)
    other = TrainingConfig(**{**SMALL, "dropout": 0.5, "n_epochs": 7})
    text = r"what differs: dropout \(0.2 there, 0.5 here\), n_epochs \(6 there, 7 here\)\. Name another checkpoint_dir"
    with pytest.raises(ValueError, match=text):
        fit(replace(setup, config=other), checkpoint_dir=tmp_path)
    with pytest.raises(ValueError, match=r"differs: random_state \(0 there, 1 here\)\."):
        fit(replace(setup, random_state=1), checkpoint_dir=tmp_path)
    with pytest.raises(ValueError, match=r"differs: features\."):
        fit(replace(setup, features=setup.features[::-1].copy()), checkpoint_dir=tmp_path)
    with pytest.raises(ValueError, match=r"differs: graph\."):
        fit(replace(setup, graph=setup.graph.without_loops().scaled(2.0)), checkpoint_dir=tmp_path)


def two_checkpoints(case, folder):
    """A folder with the checkpoints of epochs 2 and 3, as a kill between writing and removing leaves it."""
    stopped(3, case, folder)
    shutil.copytree(folder / "epoch-000002", folder.parent / "older")
    stopped(4, case, folder)
    shutil.move(folder.parent / "older", folder / "epoch-000002")


def test_leftovers_are_cleaned_up_and_other_things_left_alone(tmp_path):
    case, folder = prepared(), tmp_path / "kept"
    two_checkpoints(case, folder)
    (folder / ".epoch-000004.part-0123abcd").mkdir()
    (folder / ".epoch-000004.part-0123abcd" / ARRAYS).write_bytes(b"half")
    (folder / "notes.txt").write_text("mine")
    (folder / "epoch-000001").mkdir()
    (folder / "epoch-000001" / "mine.txt").write_text("mine")
    (folder / "epoch-1st").mkdir()
    (folder / ".epoch-000005-file").write_text("mine")
    (folder / "epoch-000000").symlink_to(tmp_path)
    (tmp_path / FACTS).write_text("mine")
    others = {"notes.txt", "epoch-000001", "epoch-1st", ".epoch-000005-file", "epoch-000000"}
    assert same(fit(case, checkpoint_dir=folder), fit(case))
    assert {path.name for path in folder.iterdir()} == {"epoch-000006", *others}
    assert (tmp_path / FACTS).exists()


def test_a_damaged_checkpoint_is_an_error_and_stays(tmp_path):
    case = prepared()
    stopped(3, case, tmp_path)
    (tmp_path / "epoch-000002" / ARRAYS).write_bytes(b"")
    with pytest.raises(ModelFileError, match="epoch-000002.*does not match"):
        fit(case, checkpoint_dir=tmp_path)
    assert (tmp_path / "epoch-000002" / FACTS).exists()


def test_wrong_places(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="is not a folder, and a folder is needed there"):
        fit(prepared(), checkpoint_dir=tmp_path / "file")
    with pytest.raises(ValueError, match="checkpoint_every=0 must be at least 1"):
        fit(prepared(), checkpoint_every=0)


def test_a_second_training_is_kept_out(tmp_path):
    with hold_folder(tmp_path), ThreadPoolExecutor(1) as other:
        second = other.submit(fit, prepared(), checkpoint_dir=tmp_path)
        with pytest.raises(ValueError, match="another run writes into"):
            second.result()


def test_a_place_for_checkpoints_is_tried_before_the_work(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("hypcse.estimators.base.take_points", lambda *words: pytest.fail("points were looked at"))
    for wrong, text in (
        ({"checkpoint_dir": str(tmp_path / "file" / "deep")}, "is not a folder, and a folder is needed"),
        ({"checkpoint_every": 0}, "checkpoint_every=0 must be at least 1"),
        ({"learning_rate": 1e300}, "learning_rate=1e[+]300 must be from 1e-30 to 100"),
        ({"batch_size": 0}, "batch_size=0 must be between 1"),
    ):
        with pytest.raises((ValueError, OSError), match=text):
            HypCSE(**nest_options(HypCSE, wrong)).fit(np.zeros((4, 2)))


def test_no_model_is_loaded_from_a_checkpoint(tmp_path):
    stopped(3, prepared(), tmp_path)
    with pytest.raises(ModelFileError, match="'format' is 'hypcse-checkpoint' instead of 'hypcse-model'"):
        HypCSE.load(tmp_path / "epoch-000002")


def test_an_interrupted_fit_keeps_the_best_and_can_go_on(tmp_path, monkeypatch):
    """Ctrl-C in the middle of epoch 4, whose weights have moved already."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    options = {**SMALL, "checkpoint_dir": str(tmp_path), "checkpoint_every": 2}
    with monkeypatch.context() as patch:
        patch.setattr(training_run, "train_epoch", interrupted_in(4))
        facts = r"interrupted in epoch 4 of 6; the tree is the best so far.*checkpoint_dir=.*\) to go on after epoch 2"
        with pytest.warns(Interrupted, match=facts) as caught:
            model = HypCSE(**nest_options(HypCSE, options)).fit(X)
    assert caught[0].filename == __file__
    resumed, whole = HypCSE(**nest_options(HypCSE, options)).fit(X), HypCSE(**nest_options(HypCSE, SMALL)).fit(X)
    assert [step.losses for step in model.history_] == [step.losses for step in whole.history_[:3]]
    assert [step.losses for step in resumed.history_] == [step.losses for step in whole.history_]
    assert np.array_equal(resumed.linkage_matrix_, whole.linkage_matrix_)
    assert np.array_equal(resumed.embedding_, whole.embedding_)


def interrupted_in(epoch):
    train, epochs = training_run.train_epoch, iter(range(1, epoch + 1))

    def train_epoch(*words):
        result = train(*words)
        if next(epochs) == epoch:
            signal.raise_signal(signal.SIGINT)
        return result

    return train_epoch


@pytest.mark.parametrize(
    ("name", "text"), [(None, r"With training=TrainingOptions\(checkpoint_dir=\.\.\.\)"), ("kept", "no checkpoint yet")]
)
def test_an_interrupted_fit_tells_how_to_go_on(tmp_path, name, text):
    folder = None if name is None else tmp_path / name
    with pytest.warns(Interrupted, match=text):
        fit(prepared(), callback=stopping_at(1, KeyboardInterrupt), checkpoint_dir=folder)


def test_an_interruption_before_the_first_evaluation_ends_the_fit(monkeypatch):
    monkeypatch.setattr(Run, "evaluate", lambda self, number: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        fit(prepared())


@pytest.mark.filterwarnings("ignore")
def test_half_a_training_is_no_cell_of_an_experiment(monkeypatch, paper_data):
    def interrupted(self, number):
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "epoch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_task(Task("tree", "hypcse", "zoo", options={"n_epochs": 2}))
