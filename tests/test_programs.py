"""What the library does to the program around it: nothing; and that it works in forks, threads and other processes."""

from __future__ import annotations

import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numba
import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_info

import hypcse
from hypcse._threads import openmp_threads, worker_threads

LIMIT = 180
"""Seconds after which a process hangs; kernels may have to be compiled, on a machine that does much else."""
X = np.random.default_rng(0).normal(size=(60, 3)) + 9 * (np.arange(60) % 2)[:, None]

# A parallel kernel, and neighbors by scikit-learn, which has an OpenMP of its own, in the parent and in its children.
FORKING = """
import os, signal
import numpy as np, hypcse
from hypcse.graph import nearest_neighbors

X = np.random.default_rng(0).normal(size=(1000, 20))

def work():
    return nearest_neighbors(X, 5, algorithm="brute")[1].sum(), hypcse.similarity_graph(X).volume

def ends_well(check):
    child = os.fork()
    if child == 0:
        signal.alarm(LIMIT)
        os._exit(0 if check() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

wanted = work()
assert ends_well(lambda: work() == wanted)
assert ends_well(lambda: ends_well(lambda: work() == wanted))
assert work() == wanted
print("equal")
"""

SHARING = """
import threading, numpy as np
from numba import threading_layer
from hypcse.graph import nearest_neighbors

X = np.random.default_rng(0).normal(size=(300, 20))
wanted, found = nearest_neighbors(X, 5, algorithm="brute")[1].sum(), []

def work():
    for _ in range(100):
        found.append(nearest_neighbors(X, 5, algorithm="brute")[1].sum())

threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert found == [wanted] * 200
print(threading_layer())
"""

# The main thread ends in the middle of the fit.
LEAVING = """
import threading, numpy as np, hypcse
begun = threading.Event()

def work():
    rng = np.random.default_rng(0)
    while True:
        hypcse.EntropyClustering(callback=lambda progress: begun.set()).fit(rng.normal(size=(200, 2)))

threading.Thread(target=work, daemon=True).start()
assert begun.wait(LIMIT)
print("left")
"""

# A process that has only just begun, as multiprocessing and joblib start them.
RECEIVING = """
import pickle, sys

with open(sys.argv[1], "rb") as file:
    model = pickle.load(file)
labels, entropy = model.predict(model._scaled), model.entropy_
assert (labels == model.labels_).all()
assert model.fit(model._scaled).entropy_ == entropy
with open(sys.argv[1], "wb") as file:
    pickle.dump(model, file)
"""


def run(code: str, folder: Path, *words: str, **variables: str) -> str:
    """What a program prints that ends well, and in time."""
    script = folder / "program.py"
    script.write_text(code.replace("LIMIT", str(LIMIT // 2)))
    env = {**os.environ, "NUMBA_NUM_THREADS": "2", "OMP_NUM_THREADS": "2", **variables}
    command = [sys.executable, str(script), *words]
    found = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LIMIT)
    assert (found.returncode, found.stderr) == (0, "")
    return found.stdout.strip()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_after_a_parallel_kernel(tmp_path: Path) -> None:
    """Under the layer whose threads stay behind in the parent."""
    assert run(FORKING, tmp_path, NUMBA_THREADING_LAYER="omp") == "equal"


def test_two_threads_with_parallel_kernels(tmp_path: Path) -> None:
    """Under the layer that ends the program when two threads use it."""
    assert run(SHARING, tmp_path, NUMBA_THREADING_LAYER="workqueue") == "workqueue"


def test_the_main_thread_may_end_before_a_fit(tmp_path: Path) -> None:
    assert run(LEAVING, tmp_path) == "left"


def test_a_model_goes_to_a_fresh_process_and_back(tmp_path: Path) -> None:
    model = hypcse.EntropyClustering(scale="none").fit(X)
    (tmp_path / "model").write_bytes(pickle.dumps(model))
    assert run(RECEIVING, tmp_path, str(tmp_path / "model")) == ""
    back = pickle.loads((tmp_path / "model").read_bytes())
    assert (back.linkage_matrix_ == model.linkage_matrix_).all()


def overlap(first: Callable[[], object], second: Callable[[], object]) -> None:
    """Enter two contexts in two threads: the first is left while the second lasts, if that can begin by then."""
    entered, left = threading.Event(), threading.Event()

    def follow() -> None:
        with second():  # type: ignore[attr-defined]
            entered.set()
            left.wait(LIMIT)

    follower = threading.Thread(target=follow)

    def lead() -> None:
        with first():  # type: ignore[attr-defined]
            follower.start()
            entered.wait(0.2)
        left.set()

    leader = threading.Thread(target=lead)
    leader.start()
    leader.join()
    follower.join()


def in_new_thread(ask: Callable[[], object]) -> object:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(ask()))
    thread.start()
    thread.join()
    return found[0]


@pytest.fixture
def two_torch_threads() -> object:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("two_torch_threads")
def test_fits_in_threads_leave_the_counts_of_torch() -> None:
    work = lambda: worker_threads(1, 10)  # noqa: E731
    overlap(work, work)
    assert (torch.get_num_threads(), in_new_thread(torch.get_num_threads)) == (2, 2)
    with worker_threads(1, 10):
        assert torch.get_num_threads() == 1
    assert (torch.get_num_threads(), in_new_thread(torch.get_num_threads)) == (2, 2)


def test_limits_of_libraries_come_back() -> None:
    before = numba.get_num_threads(), threadpool_info()
    with pytest.raises(KeyError), worker_threads(2, 10), openmp_threads(1):
        raise KeyError
    overlap(lambda: openmp_threads(1), lambda: openmp_threads(1))
    assert (numba.get_num_threads(), threadpool_info()) == before


def state_of_program() -> dict[str, object]:
    return {
        "random": random.getstate(),
        "numpy": pickle.dumps(np.random.get_state()),  # noqa: NPY002
        "torch": torch.get_rng_state().tolist(),
        "errors of numpy": np.geterr(),
        "default type": torch.get_default_dtype(),
        "gradients": torch.is_grad_enabled(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "warnings": list(warnings.filters),
        "how they are shown": warnings.showwarning,
        "signals": [signal.getsignal(number) for number in sorted(signal.valid_signals())],
        "hook": sys.excepthook,
        "matplotlib": dict(mpl.rcParams),
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "threads": (numba.get_num_threads(), torch.get_num_threads(), threadpool_info()),
        "cache of numba": numba.config.CACHE_DIR,  # type: ignore[attr-defined]
        "recursion": sys.getrecursionlimit(),
        "digits": np.get_printoptions(),
    }


def test_a_fit_leaves_the_program_as_it_was(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    mpl.use("Agg")
    hypcse.HypCSE(n_epochs=1).fit(X)
    before = state_of_program()
    model = hypcse.HypCSE(n_epochs=1).fit(X)
    model.predict(X), model.transform(X), model.places(X)
    hypcse.methods.run("spec-wrsc", X)
    hypcse.view(model, tmp_path / "page.html")
    hypcse.plot.dendrogram(model)
    after = state_of_program()
    assert [name for name in before if before[name] != after[name]] == []
    assert capfd.readouterr() == ("", "")
