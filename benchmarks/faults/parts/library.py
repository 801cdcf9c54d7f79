"""The library on odd small inputs: a valid answer, the same again and by any number of threads, or a refusal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from benchmarks.faults.attempt import Part, Rng, Trial, Violation, check_refusal, expect, last_lines

SIZES = (0, 1, 2, 3, 4, 7, 20, 45)
METHODS = (
    "single-linkage", "ward", "average-linkage", "complete-linkage", "bisecting-kmeans", "hdbscan", "graph-average",
    "graph-paris", "hcse", "spec-wrsc", "dp-cluster-hsbm", "entropy",
)  # fmt: skip


def try_library(trial: Trial) -> None:
    """Give one odd input to one way in."""
    rng = trial.rng
    n, d = int(rng.choice(SIZES)), int(rng.choice([0, 1, 2, 5], p=[0.05, 0.2, 0.4, 0.35]))
    kind = str(rng.choice(list(TABLES)))
    way = list(WAYS)[trial.number % len(WAYS)]
    trial.say(f"{way} of {n} x {d} values, {kind}")
    X = TABLES[kind](rng.normal(size=(n, d)), rng)
    try:
        WAYS[way](X, rng)
    except Exception as error:
        # What scikit-learn checks for the estimators it says in its own words, of several lines.
        check_refusal(error, one_line=False)
        return
    masked = isinstance(X, np.ma.MaskedArray) and bool(np.ma.getmaskarray(X).any()) and way not in ("from_edges",)
    expect(not masked, "wrong answer", "masked values were used as if nothing were masked")


def _spoiled(X: np.ndarray, rng: Rng, *values: float) -> np.ndarray:
    """A few entries are one of these values."""
    changed = X.copy()
    changed[rng.random(X.shape) < 0.2] = rng.choice(values) if values else 0
    return changed


TABLES: dict[str, Callable[[np.ndarray, Rng], Any]] = {
    "plain": lambda X, rng: X,
    "duplicates": lambda X, rng: X[rng.integers(max(len(X) // 3, 1), size=len(X))] if len(X) else X,
    "all the same": lambda X, rng: np.ones_like(X),
    "a constant column": lambda X, rng: np.concatenate([X[:, :1] * 0, X[:, 1:]], axis=1),
    "nan": lambda X, rng: _spoiled(X, rng, np.nan),
    "inf": lambda X, rng: _spoiled(X, rng, np.inf, -np.inf),
    "huge": lambda X, rng: X * float(rng.choice([1e19, 1e150, 1e300])),
    "tiny": lambda X, rng: X * float(rng.choice([1e-30, 1e-200, 5e-324])),
    "huge and tiny": lambda X, rng: _spoiled(X, rng, 1e300, -1e300, 1e-300),
    "far from zero": lambda X, rng: X + 1e12,
    "whole": lambda X, rng: rng.integers(-3, 4, size=X.shape),
    "unsigned": lambda X, rng: rng.integers(2**64 - 1, size=X.shape, dtype=np.uint64),
    "truth": lambda X, rng: X > 0,
    "single": lambda X, rng: X.astype(np.float32),
    "half": lambda X, rng: X.astype(np.float16),
    "long double": lambda X, rng: X.astype(np.longdouble),
    "big-endian": lambda X, rng: X.astype(">f8"),
    "complex": lambda X, rng: X + 1j,
    "object": lambda X, rng: X.astype(object),
    "objects of several kinds": lambda X, rng: _with_none(X, rng),
    "texts": lambda X, rng: X.astype(str),
    "dates": lambda X, rng: (1e6 * X).astype("datetime64[s]"),
    "masked": lambda X, rng: np.ma.masked_array(X, mask=rng.random(X.shape) < 0.2),
    "lists": lambda X, rng: X.tolist(),
    "ragged": lambda X, rng: [row[: 1 + k % 2] for k, row in enumerate(X.tolist())],
    "backwards": lambda X, rng: X[::-1, ::-1],
    "columns first": lambda X, rng: np.asfortranarray(X),
    "read-only": lambda X, rng: _locked(X),
    "flat": lambda X, rng: X.ravel(),
    "deep": lambda X, rng: X[None],
    "sparse": lambda X, rng: sparse.csr_matrix(np.where(X > 0, X, 0)),
    "sparse coordinates": lambda X, rng: sparse.coo_array(np.where(X > 0, X, 0)),
    "a data frame": lambda X, rng: pd.DataFrame(X),
    "a data frame of odd names": lambda X, rng: pd.DataFrame(X, columns=[1.5, None, "", "", "a"][: X.shape[1]]),
    "None": lambda X, rng: None,
    "a text": lambda X, rng: "X",
}


def _with_none(X: np.ndarray, rng: Rng) -> np.ndarray:
    changed = X.astype(object)
    changed[rng.random(X.shape) < 0.1] = None
    return changed


def _locked(X: np.ndarray) -> np.ndarray:
    X.flags.writeable = False
    return X


def _search(X: Any, rng: Rng) -> None:
    """Graph, linkage and refinement: valid trees, and no entropy above the start's."""
    import hypcse

    graph = hypcse.similarity_graph(X, n_neighbors=int(rng.choice([1, 3, 10])))
    start = hypcse.graph_linkage(graph)
    found = hypcse.refine(start, graph)
    check_tree(start, graph.n_vertices)
    check_tree(found, graph.n_vertices)
    before, after = (hypcse.structural_entropy(tree, graph) for tree in (start, found))
    expect(after <= before + 1e-9 * max(1, abs(before)), "wrong answer", f"entropy rose from {before} to {after}")
    whole = hypcse.join_components(found, graph, X if graph.n_vertices > 1 else None)
    check_tree(whole, graph.n_vertices)


