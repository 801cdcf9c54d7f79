"""The processes that torchrun launches to train together: how they meet, what rank 0 does for all, how they end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import torch

from hypcse._threads import Place, launched_place

Result = TypeVar("Result")

MEETING = timedelta(minutes=10)
"""How long ranks wait for each other at the start of a fit."""
WAITING = timedelta(hours=2)
"""How long they wait after that, while rank 0 decodes and refines; the end of a process is noticed at once."""

_store: Any = None
_n_groups = 0


class RankFailed(RuntimeError):
    """Another rank failed, or did not come; its own message says why."""


@dataclass(frozen=True)
class Ranks:
    """The processes that train together, those on this machine, and the number of this one; alone, nothing is sent."""

    number: int = 0
    size: int = 1
    local_size: int = 1

    def first(self, work: Callable[[], Result]) -> Result:
        """The result of `work`, which rank 0 does for all; if it fails, all fail."""
        if self.size == 1:
            return work()
        message: list[Any] = [None, None]
        error: Exception | None = None
        if self.number == 0:
            try:
                message[1] = work()
            except Exception as failure:
                error, message[0] = failure, f"{type(failure).__name__}: {failure}".rstrip(": ")
        torch.distributed.broadcast_object_list(message, src=0)
        if error is not None:
            raise error
        if message[0] is not None:
            raise RankFailed(f"rank 0 failed, and rank {self.number} ends with it. It said: {message[0]}")
        return message[1]

    def check_same(self, facts: dict[str, Any]) -> None:
        """Raise on all ranks, naming what differs, unless all have the same facts."""
        all_facts = self.gather(facts)
        differing = sorted({name for other in all_facts for name in facts if other.get(name) != all_facts[0].get(name)})
        if differing:
            raise ValueError(
                f"the {self.size} ranks fit different things; what differs: {', '.join(differing)}. Give all ranks the "
                "same data, settings and whole number random_state, or unset WORLD_SIZE to fit alone in each."
            )

    def gather(self, value: Result) -> list[Result]:
        if self.size == 1:
            return [value]
        values: list[Any] = [None] * self.size
        torch.distributed.all_gather_object(values, value)
        return values

    @contextmanager
    def shared_threads(self) -> Iterator[None]:
        """Run kernels on this rank's share of the threads; when rank 0 works for all, it has all of them."""
        import numba

        before = numba.get_num_threads()
        try:
            numba.set_num_threads(max(1, before // self.local_size))
            yield
        finally:
            numba.set_num_threads(before)


ALONE = Ranks()


@contextmanager
def join_ranks(device: str) -> Iterator[tuple[Ranks, str]]:
    """The ranks of a fit, in the process group of the program or one of their own, and the device of this one."""
    place = launched_place()
    if place.size == 1:
        yield ALONE, device
        return
    own = own_device(device, place)
    on_gpu = torch.device(own).type == "cuda"
    owns_group = not torch.distributed.is_initialized()
    try:
        with torch.cuda.device(own) if on_gpu else nullcontext():
            if owns_group:
                _meet(place, on_gpu)
            yield Ranks(torch.distributed.get_rank(), torch.distributed.get_world_size(), place.local_size), own
    except BaseException as error:
        # NCCL may wait here for what the others never send; there the end of the process tells them.
        if owns_group and not on_gpu and torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()
        # Errors of gloo have no class of their own, but name its files.
        if isinstance(error, torch.distributed.DistError) or (type(error) is RuntimeError and "gloo" in str(error)):
            raise RankFailed(_lost_text(error, place)) from error
        raise
    if owns_group:
        torch.distributed.destroy_process_group()


def own_device(device: str, place: Place) -> str:
    """The device of a rank; a GPU named by its number is used as it is."""
    if device != "cuda":
        return device
    n_gpus = torch.cuda.device_count()
    if place.local_number >= n_gpus:
        raise ValueError(
            f"{place.local_size} ranks on this machine share {n_gpus} cards; each needs its own. "
            f"Pass --nproc-per-node {n_gpus} to torchrun, or device='cpu'."
        )
    return f"cuda:{place.local_number}"


def _meet(place: Place, on_gpu: bool) -> None:
    """Make the process group of this fit. Every fit has its own names in the store, which still knows earlier ones."""
    global _store, _n_groups
    distributed: Any = torch.distributed
    if _store is None:
        _store, _, _ = next(distributed.rendezvous("env://", place.number, place.size, timeout=MEETING))
    _n_groups += 1
    store = distributed.PrefixStore(f"hypcse-{_n_groups}", _store)
    store.set_timeout(MEETING)
    store.set(f"came-{place.number}", "")
    store.wait([f"came-{number}" for number in range(place.size)], MEETING)
    backend = "cpu:gloo,cuda:nccl" if on_gpu else "gloo"
    distributed.init_process_group(backend, store=store, rank=place.number, world_size=place.size, timeout=WAITING)


def _lost_text(error: BaseException, place: Place) -> str:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return (
        f"rank {place.number} of {place.size} lost the others: one of them failed, did not call fit, or took too "
        f"long ({reason}). See the first error among the ranks. To choose another limit, call "
        "torch.distributed.init_process_group(timeout=...) before fit."
    )
