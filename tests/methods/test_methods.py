"""The registry and the linkages on features, with SciPy as the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage

import hypcse
from hypcse import Graph, Tree, methods
from hypcse._progress import Progress
from hypcse.kernels.linkage import ward as ward_kernels
from hypcse.kernels.linkage.merges import number_merges
from hypcse.methods import linkages

FEATURE_METHODS = {
    "single-linkage": "single",
    "ward": "ward",
    "average-linkage": "average",
    "complete-linkage": "complete",
}


@pytest.mark.parametrize("name", FEATURE_METHODS)
@given(n=st.integers(2, 60), d=st.integers(1, 5), seed=st.integers(0, 1000))
def test_equals_scipy_without_ties(name, n, d, seed):
    X = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32).astype(float)
    tree = methods.run(name, X, scale="none")
    expected = Tree.from_linkage(linkage(X, FEATURE_METHODS[name]))
    assert hypcse.robinson_foulds(tree, expected) == 0
    assert np.sort(tree.height) == pytest.approx(np.sort(expected.height))


@pytest.mark.parametrize("name", FEATURE_METHODS)
def test_ties_and_small_inputs(name):
    """Copies join at height 0; one, two and three points work; heights equal SciPy's even where trees may differ."""
    X = np.repeat(np.arange(4.0)[:, None], 5, axis=0)
    tree = methods.run(name, X, scale="none")
    assert (tree.height[:20] == 0).all() and tree.is_binary
    assert len(set(tree.cut(height=0.0).tolist())) == 4
    expected = np.sort(linkage(X, FEATURE_METHODS[name])[:, 2])
    assert np.sort(tree.height[20:]) == pytest.approx(expected)
    for n in (1, 2, 3):
        assert methods.run(name, X[:n]).n_leaves == n


@given(n=st.integers(2, 60), d=st.integers(1, 9), steps=st.sampled_from([1, 2, 7, 1e6]), seed=st.integers(0, 1000))
def test_single_linkage_has_scipys_order_of_ties(n, d, steps, seed):
    """To the last bit, on grids whose distances are often equal, and on such that are nearly so."""
    X = np.random.default_rng(seed).integers(0, 3, size=(n, d)) / steps
    tree = methods.run("single-linkage", X.astype(np.float32), scale="none")
    assert np.array_equal(tree.to_linkage(), linkage(X.astype(np.float32).astype(float), "single"))


@given(n=st.integers(2, 200), d=st.integers(1, 20), seed=st.integers(0, 1000))
def test_single_linkage_of_many_points_is_the_same_without_ties(n, d, seed):
    X = np.random.default_rng(seed).normal(size=(n, d))
    expected = methods.run("single-linkage", X)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linkages, "_MAX_PRIM", 1)
        tree = methods.run("single-linkage", X)
    assert hypcse.robinson_foulds(tree, expected) == 0
    assert np.sort(tree.height) == pytest.approx(np.sort(expected.height))


def chain_merges(X):
    """Ward's merges by a nearest-neighbor chain that compares all clusters, in plain Python."""
    center, size, active, chain, merges = X.copy(), np.ones(len(X)), list(range(len(X))), [], []
    while len(active) > 1:
        chain = chain or [active[0]]
        top, below = chain[-1], chain[-2] if len(chain) > 1 else -1
        gaps = np.zeros(len(X))
        for column in range(X.shape[1]):
            gaps += (center[top, column] - center[:, column]) ** 2
        gaps *= 2 * size[top] * size / (size[top] + size)
        nearest = min((other for other in active if other != top), key=lambda b: (gaps[b], b != below, b))
        if nearest != below:
            chain.append(nearest)
            continue
        merges.append((below, top, np.sqrt(gaps[below])))
        center[below] = (size[below] * center[below] + size[top] * center[top]) / (size[below] + size[top])
        size[below] += size[top]
        active[active.index(top)] = active[-1]
        active.pop()
        del chain[-2:]
    return merges


