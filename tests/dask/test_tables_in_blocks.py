"""Tables that are read in blocks: the same scale, refusals and fingerprint as in memory, however rows are cut."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import dask.array as da
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import hypcse
from hypcse._choices import Scale
from hypcse.dask import DistributedGraph, fit, similarity_graph
from hypcse.dask.similarity import blocks, shards
from hypcse.dask.similarity.blocks import Columns, column_facts, join_columns
from hypcse.storage.files import hold_folder

TABLES = hnp.arrays(
    st.sampled_from([np.float32, np.float64]),
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=12),
    elements=st.floats(-1e6, 1e6, width=32),
)


def facts(X: np.ndarray, cuts: list[int]) -> Columns:
    """What is known of the columns of a table that is cut at these rows."""
    bounds = sorted({0, len(X), *(cut for cut in cuts if cut < len(X))})
    return join_columns(column_facts(X[first:last], first) for first, last in pairwise(bounds))


@given(TABLES, st.lists(st.integers(1, 11)), st.integers(1, 40))
def test_the_checksum_is_that_of_the_values_however_rows_are_cut(X: np.ndarray, cuts: list[int], tile: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "TILE", tile)
        found = facts(np.asfortranarray(X), cuts)
    for same in (X, X.astype(np.float64), np.where(X == 0, -X, X)):
        assert facts(same, []).checksum == found.checksum
    assert found.n_rows == len(X)
    np.testing.assert_array_equal([found.low, found.high], [X.min(axis=0), X.max(axis=0)])


@given(TABLES, st.data())
def test_whatever_changes_changes_the_checksum(X: np.ndarray, data: st.DataObject) -> None:
    """One value, by as little as can be; and two values, rows or columns that change places."""
    old = facts(X, []).checksum
    place = tuple(data.draw(st.integers(0, size - 1)) for size in X.shape)
    changed = X.copy()
    changed[place] = data.draw(st.one_of(st.just(np.nextafter(X[place], np.inf)), st.floats(-1e6, 1e6, width=32)))
    assert (facts(changed, []).checksum == old) == np.array_equal(changed, X)
    other = tuple(data.draw(st.integers(0, size - 1)) for size in X.shape)
    changed = X.copy()
    changed[place], changed[other] = X[other], X[place]
    assert (facts(changed, []).checksum == old) == np.array_equal(changed, X)
    for axis in (0, 1):
        turned = np.roll(X, data.draw(st.integers(1, 11)), axis=axis)
        assert (facts(turned, []).checksum == old) == np.array_equal(turned, X)


@pytest.mark.parametrize(
    "options",
    [{}, {"scale": "standard"}, {"scale": "rank"}, {"scale": "none"}, {"scale": "none", "metric": "cosine"}],
    ids=str,
)
def test_offsets_and_factors_count_as_little_as_in_memory(options: dict[str, Any], client: Any) -> None:
    """Columns that single precision would lose, beside one that it holds."""
    X = np.random.default_rng(0).integers(0, 2**20, (300, 4)) / 2**14
    if options.get("metric") != "cosine":
        X += [0, 1.7e9, 2**38, -1e6]
    if options.get("scale") != "none":
        X *= [1, 1, 1, 2.0**-900]
    memory = hypcse.similarity_graph(X, bandwidth="median", **options).to_scipy()
    rows = da.from_array(X, chunks=(70, 3))
    blocks = similarity_graph(rows, bandwidth="median", client=client, **options).to_graph().to_scipy()
    # Deviations are added up by block.
    assert abs(memory - blocks).max() <= (1e-5 if options.get("scale") == "standard" else 0)


def test_two_groups_a_minute_apart_are_two(client: Any) -> None:
    """As seconds since 1970, by which single precision tells two minutes apart."""
    X = 1.7e9 + 60 * np.arange(120)[:, None] % 120 + np.random.default_rng(0).random((120, 1))
    clustering = fit(da.from_array(X, chunks=(50, -1)), client=client)
    memory = hypcse.EntropyClustering().fit(X)
    for levels in (clustering.levels, memory.levels_):
        first = levels[0].compute() if hasattr(levels[0], "compute") else levels[0]
        assert np.array_equal(first, np.arange(120) % 2)


def test_what_is_missing_is_named_by_its_row(client: Any) -> None:
    X = np.random.default_rng(0).random((50, 3))
    dates = (X * 1e9).astype("M8[s]")
    assert similarity_graph(da.from_array(dates, chunks=(20, -1)), client=client).to_graph() == hypcse.similarity_graph(
        dates.astype(np.float64)
    )
    dates[33, 2] = "NaT"
    with pytest.raises(ValueError, match=r"NaT at \(33, 2\)"):
        similarity_graph(da.from_array(dates, chunks=(20, -1)), client=client)
    hidden = da.from_array(np.ma.masked_array(X, mask=np.arange(150).reshape(50, 3) == 101), chunks=(20, 2))
    for call in (similarity_graph, fit):
        with pytest.raises(ValueError, match="values of X are masked"):
            call(hidden, client=client)
    shown = da.ma.masked_array(da.from_array(X, chunks=(20, 2)), mask=False)
    assert similarity_graph(shown, client=client).to_graph() == hypcse.similarity_graph(X)


def test_a_folder_is_that_of_one_table(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even of one with the same minima, maxima, means and sampled rows; other blocks are the same table."""
    monkeypatch.setattr(shards, "LEAST_SAMPLE", 10)
    X = np.random.default_rng(0).random((300, 2))
    options: dict[str, Any] = {"folder": tmp_path, "client": client}
    expected = similarity_graph(da.from_array(X, chunks=(100, -1)), **options)
    assert similarity_graph(da.from_array(X, chunks=(70, 1)), **options).to_graph() == expected.to_graph()
    first, second = np.setdiff1d(np.argsort(X[:, 0])[1:-1], shards.Options(random_state=0).sampled(300, 2))[:2]
    X[[first, second], 0] = X[[second, first], 0]
    with pytest.raises(ValueError, match="another table"):
        similarity_graph(da.from_array(X, chunks=(100, -1)), **options)


