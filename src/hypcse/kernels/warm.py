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

from hypcse.kernels.compile import kernel_folder, read_only
from hypcse.kernels.linkage.rounds import mean_merges
from hypcse.kernels.search.descent import descend
from hypcse.kernels.search.working_tree import COUNTS, LINK, VALUE, Rows, WorkingTree, read_parents
from hypcse.kernels.trees.ancestors import AncestorIndex
from hypcse.kernels.trees.branches import branch_lengths
from hypcse.kernels.trees.classes import induced_forest, purity_sum
from hypcse.kernels.trees.cuts import (
    Outline,
    best_gain_at_root,
    best_levels,
    from_above,
    gains_below,
    split_thresholds,
)
from hypcse.kernels.trees.sweep import inherit_values, leaf_labels

FIRST_RUN = "hypcse: first run, compiling for this machine, once; about 10 seconds (HYPCSE_QUIET=1 hides this line)."
_begun = False


def is_warm() -> bool:
    """Whether the kernel of the search, which takes longest to compile, is on disk; True if nothing can be stored."""
    folder = kernel_folder()
    return folder is None or any(folder.glob("serial/search_*/descent.descend-*.nbi"))


def warm_up() -> None:
    """Say that a first run compiles, and start that in a second process, from the search on; return at once.

    No process is started with one core, in a frozen program or one that embeds Python, which would run again as
    `sys.executable`, nor by workers, which compile side by side anyway.
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
    """Compile, and store on disk, what a run needs from its search on."""
    for function, example in examples():
        dispatcher: Any = function
        dispatcher.compile(tuple(numba.typeof(value) for value in example))


def examples() -> list[tuple[Callable[..., object], tuple[Any, ...]]]:
    """The kernels to compile beforehand, the longest first, with arguments of the kinds that the package passes."""
    ids, reals, flags = np.zeros(1, np.int64), np.zeros(1), np.zeros(1, np.bool_)
    short, table, shorts = np.zeros(1, np.int32), np.zeros((1, 8)), np.zeros((1, 4), np.int32)
    fixed_ids, fixed_short, fixed_reals = read_only(ids, short, reals)
    tree = WorkingTree(np.zeros(1, LINK), np.zeros(1, VALUE), short, short, short, flags, np.zeros(1, COUNTS))
    outline = Outline(ids, ids, reals, reals, flags)
    return [
        (descend, (tree, Rows(fixed_ids, fixed_short, fixed_reals), 0, 0, 0, 0.0, True)),
        (best_levels, (outline, table)),
        (gains_below, (outline, reals)),
        (best_gain_at_root, (outline, reals)),
        (leaf_labels, (fixed_ids, flags, 0)),
        (from_above, (fixed_ids, reals, flags, 0.0)),
        (split_thresholds, (fixed_ids, reals, flags, flags)),
        (inherit_values, (fixed_ids, fixed_ids)),
        (induced_forest, (fixed_ids, fixed_ids, fixed_ids)),
        (mean_merges, (table, reals)),
        (read_parents, (tree, 0)),
        (purity_sum, (AncestorIndex(short, short, short, shorts), fixed_ids, ids, ids)),
        (branch_lengths, (fixed_ids, fixed_reals)),
    ]
