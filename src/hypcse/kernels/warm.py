"""Compilation before it is needed, in a second process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
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

FIRST_RUN = "hypcse: first run, compiling for this machine, once; about 10 seconds (HYPCSE_QUIET=1 hides this line)."
_begun = False


def warm_up() -> None:
    """Say that a first run compiles, and start that in a second process, from the search on; return at once.

    The line goes to standard error, unless HYPCSE_QUIET is set. The run itself compiles what it needs before, and finds
    the rest on disk. Nothing happens if the kernels are there already or cannot be stored. With one core, in a program
    that was frozen, or in one that embeds Python, which would run once more as `sys.executable`, no process is started;
    workers of a parent compile in parallel anyway.
    """
    global _begun
    if _begun or is_warm() or parent_process() is not None:
        return
    _begun = True
    if not os.environ.get("HYPCSE_QUIET"):
        print(FIRST_RUN, file=sys.stderr, flush=True)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    is_python = "python" in Path(sys.executable or "").name.lower() and not getattr(sys, "frozen", False)
    if cores == 1 or not is_python:
        return
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


def compile_later() -> None:
    """Compile, and store on disk, what a run needs from its search on, in the order of need."""
    for function, example in examples():
        dispatcher: Any = function
        dispatcher.compile(tuple(numba.typeof(value) for value in example))


def examples() -> list[tuple[Callable[..., object], tuple[Any, ...]]]:
    """Return the kernels to compile beforehand, each with arguments of the kinds that the package passes."""
    ids, reals, flags = np.zeros(1, np.int64), np.zeros(1), np.zeros(1, np.bool_)
    short, table, shorts = np.zeros(1, np.int32), np.zeros((1, 8)), np.zeros((1, 4), np.int32)
    fixed_ids, fixed_short, fixed_reals = read_only(ids, short, reals)
    tree = WorkingTree(shorts, table, short, short, short, flags, ids)
    outline = Outline(ids, ids, reals, reals, flags)
    return [
        (descend, (tree, Rows(fixed_ids, fixed_short, fixed_reals), 0, 0, 0, 0.0, True)),
        (_move_vertices, (Rows(fixed_ids, fixed_ids, fixed_reals), fixed_reals, fixed_reals, 0, 0.0)),
        (make_working_tree, (ids, reals, reals, True)),
        (read_parents, (tree, 0)),
        (_induced_forest, (fixed_ids, fixed_ids, fixed_ids)),
        (mean_merges, (table, reals)),
        (split_thresholds, (fixed_ids, reals, flags, flags)),
        (from_above, (fixed_ids, reals, flags, 0.0)),
        (best_gain_at_root, (outline, reals)),
        (gains_below, (outline, reals)),
        (best_levels, (outline, table)),
        (kept_parents, (fixed_ids, flags)),
        (leaf_labels, (fixed_ids, flags, 0)),
        (purity_sum, (AncestorIndex(short, short, short, shorts), fixed_ids, ids, 0)),
        (add_column, (fixed_ids, reals, reals, reals)),
        (mean_squares_between, (fixed_ids, reals, reals, reals)),
        (branch_lengths, (fixed_ids, fixed_reals)),
    ]
