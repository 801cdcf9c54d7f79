"""Dask: which client does the work, and how tasks are given to it."""

from __future__ import annotations

import os
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

try:
    import dask.array
    import dask.dataframe
    import distributed
    import pyarrow  # noqa: F401
    from dask.delayed import delayed
except ImportError as error:
    raise ImportError(f'clusters need dask, distributed and pyarrow ({error}): pip install "hypcse[dask]".') from None

WAIT = 60
"""Seconds that a first worker is waited for."""


def current_client(client: distributed.Client | None = None) -> distributed.Client:
    """The client given, or the current one, when it has a worker; waits a minute for the first.

    Parameters
    ----------
    client
        A `distributed.Client`, or None for the one that was made last.

    Returns
    -------
    distributed.Client
        The client that does the work.

    Examples
    --------
    >>> with distributed.Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     current_client() is client
    True
    """
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise ValueError(
                "there is no Dask client. Make one with dask.distributed.Client(threads_per_worker=1), or pass "
                "client=Client('tcp://host:8786')."
            ) from None
    _wait_for_worker(client)
    return client


def _wait_for_worker(client: distributed.Client) -> None:
    """Return when there is a worker; raise where none comes."""
    if client.nthreads():
        return
    try:
        client.wait_for_workers(1, timeout=WAIT)
    except TimeoutError:
        address = client.scheduler_info()["address"]
        raise ValueError(
            f"no worker came to {address} in {WAIT} seconds. Start some with `dask worker {address}`, or wait until "
            "those of your cluster run."
        ) from None


def run_tasks(client: distributed.Client, function: Callable[..., Any], *arguments: Iterable[Any]) -> Iterator[Any]:
    """What a function answers for each tuple of arguments, in their order, computed by the workers side by side.

    A task whose worker dies is run again by another, so a task must write its files whole.
    """
    tasks = zip(*arguments, strict=True)
    return _in_order(client, (client.submit(function, *values, pure=False) for values in tasks))


def run_blocks(
    client: distributed.Client, function: Callable[..., Any], rows: dask.array.Array, *arguments: Iterable[Any]
) -> Iterator[Any]:
    """The same for each block of rows of an array: the function takes the block, its first row, and the arguments."""
    blocks, task = rows.to_delayed().ravel(), delayed(function, pure=False)
    tasks = zip(blocks, first_rows(rows), *arguments, strict=True)
    return _in_order(client, (client.compute(task(*values)) for values in tasks))


def first_rows(rows: dask.array.Array) -> list[int]:
    """The row at which each block begins."""
    return [0, *np.cumsum(rows.chunks[0])[:-1].tolist()]


def _in_order(client: distributed.Client, tasks: Iterator[Any]) -> Iterator[Any]:
    """Answers of tasks; a few more are given out at a time than there are threads, so that answers do not pile up."""
    ahead = 2 * max(1, sum(client.nthreads().values()))
    waiting = deque(islice(tasks, ahead))
    while waiting:
        answer = waiting.popleft().result()
        waiting.extend(islice(tasks, 1))
        yield answer


def shared_folder(folder: str | Path | None, client: distributed.Client) -> tuple[Path, Any]:
    """A folder that every worker sees, and what removes it again where it is a temporary one.

    Workers on this machine see its temporary folders; others need a folder that is named.
    """
    if folder is not None:
        place = Path(folder).absolute()
        place.mkdir(parents=True, exist_ok=True)
        _check_seen(place, client)
        return place, None
    if not _is_local(client):
        raise ValueError(
            f"the workers of {client} may be on other machines. Pass folder= (checkpoint_dir= of "
            "graph_linkage), a folder that this program and all workers see under the same name."
        )
    kept = tempfile.TemporaryDirectory(prefix="hypcse-", ignore_cleanup_errors=True)
    return Path(kept.name), kept


def _check_seen(place: Path, client: distributed.Client) -> None:
    """Raise unless every worker sees a file in the folder."""
    with tempfile.NamedTemporaryFile(dir=place, prefix=".seen-") as file:
        blind = [worker for worker, sees in client.run(os.path.isfile, file.name).items() if not sees]
    if blind:
        raise ValueError(
            f"{place} is not there for the worker {blind[0]}. Name a folder that all workers see under the same name, "
            "such as one on a shared disk."
        )


def _is_local(client: distributed.Client) -> bool:
    """Whether all workers are processes or threads of this machine, as their addresses tell."""
    addresses = client.scheduler_info(n_workers=-1)["workers"]
    return all(address.startswith(("inproc://", "tcp://127.", "tls://127.", "tcp://[::1]")) for address in addresses)
