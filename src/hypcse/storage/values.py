"""Codecs: how values are written to an archive, and checked when they are read."""

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
class Codec:
    """How to store a value: `encode` gives what an archive holds, `decode` the value again or a ValueError."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


def read_parts(kept: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """The values of a part of an archive that has exactly these names."""
    if not isinstance(kept, dict) or set(kept) != set(names):
        found = sorted(map(str, kept)) if isinstance(kept, dict) else kept
        raise ValueError(f"it holds {found!r:.160} instead of {', '.join(names)}")
    return tuple(kept[name] for name in names)


def decode_array(kept: Any, dtype: Any, ndim: int) -> NDArray[Any]:
    """A copy of an array of that type and number of dimensions, without NaN or infinity."""
    if not isinstance(kept, np.ndarray) or kept.dtype != dtype or kept.ndim != ndim:
        found = f"{kept.dtype} of shape {kept.shape}" if isinstance(kept, np.ndarray) else f"{kept!r:.60}"
        raise ValueError(f"it is {found} instead of an array of {np.dtype(dtype)} in {ndim} dimensions")
    check_finite("the array", kept)
    return kept.copy()


def array(dtype: Any, ndim: int) -> Codec:
    """The codec of an array."""
    return Codec(lambda value: np.asarray(value, dtype), lambda kept: decode_array(kept, dtype, ndim))


def or_none(codec: Codec) -> Codec:
    """The codec of a value that may be missing."""
    return Codec(
        lambda value: None if value is None else codec.encode(value),
        lambda kept: None if kept is None else codec.decode(kept),
    )


def _decode_number(kept: Any) -> float:
    if type(kept) is not float or not np.isfinite(kept):
        raise ValueError(f"it is {kept!r:.60} instead of a finite float")
    return kept


def _decode_names(kept: Any) -> NDArray[Any]:
    if not isinstance(kept, list) or not all(type(name) is str for name in kept):
        raise ValueError(f"it is {kept!r:.60} instead of a list of texts")
    return np.array(kept, dtype=object)


def _encode_tree(tree: Tree) -> dict[str, Any]:
    names = None if tree.names is None else list(tree.names)
    return {"parent": tree.parent, "height": tree.height, "names": names}


def _decode_tree(kept: Any) -> Tree:
    parent, height, names = read_parts(kept, ("parent", "height", "names"))
    if names is not None:
        names = tuple(_decode_names(names))
    return Tree(decode_array(parent, np.int64, 1), decode_array(height, np.float64, 1), names)


def _encode_graph(graph: Graph) -> dict[str, Any]:
    return {name: getattr(graph, name) for name in _ROWS}


def _decode_graph(kept: Any) -> Graph:
    given = [
        decode_array(part, dtype, 1) for part, dtype in zip(read_parts(kept, tuple(_ROWS)), _ROWS.values(), strict=True)
    ]
    indptr, indices = given[:2]
    graph = Graph(*given)
    # SciPy's compiled code trusts these; the rest is checked by building the graph again.
    if indptr[0] != 0 or (np.diff(indptr) < 0).any() or indptr[-1] != indices.size:
        raise ValueError("'indptr' does not mark the rows of 'indices'")
    if indices.size and (indices.min() < 0 or indices.max() >= graph.n_vertices):
        raise ValueError(f"'indices' names vertices outside 0 .. {graph.n_vertices - 1}")
    if Graph.from_scipy(graph.to_scipy()) != graph:
        raise ValueError("the rows are not those of a graph: ids ascending, no loops, weights equal both ways")
    return graph


_ROWS = {"indptr": np.int64, "indices": np.int32, "weights": np.float64, "self_weights": np.float64}


TREE = Codec(_encode_tree, _decode_tree)
GRAPH = Codec(_encode_graph, _decode_graph)
NAMES = Codec(lambda names: [str(name) for name in names], _decode_names)
NUMBER = Codec(float, _decode_number)
COUNT = Codec(int, lambda kept: check_count("it", kept, 0))
