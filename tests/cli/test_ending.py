"""How the command ends, whatever happens: one line, an exit code, and never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hypcse.cli.output import ending_of

CALL = [sys.executable, "-c", "from hypcse.cli import main; main()"]


def run(*words, call=CALL, **more):
    environment = os.environ | {"COLUMNS": "200"} | more.pop("env", {})
    return subprocess.run([*call, *words], capture_output=True, text=True, env=environment, **more)


@pytest.fixture
def points(tmp_path):
    """Twelve points in three groups."""
    X = np.random.default_rng(0).normal(size=(12, 2)) + 10 * np.repeat([0, 1, 2], 4)[:, None]
    np.save(tmp_path / "points.npy", X)
    return X


class OutOfMemoryError(RuntimeError):
    """As torch calls it, which says what it was about."""


def _raise_in(monkeypatch, error):
    def fail():
        raise error

    monkeypatch.setattr("hypcse.cli.output.list_methods", fail)


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (ValueError("no such value."), 2, "error: no such value.\n"),
        (MemoryError(), 2, "error: memory ran out (MemoryError)."),
        (
            OutOfMemoryError("CUDA: tried to allocate 2 GiB"),
            2,
            "memory ran out (CUDA: tried to allocate 2 GiB).",
        ),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), 2, "error: memory ran out"),
        (EOFError("No data left in file"), 2, "error: the input ended too early (No data left in file)."),
        (RecursionError("maximum depth exceeded"), 1, "error inside hypcse: RecursionError: maximum depth exceeded. "),
        (KeyError("x"), 1, "error inside hypcse: KeyError: 'x'. This is a bug in hypcse; run `hypcse --debug ...`"),
        (ExceptionGroup("two", [ValueError("a"), KeyError("b")]), 1, "This is a bug in hypcse"),
        (KeyboardInterrupt(), 130, "stopped; unfinished work is not kept.\n"),
        (KeyboardInterrupt("stopped; all is kept."), 130, "stopped; all is kept.\n"),
        (BrokenPipeError(), 141, ""),
    ],
)
def test_every_error_is_one_line(command, monkeypatch, error, code, text):
    _raise_in(monkeypatch, error)
    result = command("methods")
    assert result.returncode == code
    assert result.stderr.startswith(text) or text in result.stderr
    assert result.stderr.count("\n") == (code != 141) and result.stdout == ""


def test_debug_tells_the_rest_and_ends_alike(command, monkeypatch):
    for error, code in ((ValueError("wrong"), 2), (KeyError("x"), 1)):
        _raise_in(monkeypatch, error)
        result = command("--debug", "methods")
        assert result.returncode == code and "Traceback" in result.stderr and "list_methods" not in result.stdout


def test_a_training_that_diverged_is_told_with_its_cure(command, points, tmp_path):
    np.save("large.npy", points * 1e19)
    words = ("fit", "large.npy", "--out", "found", "--method", "hypcse", "--epochs", "2", "--device", "cpu")
    result = command(*words, "--scale", "none", "--bandwidth", "median")
    assert result.returncode == 2 and "error: the loss of epoch 1 is nan. Values of the features" in result.stderr
    assert "--scale minmax" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["large.npy", "points.npy"]
    assert command(*words).returncode == 0


@pytest.mark.parametrize("method", ["hypcse", "ufit", "hyphc", "fph", "eph"])
def test_a_rate_beyond_all_reason_is_refused(command, points, method):
    result = command("fit", "points.npy", "--out", "found", "--method", method, "--set", "learning_rate=1e300")
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1].startswith("error: learning_rate=1e+300 must be ")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_what_the_encoding_lacks_is_written_plainly(points, tmp_path, encoding):
    (tmp_path / "tree.nwk").write_text("((0,1),((2,3),((4,5),((6,7),((8,9),(10,11))))));")
    name = "naïve 日本.npy"
    (tmp_path / "points.npy").rename(tmp_path / name)
    shown = run(
        "score", "tree.nwk", "--data", name, cwd=tmp_path, encoding=encoding, env={"PYTHONIOENCODING": encoding}
    )
    assert shown.returncode == 0, shown.stderr
    assert "entropy ? " in shown.stdout and "Traceback" not in shown.stderr


def test_nobody_reads_the_output(tmp_path):
    """Neither the first line nor what Python would write at its end brings a traceback; a full disk is told."""
    quiet = subprocess.run(
        ["bash", "-c", 'set -o pipefail; "$@" | true', "bash", *CALL, "datasets"], capture_output=True, text=True
    )
    assert quiet.returncode == 141 and quiet.stderr == ""
    if Path("/dev/full").exists():
        with open("/dev/full", "w") as full:
            told = subprocess.run([*CALL, "--version"], stdout=full, stderr=subprocess.PIPE, text=True)
        assert told.returncode == 2 and told.stderr.count("\n") == 1 and "No space left" in told.stderr
    closed = subprocess.run(["bash", "-c", '"$@" >&-', "bash", *CALL, "--version"], capture_output=True, text=True)
    assert closed.returncode == 0 and closed.stderr == ""


@pytest.mark.parametrize(
    "words",
    [
        ("fit", "nowhere.csv", "--out"),
        ("compare", "nowhere.csv", "--out"),
        ("reproduce", "table1", "--out"),
        ("demo", "--data", "nowhere", "--out"),
        ("view", "nowhere.nwk", "--no-open", "--out"),
    ],
)
def test_a_place_that_cannot_be_written_is_told_first(command, monkeypatch, words):
    def refuse(*words):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("hypcse.storage.files.hidden_name", refuse)
    result = command(*words, "found")
    assert result.returncode == 2 and "nowhere" not in result.stderr
    assert "error: cannot write to" in result.stderr and "(Permission denied)" in result.stderr


def test_ctrl_c_while_workers_start(points, tmp_path):
    """It reaches all processes of a terminal; those that are still importing say nothing of it."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "if 'spawn_main' in ' '.join(sys.orig_argv):\n"
        "    os.kill(os.getppid(), signal.SIGINT)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
    )
    paths = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from hypcse.cli import main; main()"
    )
    words = ("compare", "points.npy", "--out", "found", "--method", "ward")
    result = run(*words, call=[sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": paths})
    assert result.returncode == 130
    assert "Traceback" not in result.stderr, result.stderr
    assert "stopped; the results of 0 of 1 methods are kept in" in result.stderr


def test_everything_loads_without_docstrings_and_asserts():
    """Under -OO, which drops both; torch is left out, which takes long to load so."""
    code = (
        "import importlib, pkgutil, sys, hypcse\n"
        "class WithoutTorch:\n"
        "    def find_spec(name, *more):\n"
        "        if name == 'torch': raise ImportError('no torch')\n"
        "sys.meta_path.insert(0, WithoutTorch)\n"
        "import hypcse.cli.fit, hypcse.cli.compare\n"
        "for module in pkgutil.walk_packages(hypcse.__path__, 'hypcse.'):\n"
        "    try:\n"
        "        importlib.import_module(module.name)\n"
        "    except ImportError as error:\n"
        "        if 'torch' not in str(error): raise\n"
        "print(hypcse.EntropyClustering.__doc__)"
    )
    result = run(call=[sys.executable, "-OO", "-c", code])
    assert result.stdout == "None\n", result.stderr


def test_the_words_of_an_ending():
    assert ending_of(OSError(28, "No space left on device")).text == "[Errno 28] No space left on device"
    assert ending_of(RuntimeError("odd")).code == 1
