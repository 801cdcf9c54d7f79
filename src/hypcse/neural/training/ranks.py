"""The processes that train together: how they meet, what rank 0 does for all, and how all of them end.

Only processes that torchrun launched meet, or others with the same variables. Everything that leaves a process goes
through torch.distributed: gloo between CPUs, NCCL between cards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import torch
from torch import Tensor

from hypcse._threads import Place, launched_place

Made = TypeVar("Made")

MEETING = timedelta(minutes=10)
"""How long ranks wait for each other at the start of a fit."""
WAITING = timedelta(hours=2)
"""How long a rank waits for another after that: rank 0 decodes and refines alone, while the others wait.

A process that ends is noticed at once. This is for one that neither works nor ends.
"""
_OWN_GROUP = "To choose another limit, call torch.distributed.init_process_group(timeout=...) before fit."

_store: Any = None
_n_groups = 0


class RankFailed(RuntimeError):
    """Another rank failed, or did not come; its own message says why."""


@dataclass(frozen=True)
class Ranks:
    """The processes that train together, and which of them this is; alone, every method does the plain thing.

    number, size : the rank of this process, and how many there are.
    local_size   : how many of them are on this machine.
    """

    number: int = 0
    size: int = 1
    local_size: int = 1

    def first(self, work: Callable[[], Made]) -> Made:
        """What rank 0 gets by `work`, which it does for all; where it fails, all fail."""
        if self.size == 1:
            return work()
        if self.number != 0:
            failure, value = self._told((None, None))
            if failure is not None:
                raise RankFailed(f"rank 0 failed, and rank {self.number} ends with it. It said: {failure}")
            made: Made = value
            return made
        try:
            value = work()
        except Exception as error:
            self._told((f"{type(error).__name__}: {error}".rstrip(": "), None))
            raise
        self._told((None, value))
        return value

    def _told(self, said: tuple[str | None, Any]) -> tuple[str | None, Any]:
        box = [said]
        torch.distributed.broadcast_object_list(box, src=0)
        return box[0]

    def check_same(self, facts: dict[str, Any]) -> None:
        """Raise on all ranks, naming what differs, unless all have the same facts."""
        found = self.gather(facts)
        differing = sorted({name for other in found for name in facts if other.get(name) != found[0].get(name)})
        if differing:
            raise ValueError(
                f"the {self.size} ranks fit different things; what differs: {', '.join(differing)}. Give all ranks the "
                "same data, settings and whole number random_state, or unset WORLD_SIZE to fit alone in each."
            )

    def add_up(self, values: Tensor) -> Tensor:
        """The sum over ranks, in place."""
        if self.size > 1:
            torch.distributed.all_reduce(values)
        return values

    def gather(self, value: Made) -> list[Made]:
        """What every rank holds."""
        if self.size == 1:
            return [value]
        values: list[Any] = [None] * self.size
        torch.distributed.all_gather_object(values, value)
        return values

    @contextmanager
    def shared_threads(self) -> Iterator[None]:
        """The kernels of this rank on its share of the threads; when rank 0 works for all, it has all of them."""
        if self.local_size == 1:
            yield
            return
        import numba

        before = numba.get_num_threads()
        try:
            numba.set_num_threads(max(1, before // self.local_size))
            yield
        finally:
            numba.set_num_threads(before)


ALONE = Ranks()
"""A process that trains alone."""


@contextmanager
def join_ranks(device: str) -> Iterator[tuple[Ranks, str]]:
    """The ranks of a fit on a kind of device, and the device of this one: of several cards that of its local number.

    Without torchrun's variables there is one rank. A group that the program has made already is used; otherwise one is
    made, and taken down at the end. A rank that fails leaves the group, so that the others fail too, at once.
    """
    place = launched_place()
    if place.size == 1:
        yield ALONE, device
        return
    own = own_device(device, place)
    on_card = torch.device(own).type == "cuda"
    with torch.cuda.device(own) if on_card else nullcontext(), _explained(place), _group(place, on_card):
        yield Ranks(torch.distributed.get_rank(), torch.distributed.get_world_size(), place.local_size), own


@contextmanager
def _group(place: Place, on_card: bool) -> Iterator[None]:
    """The group of one fit, unless the program has one."""
    if torch.distributed.is_initialized():
        yield
        return
    _meet(place, on_card)
    try:
        yield
    except BaseException:
        # NCCL may wait here for what the others never send; there the end of the process tells them.
        if not on_card:
            torch.distributed.destroy_process_group()
        raise
    torch.distributed.destroy_process_group()


def own_device(device: str, place: Place) -> str:
    """The device of a rank; a card that is named by its number is used as it is."""
    if device != "cuda":
        return device
    n_cards = torch.cuda.device_count()
    if place.local_number >= n_cards:
        raise ValueError(
            f"{place.local_size} ranks on this machine share {n_cards} cards; each needs its own. "
            f"Pass --nproc-per-node {n_cards} to torchrun, or device='cpu'."
        )
    return f"cuda:{place.local_number}"


def _meet(place: Place, on_card: bool) -> None:
    """Make the group of this fit; the names of every fit are its own, since those of the one before stay known."""
    global _store, _n_groups
    distributed: Any = torch.distributed
    if _store is None:
        _store, _, _ = next(distributed.rendezvous("env://", place.number, place.size, timeout=MEETING))
    _n_groups += 1
    store = distributed.PrefixStore(f"hypcse-{_n_groups}", _store)
    store.set_timeout(MEETING)
    store.set(f"came-{place.number}", "")
    store.wait([f"came-{number}" for number in range(place.size)], MEETING)
    distributed.init_process_group(
        backend="cpu:gloo,cuda:nccl" if on_card else "gloo",
        store=store,
        rank=place.number,
        world_size=place.size,
        timeout=WAITING,
    )


@contextmanager
def _explained(place: Place) -> Iterator[None]:
    """Errors of the group as `RankFailed`, which says what they mean."""
    try:
        yield
    except RankFailed:
        raise
    except RuntimeError as error:
        # Those of gloo have no class of their own, but name its files.
        if not isinstance(error, torch.distributed.DistError) and "gloo" not in str(error):
            raise
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise RankFailed(
            f"rank {place.number} of {place.size} lost the others: one of them failed, did not call fit, or took too "
            f"long ({reason}). See the first error among the ranks. {_OWN_GROUP}"
        ) from error
