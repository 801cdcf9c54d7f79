"""What each rank does in `test_ranks.py`, and what one process does to compare with; not a test itself.

`python rank_scenes.py FOLDER` plays all scenes in turn, in every process of torchrun, and writes what this one found.
"""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from runpy import run_path

import numpy as np

from hypcse import HypCSE, similarity_graph
from hypcse.graph import scale_features
from hypcse.neural.training.config import Setup, TrainingConfig
from hypcse.neural.training.loop import fit
from hypcse.neural.training.ranks import ALONE, RankFailed, join_ranks
from hypcse.neural.training.run import Run
from hypcse.storage.options import nest_options

SMALL = {"hidden_dim": 16, "embed_dim": 4, "projection_dim": 4, "batch_size": 25, "n_seeds": 2, "anchor_decay": 0.9}
EXAMPLE = Path(__file__).parents[2] / "examples" / "torchrun.py"
STEPS = {"n_epochs": 5, "evaluate_every": 2}
"""Three subgraphs an epoch, so two steps of two ranks, of which one has nothing for one of them: ten steps in all."""
FORMS = {
    "default": {},
    "base": {"learn_graph": False, "contrast_weight": 0.0},
    "three": {"subgraphs_per_step": 3},
}


class Stopped(Exception):
    """Raised by a callback, as a kill would end it."""


def points(n=75):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 4)) + 3 * rng.integers(0, 3, size=(n, 1))


def prepared(**options):
    X = points()
    return Setup(scale_features(X), similarity_graph(X), TrainingConfig(**{**SMALL, **STEPS, **options}))


def facts_of(trained):
    """Losses of all epochs, weights and leaves of the best."""
    weights = {f"weight {name}": value.numpy() for name, value in trained.state.items()}
    return {"losses": losses_of(trained), "leaves": trained.leaves, **weights}


def take_steps(ranks=ALONE, **options):
    """Losses of all epochs, weights after the last step, and the edges of the anchor."""
    run = Run(prepared(**options), ranks)
    for number in range(1, STEPS["n_epochs"] + 1):
        run.epoch(number)
    weights = {f"weight {name}": value.numpy() for name, value in run.networks.state_dict().items()}
    return {"losses": losses_of(run), "anchor": np.array(run.anchor.to_graph().edges()), **weights}


def losses_of(run):
    return np.array([(s.losses.cse, s.losses.contrast, s.losses.centroid, s.losses.total) for s in run.history])


def stop_at(epoch):
    def callback(progress):
        if progress.done == epoch:
            raise Stopped

    return callback


def fit_stopped(folder, ranks=ALONE, **options):
    """A training that ends with an error after epoch 2, which is kept."""
    try:
        fit(prepared(**options), callback=stop_at(3), checkpoint_dir=folder, checkpoint_every=1, ranks=ranks)
    except (Stopped, RankFailed) as error:
        return f"{type(error).__name__}: {error}"
    raise AssertionError("it did not stop")


def fit_others(ranks):
    """Each rank with a seed of its own, which is refused."""
    try:
        fit(replace(prepared(), random_state=ranks.number), ranks=ranks)
    except ValueError as error:
        return str(error)
    raise AssertionError("it was not refused")


def play(folder):
    """All scenes of one rank; numbers by scene and name."""
    result = {}
    with join_ranks("cpu") as (ranks, _):
        for name, options in FORMS.items():
            result[name] = take_steps(ranks, **options)
        result["one subgraph"] = facts_of(fit(prepared(batch_size=100), ranks=ranks))
        resumed = fit(prepared(subgraphs_per_step=2), checkpoint_dir=folder / "by one", ranks=ranks)
        result["resumed"] = facts_of(resumed)
        # Rank 0 alone has a callback; that it asks to stop reaches all.
        asks = (lambda progress: progress.done == 2) if ranks.number == 0 else None
        result["stopped"] = facts_of(fit(prepared(), callback=asks, ranks=ranks))
        texts = [fit_stopped(folder / "by two", ranks, subgraphs_per_step=2), fit_others(ranks)]
    for number in range(2):
        # Two fits in one program, each with a group of its own.
        model = HypCSE(**nest_options(HypCSE, SMALL), n_epochs=2, verbose=1, random_state=number).fit(points())
    tree = {"linkage": model.linkage_matrix_, "labels": model.labels_, "levels": np.array(model.levels_)}
    result["model"] = {**tree, "embedding": model.embedding_, "losses": [s.losses.total for s in model.history_]}
    with open(folder / f"example-{ranks.number}", "w") as said, redirect_stdout(said):
        run_path(str(EXAMPLE))
    (folder / f"texts-{ranks.number}").write_text("\n".join(texts))
    arrays = {f"{scene}/{name}": value for scene, parts in result.items() for name, value in parts.items()}
    np.savez(folder / f"found-{ranks.number}.npz", **arrays)


def die(folder):
    """Rank 1 ends without a word in its second step."""
    from hypcse.neural.training import terms

    take, steps = terms.losses_of, []

    def losses_of(*words):
        steps.append(words)
        if len(steps) == 2:
            os._exit(7)
        return take(*words)

    terms.losses_of = losses_of
    with join_ranks("cpu") as (ranks, _):
        take_steps(ranks)


if __name__ == "__main__":
    {"play": play, "die": die}[sys.argv[1]](Path(sys.argv[2]))
