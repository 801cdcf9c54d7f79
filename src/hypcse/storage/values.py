"""Codecs: how values are written to an archive, and checked when they are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count, check_finite
from hypcse.graph import Graph
from hypcse.graph.graph import ROWS
from hypcse.tree import Tree


@dataclass(frozen=True)
class Codec:
    """How to store a value: `decode` gives it again or a ValueError; `fits` looks at the other values of its model."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]
    fits: Callable[[Any, dict[str, Any]], bool] = lambda value, model: True

    def where(self, fits: Callable[[Any, dict[str, Any]], bool]) -> Codec:
        """The codec of a value that fits its model only so, or is None."""
        return replace(self, fits=lambda value, model: value is None or fits(value, model))


def read_parts(stored: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """The values of a part of an archive that has exactly these names."""
    if not isinstance(stored, dict) or set(stored) != set(names):
        actual = sorted(map(str, stored)) if isinstance(stored, dict) else stored
        raise ValueError(f"it holds {actual!r:.160} instead of {', '.join(names)}")
    return tuple(stored[name] for name in names)


def decode_array(stored: Any, dtype: Any, ndim: int) -> NDArray[Any]:
    """A copy of an array of that type and number of dimensions, without NaN or infinity."""
    if not isinstance(stored, np.ndarray) or stored.dtype != dtype or stored.ndim != ndim:
        actual = f"{stored.dtype} of shape {stored.shape}" if isinstance(stored, np.ndarray) else f"{stored!r:.60}"
        raise ValueError(f"it is {actual} instead of an array of {np.dtype(dtype)} in {ndim} dimensions")
    check_finite("the array", stored)
    return stored.copy()


def array(dtype: Any, ndim: int) -> Codec:
    return Codec(lambda value: np.asarray(value, dtype), lambda stored: decode_array(stored, dtype, ndim))


def or_none(codec: Codec) -> Codec:
    """The codec of a value that may be missing."""
    return Codec(
        lambda value: None if value is None else codec.encode(value),
        lambda stored: None if stored is None else codec.decode(stored),
    )


def _decode_number(stored: Any) -> float:
    if type(stored) is not float or not np.isfinite(stored):
        raise ValueError(f"it is {stored!r:.60} instead of a finite float")
    return stored


def _decode_names(stored: Any) -> NDArray[Any]:
    if not isinstance(stored, list) or not all(type(name) is str for name in stored):
        raise ValueError(f"it is {stored!r:.60} instead of a list of texts")
    return np.array(stored, dtype=object)


def _encode_tree(tree: Tree) -> dict[str, Any]:
    names = None if tree.names is None else list(tree.names)
    joined_from = tree.joined_from if np.isfinite(tree.joined_from) else None
    return {"parent": tree.parent, "height": tree.height, "names": names, "unit": tree.unit, "joined_from": joined_from}


def _decode_tree(stored: Any) -> Tree:
    # Trees of hypcse 0.2 do not say what their heights measure.
    stored = {"unit": None, "joined_from": None, **stored} if isinstance(stored, dict) else stored
    parent, height, names, unit, joined_from = read_parts(stored, ("parent", "height", "names", "unit", "joined_from"))
    if names is not None:
        names = tuple(_decode_names(names))
    joined_from = np.inf if joined_from is None else _decode_number(joined_from)
    return Tree(decode_array(parent, np.int64, 1), decode_array(height, np.float64, 1), names, unit, joined_from)


def _decode_graph(stored: Any) -> Graph:
    parts = zip(read_parts(stored, tuple(ROWS)), ROWS.values(), strict=True)
    graph = Graph(*(decode_array(part, dtype, 1) for part, dtype in parts))
    indptr, indices = graph.indptr, graph.indices
    # SciPy's compiled code trusts these, so they are checked before the graph is built again.
    safe = indptr[0] == 0 and (np.diff(indptr) >= 0).all() and indptr[-1] == indices.size
    safe = safe and indices.min(initial=0) >= 0 and indices.max(initial=-1) < graph.n_vertices
    if not safe or Graph.from_scipy(graph.to_scipy()) != graph:
        raise ValueError("the rows are not those of a graph: ids ascending, no loops, weights equal both ways")
    return graph


TREE = Codec(_encode_tree, _decode_tree)
GRAPH = Codec(lambda graph: {name: getattr(graph, name) for name in ROWS}, _decode_graph)
NAMES = Codec(lambda names: [str(name) for name in names], _decode_names)
NUMBER = Codec(float, _decode_number)
COUNT = Codec(int, lambda stored: check_count("it", stored, 0))
