"""The example in every command's help, run as it stands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from sklearn.datasets import load_iris

import hypcse
from hypcse.cli import app

# The demo has a test of its own.
EXAMPLES = [
    example
    for example in re.findall(r"Example: `hypcse ([^`]+)`", Path(app.__file__).read_text(encoding="utf-8"))
    if example != "demo"
]


def test_every_command_has_an_example():
    shown = {example.split()[0] for example in EXAMPLES} | {"demo"}
    assert shown == {command.name for command in app.app.registered_commands}


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_example_runs(example, command, tasks_here, tmp_path):
    X, _ = hypcse.datasets.load("iris")
    tree = hypcse.methods.run("graph-average", X)
    (tmp_path / "tree.nwk").write_text(tree.to_newick())
    if example.startswith(("describe", "predict", "update")):
        rows = load_iris(as_frame=True).data
        rows.to_csv("cars.csv", index=False)
        rows.head(9).to_csv("new-cars.csv", index=False)
        assert command("fit", "cars.csv", "--out", "cars-tree").returncode == 0
    result = command(*shlex.split(example))
    assert result.returncode == 0, result.stderr
