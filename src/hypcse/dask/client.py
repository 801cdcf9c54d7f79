"""Dask: which client does the work, how its workers get tasks, and which folders they share."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
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
"""Seconds to wait for a first worker."""


def current_client(client: distributed.Client | None = None) -> distributed.Client:
    """The client passed, or the one that was made last, once it has a worker; waits a minute for the first."""
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise ValueError("there is no Dask client. Make one, dask.distributed.Client(), or pass client=.") from None
    if not client.nthreads():
        try:
            client.wait_for_workers(1, timeout=WAIT)
        except TimeoutError:
            address = client.scheduler_info()["address"]
            raise ValueError(f"no worker came to {address} in {WAIT} seconds. Start a `dask worker`.") from None
    return client


def run_tasks(
    client: distributed.Client, function: Callable[..., Any], *arguments: Iterable[Any], **shared: Any
) -> Iterator[Any]:
    """Yield the results of a function for each tuple of arguments, in order; `shared` is the same for all."""
    # A task whose worker dies is run again by another, so it must write its files whole.
    task = partial(function, **shared)
    return _in_order(client, (client.submit(task, *values, pure=False) for values in zip(*arguments, strict=True)))


def run_blocks(
    client: distributed.Client,
    function: Callable[..., Any],
    rows: dask.array.Array,
    *arguments: Iterable[Any],
    **shared: Any,
) -> Iterator[Any]:
    """The same for each block of rows of an array: the function takes the block, its first row, and the arguments."""
    task = delayed(partial(function, **shared), pure=False)
    blocks = zip(rows.to_delayed().ravel(), first_rows(rows), *arguments, strict=True)
    return _in_order(client, (client.compute(task(*values)) for values in blocks))


def first_rows(rows: dask.array.Array) -> list[int]:
    """The row at which each block begins."""
    return [0, *np.cumsum(rows.chunks[0])[:-1].tolist()]


def _in_order(client: distributed.Client, tasks: Iterator[Any]) -> Iterator[Any]:
    """Results of tasks; few more are submitted at a time than there are threads, so that results do not pile up."""
    waiting = deque(islice(tasks, 2 * max(1, sum(client.nthreads().values()))))
    while waiting:
        result = waiting.popleft().result()
        waiting.extend(islice(tasks, 1))
        yield result


def shared_folder(folder: str | Path | None, client: distributed.Client) -> tuple[Path, Any]:
    """A folder that every worker sees; and what removes it again if it is a temporary one, else None."""
    if folder is not None:
        place = Path(folder).absolute()
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place, prefix=".seen-") as file:
            blind = [worker for worker, sees in client.run(os.path.isfile, file.name).items() if not sees]
        if blind:
            raise ValueError(f"the worker {blind[0]} does not see {place}. Name a folder on a shared disk.")
        return place, None
    addresses = client.scheduler_info(n_workers=-1)["workers"]
    if not all(address.startswith(("inproc://", "tcp://127.", "tls://127.", "tcp://[::1]")) for address in addresses):
        raise ValueError(f"workers of {client} may be on other machines. Name a folder that all of them see.")
    temporary = tempfile.TemporaryDirectory(prefix="hypcse-", ignore_cleanup_errors=True)
    return Path(temporary.name), temporary


@contextmanager
def work_folder(folder: str | Path | None, client: distributed.Client) -> Iterator[Path]:
    """A shared folder that is removed in the end if it is a temporary one."""
    place, temporary = shared_folder(folder, client)
    with temporary or nullcontext():
        yield place


@contextmanager
def scratch_folder(place: Path, name: str) -> Iterator[Path]:
    """A new folder in a place, removed in the end."""
    scratch = place / f"{name}-{secrets.token_hex(4)}"
    scratch.mkdir()
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
