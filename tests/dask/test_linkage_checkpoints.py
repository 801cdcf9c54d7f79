"""The folder of rounds: whose it is, what it keeps, and what is refused."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hypcse import Graph
from hypcse import graph_linkage as linkage_in_memory
from hypcse._progress import Stopped
from hypcse.dask import graph_linkage
from hypcse.dask.rounds import STATE


def random_graph(seed: int, n: int = 60) -> Graph:
    rng = np.random.default_rng(seed)
    i, j = rng.integers(0, n, size=(2, 4 * n))
    return Graph.from_edges(i[i != j], j[i != j], rng.uniform(0.1, 1, np.count_nonzero(i != j)), n)


def test_a_stopped_linkage_goes_on(client: Any, tmp_path: Path) -> None:
    graph = random_graph(0)
    given = {"memory_limit": graph.n_edges // 2, "checkpoint_dir": tmp_path, "client": client}
    with pytest.raises(Stopped, match="merges done"):
        graph_linkage(graph, callback=lambda progress: True, **given)
    assert json.loads((tmp_path / STATE).read_text())["round"] == 1
    tree = graph_linkage(graph, **given)
    assert np.array_equal(tree.parent, linkage_in_memory(graph).parent)
    assert sum(json.loads((tmp_path / STATE).read_text())["entries"]) <= 2 * given["memory_limit"]
    assert len(list(tmp_path.glob("round-*"))) == 1


def test_rounds_of_other_work_are_refused(client: Any, tmp_path: Path) -> None:
    graph = random_graph(0)
    given = {"memory_limit": graph.n_edges // 2, "checkpoint_dir": tmp_path / "rounds", "client": client}
    graph_linkage(graph, **given)
    with pytest.raises(ValueError, match="another method: its method is average, not paris"):
        graph_linkage(graph, "paris", **given)
    with pytest.raises(ValueError, match="another graph"):
        graph_linkage(random_graph(1), **given)
    (tmp_path / "mine" / "round-1").mkdir(parents=True)
    with pytest.raises(ValueError, match="holds round-1, and no rounds"):
        graph_linkage(graph, memory_limit=graph.n_edges // 2, checkpoint_dir=tmp_path / "mine", client=client)
    assert (tmp_path / "mine" / "round-1").is_dir()
    with pytest.raises(ValueError, match="another graph: its degrees"):
        graph_linkage(graph.scaled(2.0), **given)


def test_nothing_is_left_behind(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    graph = random_graph(2)
    graph_linkage(graph, memory_limit=graph.n_edges // 3, client=client)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("method", ["average", "paris"])
def test_a_hub_larger_than_the_limit_is_linked(method: Any, client: Any) -> None:
    """Alone, as a star, and beside groups of which it is a neighbor of all."""
    leaves = np.arange(1, 60)
    star = Graph.from_edges(np.zeros_like(leaves), leaves)
    i, j, weight = random_graph(4).edges()
    hub = Graph.from_edges(np.append(i, np.full(59, 0)), np.append(j, leaves), np.append(weight, np.full(59, 0.01)))
    for graph, limit in ((star, 20), (hub, 45)):
        tree = graph_linkage(graph, method, memory_limit=limit, client=client)
        assert np.array_equal(tree.parent, linkage_in_memory(graph, method).parent)


def test_what_fits_is_linked_here_and_odd_options_are_refused() -> None:
    graph = random_graph(3)
    assert np.array_equal(graph_linkage(graph).parent, linkage_in_memory(graph).parent)
    with pytest.raises(ValueError, match="memory_limit=0"):
        graph_linkage(graph, memory_limit=0)
    with pytest.raises(ValueError, match="method='entropy'"):
        graph_linkage(graph, "entropy")  # type: ignore[arg-type]
