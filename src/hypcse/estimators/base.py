"""The base of all estimators: points in; a hierarchy and its derived attributes out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from hypcse._checks import check_count
from hypcse._choices import Bandwidth, Metric, Scale
from hypcse._memory import check_memory
from hypcse._notebook import ShowsItself
from hypcse._progress import Callback, show_fit
from hypcse._random import seed_of
from hypcse._threads import worker_threads
from hypcse.entropy import structural_entropy
from hypcse.estimators.attributes import FITTED, sizes_of_tree
from hypcse.estimators.memberships import Memberships
from hypcse.estimators.preparing import Prepared, prepare, take_points
from hypcse.graph import Graph
from hypcse.graph.similarity import GraphOptions
from hypcse.kernels.warm import warm_up
from hypcse.partitions.cuts import best_cut, merge_small
from hypcse.partitions.evidence import Structure
from hypcse.partitions.nested_levels import Levels, levels_and_main
from hypcse.partitions.outliers import measure, without_points
from hypcse.partitions.resampling import stability
from hypcse.storage.models import load_model, save_model
from hypcse.storage.values import Codec
from hypcse.tree import Tree
from hypcse.tree.flat import by_size

Attributes = dict[str, Any]


@contextmanager
def restore_on_failure(model: Any) -> Iterator[None]:
    """If a fit fails or is stopped, leave the model as it was."""
    before = dict(vars(model))
    try:
        yield
    except BaseException:
        model.__dict__ = before
        raise


class Saved(ShowsItself, BaseEstimator):
    """`save` and `load` of a fitted estimator.

    _stored : every fitted attribute that is stored, with its codec. What follows from the tree (linkage and its parts)
        is computed again.
    """

    _stored: dict[str, Codec]

    def save(self, folder: str | os.PathLike[str], overwrite: bool = False) -> Path:
        """Write the fitted model to a new folder, completely or not at all; a callback is not saved.

        Parameters
        ----------
        folder
            Where to write.
        overwrite
            Whether to replace a folder that `save` wrote before.

        Returns
        -------
        Path
            Where the model is: `folder`, or `folder`-2, with a warning, if another folder appeared there meanwhile.
        """
        return save_model(self, folder, overwrite)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Load a model that `save` wrote. Raises `ModelFileError` for any other folder. Runs no code from the folder.

        Parameters
        ----------
        folder
            The folder that `save` wrote.

        Returns
        -------
        Self
            The fitted model.
        """
        return load_model(cls, folder)

    @staticmethod
    def _filled(model: Any, values: Attributes) -> Attributes:
        """Attributes that an earlier version did not write, from the parameters and the attributes that were read."""
        seed = model.random_state if isinstance(model.random_state, int) else 0
        levels, labels = values.get("levels_"), values.get("labels_")
        if levels is not None and levels.main < 0:
            # Before 0.3 the main level was the one that the labels are.
            same = (k for k, level in enumerate(levels) if labels is not None and np.array_equal(level, labels))
            values["levels_"] = replace(levels, main=next(same, 0))
        return {"_seed": seed, "_kinds": None, "_metric": model.metric, "_outliers": None}

    @classmethod
    def _sizes(cls, values: Attributes) -> dict[str, bool]:
        """For each attribute that was read, whether it fits the others."""
        raise NotImplementedError

    def _keep(self, **values: Any) -> None:
        """Set the attributes of a fitted model."""
        for name, value in values.items():
            setattr(self, name, value)


