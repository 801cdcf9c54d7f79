"""One cluster of two processes for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")


@pytest.fixture(scope="session")
def client() -> Iterator[object]:
    """A client of two processes with one thread each."""
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
