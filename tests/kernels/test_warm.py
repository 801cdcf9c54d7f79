"""What is compiled, how often, and beforehand."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import types

from hypcse import EntropyClustering, Graph, graph_linkage, similarity_graph
from hypcse.kernels import warm
from hypcse.kernels.compile import _compiled, read_only
from hypcse.kernels.linkage.chains import follow_chain
from hypcse.kernels.search.communities import move_vertices
from hypcse.kernels.trees.sweep import lift_heights, subtree_minima, subtree_sums

# In a fresh cache: the kernels of `warm` are compiled, then a whole run names those of them that it compiles again.
SCRIPT = """
import numpy as np
from numba.core import event
from hypcse.kernels.warm import is_warm
from hypcse.kernels.warm import compile_later, examples

assert not is_warm()
compile_later()
assert is_warm()
known = {kernel.__name__ for kernel, _ in examples()}
compiled = []

class Listener(event.Listener):
    def on_start(self, event):
        if event.data["dispatcher"].__name__ in known:
            compiled.append(event.data["dispatcher"].__name__)

    def on_end(self, event):
        pass

event.register("numba:compile", Listener())
import hypcse
from hypcse.search.join import join_components
rng = np.random.default_rng(0)
y = np.repeat(np.arange(3), 20)
X = rng.normal(size=(60, 2)) + 30 * rng.normal(size=(3, 2))[y]
graph = hypcse.similarity_graph(X)
tree = join_components(hypcse.refine(hypcse.graph_linkage(graph), graph), graph, X)
found = hypcse.levels(tree, graph)
hypcse.stability(found, graph, X, n_resamples=1)
hypcse.beyond_chance(X)
hypcse.score(tree, graph=graph, labels=y)
hypcse.view(tree, "page.html", graph=graph, features=X, labels=y)
tree.to_newick()
print(sorted(compiled))
"""


def fresh(code: str, cache: object) -> str:
    """What a script prints in a process with a cache of its own."""
    env = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "NUMBA_NUM_THREADS": "1"}
    found = subprocess.run([sys.executable, "-c", code], cwd=str(cache), env=env, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


@pytest.mark.slow
def test_what_is_compiled_beforehand_is_what_a_run_needs(tmp_path):
    """A run compiles none of it again: the kinds of arguments are the same."""
    assert fresh(SCRIPT, tmp_path) == "[]"


@pytest.mark.slow
def test_a_second_process_compiles(tmp_path):
    """`warm_up` returns at once; some time later the kernels are there."""
    code = """
import time
from hypcse.kernels.warm import is_warm
from hypcse.kernels.warm import warm_up
begin = time.monotonic()
warm_up()
assert time.monotonic() - begin < 2 and not is_warm()
while not is_warm() and time.monotonic() - begin < 120:
    time.sleep(0.2)
print(is_warm())
"""
    assert fresh(code, tmp_path) == "True"


@pytest.fixture
def started(monkeypatch):
    """Processes that `warm_up` starts as in a program where nothing is compiled yet; none really runs."""
    words = []

    class Process:
        def __init__(self, given, **options):
            words.append(given)

    monkeypatch.setattr(warm, "_begun", False)
    monkeypatch.setattr(warm, "is_warm", lambda: False)
    monkeypatch.setattr(warm.subprocess, "Popen", Process)
    monkeypatch.setattr(warm.os, "sched_getaffinity", lambda pid: {0, 1}, raising=False)
    return words


@pytest.mark.parametrize(("quiet", "lines"), [("", [warm.FIRST_RUN]), ("1", [])])
def test_the_first_fit_says_so_and_starts_one_process(started, monkeypatch, capsys, quiet, lines):
    monkeypatch.setenv("HYPCSE_QUIET", quiet)
    X = np.random.default_rng(0).normal(size=(12, 2))
    for _ in range(2):
        EntropyClustering(n_neighbors=3).fit(X)
    assert [words[0] for words in started] == [sys.executable]
    assert capsys.readouterr().err.splitlines() == lines


@pytest.mark.parametrize(
    ("place", "name", "value"),
    [
        (sys, "frozen", True),
        (sys, "executable", "/usr/bin/an-app"),
        (sys, "executable", None),
        (warm, "parent_process", lambda: object()),
        (warm.os, "sched_getaffinity", lambda pid: {0}),
        (warm, "is_warm", lambda: True),
    ],
)
def test_no_process_where_it_would_not_help(started, monkeypatch, place, name, value):
    monkeypatch.setattr(place, name, value, raising=False)
    warm.warm_up()
    assert started == []


def test_a_process_that_cannot_be_started_is_no_fault(started, monkeypatch):
    def fail(*given, **options):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(warm.subprocess, "Popen", fail)
    warm.warm_up()


def test_reading_kernels_are_compiled_once():
    """Whether their arrays may be written or not; and the answer may be written in any case."""
    parent, values = np.array([3, 3, 4, 4, -1]), np.array([1.0, 2.0, 4.0, 0.0, 0.0])
    for given in (np.array, lambda array: read_only(array)[0]):
        sums = subtree_sums(given(parent), given(values))
        assert sums.tolist() == [1.0, 2.0, 4.0, 3.0, 7.0] and sums.flags.writeable
        assert lift_heights(given(parent), given(values)).tolist() == [1.0, 2.0, 4.0, 2.0, 4.0]
        assert subtree_minima(given(parent), given(np.array([3, 1, 2]))).tolist() == [3, 1, 2, 1, 1]
    # Minima of whole numbers are the other kind.
    for kernel, n_kinds in ((subtree_sums, 1), (lift_heights, 2)):
        assert len(_compiled(kernel.__wrapped__, parallel=False).signatures) == n_kinds


def test_linkage_is_compiled_once():
    """Whether its arrays may be written or not."""
    graph = similarity_graph(np.random.default_rng(0).normal(size=(40, 2)))
    for method in ("average", "paris", "multilevel"):
        graph_linkage(graph, method)
    in_lists = [kinds for kinds in follow_chain.signatures if kinds[1] is types.none]
    assert len(in_lists) == len(_compiled(move_vertices.__wrapped__, parallel=False).signatures) == 1


def test_views_cannot_be_written():
    given = np.zeros(3)
    (view,) = read_only(given)
    assert not view.flags.writeable and given.flags.writeable and np.shares_memory(view, given)


def test_live_segments_move_together():
    """A graph whose pool of edges fills up: its tree is that of the same graph with room to spare."""
    rng = np.random.default_rng(1)
    n = 400
    i, j = np.triu_indices(n, 1)
    kept = rng.random(i.size) < 0.2
    graph = Graph.from_edges(i[kept], j[kept], rng.random(int(kept.sum())) + 0.5, n)
    tree = graph_linkage(graph)
    order = rng.permutation(n)
    turned = graph_linkage(graph.subgraph(order)[0])
    places = np.argsort(order)
    pairs = rng.integers(n, size=(2, 500))
    assert tree.sizes[tree.lca(*pairs)].tolist() == turned.sizes[turned.lca(*places[pairs])].tolist()