def _fit(X: Any, rng: Rng) -> None:
    """The estimator: the same again, and by two threads."""
    import hypcse

    options: dict[str, Any] = {"n_neighbors": int(rng.choice([2, 10])), "random_state": int(rng.integers(5))}
    options["scale"] = str(rng.choice(["minmax", "standard", "rank", "none"]))
    models = [hypcse.EntropyClustering(n_jobs=n_jobs, **options).fit(X) for n_jobs in (1, 1, 2)]
    first = models[0]
    check_tree(first.tree_, len(first.labels_))
    expect(bool(np.isfinite(first.entropy_)), "wrong answer", f"the entropy is {first.entropy_}")
    for other, what in zip(models[1:], ("a second fit", "a fit with two threads"), strict=True):
        same = first.tree_ == other.tree_ and np.array_equal(first.labels_, other.labels_)
        expect(same, "wrong answer", f"{what} gives another answer")


def _run_method(X: Any, rng: Rng) -> None:
    """A method by name: the same seed, the same tree."""
    from hypcse import methods

    name, seed = str(rng.choice(METHODS)), int(rng.integers(5))
    trees = [methods.run(name, X, random_state=seed) for _ in range(2)]
    check_tree(trees[0], trees[0].n_leaves)
    expect(trees[0] == trees[1], "wrong answer", f"{name} gives another tree the second time")


def _from_edges(X: Any, rng: Rng) -> None:
    """Edges with weights of any size: a graph whose linkage and refinement work, or a refusal."""
    import hypcse

    n, m = int(rng.integers(1, 12)), int(rng.integers(1, 30))
    scales = [1.0, 1e-200, 1e200, 1e-308, 1e308, 5e-324, 0.0, -1.0, np.nan, np.inf]
    weights = rng.random(m) * rng.choice(scales, size=m, p=[0.6, 0.06, 0.06, *[0.04] * 7])
    ends = rng.integers(-1 if rng.random() < 0.1 else 0, n + (rng.random() < 0.1), size=(2, m))
    graph = hypcse.Graph.from_edges(ends[0], ends[1], weights, n)
    try:
        start = hypcse.graph_linkage(graph)
        found = hypcse.refine(start, graph)
        hypcse.levels(found, graph)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise Violation("wrong answer", f"a graph was accepted, and then: {last_lines(error)}") from error
    check_tree(found, n)
    before, after = (hypcse.structural_entropy(tree, graph) for tree in (start, found))
    expect(bool(np.isfinite(after)), "wrong answer", f"the entropy is {after}")
    expect(after <= before + 1e-9 * max(1, abs(before)), "wrong answer", f"entropy rose from {before} to {after}")


def _points(X: Any, rng: Rng) -> None:
    """`Points.of`, and a fit with labels to score."""
    import hypcse

    points = hypcse.Points.of(X)
    labels = rng.choice([2**31, 2**63 - 1, -1, 0, 5], size=points.n_points)
    model = hypcse.EntropyClustering(scale="none").fit(points)
    found = hypcse.score(model.tree_, graph=model.graph_, labels=labels)
    expect(all(np.isreal(value) for value in found.values()), "wrong answer", f"scores {found}")
    page = hypcse.view(model.tree_, labels=labels)
    expect("</html>" in page.html, "wrong answer", "the page is not whole")


def _new_points(X: Any, rng: Rng) -> None:
    """A fit of plain points, and odd new ones."""
    import hypcse

    model = hypcse.EntropyClustering().fit(np.random.default_rng(0).normal(size=(30, 2)))
    labels = model.predict(X)
    expect(set(np.unique(labels)) <= set(np.unique(model.labels_)), "wrong answer", "a label that no point has")


WAYS: dict[str, Callable[[Any, Rng], None]] = {
    "search": _search,
    "fit": _fit,
    "method": _run_method,
    "from_edges": _from_edges,
    "points": _points,
    "predict": _new_points,
}


def check_tree(tree: Any, n_leaves: int) -> None:
    """Raise unless a tree is valid, has all leaves, and comes back from Newick."""
    from hypcse import Tree

    expect(tree.n_leaves == n_leaves, "wrong answer", f"a tree of {tree.n_leaves} leaves for {n_leaves} points")
    expect(bool(np.isfinite(tree.height).all()), "wrong answer", "a tree with heights that are not finite")
    again = Tree(tree.parent, tree.height, tree.names)
    expect(again == tree and int(tree.sizes[tree.root]) == n_leaves, "wrong answer", "a tree that is not valid")
    expect(Tree.from_newick(tree.to_newick()).n_leaves == n_leaves, "wrong answer", "Newick loses leaves")


PART = Part("library", "odd inputs of the library", try_library, seconds=60, memory=4)