class Fitting(Memberships, Saved):
    """`fit` of estimators that cluster without labels; they differ in `_grow`."""

    _stored = FITTED
    least_points = 1

    n_clusters: int | None
    min_cluster_size: int | None = None
    mark_outliers: bool = False
    n_neighbors: int
    bandwidth: Bandwidth
    scale: Scale
    metric: Metric
    random_state: Any
    callback: Callback | None
    n_jobs: int | None
    verbose: int
    tree_: Tree
    graph_: Graph
    labels_: NDArray[np.int64]
    levels_: Levels
    structure_: Structure
    _scaled: NDArray[np.float32] | None
    _reduction: NDArray[np.float64] | None
    _seed: int
    _stability: NDArray[np.float64] | None

    def fit(self, X: Any, y: object = None, graph: Any = None) -> Self:
        """Cluster points; y is ignored.

        Parameters
        ----------
        X
            Features (array, data frame, or sparse), a `Graph`, a networkx graph, a sparse symmetric affinity, an
            AnnData, `Points` (see `hypcse.read`); or with metric="precomputed" distances (square, condensed, sparse).
        y
            Ignored; present for scikit-learn compatibility.
        graph
            A graph over the rows of X, to use instead of their similarity graph.

        Returns
        -------
        Self
            The fitted model itself.

        Notes
        -----
        The index of a data frame and the nodes of a networkx graph name the leaves of `tree_`.
        """
        with restore_on_failure(self):
            self._fit(X, graph)
        return self

    def _fit(self, X: Any, graph: Any) -> None:
        seed = seed_of(self.random_state)
        options = GraphOptions.of(self)
        if self.min_cluster_size is not None:
            check_count("min_cluster_size", self.min_cluster_size, 1)
        self._check_parameters()
        points = take_points(self, X, graph, self.metric, self.least_points, seed)
        with worker_threads(self.n_jobs, points.n_points), show_fit(self) as callback:
            self._check_size(points.n_points)
            warm_up()
            ready = prepare(points, options)
            tree, grown = self._grow(ready, seed, callback)
            read = self._read(tree, ready, seed)
            self._keep(
                **{**read, "tree_": tree.with_names(points.names), "labels_": by_size(read["labels_"])},
                _scaler=ready.scaler,
                _scaled=ready.compared,
                bandwidth_=ready.bandwidth,
                _seed=seed,
                _kinds=ready.points.kinds,
                _metric=ready.metric,
                **grown,
            )

    def _read(self, tree: Tree, ready: Prepared, seed: int, former: NDArray[np.int64] | None = None) -> Attributes:
        """The attributes that are read off a tree and its graph; `former` labels as for `levels_and_main`."""
        structure = ready.structure(seed, self._reduction is not None)
        found = levels_and_main(tree, ready.graph, ready.telling(structure), structure=structure, former=former)
        nested = Levels(map(by_size, found), found.main)
        labels, outliers = self._labels(tree, ready.graph, found), None
        if self.mark_outliers:
            outliers = measure(ready.graph, ready.compared, labels, self.n_neighbors)
            labels = self._labels_without(outliers.marked(), labels, tree, ready, structure)
        return {
            "tree_": tree,
            "graph_": ready.graph,
            "labels_": labels,
            "levels_": nested,
            "structure_": structure,
            "entropy_": float(structural_entropy(tree, ready.graph)),
            "_stability": ready.stability(nested, seed),
            "_outliers": outliers,
        }

    def _check_parameters(self) -> None:
        """Raise for parameters that are wrong for any data."""

    def _check_size(self, n_points: int) -> None:
        """Raise if this many points do not fit into memory."""
        # Measured: the graph, its tree and the search, besides features and libraries.
        needed = n_points * (1000 + 100 * self.n_neighbors)
        check_memory(f"fitting {n_points:,} points", needed, "Lower n_neighbors, or cluster a sample.")

    def _grow(self, ready: Prepared, seed: int, callback: Callback | None) -> tuple[Tree, Attributes]:
        """The tree, and other attributes to keep."""
        raise NotImplementedError

    def _labels(self, tree: Tree, graph: Graph, levels: Levels) -> NDArray[np.int64]:
        if self.n_clusters is not None:
            check_count("n_clusters", self.n_clusters, 1, tree.n_leaves)
            return best_cut(tree, graph, n_clusters=self.n_clusters, min_size=self.min_cluster_size)
        return self._without_small(tree, graph, levels.flat)

    def _without_small(self, tree: Tree, graph: Graph, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        if self.min_cluster_size is None:
            return labels
        return merge_small(tree, graph, labels, self.min_cluster_size)

    def _labels_without(
        self, marked: NDArray[np.bool_], labels: NDArray[np.int64], tree: Tree, ready: Prepared, structure: Structure
    ) -> NDArray[np.int64]:
        """The labels as the tree without the outliers has them, and -1 for outliers."""
        tree, graph = without_points(tree, ready.graph, marked)
        X = None if ready.compared is None else ready.compared[~marked]
        labels = np.full(marked.size, -1)
        labels[~marked] = self._labels(tree, graph, levels_and_main(tree, graph, X, structure=structure))
        return labels

    def _keep(self, **values: Any) -> None:
        """Set the attributes of a fitted model, and those that follow from the tree."""
        super()._keep(**values)
        self.levels_ = Levels(self.levels_, self.levels_.main, self._stability, self.structure_)
        self.linkage_matrix_ = self.tree_.to_linkage() if self.tree_.n_leaves > 1 else np.empty((0, 4))
        self.children_ = self.linkage_matrix_[:, :2].astype(np.int64)
        self.distances_ = self.linkage_matrix_[:, 2]

    @property
    def stability_(self) -> list[float]:
        """How well each of the `levels_` comes back when a fifth of the edges are left out; see `stability`."""
        check_is_fitted(self)
        if self._stability is None:
            with worker_threads(self.n_jobs, self.tree_.n_leaves):
                measured = stability(self.levels_, self.graph_, self._scaled, scale="none", random_state=self._seed)
            self._stability = np.array(measured)
            self.levels_ = replace(self.levels_, stability=tuple(measured))
        return self._stability.tolist()

    @classmethod
    def _sizes(cls, values: Attributes) -> dict[str, bool]:
        return sizes_of_tree(values)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags
