"""Matches leaves by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hypcse.tree.checks import check_names


def match_names(wanted: Sequence[str], held: Sequence[str], wanted_by: str, held_by: str) -> NDArray[np.int64]:
    """Position in `held` of each wanted name. Both must hold the same names, each once; `..._by` say whose they are.

    The Newick standard reads a bare a_b as 'a b', but many programs write it for 'a_b'. So, if the names differ as
    written, underscores and blanks count as equal, unless that would make two names of one side the same.

    >>> match_names(["a", "b_1"], ["b 1", "a"], "the table", "the tree")
    array([1, 0])
    """
    _check_unique(wanted, wanted_by)
    _check_unique(held, held_by)
    if set(wanted) != set(held):
        blank_wanted, blank_held = ([name.replace("_", " ") for name in names] for names in (wanted, held))
        if len(set(blank_wanted)) != len(wanted) or set(blank_wanted) != set(blank_held):
            raise _mismatch(wanted, held, wanted_by, held_by)
        wanted, held = blank_wanted, blank_held
    position = {name: k for k, name in enumerate(held)}
    return np.array([position[name] for name in wanted], dtype=np.int64)


def _check_unique(names: Sequence[str], owner: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{owner} names leaf {name!r} twice; leaf names must be unique. Rename one of them.")
        seen.add(name)


def _mismatch(wanted: Sequence[str], held: Sequence[str], wanted_by: str, held_by: str) -> ValueError:
    known = set(held)
    extra = next((name for name in wanted if name not in known), None)
    if extra is None:
        return _mismatch(held, wanted, held_by, wanted_by)
    shown = ", ".join(map(repr, held[:3])) + (", ..." if len(held) > 3 else "")
    return ValueError(f"{wanted_by} names leaf {extra!r}, but {held_by} has {shown}; both must name the same leaves.")


def new_names(old: tuple[str, ...] | None, names: Sequence[str] | None, n_new: int) -> tuple[str, ...] | None:
    """The names of old and new leaves; both must have names, or neither."""
    if old is None:
        if names is not None:
            raise ValueError("names are given for the new leaves, but the old ones have none. Omit names.")
        return None
    if names is None and n_new:
        raise ValueError(f"the leaves of this tree have names. Pass names with one for each of the {n_new} new leaves.")
    return old + check_names(names or (), n_new)
