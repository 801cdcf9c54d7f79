"""A graph in files equals the graph in memory, however its edges came and were partitioned."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import distributed
import numpy as np
import pandas as pd
import pytest

from hypcse import Graph
from hypcse.dask import DistributedGraph
from hypcse.dask import client as hypcse_client
from hypcse.dask.client import current_client
from hypcse.dask.edge_files import Edges


def some_edges(n: int = 60, m: int = 90) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Edges with doubles in both directions, loops, a zero and vertices without any."""
    rng = np.random.default_rng(3)
    i, j, w = rng.integers(0, n, m), rng.integers(0, n, m), rng.uniform(0.1, 1, m)
    w[5] = 0.0
    return np.append(i, [1, 2, 1]), np.append(j, [2, 1, 2]), np.append(w, [0.1, 0.7, 1e-9])


def same_arrays(result: Graph, expected: Graph) -> None:
    assert np.array_equal(result.indptr, expected.indptr) and np.array_equal(result.indices, expected.indices)
    np.testing.assert_allclose(result.weights, expected.weights, rtol=1e-14)
    np.testing.assert_allclose(result.self_weights, expected.self_weights, rtol=1e-14)


@pytest.mark.parametrize("n_parts", [1, 2, 7, 500])
def test_to_files_and_back_is_the_same_graph(n_parts: int, tmp_path: Path) -> None:
    graph = Graph.from_edges(*some_edges(), n=70)
    result = DistributedGraph.from_graph(graph, tmp_path, n_parts)
    again = DistributedGraph.from_parquet(tmp_path)
    assert result.n_parts == again.n_parts == min(n_parts, 70)
    assert result.bounds[0] == 0 and result.bounds[-1] == 70 and (np.diff(result.bounds) >= 0).all()
    assert again.to_graph() == result.to_graph() == graph
    assert (again.n_vertices, again.n_edges, again.volume) == (70, graph.n_edges, graph.volume)
    assert np.array_equal(again.degrees, graph.degrees)
    for part in range(again.n_parts):
        edges = Edges.read(again.part_paths[part])
        assert ((edges.source >= again.bounds[part]) & (edges.source < again.bounds[part + 1])).all()
        assert edges.source.size == again.part_entries[part]


@pytest.mark.parametrize("n_parts", [1, 3])
def test_edges_of_a_parquet_file_are_merged_as_in_memory(n_parts: int, tmp_path: Path, client: Any) -> None:
    i, j, w = some_edges()
    pd.DataFrame({"source": i, "target": j, "weight": w}).to_parquet(tmp_path / "edges.parquet", row_group_size=20)
    result = DistributedGraph.from_parquet(tmp_path / "edges.parquet", 70, n_parts=n_parts, client=client)
    graph = result.to_graph()
    same_arrays(graph, Graph.from_edges(i, j, w, n=70))
    mirror = graph.to_scipy() - graph.to_scipy().T
    assert abs(mirror).max() == 0
    assert np.array_equal(result.degrees, graph.degrees)
    assert result.n_parts == n_parts and not (result.folder / "moved").exists()


def test_a_graph_that_was_half_replaced_is_not_read(
    tmp_path: Path, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "g"
    DistributedGraph.from_graph(Graph.from_edges(*some_edges()), place, 3)
    with monkeypatch.context() as patched:
        patched.setattr("hypcse.dask.distributed_graph.write_metadata", None)
        with pytest.raises(TypeError):
            DistributedGraph.from_graph(Graph.from_edges([0, 1], [1, 2]), place, 2)
    with pytest.raises(ValueError, match="whose making was stopped"):
        DistributedGraph.from_parquet(place, client=client)
    again = Graph.from_edges([0, 1], [1, 2])
    DistributedGraph.from_graph(again, place, 2)
    assert DistributedGraph.from_parquet(place).to_graph() == again


def test_edges_are_not_replaced_by_parts(tmp_path: Path, client: Any) -> None:
    for name in ("part-00000.parquet", "a.parquet"):
        place = tmp_path / name[0]
        place.mkdir()
        pd.DataFrame({"source": [0], "target": [1]}).to_parquet(place / name)
        with pytest.raises(ValueError, match="Name another folder"):
            DistributedGraph.from_parquet(place, folder=place, client=client)
    with pytest.raises(ValueError, match="Name another folder"):
        DistributedGraph.from_parquet(tmp_path / "p" / "part-00000.parquet", folder=tmp_path / "p", client=client)
    assert len(list((tmp_path / "p").iterdir())) == 1


def test_components_are_those_in_memory(tmp_path: Path, client: Any) -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 400, 250), rng.integers(0, 400, 250), n=400)
    assert graph.components().max() > 20
    for n_parts in (1, 4):
        result = DistributedGraph.from_graph(graph, tmp_path / str(n_parts), n_parts)
        assert np.array_equal(result.components(client), graph.components())


def test_a_temporary_folder_goes_with_its_graph(tmp_path: Path, client: Any) -> None:
    pd.DataFrame({"target": [1, 2], "source": [0, 1], "kind": "a"}).to_parquet(tmp_path / "edges.parquet")
    result = DistributedGraph.from_parquet(tmp_path)
    folder = result.folder
    assert folder.is_dir()
    del result
    assert not folder.exists()


def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, client: Any) -> None:
    pd.DataFrame({"source": [0, -1], "target": [1, 2]}).to_parquet(tmp_path / "below.parquet")
    with pytest.raises(ValueError, match="below 0"):
        DistributedGraph.from_parquet(tmp_path / "below.parquet")
    pd.DataFrame({"from": [0], "target": [1]}).to_parquet(tmp_path / "named.parquet")
    with pytest.raises(ValueError, match="no column 'source'"):
        DistributedGraph.from_parquet(tmp_path / "named.parquet")
    pd.DataFrame({"source": [0], "target": [9]}).to_parquet(tmp_path / "far.parquet")
    with pytest.raises(ValueError, match="vertex 9"):
        DistributedGraph.from_parquet(tmp_path / "far.parquet", 5)
    (tmp_path / "text.parquet").write_text("no")
    with pytest.raises(ValueError, match="damaged or not a Parquet file"):
        DistributedGraph.from_parquet(tmp_path / "text.parquet")


def test_what_is_not_installed_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r'pip install "hypcse\[dask\]"'):
        runpy.run_path(str(Path(hypcse_client.__file__)))


def test_workers_import_no_torch(client: Any) -> None:
    assert not any(client.run(lambda: "torch" in sys.modules).values())


def test_the_current_client_is_taken(client: Any) -> None:
    assert current_client() is client
    assert current_client(client) is client


def test_a_cluster_without_workers_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    options: dict[str, Any] = {"n_workers": 0, "processes": False, "dashboard_address": ":0", "set_as_default": False}
    monkeypatch.setattr("hypcse.dask.client.WAIT", 0.1)
    with distributed.Client(**options) as empty:
        with pytest.raises(ValueError, match=r"no worker came to .* in 0.1 seconds"):
            current_client(empty)
        empty.cluster.scale(1)
        monkeypatch.setattr("hypcse.dask.client.WAIT", 30)
        assert current_client(empty) is empty and len(empty.nthreads()) == 1
