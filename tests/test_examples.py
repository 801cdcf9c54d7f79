"""The examples run as they stand, and are as short as they claim to be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from runpy import run_path

import pytest
import torch

FOLDER = Path(__file__).parent.parent / "examples"
SAYS = {
    "quickstart": "clusters at each level: [",
    "graph": "level 1: 2 communities",
    "own_tree": "refined: purity",
    "training_loop": "step 100: loss",
    "regulariser": "strength 1.0, after: loss",
    "free_embeddings": "step 150: loss",
    "autoencoder": "strength 0.1, after: loss",
    "torchrun": "1 processes, 5 epochs, last loss",
}
# As in conftest.py: the tests already run in as many processes as there are cores.
ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}


@pytest.mark.parametrize("name", SAYS)
def test_an_example_runs(name, tmp_path):
    script = FOLDER / f"{name}.py"
    assert len(script.read_text().splitlines()) < 40
    result = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=ONE_THREAD, capture_output=True, text=True, timeout=600
    )
    assert result.returncode == 0, result.stderr
    assert SAYS[name] in result.stdout


def trained(name, *settings):
    """What the `train` of an example returns; the seed that it sets ends with it."""
    with torch.random.fork_rng():
        return run_path(str(FOLDER / f"{name}.py"))["train"](*settings)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("regulariser", (1.0,)),
        ("autoencoder", (0.1,)),
        ("free_embeddings", (torch.optim.Adam, 0.05)),
        ("free_embeddings", (torch.optim.SGD, 10.0)),
    ],
)
def test_training_lowers_the_loss_and_the_entropy_of_the_decoded_tree(name, settings):
    before, *_, after = trained(name, *settings)
    assert after[0] < 0.9 * before[0]
    assert after[1] < 0.8 * before[1]


@pytest.mark.parametrize(("name", "strength"), [("regulariser", 1.0), ("autoencoder", 0.1)])
def test_the_entropy_is_lower_with_the_term_than_without(name, strength):
    """The model's own loss lowers it too, by less."""
    assert trained(name, strength)[-1][1] < 0.95 * trained(name, 0.0)[-1][1]
