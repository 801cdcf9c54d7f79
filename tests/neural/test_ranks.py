"""Training by torchrun: two ranks take the steps of one that averages as many subgraphs, and all end alike."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
import torch
from rank_scenes import FORMS, SMALL, facts_of, fit_stopped, points, prepared, take_steps

from hypcse import HypCSE
from hypcse._threads import NEEDED, Place, launched_place
from hypcse.neural.training import ranks as group
from hypcse.neural.training.config import TrainingOptions
from hypcse.neural.training.loop import fit
from hypcse.neural.training.ranks import RankFailed, join_ranks, own_device
from hypcse.neural.training.run import shares_of
from hypcse.storage.options import nest_options

SCENES = Path(__file__).with_name("rank_scenes.py")
ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The folder in which two ranks of torchrun left what they found, and what each found by scene and name."""
    folder = tmp_path_factory.mktemp("ranks")
    fit_stopped(folder / "by one", subgraphs_per_step=2)
    words = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", SCENES, "play", folder]
    ended = subprocess.run([sys.executable, *words], env=ONE_THREAD, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    return folder, [dict(np.load(folder / f"found-{rank}.npz")) for rank in range(2)], ended.stderr


def scene(found, name):
    parts = {key.split("/", 1)[1]: value for key, value in found.items() if key.startswith(f"{name}/")}
    assert parts
    return parts


@pytest.mark.parametrize("name", FORMS)
def test_ten_steps_of_two_ranks_are_those_of_one_that_accumulates(played, name):
    """Three subgraphs an epoch: in every second step one rank has nothing to do."""
    alone = take_steps(**{"subgraphs_per_step": 2, **FORMS[name]})
    ours = scene(played[1][0], name)
    assert ours.keys() == alone.keys()
    assert ours["losses"][:3] == pytest.approx(alone["losses"][:3], rel=1e-4)
    # Two gradients have the same sum in any order. That of three rounds otherwise, and a step or two later a gradient
    # near a point where it is not continuous makes more of it.
    for part, values in alone.items() if name != "three" else ():
        assert ours[part] == pytest.approx(values, rel=1e-5, abs=1e-5), part
    assert not np.allclose(alone["losses"], take_steps(**{**FORMS[name], "subgraphs_per_step": 1})["losses"], atol=1e-4)


def test_all_ranks_end_with_the_same_bits(played):
    _, (first, second), _ = played
    assert first.keys() == second.keys()
    for name in first:
        assert np.array_equal(first[name], second[name]), name


def test_a_table_of_one_subgraph_is_trained_as_by_one_process(played):
    ours = scene(played[1][0], "one subgraph")
    for part, values in facts_of(fit(prepared(batch_size=100))).items():
        assert np.array_equal(ours[part], values), part


def test_checkpoints_go_on_with_another_number_of_ranks(played):
    """From one to two and from two to one, after epoch 2; with the same subgraphs per step it is the same training."""
    folder, (first, _), _ = played
    case = prepared(subgraphs_per_step=2)
    whole = facts_of(fit(case))
    for resumed in (scene(first, "resumed"), facts_of(fit(case, checkpoint_dir=folder / "by two"))):
        for part, values in whole.items():
            assert resumed[part] == pytest.approx(values, rel=1e-5, abs=1e-5), part


def test_what_rank_0_meets_reaches_all(played):
    """A callback that asks to stop, one that fails, and ranks that were given different things."""
    folder, (first, second), said = played
    assert len(scene(first, "stopped")["losses"]) == len(scene(second, "stopped")["losses"]) == 2
    texts = [(folder / f"texts-{rank}").read_text().splitlines() for rank in range(2)]
    assert texts[0][0] == "Stopped: "
    assert texts[1][0] == "RankFailed: rank 0 failed, and rank 1 ends with it. It said: Stopped"
    assert texts[0][1] == texts[1][1]
    assert "the 2 ranks fit different things; what differs: random_state. Give all ranks" in texts[0][1]
    assert said.count("HypCSE: entropy") == 2, "rank 0 alone writes the line of verbose=1, of two fits"


def test_the_example_runs_with_two_ranks(played):
    folder = played[0]
    assert (folder / "example-0").read_text().startswith("2 processes, 5 epochs, last loss")
    assert (folder / "example-1").read_text() == ""


@pytest.fixture
def rank_0_of_2(monkeypatch):
    """The variables of torchrun, which make this process rank 0; nobody launched the other."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    place = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    for name, value in place.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(group, "_store", None)
    return place


def test_a_rank_that_dies_does_not_leave_the_other_waiting(tmp_path, rank_0_of_2):
    """Without torchrun, which would end the others by itself."""
    words = [sys.executable, SCENES, "die", tmp_path]
    other = subprocess.Popen(words, env={**ONE_THREAD, **rank_0_of_2, "RANK": "1"}, stderr=subprocess.DEVNULL)
    lost = pytest.raises(RankFailed, match="rank 0 of 2 lost the others: one of them failed")
    with lost as failed, join_ranks("cpu") as (ranks, _):
        take_steps(ranks)
    assert "gloo" in str(failed.value.__cause__)
    assert not torch.distributed.is_initialized()
    assert other.wait(timeout=60) == 7


def test_an_error_without_words_is_named_by_its_kind(rank_0_of_2, monkeypatch):
    monkeypatch.setattr(group, "_meet", lambda *words: (_ for _ in ()).throw(torch.distributed.DistError))
    with pytest.raises(RankFailed, match=r"took too long \(DistError\)"), join_ranks("cpu"):
        pass


def test_a_rank_that_does_not_come_is_an_error(monkeypatch, rank_0_of_2):
    monkeypatch.setattr(group, "MEETING", timedelta(seconds=1))
    with pytest.raises(RankFailed, match="one of them failed, did not call fit, or took too long"):
        HypCSE(**nest_options(HypCSE, SMALL)).fit(points())
    assert not torch.distributed.is_initialized()


def test_a_process_is_alone_unless_all_variables_are_set(monkeypatch):
    values = {"RANK": "1", "WORLD_SIZE": "4", "MASTER_ADDR": "somewhere", "MASTER_PORT": "1"}
    for name in (*NEEDED, "LOCAL_RANK", "LOCAL_WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in values.items():
        assert launched_place() == Place()
        monkeypatch.setenv(name, value)
    assert launched_place() == Place(1, 4, 1, 4)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    assert launched_place() == Place(1, 4, 1, 2)
    monkeypatch.setenv("WORLD_SIZE", "1")
    assert launched_place() == Place()


def test_a_rank_without_a_card_of_its_own_is_told(monkeypatch):
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    assert own_device("cuda", Place(5, 8, 1, 4)) == "cuda:1"
    assert own_device("cuda:0", Place(5, 8, 3, 4)) == "cuda:0"
    assert own_device("cpu", Place(5, 8, 3, 4)) == "cpu"
    with pytest.raises(ValueError, match="4 ranks on this machine share 2 cards"):
        own_device("cuda", Place(7, 8, 3, 4))


@pytest.mark.parametrize("n_subgraphs", [1, 2, 5, 7])
@pytest.mark.parametrize("per_step", [2, 3, 4])
@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_every_subgraph_is_dealt_once_and_weighs_the_same_within_its_step(n_subgraphs, per_step, size):
    dealt = [shares_of(rank, size, n_subgraphs, per_step) for rank in range(size)]
    assert {len(steps) for steps in dealt} == {-(-n_subgraphs // per_step)}
    for number in range(len(dealt[0])):
        shares = [share for rank in range(size) for share in dealt[rank][number] if share.weight > 0]
        assert sum(weight for _, weight in shares) == pytest.approx(size)
        assert len({weight for _, weight in shares}) == 1
    numbers = [share.number for steps in dealt for step in steps for share in step if share.weight > 0]
    assert sorted(numbers) == list(range(n_subgraphs))


def test_subgraphs_per_step_is_a_parameter():
    X = points()
    one, several = (
        HypCSE(**nest_options(HypCSE, {**SMALL, "n_epochs": 2, "subgraphs_per_step": k})).fit(X) for k in (None, 3)
    )
    assert [step.losses for step in one.history_] != [step.losses for step in several.history_]
    with pytest.raises(ValueError, match="subgraphs_per_step=0 must be between 1"):
        HypCSE(training=TrainingOptions(subgraphs_per_step=0)).fit(X)
