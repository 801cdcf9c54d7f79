"""A worker or the client is killed in the middle of a round: the tree is the same, and at most a round is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from processes import Processes, processes

from hypcse import Graph, Tree, similarity_graph
from hypcse import graph_linkage as linkage_in_memory
from hypcse.dask import DistributedGraph, graph_linkage
from hypcse.dask.rounds import STATE

distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")

CLIENT = """
import sys
from distributed import Client
from hypcse.dask import DistributedGraph, graph_linkage

with Client(scheduler_file=sys.argv[1]) as client:
    graph = DistributedGraph.from_parquet(sys.argv[2])
    graph_linkage(graph, memory_limit=int(sys.argv[3]), checkpoint_dir=sys.argv[4], client=client)
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    with processes(tmp_path_factory.mktemp("notes")) as started:
        yield started


@pytest.fixture(scope="module")
def graph() -> Graph:
    rng = np.random.default_rng(0)
    return similarity_graph(rng.normal(size=(600, 4)) + 4 * rng.integers(0, 4, size=(600, 1)), n_neighbors=8)


def assert_same(found: Tree, expected: Tree) -> None:
    assert np.array_equal(found.parent, expected.parent)


def test_a_killed_client_goes_on_from_its_last_round(cluster: Processes, graph: Graph, tmp_path: Path) -> None:
    DistributedGraph.from_graph(graph, tmp_path / "graph", 3)
    limit, rounds = graph.n_edges // 6, tmp_path / "rounds"
    cluster.hold("a", "round-002")
    words = str(cluster.address), str(tmp_path / "graph"), str(limit), str(rounds)
    killed = cluster.start_client(CLIENT, *words)
    cluster.wait_for("a")
    killed.kill()
    killed.wait()
    cluster.let_go("a")
    assert {"round-000", "round-001", "round-002"} <= set(cluster.rounds())
    state = json.loads((rounds / STATE).read_text())
    assert state["round"] == 2
    stored = {path.name: path.stat().st_mtime_ns for path in rounds.glob("merges-*")}
    assert len(stored) == 2
    with distributed.Client(scheduler_file=str(cluster.address)) as client:
        # Another limit and another number of parts: the tree does not depend on them.
        again = DistributedGraph.from_graph(graph, tmp_path / "again", 2)
        tree = graph_linkage(again, memory_limit=limit - 20, checkpoint_dir=rounds, client=client)
    assert_same(tree, linkage_in_memory(graph))
    assert min(cluster.rounds()) == "round-002"
    assert stored.items() <= {path.name: path.stat().st_mtime_ns for path in rounds.glob("merges-*")}.items()


def test_a_killed_worker_costs_no_tree(cluster: Processes, graph: Graph, tmp_path: Path) -> None:
    cluster.rounds()
    cluster.hold("a", "round-001")
    limit = graph.n_edges // 6
    with ThreadPoolExecutor(1) as threads, distributed.Client(scheduler_file=str(cluster.address)) as client:
        client.wait_for_workers(2, timeout=60)
        parts = DistributedGraph.from_graph(graph, tmp_path, 3)
        running = threads.submit(graph_linkage, parts, "paris", memory_limit=limit, client=client)
        cluster.wait_for("a")
        cluster.running["a"].kill()
        tree = running.result(timeout=120)
        assert len(client.scheduler_info(n_workers=-1)["workers"]) == 1
    assert_same(tree, linkage_in_memory(graph, "paris"))
    assert max(cluster.rounds()) > "round-001"
