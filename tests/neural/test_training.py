"""Training: same seed same tree, switches, subgraphs, and a clear end when the loss is lost."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from hypcse import similarity_graph, structural_entropy
from hypcse.graph import scale_features
from hypcse.neural.decode import decode_single
from hypcse.neural.training.config import Setup, TrainingConfig
from hypcse.neural.training.loop import fit
from hypcse.neural.training.run import Run, TrainingDiverged
from hypcse.neural.training.terms import Networks, losses_of
from hypcse.search.spanning import spanning_tree


def points(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 4)) + 3 * rng.integers(0, 3, size=(n, 1))


def prepared(X, **options):
    settings = {"n_epochs": 4, "hidden_dim": 16, "embed_dim": 4, "projection_dim": 4, "evaluate_every": 2, **options}
    return Setup(scale_features(X, "minmax"), similarity_graph(X), TrainingConfig(**settings))


def test_the_best_tree_is_kept_by_value():
    setup = prepared(points())
    steps = []
    result = fit(setup, callback=steps.append)
    assert [(step.stage, step.done, step.total) for step in steps] == [("training", k, 4) for k in (1, 2, 3, 4)]
    assert [step.loss for step in steps] == [step.losses.total for step in result.history]
    assert [step.entropy is not None for step in result.history] == [False, True, False, True]
    assert result.entropy == pytest.approx(structural_entropy(result.tree, setup.graph))
    assert result.entropy == steps[-1].value
    assert result.entropy <= min(step.entropy for step in result.history if step.entropy is not None)
    assert np.linalg.norm(result.leaves, axis=1) == pytest.approx(np.linalg.norm(result.leaves[0]), rel=1e-5)
    assert all(math.isfinite(step.loss) for step in steps)


def test_same_seed_same_tree_another_seed_another():
    setup = prepared(points())
    first, second, third = (fit(replace(setup, random_state=seed)) for seed in (1, 1, 2))
    assert np.array_equal(first.leaves, second.leaves)
    assert first.tree == second.tree
    assert not np.array_equal(first.leaves, third.leaves)


@pytest.mark.parametrize("learn_graph", [False, True])
@pytest.mark.parametrize("contrast_weight", [0.0, 1.0])
def test_the_four_rows_of_the_ablation(learn_graph, contrast_weight):
    """Base, with graph learning, with contrast, with both: all train, and the anchor moves only with graph learning."""
    options = {"learn_graph": learn_graph, "contrast_weight": contrast_weight, "anchor_decay": 0.5}
    setup = prepared(points(), **options)
    run = Run(setup)
    losses = [run.epoch(number).losses for number in (1, 2)]
    assert (run.anchor.to_graph().n_edges == setup.graph.n_edges) != learn_graph
    assert (losses[-1].contrast > 0) == (contrast_weight > 0)


@pytest.mark.parametrize("decoder", ["graph", "single", "neighbors"])
@pytest.mark.parametrize("select_on", ["sparse", "complete"])
@pytest.mark.parametrize("encode_on", ["raw", "normalised", "anchor"])
def test_choices_of_evaluation(decoder, select_on, encode_on):
    setup = prepared(points(30), decoder=decoder, select_on=select_on, encode_on=encode_on)
    assert fit(setup).tree.n_leaves == 30


def test_the_tree_is_that_of_the_decoder(monkeypatch):
    """Kept leaves, decoded by hand, give the kept tree; the spanning tree is the one asked for."""
    calls = []

    def noted(leaves, *, method="exact", n_neighbors=10):
        calls.append(method)
        return spanning_tree(leaves, method=method, n_neighbors=n_neighbors)

    monkeypatch.setattr("hypcse.neural.decode.spanning_tree", noted)
    for decoder, spanning in (("single", "exact"), ("neighbors", "neighbors")):
        result = fit(prepared(points(), decoder=decoder))
        assert set(calls) == {spanning}
        assert result.tree == decode_single(result.leaves, spanning=spanning)
        calls.clear()


def test_subgraphs_cover_all_vertices():
    setup = prepared(points(90), batch_size=30, n_seeds=2, anchor_decay=0.9)
    assert fit(setup).tree.n_leaves == 90


@pytest.mark.parametrize("n", range(2, 13))
def test_tiny_tables(n):
    """Duplicates, a constant column and a disconnected graph among them."""
    X = np.column_stack([np.arange(n) // 2, np.ones(n), np.where(np.arange(n) < n // 2, 0, 50)]).astype(float)
    setup = prepared(X, n_epochs=2, cse_temperature=0.01)
    assert fit(setup).tree.n_leaves == n


def test_patience_and_callback_end_training():
    setup = prepared(points(), n_epochs=50, evaluate_every=1, patience=1, learning_rate=1e-12)
    assert len(fit(setup).history) < 50
    assert len(fit(setup, callback=lambda step: True).history) == 1


def test_a_lost_loss_is_reported_with_what_to_change():
    """An absurd learning rate throws the weights out of range; so do features of absurd size."""
    setup = prepared(points(), learning_rate=100.0, n_epochs=20)
    with pytest.raises(TrainingDiverged, match="lower learning_rate"):
        fit(setup)
    with pytest.raises(TrainingDiverged, match=r"reach .*e\+19: if that is huge, scale them, with scale='minmax'"):
        fit(replace(prepared(points(), n_epochs=2), features=setup.features * np.float32(2e19)))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"embed_dim": 1}, "embed_dim=1 must be between 2 and 65536"),
        ({"dropout": 1.0}, "dropout=1.0 must be from 0 to below 1"),
        ({"cse_temperature": 0.0}, "cse_temperature=0.0 must be from 1e-06 to 1e[+]06"),
        ({"learning_rate": 1e300}, "learning_rate=1e[+]300 must be from 1e-30 to 100"),
        ({"weight_decay": math.inf}, "weight_decay=inf must be from 0"),
        ({"contrast_weight": math.nan}, "contrast_weight=nan must be from 0"),
        ({"patience": 0}, "patience=0 must be between 1"),
        ({"n_epochs": 10**12}, "n_epochs=1000000000000 must be between 0"),
        ({"learner": "gat"}, "learner='gat' is not known"),
        ({"anchor_decay": 1.5}, "anchor_decay=1.5"),
    ],
)
def test_values_out_of_range(options, text):
    with pytest.raises(ValueError, match=text):
        TrainingConfig(**options)


@pytest.mark.parametrize(("contrast", "centroid"), [(1.0, 1.0), (0.0, 0.5), (2.0, 0.0)])
def test_the_objective_is_the_weighted_sum_of_its_terms(contrast, centroid):
    """Eq. (17)."""
    setup = prepared(points(), contrast_weight=contrast, centroid_weight=centroid)
    networks = Networks(setup.features.shape[1], setup.config, torch.Generator().manual_seed(0))
    terms, _, _ = losses_of(networks, torch.from_numpy(setup.features), setup.graph.to_tensors(), torch.Generator())
    assert float(terms.total) == pytest.approx(float(terms.cse + contrast * terms.contrast + centroid * terms.centroid))
    assert (float(terms.contrast) > 0) == (contrast > 0)
