"""Two runs of the command at one place, and what a run before left there."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import hypcse
from hypcse.storage.files import hold_folder

TRAINING = ("points.npy", "--out", "found", "--method", "hypcse", "--epochs", "1", "--device", "cpu", "--no-stability")


@pytest.fixture(autouse=True)
def points(tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 3)) + 9 * np.repeat([0, 1, 2], 10)[:, None]
    np.save(tmp_path / "points.npy", X)


def listed(folder):
    return sorted(path.name for path in folder.iterdir())


def test_two_fits_to_one_place_both_say_where_they_are(tmp_path):
    """Each waits for the other after the check of the place: both then write."""
    code = (
        "import os, sys, time, hypcse.cli.fit as fit\n"
        "from hypcse.cli import main\n"
        "whole = fit.write_folder\n"
        "def wait(*words):\n"
        "    open(f'ready-{os.getpid()}', 'w').close()\n"
        "    while sum(name.startswith('ready-') for name in os.listdir()) < 2: time.sleep(0.01)\n"
        "    return whole(*words)\n"
        "fit.write_folder = wait\n"
        "main()"
    )
    call = [sys.executable, "-c", code, "fit", "points.npy", "--out", "found", "--no-stability"]
    both = [
        subprocess.Popen(
            [*call, "--method", method], cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for method in ("ward", "graph-average")
    ]
    said = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert {"found", "found-2"} <= set(listed(tmp_path)) and "found-3" not in listed(tmp_path)
    (first,) = [out for out, _ in said if "Written to found: " in out]
    (second,) = [both for both in said if f"Written to {tmp_path / 'found-2'}: " in both[0]]
    assert "warning: found appeared meanwhile" in second[1]
    for out, where in ((first, "found"), (second[0], "found-2")):
        model = hypcse.methods.MethodClustering.load(tmp_path / where / "model")
        (method,) = [line for line in out.splitlines() if line.startswith("│ method")]
        assert f" {model.method}" in method


def test_a_second_training_at_one_place_is_refused_at_once(command, tmp_path):
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with hold_folder(tmp_path / "found.checkpoints"):
            held.set()
            done.wait(60)

    other = threading.Thread(target=hold)
    other.start()
    held.wait(60)
    try:
        for more in ((), ("--resume",)):
            second = command("fit", "nowhere.csv", *TRAINING[1:], *more)
            assert second.returncode == 2
            assert second.stderr.startswith("error: another run writes into ") and "nowhere" not in second.stderr
    finally:
        done.set()
        other.join()
    assert command("fit", *TRAINING).returncode == 0
    assert listed(tmp_path) == ["found", "points.npy"]


def test_checkpoints_that_hold_nothing_block_nothing(command, tmp_path):
    """Of a run that was killed before its first checkpoint, or while it wrote that."""
    kept = tmp_path / "found.checkpoints"
    (kept / ".epoch-000010.part-0123abcd").mkdir(parents=True)
    assert command("fit", *TRAINING).returncode == 0
    assert listed(tmp_path) == ["found", "points.npy"]


def test_what_others_put_among_the_checkpoints_is_asked_about(command, tmp_path):
    kept = tmp_path / "found.checkpoints"
    kept.mkdir()
    (kept / "epoch-000010").mkdir()
    refused = command("fit", *TRAINING)
    assert refused.returncode == 2 and "Pass --resume to continue it, or remove it" in refused.stderr
    assert listed(tmp_path) == ["found.checkpoints", "points.npy"] and listed(kept) == ["epoch-000010"]
    os.rmdir(kept / "epoch-000010")
    kept.rmdir()
    kept.write_text("mine")
    refused = command("fit", *TRAINING)
    assert refused.returncode == 2 and "is a file, and checkpoints" in refused.stderr and kept.read_text() == "mine"


def test_a_training_that_fails_at_once_leaves_nothing(command, tmp_path):
    refused = command("fit", *TRAINING, "--set", "batch_size=0")
    assert refused.returncode == 2 and "batch_size=0 must be between 1" in refused.stderr
    assert command("fit", "nowhere.csv", *TRAINING[1:]).returncode == 2
    assert listed(tmp_path) == ["points.npy"]


def test_save_says_where(tmp_path):
    """Whatever the seed, which has no limit."""
    model = hypcse.EntropyClustering(random_state=10**30).fit(np.load(tmp_path / "points.npy"))
    assert model.save(tmp_path / "model") == tmp_path / "model"
    assert model.save(tmp_path / "model", overwrite=True) == tmp_path / "model"


def test_compare_is_a_failure_where_all_methods_fail(command, tmp_path, monkeypatch):
    def failing(tasks, n_jobs):
        from hypcse.paper.measure import record_lost

        for task in tasks:
            yield record_lost(task)

    monkeypatch.setattr("hypcse.paper.runner.run_in_workers", failing)
    result = command("compare", "points.npy", "--out", "found", "--method", "ward", "--method", "hcse")
    assert result.returncode == 1
    assert "error: every method failed. found/compare.md lists why." in result.stderr
    assert "## Failures" in (tmp_path / "found" / "compare.md").read_text()


def test_compare_tries_its_names_first(command, tmp_path, monkeypatch):
    monkeypatch.setattr("hypcse.cli.compare.points_of", lambda *words: pytest.fail("points were read"))
    for name in ("compare.md", "compare.html", "compare.jsonl"):
        (tmp_path / "found" / name).mkdir(parents=True)
        result = command("compare", "points.npy", "--out", "found", "--method", "ward")
        assert result.returncode == 2 and f"{name} is a folder, but a file is needed there" in result.stderr
        (tmp_path / "found" / name).rmdir()


def test_compare_of_a_file_whose_name_is_odd(command, tmp_path, monkeypatch):
    """Bytes that are no text, markup and places of a page: the name is in the report as it is."""
    from hypcse.paper.measure import run_task

    monkeypatch.setattr("hypcse.paper.runner.run_in_workers", lambda tasks, n_jobs: (run_task(task) for task in tasks))
    for name in ("caf\udce9.npy", "{body}.npy", "[red]<b>|.npy"):
        (tmp_path / name).write_bytes((tmp_path / "points.npy").read_bytes())
        result = command("compare", name, "--out", "found", "--method", "ward")
        assert result.returncode == 0, result.stderr
        page, text = ((tmp_path / "found" / f"compare.{kind}").read_text() for kind in ("html", "md"))
        assert page.count("<h1>") == 1 and "<b>|" not in page and " <b>|" not in text
    assert text.startswith("# Methods on \\[red\\]\\<b>\\|.npy\n")
