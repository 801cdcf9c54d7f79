"""Updates of a fitted model: rows that come and go, without a new fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from hypcse._checks import first_duplicate, warn
from hypcse._choices import Scale
from hypcse._progress import Callback, show_fit
from hypcse._threads import worker_threads
from hypcse.entropy import structural_entropy
from hypcse.estimators.base import Fitting, restore_on_failure
from hypcse.estimators.new_points import NewPoints
from hypcse.estimators.past import Past, Undo
from hypcse.estimators.preparing import Prepared, prepare
from hypcse.graph import Graph
from hypcse.graph.growing import Likeness, neighbor_pairs, with_points, without_points
from hypcse.graph.scaling import unscaled
from hypcse.graph.similarity import GraphOptions
from hypcse.partitions.following import NEW_ROW, Changes, keep_numbers
from hypcse.points import Points
from hypcse.points.convert import row_names
from hypcse.search.growing import attach_vertices, settle
from hypcse.search.join import join_components
from hypcse.tree import Tree
from hypcse.tree.checks import node_ids

if TYPE_CHECKING:
    import pandas

FAR = 5.0
"""A row that lies outside the range of a column by more than so many times this range gives the model a new scale."""
MOST_NEW = 0.5
"""With more new rows than this share of the old ones, the whole tree is searched."""
UNRATED = 0.05
"""Up to this share of rows that came or went, main level and structure are followed; beyond it they are found anew."""


class Living(NewPoints, Fitting):
    """`update`, `partial_fit` and `forget`, and what they changed.

    The graph stays the one that a fit on all rows held would make on the scale and with the width of the first fit. New
    leaves are placed where entropy rises least, and the tree is refined where it has changed. A cluster that is still
    the same one keeps its number.
    """

    refine: Any
    _past: Past

    def update(self, X: Any, names: Sequence[str] | None = None, graph: Any = None) -> Self:
        """Learn new rows without a new fit: the tree, the graph and the clusters take them in.

        Parameters
        ----------
        X
            New rows, in the columns that `fit` saw. For a model of a graph: the whole graph, its old vertices first and
            in their order (or by name, if the vertices have names), then the new ones. Edges may differ.
        names
            Names of the new rows, if the leaves have names. By default, the index of a data frame.
        graph
            For a model that was fitted with features and a graph: the graph over all rows, old ones first.

        Returns
        -------
        Self
            The model itself. If the update fails or is interrupted, the model is as it was.

        Notes
        -----
        See the guide "A tree that grows". `changes_` says what happened to the clusters.

        Examples
        --------
        >>> import hypcse
        >>> X, y = hypcse.datasets.load("optical-digits")
        >>> model = hypcse.EntropyClustering().fit(X[:1700])
        >>> model.update(X[1700:]).labels_.size
        1797
        """
        check_is_fitted(self)
        with restore_on_failure(self), worker_threads(self.n_jobs, self.tree_.n_leaves), show_fit(self) as callback:
            self._grow_by(X, names, graph, callback)
        return self

    def partial_fit(self, X: Any, y: object = None) -> Self:
        """Fit to the first rows, and learn further ones as `update` does; y is ignored.

        Parameters
        ----------
        X
            Rows.
        y
            Ignored; present for scikit-learn compatibility.

        Returns
        -------
        Self
            The model itself.
        """
        return self.update(X) if hasattr(self, "tree_") else self.fit(X)

    def forget(self, rows: ArrayLike) -> Self:
        """Remove rows. Those that stay move up: row k of the model is then the k-th of them, as with `numpy.delete`.

        Parameters
        ----------
        rows
            Numbers of rows, or a boolean mask with one value per row.

        Returns
        -------
        Self
            The model itself. If this fails or is interrupted, the model is as it was.

        Notes
        -----
        To forget exactly the rows that came last restores the graph, and the tree unless the present one is better.
        """
        check_is_fitted(self)
        stays = _others(rows, self.tree_.n_leaves)
        if stays.all():
            return self
        with restore_on_failure(self), worker_threads(self.n_jobs, self.tree_.n_leaves), show_fit(self) as callback:
            self._shrink_to(stays, callback)
        return self

    @property
    def changes_(self) -> pandas.DataFrame:
        """What the last `update` or `forget` did: a data frame with a row per cluster, by its number.

        `change` is "new", "split" (from another), "merged" (into another), "gone", "grown", "shrunk", "changed" (other
        rows, as many) or "same". The others are numbers of rows: `before` and `now`, those that `came` or were
        `forgotten`, and those that `moved in` and `moved out`; `from` lists the clusters they came from.
        """
        return self._last_changes().to_frame(self.labels_)

    @property
    def moved_(self) -> NDArray[np.int64]:
        """The rows that the last `update` or `forget` moved from one cluster to another."""
        return self._last_changes().moved(self.labels_)

    def _last_changes(self) -> Changes:
        check_is_fitted(self)
        if self._past.changes is None:
            raise AttributeError("nothing has changed yet. Call update or forget first.")
        return self._past.changes

    def _grow_by(self, X: Any, names: Sequence[str] | None, graph: Any, callback: Callback | None) -> None:
        n, whole = self.tree_.n_leaves, self._whole_graph(X, graph)
        points, named = self._all_rows(X, whole)
        n_all = self._count(points, whole)
        self._check_size(n_all)
        all_names = self._names_with(names, named, n_all - n)
        new = np.arange(n_all) >= n
        anew = whole is None and points is not None and _leaves_range(points[:n], points[n:], self._scale_kind())
        pushed = np.empty((0, 2), np.int64)
        if whole is not None:
            assert whole.graph is not None
            ready = self._prepared(points, whole.graph)
            changed = new | _differing(self.graph_, whole.graph)
        elif anew:
            ready, changed = self._prepared_anew(points), new
        else:
            assert points is not None
            growth = with_points(self.graph_, points, self._likeness())
            ready, pushed = self._prepared(points, growth.graph), growth.pushed
            changed = new | (np.bincount(pushed[:, 0], minlength=n_all) > 0)
        tree = attach_vertices(self.tree_, ready.graph)
        if anew or n_all - n > MOST_NEW * n:
            tree = self._searched(tree, ready, callback)
        else:
            tree = self._settled(tree, ready, changed, callback)
        changes = Changes(np.append(self.labels_, np.full(n_all - n, NEW_ROW)), np.zeros(0, np.int64))
        undo = None if anew else Undo(self.tree_.with_names(None), pushed)
        former = np.append(self.levels_[self.levels_.main], np.full(n_all - n, -1))
        self._take(tree.with_names(all_names), ready, changes, undo, former)

    def _all_rows(self, X: Any, whole: Points | None) -> tuple[NDArray[np.float32] | None, Sequence[str] | None]:
        """Old and new rows on the scale of the model, None for a graph alone; and what the data call the new ones."""
        if self._scaled is None:
            return None, None if whole is None or whole.names is None else whole.names[self.tree_.n_leaves :]
        return np.concatenate(self._on_scale(X)), X.names if isinstance(X, Points) else row_names(X)

    def _count(self, points: NDArray[np.float32] | None, whole: Points | None) -> int:
        """How many rows there are in all; raise if the graph has others."""
        n_rows = None if points is None else len(points)
        if whole is None:
            assert n_rows is not None
            return n_rows
        if n_rows is not None and whole.n_points != n_rows:
            raise ValueError(
                f"the graph has {whole.n_points} vertices, but with the new ones there are {n_rows} rows. Pass the "
                "graph over all of them, old ones first."
            )
        return whole.n_points

    def _shrink_to(self, stays: NDArray[np.bool_], callback: Callback | None) -> None:
        undo, labels = self._past.undo, self.labels_
        is_undo = undo is not None and np.array_equal(np.flatnonzero(stays), np.arange(undo.tree.n_leaves))
        points = None if self._scaled is None else self._scaled[stays]
        if self._past.own_graph or self._scaled is None:
            graph = self.graph_.subgraph(stays)[0]
        else:
            pushed = undo.pushed if undo is not None and is_undo else None
            graph = without_points(self.graph_, self._scaled, stays, self._likeness(), pushed)
        changed = np.zeros(stays.size, np.bool_)
        changed[neighbor_pairs(self.graph_, np.flatnonzero(~stays))[1]] = True
        ready, pruned = self._prepared(points, graph), self.tree_.prune(stays)
        tree = self._settled(pruned.with_names(None), ready, changed[stays], callback)
        if undo is not None and is_undo:
            tree = min(undo.tree, tree, key=lambda one: structural_entropy(one, graph))
        changes = Changes(labels[stays], np.bincount(labels[~stays & (labels >= 0)]))
        self._take(tree.with_names(pruned.names), ready, changes, None, self.levels_[self.levels_.main][stays])

    def _take(
        self, tree: Tree, ready: Prepared, changes: Changes, undo: Undo | None, former: NDArray[np.int64]
    ) -> None:
        """Read levels and clusters off the changed tree, and keep all of it."""
        past, n = self._past, tree.n_leaves
        n_unrated = past.n_unrated + max(abs(self.tree_.n_leaves - n), 1)
        follows = n_unrated <= UNRATED * n and ready.bandwidth == self.bandwidth_
        structure = self.structure_ if follows and self.structure_.found else None
        read = self._read(tree, ready, self._seed, former if follows else None, structure)
        n_numbers = max(past.n_numbers, int(self.labels_.max(initial=-1)) + 1)
        labels = keep_numbers(changes.before, read["labels_"], n_numbers)
        n_numbers = max(n_numbers, int(labels.max(initial=-1)) + 1)
        past = Past(past.own_graph, n_numbers, n_unrated if follows else 0, changes, undo)
        self._keep(
            **{**read, "labels_": labels},
            _scaler=ready.scaler,
            _scaled=ready.scaled,
            bandwidth_=ready.bandwidth,
            _past=past,
        )

    def _likeness(self) -> Likeness:
        if self.bandwidth_ is None or self._scaled is None:
            raise ValueError(
                "this model was fitted on distances, which are not kept, so it cannot be updated. Fit it on features."
            )
        return Likeness(self.n_neighbors, self.bandwidth_, self._metric)

    def _whole_graph(self, X: Any, graph: Any) -> Points | None:
        """The graph over all rows that an update of a model with a graph of its own needs; None for other models."""
        if not self._past.own_graph:
            if graph is not None:
                raise ValueError("the graph of this model is made from its rows. Omit graph=.")
            self._likeness()
            return None
        whole = X if self._scaled is None and graph is None else graph
        if whole is None:
            raise ValueError(
                "this model was fitted with a graph. Pass the graph over all rows, old ones first: graph=."
            )
        points = Points.of(whole)
        if points.graph is None:
            raise ValueError("this model was fitted on a graph. Pass the whole graph, its old vertices first.")
        old, n = self.tree_.names, self.tree_.n_leaves
        if points.n_points < n:
            raise ValueError(f"the graph has {points.n_points} vertices, fewer than the {n} of the model.")
        if old is None or points.names is None or points.names[:n] == old:
            return points
        place = {name: k for k, name in enumerate(points.names)}
        missing = next((name for name in old if name not in place), None)
        if missing is not None:
            raise ValueError(f"the graph has no vertex {missing!r}. Pass the whole graph; `forget` removes vertices.")
        return points.rows([place.pop(name) for name in old] + list(place.values()))

    def _names_with(
        self, names: Sequence[str] | None, named: Sequence[str] | None, n_new: int
    ) -> tuple[str, ...] | None:
        """The names of all leaves; of new ones those given, or else those found in the data."""
        old, new = self.tree_.names, named if names is None else tuple(map(str, names))
        if old is None:
            if names is not None:
                raise ValueError("names are given for the new rows, but the old ones have none. Omit names.")
            return None
        if new is None or len(new) != n_new:
            raise ValueError(
                f"the rows of this model have names. Pass names, one for each of the {n_new} new rows"
                f"{'' if new is None else f'; there are {len(new)}'}."
            )
        twice = first_duplicate((*old, *new))
        if twice is not None:
            raise ValueError(f"two rows are called {twice!r}; names must be unique. Forget the old row, or rename one.")
        return (*old, *new)

    def _prepared(self, points: NDArray[np.float32] | None, graph: Graph) -> Prepared:
        """Points and graph as the search takes them, on the scale of the first fit."""
        names = getattr(self, "feature_names_in_", None)
        given = Points(
            points,
            graph if self._past.own_graph else None,
            feature_names=None if names is None or self._reduction is not None or self._metric == "cosine" else names,
        )
        return Prepared(given, self._scaler, points, graph, self.bandwidth_, self._metric)

    def _prepared_anew(self, points: Any) -> Prepared:
        """The rows with scale, width and graph made anew."""
        warn(
            "the new rows lie so far outside the range of the old ones that scale and weights were made anew from all "
            "rows. Earlier distances and weights do not compare with the present ones."
        )
        assert self._scaler is not None
        options = replace(GraphOptions.of(self), scale=self._scale_kind(), metric=self._metric)
        names = getattr(self, "feature_names_in_", None)
        rows = Points(
            unscaled(self._scaler, points),
            feature_names=None if names is None or self._reduction is not None else names,
            kinds=self._kinds,
        )
        return prepare(rows, options)

    def _scale_kind(self) -> Any:
        """The scale of the rows, which may be another one than was asked for."""
        return None if self._scaler is None else self._scaler.kind

    def _searched(self, tree: Tree, ready: Prepared, callback: Callback | None) -> Tree:
        """The tree of a search over all of it, from this one and from those that `fit` starts from."""
        raise NotImplementedError

    def _settled(self, tree: Tree, ready: Prepared, changed: NDArray[np.bool_], callback: Callback | None) -> Tree:
        """The tree refined where it has changed."""
        if self.refine is not None and self.refine is not False:
            tree = settle(tree, ready.graph, changed, callback)
        if ready.scaled is None:
            return tree
        return join_components(tree, ready.graph, ready.scaled, scale="none", metric=ready.metric, bridges=True)


def _others(rows: ArrayLike, n: int) -> NDArray[np.bool_]:
    """The mask of the rows that are not listed; at least one."""
    listed = np.asarray(rows)
    stays = np.ones(n, np.bool_)
    if listed.dtype == np.bool_:
        if listed.shape != (n,):
            raise ValueError(f"rows is a mask of {listed.size} values for {n} rows.")
        stays = ~listed
    elif listed.size:
        stays[node_ids("rows", listed, n, "rows")] = False
    if not stays.any():
        raise ValueError(f"all {n} rows are to be forgotten; at least one must stay. Fit a new model instead.")
    return stays


def _leaves_range(old: NDArray[np.float32], new: NDArray[np.float32], scale: Scale) -> bool:
    """Whether new rows lie too far outside the range of a column, or of all columns if it is constant or not scaled."""
    low, high = old.min(axis=0).astype(np.float64), old.max(axis=0).astype(np.float64)
    width = high - low
    reach = FAR * np.where((width > 0) & (scale != "none"), width, width.max())
    return bool((new < low - reach).any() or (new > high + reach).any())


def _differing(before: Graph, after: Graph) -> NDArray[np.bool_]:
    """The vertices of a graph whose edges among its first vertices differ from those before."""
    n = before.n_vertices
    change = abs(after.subgraph(np.arange(n))[0].to_scipy() - before.to_scipy())
    changed = np.zeros(after.n_vertices, np.bool_)
    changed[:n] = change.max(axis=1).toarray().ravel() > 0
    return changed
