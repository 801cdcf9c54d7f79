"""How the values of a training are written to an archive, and read from it only when they are what they should be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hypcse._checks import check_count, check_finite
from hypcse.graph import Graph
from hypcse.training.config import TrainingConfig
from hypcse.training.epoch import Losses, Networks
from hypcse.training.run import TrainingStep
from hypcse.training.typed import put_options, take_options
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


def _put_history(history: list[TrainingStep]) -> dict[str, Any]:
    """Columns; NaN for the entropy of an epoch that was not evaluated."""
    losses = [(step.losses.cse, step.losses.contrast, step.losses.centroid, step.losses.total) for step in history]
    entropy = [np.nan if step.entropy is None else step.entropy for step in history]
    return {
        "n_epochs": history[0].n_epochs if history else 0,
        "losses": np.array(losses, np.float64).reshape(-1, 4),
        "evaluated": np.flatnonzero(~np.isnan(entropy)),
        "entropy": np.array([step.entropy for step in history if step.entropy is not None], np.float64),
        "seconds": np.array([step.seconds for step in history], np.float64),
    }


def _take_history(kept: Any) -> list[TrainingStep]:
    n_epochs, *columns = parts_of(kept, ("n_epochs", "losses", "evaluated", "entropy", "seconds"))
    kinds = ((np.float64, 2), (np.int64, 1), (np.float64, 1), (np.float64, 1))
    losses, evaluated, entropy, seconds = (
        take_array(column, *kind) for column, kind in zip(columns, kinds, strict=True)
    )
    n_epochs = check_count("n_epochs", n_epochs, len(seconds))
    if losses.shape != (len(seconds), 4) or evaluated.shape != entropy.shape:
        raise ValueError("the columns of the history do not fit together")
    if evaluated.size and (evaluated[0] < 0 or evaluated[-1] >= len(seconds) or (np.diff(evaluated) < 1).any()):
        raise ValueError("the evaluated epochs are not among those of the history")
    found = dict(zip(evaluated.tolist(), entropy.tolist(), strict=True))
    rows = zip(losses.tolist(), seconds.tolist(), strict=True)
    return [TrainingStep(k + 1, n_epochs, Losses(*row), found.get(k), time) for k, (row, time) in enumerate(rows)]


def _put_state(state: dict[str, Tensor]) -> dict[str, NDArray[Any]]:
    return {name: value.detach().cpu().numpy() for name, value in state.items()}


def _take_state(kept: Any) -> dict[str, Tensor]:
    if not isinstance(kept, dict):
        raise ValueError(f"it is {kept!r:.60} instead of weights by name")
    # Cloned into memory of torch, whose alignment is always the same: sums may depend on it in the last bit.
    return {name: torch.from_numpy(_weights(value)).clone() for name, value in kept.items()}


def _weights(kept: Any) -> NDArray[np.float32]:
    return take_array(kept, np.float32, kept.ndim if isinstance(kept, np.ndarray) else 0)


def check_state(state: dict[str, Tensor], n_features: int, config: TrainingConfig) -> None:
    """Raise unless these are the weights of the networks of this configuration, which takes no memory to tell."""
    try:
        with torch.device("meta"):
            expected = Networks(n_features, config, torch.Generator()).state_dict()
    except (RuntimeError, TypeError, OverflowError) as error:
        raise ValueError(f"there are no networks of such sizes ({str(error).splitlines()[0]})") from None
    wrong = {name for name in expected if name not in state or state[name].shape != expected[name].shape}
    wrong |= state.keys() - expected.keys()
    if wrong:
        raise ValueError(
            f"the weights {min(wrong)!r:.60} are missing, too many, or of another shape than the networks'"
        )


TREE = Form(_put_tree, _take_tree)
GRAPH = Form(_put_graph, _take_graph)
HISTORY = Form(_put_history, _take_history)
STATE = Form(_put_state, _take_state)
NAMES = Form(lambda names: [str(name) for name in names], _take_names)
NUMBER = Form(float, _take_number)
COUNT = Form(int, lambda kept: check_count("it", kept, 0))
CONFIG = Form(
    lambda config: put_options(config.options(), TrainingConfig.hints()),
    lambda kept: TrainingConfig.from_options(**take_options(kept, TrainingConfig.hints())),
)
