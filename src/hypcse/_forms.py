"""How values are written to an archive, and read from it only when they are what they should be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count, check_finite
from hypcse.graph import Graph
from hypcse.tree import Tree


@dataclass(frozen=True)
class Form:
    """A way to write a value down: `put` gives what an archive holds, `take` the value again or a ValueError."""

    put: Callable[[Any], Any]
    take: Callable[[Any], Any]


def parts_of(kept: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """The values of a part of an archive that has exactly these names."""
    if not isinstance(kept, dict) or set(kept) != set(names):
        found = sorted(map(str, kept)) if isinstance(kept, dict) else kept
        raise ValueError(f"it holds {found!r:.160} instead of {', '.join(names)}")
    return tuple(kept[name] for name in names)


def take_array(kept: Any, dtype: Any, ndim: int) -> NDArray[Any]:
    """A copy of an array of that type and number of dimensions, without NaN or infinity."""
    if not isinstance(kept, np.ndarray) or kept.dtype != dtype or kept.ndim != ndim:
        found = f"{kept.dtype} of shape {kept.shape}" if isinstance(kept, np.ndarray) else f"{kept!r:.60}"
        raise ValueError(f"it is {found} instead of an array of {np.dtype(dtype)} in {ndim} dimensions")
    check_finite("the array", kept)
    return kept.copy()


def array(dtype: Any, ndim: int) -> Form:
    """The form of an array."""
    return Form(lambda value: np.asarray(value, dtype), lambda kept: take_array(kept, dtype, ndim))


def or_none(form: Form) -> Form:
    """The form of a value that may be missing."""
    return Form(
        lambda value: None if value is None else form.put(value),
        lambda kept: None if kept is None else form.take(kept),
    )


def _take_number(kept: Any) -> float:
    if type(kept) is not float or not np.isfinite(kept):
        raise ValueError(f"it is {kept!r:.60} instead of a finite number with a point")
    return kept


def _take_names(kept: Any) -> NDArray[Any]:
    if not isinstance(kept, list) or not all(type(name) is str for name in kept):
        raise ValueError(f"it is {kept!r:.60} instead of a list of texts")
    return np.array(kept, dtype=object)


def _put_tree(tree: Tree) -> dict[str, Any]:
    names = None if tree.names is None else list(tree.names)
    return {"parent": tree.parent, "height": tree.height, "names": names}


def _take_tree(kept: Any) -> Tree:
    parent, height, names = parts_of(kept, ("parent", "height", "names"))
    if names is not None:
        names = tuple(_take_names(names))
    return Tree(take_array(parent, np.int64, 1), take_array(height, np.float64, 1), names)


def _put_graph(graph: Graph) -> dict[str, Any]:
    return {name: getattr(graph, name) for name in _ROWS}


def _take_graph(kept: Any) -> Graph:
    given = [
        take_array(part, dtype, 1) for part, dtype in zip(parts_of(kept, tuple(_ROWS)), _ROWS.values(), strict=True)
    ]
    indptr, indices = given[:2]
    graph = Graph(*given)
    # SciPy's compiled code trusts these; what else makes a graph is checked by building it again.
    if indptr[0] != 0 or (np.diff(indptr) < 0).any() or indptr[-1] != indices.size:
        raise ValueError("'indptr' does not mark the rows of 'indices'")
    if indices.size and (indices.min() < 0 or indices.max() >= graph.n_vertices):
        raise ValueError(f"'indices' names vertices outside 0 .. {graph.n_vertices - 1}")
    if Graph.from_scipy(graph.to_scipy()) != graph:
        raise ValueError("the rows are not those of a graph: ids ascending, no loops, weights equal both ways")
    return graph


_ROWS = {"indptr": np.int64, "indices": np.int32, "weights": np.float64, "self_weights": np.float64}


TREE = Form(_put_tree, _take_tree)
GRAPH = Form(_put_graph, _take_graph)
NAMES = Form(lambda names: [str(name) for name in names], _take_names)
NUMBER = Form(float, _take_number)
COUNT = Form(int, lambda kept: check_count("it", kept, 0))