@given(
    n=st.integers(2, 150),
    d=st.integers(1, 21),
    kind=st.sampled_from(["normal", "clusters", "lattice", "copies", "scales"]),
    seed=st.integers(0, 1000),
)
def test_ward_by_a_tree_is_ward_by_all_comparisons(n, d, kind, seed):
    """To the last bit, ties too, whether the tree has many leaves or one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X = {
        "normal": X,
        "clusters": X + 20 * rng.normal(size=(4, d))[rng.integers(4, size=n)],
        "lattice": rng.integers(0, 3, size=(n, d)).astype(float),
        "copies": X[rng.integers(max(1, n // 4), size=n)],
        "scales": X * np.exp(4 * rng.normal(size=(n, 1))),
    }[kind].astype(np.float32)
    expected = Tree.from_linkage(number_merges(*map(np.array, zip(*chain_merges(X.astype(float)), strict=True))))
    for leaf in (4, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ward_kernels, "_LEAF", leaf)
            assert methods.run("ward", X, scale="none") == expected


@pytest.mark.parametrize("name", ["single-linkage", "ward", "hcse"])
def test_linkages_report_and_end_in_time(name, monkeypatch):
    """Made in many parts or in one, the tree is the same."""
    X = np.random.default_rng(0).normal(size=(300, 3))
    told: list[Progress] = []
    whole = methods.run(name, X)
    monkeypatch.setattr("hypcse.methods.linkages._POINTS", 10)
    for module in ("methods.linkages", "kernels.linkage.stretching"):
        monkeypatch.setattr(f"hypcse.{module}._PART", 10)
    assert methods.run(name, X, callback=told.append) == whole
    shares = [step.share for step in told]
    assert len(told) > 20 and told[0].stage == "merges" and shares == sorted(shares) and shares[-1] == 1
    with pytest.raises(TimeoutError, match=f"{name} was stopped .* max_seconds=1e-09"):
        methods.run(name, X, max_seconds=1e-9)
    with pytest.raises(ValueError, match="max_seconds=0"):
        methods.run(name, X, max_seconds=0)


def test_hcse_of_components_is_done_when_nothing_joins_them():
    told: list[Progress] = []
    tree = methods.run("hcse", graph=Graph.from_edges([0, 2], [1, 3], n=6), callback=told.append)
    assert [(step.done, step.total) for step in told] == [(2, 2)] and tree.is_binary
    assert methods.run("hcse", graph=Graph.from_edges([], [], n=1)).n_leaves == 1


# The methods of the paper, its own aside.
OF_THE_PAPER = ("single-linkage", "bisecting-kmeans", "hdbscan", "hcse", "spec-wrsc", "dp-cluster-hsbm")
BY_STEPS = ("ufit", "hyphc", "fph", "eph")


@pytest.mark.parametrize("name", [*OF_THE_PAPER, *BY_STEPS])
def test_methods_that_take_long_report_and_take_a_limit(name):
    X = np.random.default_rng(0).normal(size=(40, 3))
    told: list[object] = []
    few = {"n_epochs": 2} if name in BY_STEPS else {}
    methods.run(name, X, callback=told.append, max_seconds=600, **few)
    assert {type(step) for step in told} == {Progress}


def test_errors():
    X = np.eye(3)
    with pytest.raises(ValueError, match="Did you mean 'ward'"):
        methods.run("wart", X)
    with pytest.raises(TypeError, match="no option 'depth'"):
        methods.run("ward", X, depth=3)
    with pytest.raises(ValueError, match="pass X"):
        methods.run("ward")
    with pytest.raises(ValueError, match="random_state=-1"):
        methods.run("ward", X, random_state=-1)


def test_memory_is_checked_first(monkeypatch):
    monkeypatch.setattr("hypcse._memory.SMALL", 0)
    monkeypatch.setattr("hypcse._memory.available_bytes", lambda: 1000)
    with pytest.raises(MemoryError, match="Use ward"):
        methods.run("average-linkage", np.random.default_rng(0).normal(size=(50, 2)))
    assert methods.run("ward", np.eye(50)).n_leaves == 50


def test_a_new_method_needs_its_function_and_a_line_in_the_registry(monkeypatch, capsys):
    """Running, options, their checks, the estimator and the command's list follow from the line."""
    from hypcse.cli.output import list_methods
    from hypcse.methods import registry

    def star(task, *, height: float = 1.0):
        n = task.n_points
        return Tree(np.append(np.full(n, n), -1), np.append(np.zeros(n), height))

    new = registry.Method("star", "both", "all points below the root", "O(n)", star)
    monkeypatch.setattr(registry, "METHODS", (*registry.METHODS, new))
    X = np.arange(5.0)[:, None]
    assert methods.run("star", X, height=3.0).height.max() == 3.0
    assert "star" in methods.available() and methods.describe("star").options == ("height",)
    with pytest.raises(TypeError, match="Did you mean 'height'"):
        methods.run("star", X, hight=2)
    assert methods.MethodClustering("star", refine=False).fit(X).tree_.n_nodes == 6
    list_methods()
    assert "star" in capsys.readouterr().out
