"""Compilation before it is needed, in a second process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import numba
import numpy as np

from hypcse.kernels.cache import is_warm
from hypcse.kernels.compile import read_only
from hypcse.kernels.linkage.rounds import mean_merges
from hypcse.kernels.search.communities import _move_vertices
from hypcse.kernels.search.descent import descend
from hypcse.kernels.search.working_tree import Rows, WorkingTree, make_working_tree, read_parents
from hypcse.kernels.trees.ancestors import AncestorIndex
from hypcse.kernels.trees.antichains import from_above, split_thresholds
from hypcse.kernels.trees.branches import add_column, branch_lengths, mean_squares_between
from hypcse.kernels.trees.comparison import _induced_forest, purity_sum
from hypcse.kernels.trees.levels import Outline, best_gain_at_root, best_levels, gains_below
from hypcse.kernels.trees.sweep import kept_parents, leaf_labels

Calls = Iterator[tuple[Callable[..., object], tuple[Any, ...]]]

_begun = False


def warm_up() -> None:
    """Start to compile in a second process what a first run needs from its search on; returns at once.

    The run itself compiles what it needs before, and finds the rest on disk. Nothing happens where the kernels are
    there already, where one process was started before, where compiled code cannot be kept, or where a second process
    would not help: see `_can_start`.
    """
    global _begun
    if _begun or is_warm() or not _can_start():
        return
    _begun = True
    # -P: not from the folder that the user happens to work in, whatever lies there.
    code = "from hypcse.kernels.warm import compile_later; compile_later()"
    quiet = subprocess.DEVNULL
    try:
        process = subprocess.Popen([sys.executable, "-P", "-c", code], stdin=quiet, stdout=quiet, stderr=quiet)
    except OSError:
        # At a limit of processes or of memory: then this one compiles everything, which is slower and no fault.
        return
    # Nobody waits for it: without a code, Python would warn that it is still running.
    process.returncode = 0


def _can_start() -> bool:
    """Whether there is a second core, an interpreter to start, and no parent that has workers compile in parallel.

    In a program that was frozen, or that embeds Python, `sys.executable` is that program, and would run once more.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    is_python = "python" in Path(sys.executable or "").name.lower() and not getattr(sys, "frozen", False)
    return cores > 1 and is_python and parent_process() is None


def compile_later() -> None:
    """Compile, and keep on disk, what a run needs from its search on, in the order of need."""
    for function, example in examples():
        dispatcher: Any = function
        dispatcher.compile(tuple(numba.typeof(value) for value in example))


def examples() -> Calls:
    """The kernels that are compiled beforehand, each with arguments of the kinds that the package passes."""
    yield from _of_search()
    yield from _of_levels()


def _of_search() -> Calls:
    ids, reals, marks = np.zeros(1, np.int64), np.zeros(1), np.zeros(1, np.bool_)
    short, table, shorts = np.zeros(1, np.int32), np.zeros((1, 8)), np.zeros((1, 4), np.int32)
    fixed_ids, fixed_short, fixed_reals = read_only(ids, short, reals)
    tree = WorkingTree(shorts, table, short, short, short, marks, ids)
    rows = Rows(fixed_ids, fixed_short, fixed_reals)
    yield descend, (tree, rows, 0, 0, 0, 0.0, True)
    yield _move_vertices, (Rows(fixed_ids, fixed_ids, fixed_reals), fixed_reals, fixed_reals, 0, 0.0)
    yield make_working_tree, (fixed_ids, reals, reals, True)
    yield read_parents, (tree, 0)


def _of_levels() -> Calls:
    ids, reals, marks = np.zeros(1, np.int64), np.zeros(1), np.zeros(1, np.bool_)
    short, shorts = np.zeros(1, np.int32), np.zeros((1, 1), np.int32)
    (fixed,) = read_only(ids)
    outline = Outline(ids, ids, reals, reals, marks)
    yield _induced_forest, (fixed, fixed, fixed)
    yield mean_merges, (np.zeros((1, 1)), reals)
    yield split_thresholds, (fixed, reals, marks, marks)
    yield from_above, (fixed, reals, marks, 0.0)
    yield best_gain_at_root, (outline, reals)
    yield gains_below, (outline, reals)
    yield best_levels, (outline, np.zeros((1, 1)))
    yield kept_parents, (fixed, marks)
    yield leaf_labels, (fixed, marks, 0)
    yield purity_sum, (AncestorIndex(short, short, short, shorts), fixed, ids, 0)
    yield add_column, (fixed, reals, reals, reals)
    yield mean_squares_between, (fixed, reals, reals, reals)
    yield branch_lengths, (fixed, read_only(reals)[0])