def test_a_folder_that_another_run_holds_is_refused(client: Any, tmp_path: Path) -> None:
    """In one line that names the run, before anything is written."""
    X = np.random.default_rng(0).random((60, 2))
    graph = hypcse.similarity_graph(X)
    DistributedGraph.from_graph(graph, tmp_path / "edges")
    doors: list[Callable[[Path], Any]] = [
        lambda folder: fit(X, folder=folder, client=client),
        lambda folder: similarity_graph(X, folder=folder, client=client),
        lambda folder: DistributedGraph.from_graph(graph, folder),
        lambda folder: DistributedGraph.from_parquet(
            tmp_path / "edges" / "part-00000.parquet", folder=folder, client=client
        ),
    ]
    for number, door in enumerate(doors):
        folder = tmp_path / str(number)
        with hold_folder(folder), ThreadPoolExecutor(1) as others:
            before = list(folder.iterdir())
            with pytest.raises(ValueError, match=r"another run writes into .* \(process \d+ on .*, since .* UTC\)"):
                others.submit(door, folder).result()
            assert list(folder.iterdir()) == before
        door(folder)
        assert not list(folder.glob(".*"))


@pytest.mark.parametrize("scale", get_args(Scale))
def test_values_beyond_single_precision(scale: Any, client: Any) -> None:
    X = np.random.default_rng(0).random((90, 2)) * [1e300, 1]
    rows = da.from_array(X, chunks=(40, -1))
    if scale == "none":
        with pytest.raises(ValueError, match=r"column 0 of X reaches from .* too far for float32"):
            similarity_graph(rows, scale=scale, client=client)
        return
    memory, blocks = hypcse.similarity_graph(X, scale=scale), similarity_graph(rows, scale=scale, client=client)
    assert abs(memory.to_scipy() - blocks.to_graph().to_scipy()).max() <= (1e-5 if scale == "standard" else 0)
