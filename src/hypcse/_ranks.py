"""Which of torchrun's processes this is, by the variables that torchrun sets; without them it is the only one."""

from __future__ import annotations

import os
from typing import NamedTuple

NEEDED = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
"""All of them must be set, as torchrun sets them. Without one of them a process works alone."""


class Place(NamedTuple):
    """The place of a process among those that were launched together.

    number, size             : its number from 0 (its rank), and how many there are.
    local_number, local_size : the same among those on this machine.
    """

    number: int = 0
    size: int = 1
    local_number: int = 0
    local_size: int = 1


def launched_place() -> Place:
    """The place of this process; alone where it was not launched with others.

    >>> launched_place()
    Place(number=0, size=1, local_number=0, local_size=1)
    """
    if any(name not in os.environ for name in NEEDED):
        return Place()
    size = _read_count("WORLD_SIZE", 1, None)
    if size == 1:
        return Place()
    number = _read_count("RANK", 0, size - 1)
    local_size = _read_count("LOCAL_WORLD_SIZE", 1, size, size)
    return Place(number, size, _read_count("LOCAL_RANK", 0, local_size - 1, number), local_size)


def _read_count(name: str, least: int, most: int | None, otherwise: int | None = None) -> int:
    text = os.environ.get(name, str(otherwise))
    if text.isdecimal() and least <= int(text) and (most is None or int(text) <= most):
        return int(text)
    limit = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise ValueError(
        f"{name}={text!r} must be a whole number {limit}. Start with torchrun, or unset WORLD_SIZE to fit alone."
    )
